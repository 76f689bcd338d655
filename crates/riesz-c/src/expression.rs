//! What registers are bound to.

use crate::Refused;
use crate::function::{Writer, c, operand, site};
use riesz_primitive::Primitive;
use riesz_program::foreign::Foreign;
use riesz_program::program::{Expression, Kind, Operand, Register};

impl Writer<'_> {
    /// Binds a register.
    pub fn bind(&mut self, register: Register, expression: &Expression) {
        let name = Foreign::Register(register);
        let value = match expression {
            Expression::Int(primitive, operands, at) => match integer(primitive, operands) {
                Some(Ok(value)) => value,
                Some(Err(checked)) => {
                    if matches!(primitive.name, "div" | "mod") {
                        self.check(&format!("({} != 0)", operand(operands[1])), &site(*at), &site(*at), operands);
                    }
                    self.line(format!("int64_t {name};"));
                    return self.check(&format!("{checked}, &{name})"), "RIESZ_OVERFLOW", &site(*at), operands);
                }
                None => {
                    let (what, span) = (format!("`{}` of integers", primitive.name), self.program.site(*at).span);
                    self.refused = Some(Refused { what, span });
                    return;
                }
            },
            Expression::Truncate(value, at) => {
                self.line(format!("int64_t {name};"));
                let truncated = format!("riesz_truncate({}, &{name})", operand(*value));
                return self.check(&truncated, &site(*at), &site(*at), &[]);
            }
            Expression::Position(arithmetic, a, b) if self.fixed.contains(&register) => {
                let function = format!("riesz_size_{arithmetic:?}").to_lowercase();
                format!("{function}({}, {})", operand(*a), operand(*b))
            }
            plain => self.expression(plain),
        };
        self.line(format!("const {} {name} = {value};", c(self.procedure.kind(Operand::Register(register)))));
    }

    /// Fails with a message unless a condition holds.
    pub fn check(&mut self, condition: &str, message: &str, site: &str, told: &[Operand]) {
        let told = [0, 1, 2].map(|at| told.get(at).map_or("0".into(), |told| operand(*told)));
        self.line(format!("if (!{condition}) return riesz_fail(run, {message}, {site}, {});", told.join(", ")));
    }

    fn expression(&self, expression: &Expression) -> String {
        let show = |shown: &Operand| operand(*shown);
        match expression {
            Expression::Copy(a) => show(a),
            Expression::Real(primitive, operands) => {
                let mut text = primitive.scalar().map_or("", |row| row.c).to_string();
                for (at, operand) in operands.iter().enumerate() {
                    text = text.replace(&format!("{{{at}}}"), &show(operand));
                }
                text
            }
            Expression::Position(arithmetic, a, b) => format!("{} {} {}", show(a), arithmetic.sign(), show(b)),
            Expression::Compare(comparison, a, b) => format!("{} {} {}", show(a), comparison.sign(), show(b)),
            Expression::Equal(a, b) => format!("{} == {}", show(a), show(b)),
            Expression::Near(a, b, tolerance) => match self.procedure.kind(*a) {
                Kind::Real => format!("riesz_near({}, {}, {})", show(a), show(b), show(tolerance)),
                Kind::Int => format!("riesz_near_integers({}, {}, {})", show(a), show(b), show(tolerance)),
                Kind::Bool => format!("{} == {}", show(a), show(b)),
            },
            Expression::Not(a) => format!("!{}", show(a)),
            Expression::And(a, b) => format!("{} && {}", show(a), show(b)),
            Expression::Within(index, len) => format!("0 <= {0} && {0} < {1}", show(index), show(len)),
            Expression::Select(condition, a, b) => format!("{} ? {} : {}", show(condition), show(a), show(b)),
            Expression::ToReal(a) => format!("(double){}", show(a)),
            Expression::IsNan(a) => format!("isnan({})", show(a)),
            Expression::Load(element) => self.element(*element),
            // Those that fail are bound by statements of their own.
            Expression::Int(..) | Expression::Truncate(..) => String::new(),
        }
    }
}

/// The C of a primitive of integers, if there is one: a value, or a function of the runtime, without the argument that its
/// result goes to, which says whether there is a result.
fn integer(primitive: &Primitive, operands: &[Operand]) -> Option<Result<String, String>> {
    let shown: Vec<String> = operands.iter().map(|a| operand(*a)).collect();
    Some(match (primitive.name, &shown[..]) {
        ("+", [a, b]) => Err(format!("riesz_add({a}, {b}")),
        ("-", [a, b]) => Err(format!("riesz_sub({a}, {b}")),
        ("*", [a, b]) => Err(format!("riesz_mul({a}, {b}")),
        ("div", [a, b]) => Err(format!("riesz_div({a}, {b}")),
        ("mod", [a, b]) => Err(format!("riesz_mod({a}, {b}")),
        ("integer ^", [a, b]) => Err(format!("riesz_power({a}, {b}")),
        ("unary -", [a]) => Err(format!("riesz_sub(0, {a}")),
        ("abs", [a]) => Err(format!("riesz_abs({a}")),
        ("min", [a, b]) => Ok(format!("riesz_least({a}, {b})")),
        ("max", [a, b]) => Ok(format!("riesz_greatest({a}, {b})")),
        _ => return None,
    })
}
