//! The body of a rule as coefficients.
//!
//! A term of a rule is a number that the tangents do not enter, or a linear form in them:
//!
//! ```text
//! l + m    −l    c · l    l · c    l / c    if c then l else m
//! ```
//!
//! Anything else that a tangent enters is refused, so that a rule is linear by the way it is written.

use super::Rule;
use super::value::Value;
use crate::term::{Block, Name, PlaceId, Term};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// The most operations of a coefficient.
const MOST: usize = 4096;

/// Why a body is no rule.
pub(super) struct Wrong {
    pub place: Option<PlaceId>,
    pub message: String,
    pub help: &'static str,
}

/// The form of a term of a rule.
#[derive(Clone)]
enum Form {
    /// A number without tangents.
    Plain(Value),
    /// For each argument, what its tangent is multiplied with; none is zero.
    Linear(Vec<Option<Value>>),
    Condition(Rc<Condition>),
}

enum Condition {
    Known(bool),
    Less(Value, Value),
    Equal(Value, Value),
    Not(Rc<Condition>),
    And(Rc<Condition>, Rc<Condition>),
    Or(Rc<Condition>, Rc<Condition>),
}

/// The coefficients of the arguments. `function` is the function itself, which may be called with its own arguments.
pub(super) fn coefficients(
    body: &Block,
    values: &[Name],
    tangents: &[Option<Name>],
    function: &str,
    rules: &BTreeMap<String, Rule>,
) -> Result<Vec<Value>, Wrong> {
    let mut reader = Reader { function, values, rules, known: HashMap::new(), place: None };
    for (at, value) in values.iter().enumerate() {
        reader.known.insert(value.clone(), Form::Plain(Value::Argument(at)));
    }
    for (at, tangent) in tangents.iter().enumerate() {
        if let Some(tangent) = tangent {
            let mut parts = vec![None; values.len()];
            parts[at] = Some(Value::Real(1.0));
            reader.known.insert(tangent.clone(), Form::Linear(parts));
        }
    }
    let parts = match reader.block(body)? {
        Form::Linear(parts) => parts,
        Form::Plain(value) if is_zero(&value) => vec![None; values.len()],
        _ => {
            return Err(
                reader.wrong("the value of a rule is linear in the tangents: this has a part without one", LINEAR)
            );
        }
    };
    let parts: Vec<Value> = parts.into_iter().map(|part| part.unwrap_or(Value::Real(0.0))).collect();
    if parts.iter().map(Value::size).sum::<usize>() > MOST {
        return Err(
            reader.wrong("this rule is too large", "give what it uses several times a function with a rule of its own")
        );
    }
    Ok(parts)
}

const LINEAR: &str = "write a sum of tangents, each multiplied by factors without tangents";
const NUMBERS: &str = "use arithmetic, the methods of `f64`, `let`, `if` and `match`";

struct Reader<'r> {
    function: &'r str,
    values: &'r [Name],
    rules: &'r BTreeMap<String, Rule>,
    known: HashMap<Name, Form>,
    place: Option<PlaceId>,
}

