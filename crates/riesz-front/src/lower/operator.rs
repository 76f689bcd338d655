//! Operators and casts.

use super::{Lower, Value, describe};
use crate::term::Term;
use crate::types::{Integer, Ty, is_ordering, show};

/// The operator that a compound assignment applies.
pub(super) fn compound(op: &syn::BinOp) -> Option<syn::BinOp> {
    use syn::BinOp::*;

    Some(match op {
        AddAssign(_) => Add(Default::default()),
        SubAssign(_) => Sub(Default::default()),
        MulAssign(_) => Mul(Default::default()),
        DivAssign(_) => Div(Default::default()),
        RemAssign(_) => Rem(Default::default()),
        BitAndAssign(_) => BitAnd(Default::default()),
        BitOrAssign(_) => BitOr(Default::default()),
        BitXorAssign(_) => BitXor(Default::default()),
        ShlAssign(_) => Shl(Default::default()),
        ShrAssign(_) => Shr(Default::default()),
        _ => return None,
    })
}

impl Lower<'_> {
    pub(super) fn unary(&mut self, unary: &syn::ExprUnary) -> Value {
        match unary.op {
            syn::UnOp::Neg(_) => {
                if let syn::Expr::Lit(literal) = super::expr::strip(&unary.expr) {
                    return self.literal(&literal.lit, true);
                }
                let value = self.value(&unary.expr);
                match value.ty {
                    Ty::Float | Ty::Int(_) => Value::new(Term::Unary("-", value.term.into()), value.ty),
                    Ty::Error => Value::error(),
                    Ty::Struct(ref of) if self.world.functions.contains_key(&format!("{}::neg__", of.name)) => {
                        let signature = self.world.functions[&format!("{}::neg__", of.name)].clone();
                        self.call_function(&signature, vec![value], unary)
                    }
                    _ => self.refuse(unary, "only numbers have a negative here", "write it element by element"),
                }
            }
            syn::UnOp::Not(_) => {
                let value = self.value(&unary.expr);
                match value.ty {
                    Ty::Bool => Value::new(value.term.not(), Ty::Bool),
                    Ty::Error => Value::error(),
                    _ => self.refuse(unary, "`!` of an integer has no meaning that can be kept", "use arithmetic"),
                }
            }
            // What is behind a reference is copied.
            _ => Value { place: None, parts: Vec::new(), ..self.value(&unary.expr) },
        }
    }

    pub(super) fn binary(&mut self, binary: &syn::ExprBinary) -> Value {
        if let Some(op) = compound(&binary.op) {
            let right = self.value(&binary.right);
            let Some(place) = self.place_of(&binary.left) else {
                let help = "assign to a variable, to an element `v[i]`, or to a field";
                return self.refuse(&binary.left, "this assignment cannot be differentiated", help);
            };
            let left = self.read_place(&place, &binary.left);
            if matches!(left.ty, Ty::Struct(_)) {
                let operands = vec![Value { place: Some(place), ..left }, right];
                return self.overloaded(&op, "_assign", operands, binary);
            }
            let left = Value { term: unmarked(left.term), ..left };
            let value = self.operate(&op, left, right, binary);
            let value = Value { term: unmarked(value.term), ..value };
            self.write_place(&place, value, binary);
            return Value::unit();
        }
        match binary.op {
            syn::BinOp::And(_) | syn::BinOp::Or(_) => {
                let left = self.value(&binary.left);
                let (right, ty) = self.own_block(&binary.right, |lower| lower.value(&binary.right));
                if matches!(left.ty, Ty::Error) || matches!(ty, Ty::Error) {
                    return Value::error();
                }
                let sign = if matches!(binary.op, syn::BinOp::And(_)) { "and" } else { "or" };
                Value::new(Term::Binary(sign, left.term.into(), Term::Scope(right.into()).into()), Ty::Bool)
            }
            op => {
                let left = self.value(&binary.left);
                let right = self.value(&binary.right);
                self.operate(&op, left, right, binary)
            }
        }
    }

    /// An operator that a type of the module implements.
    fn overloaded(&mut self, op: &syn::BinOp, behind: &str, operands: Vec<Value>, at: &syn::ExprBinary) -> Value {
        let method = match op {
            syn::BinOp::Add(_) => "add",
            syn::BinOp::Sub(_) => "sub",
            syn::BinOp::Mul(_) => "mul",
            syn::BinOp::Div(_) => "div",
            syn::BinOp::Rem(_) => "rem",
            _ => "comparison",
        };
        let [left, right] = &operands[..] else { return Value::error() };
        let names = (self.type_name(&left.ty), self.type_name(&right.ty));
        let method = crate::operator::method_name(&format!("{method}{behind}"), &names.1);
        match self.world.functions.get(&format!("{}::{method}", names.0)).cloned() {
            Some(signature) => self.call_function(&signature, operands, at),
            None if matches!(left.ty, Ty::Error) || matches!(right.ty, Ty::Error) => Value::error(),
            None => {
                let (left, right) = (describe(&left.ty), describe(&right.ty));
                let message = format!("`{}` of {left} and {right} is not visible to `#[differentiable]`", show(&at.op));
                self.refuse(
                    at,
                    message,
                    "put the types and their operators, without references, into one module with the function",
                )
            }
        }
    }

    fn type_name(&self, ty: &Ty) -> String {
        match ty {
            Ty::Struct(of) => of.name.clone(),
            Ty::Float => self.real().to_string(),
            _ => String::new(),
        }
    }

    fn operate(&mut self, op: &syn::BinOp, left: Value, right: Value, at: &syn::ExprBinary) -> Value {
        use syn::BinOp::*;
        let place = self.place(at);
        let marked = |term: Term| Term::At(place, term.into());
        let sign = match op {
            Add(_) => "+",
            Sub(_) => "-",
            Mul(_) => "*",
            Div(_) => "/",
            Rem(_) => "%",
            Eq(_) => "==",
            Ne(_) => "!=",
            Lt(_) => "<",
            Le(_) => "<=",
            Gt(_) => ">",
            Ge(_) => ">=",
            Shl(_) | Shr(_) | BitAnd(_) => return self.bits(op, left, right, at),
            _ => {
                let help = "use arithmetic on integers, and `&&` and `||` on booleans";
                return self.refuse(at, format!("`{}` on bits cannot be differentiated", show(&at.op)), help);
            }
        };
        if matches!(left.ty, Ty::Struct(_)) || matches!(right.ty, Ty::Struct(_)) {
            return self.overloaded(op, "", vec![left, right], at);
        }
        let compares = matches!(sign, "==" | "!=" | "<" | "<=" | ">" | ">=");
        match (&left.ty, &right.ty) {
            (Ty::Error, _) | (_, Ty::Error) => Value::error(),
            (Ty::Never, _) | (_, Ty::Never) => Value::never(),
            (Ty::Float, Ty::Float) if sign == "%" => {
                let help = "write `x - y * (x / y).trunc()`";
                self.refuse(at, "`%` of real numbers is not in the table of functions that Riesz knows", help)
            }
            (Ty::Float, Ty::Float) if compares => Value::new(Term::binary(sign, left.term, right.term), Ty::Bool),
            (Ty::Int(a), Ty::Int(b)) if compares => {
                let integer = a.with(*b);
                let (left, right) = (self.settle(left.term, integer), self.settle(right.term, integer));
                Value::new(Term::binary(sign, left, right), Ty::Bool)
            }
            (Ty::Enum(of), _) if self.world.of_traits.contains(&format!("{}::eq", of.name)) => {
                let help = "derive `PartialEq`, or match on the variants";
                self.refuse(at, format!("`{}` has an `==` of its own", of.name), help)
            }
            (Ty::Bool, Ty::Bool) | (Ty::Enum(_), Ty::Enum(_)) if matches!(sign, "==" | "!=") => {
                Value::new(Term::binary(sign, left.term, right.term), Ty::Bool)
            }
            (Ty::Float, Ty::Float) => Value::new(marked(Term::binary(sign, left.term, right.term)), Ty::Float),
            (Ty::Int(a), Ty::Int(b)) => {
                let integer = a.with(*b);
                let ty = Ty::Int(integer);
                let term = match (sign, integer.signed) {
                    ("/" | "%", signed) => {
                        let (left, right) = (self.settle(left.term, integer), self.settle(right.term, integer));
                        let name = match (sign, signed) {
                            ("/", false) => "div",
                            (_, false) => "mod",
                            ("/", true) => "rust_div",
                            (_, true) => "rust_rem",
                        };
                        Term::call(name, [left, right])
                    }
                    _ => Term::binary(sign, left.term, right.term),
                };
                match term {
                    Term::Name(_) | Term::Int(_) => Value::new(term, ty),
                    term => Value::new(marked(term), ty),
                }
            }
            (a, b) => {
                let message =
                    format!("`{}` of {} and {} cannot be differentiated", show(&at.op), describe(a), describe(b));
                self.refuse(at, message, "write it number by number, in a loop or with iterators")
            }
        }
    }

    /// Shifts, which are products and quotients by powers of two, and remainders by them.
    fn bits(&mut self, op: &syn::BinOp, left: Value, right: Value, at: &syn::ExprBinary) -> Value {
        let (Ty::Int(integer), Ty::Int(other)) = (left.ty.clone(), right.ty.clone()) else {
            if left.ty == Ty::Bool && right.ty == Ty::Bool && matches!(op, syn::BinOp::BitAnd(_)) {
                return Value::new(left.term.and(right.term), Ty::Bool);
            }
            let help = "use arithmetic on integers, and `&&` and `||` on booleans";
            return self.refuse(at, format!("`{}` on bits cannot be differentiated", show(&at.op)), help);
        };
        let place = self.place(at);
        let by = self.name_it("by", self.settle(right.term, other), at);
        // A literal has the type of what it is used with, which is checked where the result is looked at.
        let bits = if integer.bits == 0 { 62 } else { i64::from(integer.bits) };
        let power = |by: Term| match by {
            Term::Int(by) if (0..bits.min(62)).contains(&by) => Term::Int(1 << by),
            by => Term::call("rust_power_of_two", [by, Term::Int(bits)]),
        };
        let term = match op {
            syn::BinOp::Shl(_) => Term::binary("*", left.term, power(by)),
            syn::BinOp::Shr(_) => Term::call("div", [self.settle(left.term, integer), power(by)]),
            _ => match (left.term, by) {
                // `n & (2^k - 1)`
                (n, Term::Int(mask)) | (Term::Int(mask), n) if mask >= 0 && (mask + 1) & mask == 0 => {
                    Term::call("mod", [n, Term::Int(mask + 1)])
                }
                _ => {
                    let help = "write a mask `2^k - 1` as a number, or use arithmetic";
                    return self.refuse(at, "`&` with this mask cannot be differentiated", help);
                }
            },
        };
        let integer = if matches!(op, syn::BinOp::BitAnd(_)) { integer.with(other) } else { integer };
        Value::new(Term::At(place, term.into()), Ty::Int(integer))
    }

    pub(super) fn cast(&mut self, cast: &syn::ExprCast) -> Value {
        let value = self.value(&cast.expr);
        let target = show(&*cast.ty);
        match (&value.ty, target.as_str(), Integer::named(&target)) {
            (Ty::Error, ..) => Value::error(),
            (Ty::Float, real, _) if real == self.real() => value,
            (Ty::Int(from), real, _) if real == self.real() => {
                let term = self.settle(value.term, *from);
                Value::new(Term::call("real", [term]), Ty::Float)
            }
            (Ty::Int(from), _, Some(to)) => {
                let term = self.converted(value.term, *from, to, cast);
                Value::new(term, Ty::Int(to))
            }
            (Ty::Float, _, Some(to)) => {
                // Numbers out of range become the nearest integer, and NaN becomes zero.
                let (least, most) = to.range();
                let bounds = [value.term, Term::Int(least), Term::Int(most)];
                Value::new(Term::call("rust_integer", bounds), Ty::Int(to))
            }
            (Ty::Bool, _, Some(to)) => {
                let (yes, no) = (alone(Term::Int(1)), alone(Term::Int(0)));
                Value::new(Term::If(value.term.into(), yes.into(), no.into()), Ty::Int(to))
            }
            (Ty::Enum(_), _, Some(to)) if !is_ordering(&value.ty) => Value::new(value.term, Ty::Int(to)),
            (_, "f32" | "f64", _) => {
                let message =
                    format!("`as {target}` changes the precision, and this function computes with `{}`", self.real());
                let help = "remove the conversion, or convert the result outside the function";
                self.refuse(cast, message, help)
            }
            _ => self.refuse(
                cast,
                format!("a cast of {} to `{target}` cannot be differentiated", describe(&value.ty)),
                "convert between `f64`, `i32`, `i64` and `usize`",
            ),
        }
    }
}

pub(super) fn is_arithmetic(op: &syn::BinOp) -> bool {
    use syn::BinOp::{Add, Div, Mul, Rem, Sub};
    matches!(op, Add(_) | Sub(_) | Mul(_) | Div(_) | Rem(_))
}

/// A block without bindings.
pub(super) fn alone(result: Term) -> crate::term::Block {
    crate::term::Block { lets: Vec::new(), result }
}

/// A term without the mark of its place, so that its form can be recognised.
pub(super) fn unmarked(term: Term) -> Term {
    match term {
        Term::At(_, inner) => unmarked(*inner),
        other => other,
    }
}
