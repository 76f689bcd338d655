//! Coefficients: numbers that are computed from the arguments and the result of a function.
//!
//! They are written as `a0`, `r`, the sixteen digits of a number, `(sin a0)` and `(? < left right then otherwise)`.

use super::Rule;
use riesz_primitive::over::Range;
use riesz_primitive::{Coefficient, Comparison, Derivative, Domain, Kind, Primitive, Scalar, Work};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{LazyLock, Mutex};

/// A number that a rule computes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Argument(usize),
    /// The result of the function.
    Result,
    Real(f64),
    /// A built-in function, or another function with a rule.
    Apply(String, Vec<Value>),
    If {
        less: bool,
        left: Box<Value>,
        right: Box<Value>,
        then: Box<Value>,
        otherwise: Box<Value>,
    },
}

impl Value {
    pub fn apply(name: &str, operands: impl Into<Vec<Value>>) -> Value {
        Value::Apply(name.to_string(), operands.into())
    }

    /// How many operations it has.
    pub fn size(&self) -> usize {
        match self {
            Value::Argument(_) | Value::Result | Value::Real(_) => 1,
            Value::Apply(_, operands) => operands.iter().fold(1, |sum: usize, one| sum.saturating_add(one.size())),
            Value::If { left, right, then, otherwise, .. } => {
                [left, right, then, otherwise].iter().fold(1, |sum: usize, one| sum.saturating_add(one.size()))
            }
        }
    }

    /// Reads values that are written one behind the other.
    pub fn read_all(text: &str) -> Option<Vec<Value>> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let mut words = spaced.split_whitespace().peekable();
        let mut values = Vec::new();
        while words.peek().is_some() {
            values.push(Value::read(&mut words)?);
        }
        Some(values)
    }

    fn read<'t>(words: &mut std::iter::Peekable<impl Iterator<Item = &'t str>>) -> Option<Value> {
        let word = words.next()?;
        if word == "r" {
            return Some(Value::Result);
        }
        if let Some(at) = word.strip_prefix('a') {
            return Some(Value::Argument(at.parse().ok()?));
        }
        if word != "(" {
            return Some(Value::Real(f64::from_bits(u64::from_str_radix(word, 16).ok()?)));
        }
        let name = words.next()?;
        let value = if name == "?" {
            let less = words.next()? == "<";
            let mut next = || Some(Box::new(Value::read(words)?));
            Value::If { less, left: next()?, right: next()?, then: next()?, otherwise: next()? }
        } else {
            let mut operands = Vec::new();
            while *words.peek()? != ")" {
                operands.push(Value::read(words)?);
            }
            Value::apply(name, operands)
        };
        (words.next()? == ")").then_some(value)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Argument(at) => write!(f, "a{at}"),
            Value::Result => write!(f, "r"),
            Value::Real(value) => write!(f, "{:016x}", value.to_bits()),
            Value::Apply(name, operands) => {
                write!(f, "({name}")?;
                operands.iter().try_for_each(|operand| write!(f, " {operand}"))?;
                write!(f, ")")
            }
            Value::If { less, left, right, then, otherwise } => {
                write!(f, "(? {} {left} {right} {then} {otherwise})", if *less { "<" } else { "=" })
            }
        }
    }
}

/// A function with a rule, as the compiler has it.
pub(crate) struct Row {
    /// The name of the function of Riesz in the place of which it stands.
    pub function: String,
    pub row: &'static Primitive,
    /// For each argument, whether it is a real number.
    pub reals: Vec<bool>,
}

/// The row of a rule. Rows live as long as the process, which has one for each rule.
pub(super) fn row(
    name: &str,
    rules: &BTreeMap<String, Rule>,
    made: &mut BTreeMap<String, &'static Primitive>,
) -> Option<&'static Primitive> {
    static ROWS: LazyLock<Mutex<HashMap<String, &'static Primitive>>> = LazyLock::new(Mutex::default);
    if let Some(row) = made.get(name) {
        return Some(row);
    }
    let rule = rules.get(name)?;
    let key = format!("{name} {}", rule.text());
    let known = ROWS.lock().ok()?.get(&key).copied();
    let row = match known {
        Some(row) => row,
        None => {
            let values = rule.coefficients.iter();
            let coefficients: Vec<Coefficient> =
                values.map(|value| coefficient(value, rules, made)).collect::<Option<_>>()?;
            let row = leaked(name, rule, coefficients);
            ROWS.lock().ok()?.insert(key, row);
            row
        }
    };
    made.insert(name.to_string(), row);
    Some(row)
}

fn leaked(name: &str, rule: &Rule, coefficients: Vec<Coefficient>) -> &'static Primitive {
    let places: Vec<String> = (0..rule.reals.len()).map(|at| format!("{{{at}}}")).collect();
    let rust = format!("riesz_runtime::called([{}], call_{name})", places.join(", "));
    Box::leak(Box::new(Primitive {
        name: name.to_string().leak(),
        signatures: &[],
        summary: "",
        example: "",
        kind: Kind::Scalar(Scalar {
            integer: None,
            real: Some(unseen),
            derivative: Derivative::Scale(coefficients.leak()),
            domain: vec![Domain::Reals(-1.0, 1.0); rule.reals.len()].leak(),
            range: Range::Unknown,
            work: Work::Function,
            rust: rust.leak(),
            c: "",
        }),
    }))
}

/// The value of a function that the compiler cannot see: unknown, also if an argument is NaN. A value that is not
/// finite is never computed while compiling.
fn unseen(arguments: &[f64]) -> f64 {
    if arguments.iter().any(|argument| argument.is_nan()) { f64::INFINITY } else { f64::NAN }
}

fn coefficient(
    value: &Value,
    rules: &BTreeMap<String, Rule>,
    made: &mut BTreeMap<String, &'static Primitive>,
) -> Option<Coefficient> {
    let mut kept =
        |value: &Value| -> Option<&'static Coefficient> { Some(Box::leak(Box::new(coefficient(value, rules, made)?))) };
    Some(match value {
        Value::Argument(at) => Coefficient::Argument(*at),
        Value::Result => Coefficient::Result,
        Value::Real(value) => Coefficient::Constant(*value),
        Value::If { less, left, right, then, otherwise } => Coefficient::If {
            left: kept(left)?,
            comparison: if *less { Comparison::Less } else { Comparison::Equal },
            right: kept(right)?,
            then: kept(then)?,
            otherwise: kept(otherwise)?,
        },
        Value::Apply(name, operands) => {
            let known = riesz_primitive::find(if name == "-" && operands.len() == 1 { "unary -" } else { name });
            let row = if known.is_some() { known? } else { row(name, rules, made)? };
            let operands: Vec<Coefficient> =
                operands.iter().map(|operand| coefficient(operand, rules, made)).collect::<Option<_>>()?;
            Coefficient::Apply(row, operands.leak())
        }
    })
}