impl Reader<'_> {
    fn wrong(&self, message: impl Into<String>, help: &'static str) -> Wrong {
        Wrong { place: self.place, message: message.into(), help }
    }

    fn block(&mut self, block: &Block) -> Result<Form, Wrong> {
        self.bindings(block)?;
        self.form(&block.result)
    }

    fn bindings(&mut self, block: &Block) -> Result<(), Wrong> {
        for binding in &block.lets {
            let before = self.place.replace(binding.place);
            match (&binding.names[..], &binding.value) {
                ([name], value) => {
                    let form = self.form(value)?;
                    self.known.insert(name.clone(), form);
                }
                // A conditional that gives several variables their values.
                (names, Term::If(condition, yes, no)) => {
                    let condition = self.condition(condition)?;
                    self.bindings(yes)?;
                    self.bindings(no)?;
                    for (at, name) in names.iter().enumerate() {
                        let (Term::Tuple(then), Term::Tuple(otherwise)) = (&yes.result, &no.result) else {
                            return Err(self.wrong("a rule cannot contain this", NUMBERS));
                        };
                        let (then, otherwise) = (self.form(&then[at])?, self.form(&otherwise[at])?);
                        let form = self.choice(&condition, then, otherwise)?;
                        self.known.insert(name.clone(), form);
                    }
                }
                (names, Term::Tuple(parts)) if parts.len() == names.len() => {
                    for (name, part) in names.iter().zip(parts) {
                        let form = self.form(part)?;
                        self.known.insert(name.clone(), form);
                    }
                }
                _ => return Err(self.wrong("a rule cannot contain this", NUMBERS)),
            }
            self.place = before;
        }
        Ok(())
    }

    fn form(&mut self, term: &Term) -> Result<Form, Wrong> {
        Ok(match term {
            Term::Name(name) => match self.known.get(name) {
                Some(form) => form.clone(),
                None => return Err(self.wrong(format!("`{name}` has no value here"), NUMBERS)),
            },
            Term::Real(value) => Form::Plain(Value::Real(*value)),
            Term::Int(value) => Form::Plain(Value::Real(*value as f64)),
            Term::Bool(value) => Form::Condition(Condition::Known(*value).into()),
            Term::At(place, inner) => {
                let before = self.place.replace(*place);
                let form = self.form(inner)?;
                self.place = before;
                form
            }
            Term::Scope(block) => self.block(block)?,
            Term::If(condition, yes, no) => {
                let condition = self.condition(condition)?;
                let (yes, no) = (self.block(yes)?, self.block(no)?);
                self.choice(&condition, yes, no)?
            }
            Term::Unary("-", inner) => match self.form(inner)? {
                Form::Plain(value) => Form::Plain(negative(value)),
                Form::Linear(parts) => Form::Linear(parts.into_iter().map(|part| part.map(negative)).collect()),
                Form::Condition(_) => return Err(self.wrong("this is no number", NUMBERS)),
            },
            Term::Unary(_, inner) => Form::Condition(Condition::Not(self.condition(inner)?).into()),
            Term::Binary("and", a, b) => Form::Condition(Condition::And(self.condition(a)?, self.condition(b)?).into()),
            Term::Binary("or", a, b) => Form::Condition(Condition::Or(self.condition(a)?, self.condition(b)?).into()),
            Term::Binary(sign @ ("<" | ">" | "<=" | ">=" | "==" | "!="), a, b) => {
                let (a, b) = (self.plain(a)?, self.plain(b)?);
                Form::Condition(compared(sign, a, b))
            }
            Term::Binary(sign, a, b) => {
                let (a, b) = (self.form(a)?, self.form(b)?);
                self.arithmetic(sign, a, b)?
            }
            Term::Call(function, arguments) => self.call(function, arguments)?,
            _ => return Err(self.wrong("a rule cannot contain this", NUMBERS)),
        })
    }

    fn plain(&mut self, term: &Term) -> Result<Value, Wrong> {
        match self.form(term)? {
            Form::Plain(value) => Ok(value),
            Form::Linear(_) => Err(self.wrong("this is not linear in a tangent", LINEAR)),
            Form::Condition(_) => Err(self.wrong("this is no number", NUMBERS)),
        }
    }

    fn condition(&mut self, term: &Term) -> Result<Rc<Condition>, Wrong> {
        match self.form(term)? {
            Form::Condition(condition) => Ok(condition),
            _ => Err(self.wrong("this is no condition", NUMBERS)),
        }
    }

    fn arithmetic(&mut self, sign: &'static str, a: Form, b: Form) -> Result<Form, Wrong> {
        Ok(match (sign, a, b) {
            ("+" | "-" | "*" | "/" | "^", Form::Plain(a), Form::Plain(b)) => {
                // Exponents are real numbers here.
                Form::Plain(Value::apply(if sign == "^" { "pow" } else { sign }, [a, b]))
            }
            ("+" | "-", Form::Linear(a), Form::Linear(b)) => {
                let parts = a.into_iter().zip(b).map(|parts| match parts {
                    (None, None) => None,
                    (Some(a), None) => Some(a),
                    (None, Some(b)) => Some(if sign == "-" { negative(b) } else { b }),
                    (Some(a), Some(b)) => Some(Value::apply(sign, [a, b])),
                });
                Form::Linear(parts.collect())
            }
            ("+", Form::Linear(parts), Form::Plain(zero))
            | ("+", Form::Plain(zero), Form::Linear(parts))
            | ("-", Form::Linear(parts), Form::Plain(zero))
                if is_zero(&zero) =>
            {
                Form::Linear(parts)
            }
            ("*", Form::Plain(by), Form::Linear(parts)) => {
                Form::Linear(parts.into_iter().map(|part| part.map(|part| product(by.clone(), part))).collect())
            }
            ("*", Form::Linear(parts), Form::Plain(by)) => {
                Form::Linear(parts.into_iter().map(|part| part.map(|part| product(part, by.clone()))).collect())
            }
            ("/", Form::Linear(parts), Form::Plain(by)) => Form::Linear(
                parts.into_iter().map(|part| part.map(|part| Value::apply("/", [part, by.clone()]))).collect(),
            ),
            ("*", Form::Linear(_), Form::Linear(_)) => {
                return Err(self.wrong("this multiplies a tangent by a tangent", LINEAR));
            }
            ("/", _, Form::Linear(_)) => return Err(self.wrong("this divides by a tangent", LINEAR)),
            ("+" | "-", ..) => {
                return Err(self.wrong("this adds a number without a tangent to a multiple of a tangent", LINEAR));
            }
            _ => return Err(self.wrong("this is not linear in a tangent", LINEAR)),
        })
    }

    fn call(&mut self, function: &Name, arguments: &[Term]) -> Result<Form, Wrong> {
        let mut operands = Vec::new();
        for argument in arguments {
            operands.push(self.plain(argument)?);
        }
        if **function == *self.function {
            let own: Vec<Value> = (0..self.values.len()).map(Value::Argument).collect();
            return match operands == own {
                true => Ok(Form::Plain(Value::Result)),
                false => Err(self.wrong(
                    "a rule can call its function only with the parameters of the rule",
                    "write `f(x)` with the parameters of the rule",
                )),
            };
        }
        Ok(match (&**function, &operands[..]) {
            ("real", [x]) => Form::Plain(x.clone()),
            ("is_nan", [x]) => Form::Condition(Condition::Not(Condition::Equal(x.clone(), x.clone()).into()).into()),
            ("rust_max", [a, b]) => Form::Plain(choose(&extreme(b, a, a), b.clone(), a.clone())),
            ("rust_min", [a, b]) => Form::Plain(choose(&extreme(a, b, a), b.clone(), a.clone())),
            // An integer that has overflowed is no number.
            ("rust_within", [x, least, most]) => {
                let below = Condition::Less(x.clone(), least.clone());
                let outside = Condition::Or(below.into(), Condition::Less(most.clone(), x.clone()).into());
                Form::Plain(choose(&outside, Value::Real(f64::NAN), x.clone()))
            }
            ("rust_unsigned", [x]) => {
                let below = Condition::Less(x.clone(), Value::Real(0.0));
                Form::Plain(choose(&below, Value::Real(f64::NAN), x.clone()))
            }
            (name, _) if self.rules.contains_key(name) => Form::Plain(Value::Apply(name.to_string(), operands)),
            (name, _)
                if riesz_primitive::find(name)
                    .is_some_and(|row| row.scalar().is_some_and(|row| row.real.is_some())) =>
            {
                Form::Plain(Value::Apply(name.to_string(), operands))
            }
            (name, _) => {
                let name = name.trim_start_matches("rust_");
                return Err(self.wrong(
                    format!("`{name}` cannot be called in a rule"),
                    "use the elementary methods of `f64`, the function itself, and functions with rules",
                ));
            }
        })
    }

    fn choice(&mut self, condition: &Condition, yes: Form, no: Form) -> Result<Form, Wrong> {
        Ok(match (yes, no) {
            (Form::Plain(yes), Form::Plain(no)) => Form::Plain(choose(condition, yes, no)),
            (Form::Condition(yes), Form::Condition(no)) => {
                let known = |value: &Value| *value == Value::Real(1.0);
                let number = |of: &Condition| choose(of, Value::Real(1.0), Value::Real(0.0));
                let chosen = choose(condition, number(&yes), number(&no));
                match known(&chosen) {
                    true => Form::Condition(Condition::Known(true).into()),
                    false => Form::Condition(Condition::Equal(chosen, Value::Real(1.0)).into()),
                }
            }
            (yes, no) => {
                let (yes, no) = (self.linear(yes)?, self.linear(no)?);
                let zero = || Value::Real(0.0);
                let parts = yes.into_iter().zip(no).map(|parts| match parts {
                    (None, None) => None,
                    (a, b) => Some(choose(condition, a.unwrap_or_else(zero), b.unwrap_or_else(zero))),
                });
                Form::Linear(parts.collect())
            }
        })
    }

    fn linear(&self, form: Form) -> Result<Vec<Option<Value>>, Wrong> {
        match form {
            Form::Linear(parts) => Ok(parts),
            Form::Plain(value) if is_zero(&value) => Ok(vec![None; self.values.len()]),
            _ => Err(self.wrong("one branch has a tangent, and the other a number without one", LINEAR)),
        }
    }
}

/// Whether `a > b`, or `x` is NaN.
fn extreme(a: &Value, b: &Value, x: &Value) -> Condition {
    let nan = Condition::Not(Condition::Equal(x.clone(), x.clone()).into());
    Condition::Or(Condition::Less(b.clone(), a.clone()).into(), nan.into())
}

fn compared(sign: &str, a: Value, b: Value) -> Rc<Condition> {
    let or_equal =
        |a: Value, b: Value| Condition::Or(Condition::Less(a.clone(), b.clone()).into(), Condition::Equal(a, b).into());
    Rc::new(match sign {
        "<" => Condition::Less(a, b),
        ">" => Condition::Less(b, a),
        "<=" => or_equal(a, b),
        ">=" => or_equal(b, a),
        "==" => Condition::Equal(a, b),
        _ => Condition::Not(Condition::Equal(a, b).into()),
    })
}

fn choose(condition: &Condition, then: Value, otherwise: Value) -> Value {
    let made = |less: bool, left: &Value, right: &Value, then, otherwise| Value::If {
        less,
        left: left.clone().into(),
        right: right.clone().into(),
        then: Box::new(then),
        otherwise: Box::new(otherwise),
    };
    match condition {
        Condition::Known(true) => then,
        Condition::Known(false) => otherwise,
        Condition::Less(left, right) => made(true, left, right, then, otherwise),
        Condition::Equal(left, right) => made(false, left, right, then, otherwise),
        Condition::Not(inner) => choose(inner, otherwise, then),
        Condition::And(a, b) => choose(a, choose(b, then, otherwise.clone()), otherwise),
        Condition::Or(a, b) => choose(a, then.clone(), choose(b, then, otherwise)),
    }
}

fn product(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Real(1.0), other) | (other, Value::Real(1.0)) => other,
        (a, b) => Value::apply("*", [a, b]),
    }
}

fn negative(value: Value) -> Value {
    match value {
        Value::Real(value) => Value::Real(-value),
        value => Value::apply("-", [value]),
    }
}

fn is_zero(value: &Value) -> bool {
    *value == Value::Real(0.0)
}
