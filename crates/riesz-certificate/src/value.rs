//! Whether two coefficients are the same value.
//!
//! `k * l` of a law may have been written `l * k`, `-a * -b` as `a * b`, and `a * (1 / b)` as `a / b`. So both sides are
//! evaluated in a field of integers modulo a prime of 61 bits, with a random value for every name, for every element of an
//! array at a generic index, and for every function of them. Sides that differ as rational functions of those agree with a
//! chance below their degree divided by 2⁶⁰. The prime and the values are drawn from the text of the certificate, so that
//! no coefficient can be written with them in mind.

use std::cell::Cell;
use std::collections::HashMap;

use crate::elaborate::size;
use crate::term::{Expr, Operator, Space, Term, deep};

/// How many parts of coefficients one comparison may look at, and how deep.
const MOST: u64 = 200_000;
const DEEPEST: usize = 4000;

/// The facts that the certificate states about the values of the program.
pub(crate) struct Values {
    prime: u64,
    seed: u64,
    /// The indices and states with which a value changes.
    pub of: HashMap<String, Vec<String>>,
    pub spaces: HashMap<String, Space>,
    pub definitions: HashMap<String, Expr>,
    left: Cell<u64>,
    /// How many more parts of coefficients the right side of a law may write out.
    written: Cell<u64>,
    /// How many coefficients were compared by their values.
    pub compared: Cell<u64>,
}

/// The values of indices.
pub(crate) type Indices = Vec<(String, u64)>;

/// A value, and the number that it is where only numbers are in it: those are added and multiplied as numbers with rounding.
#[derive(Clone, Copy)]
struct Value {
    residue: u64,
    number: Option<f64>,
}

/// Where a coefficient is evaluated.
struct Point<'i> {
    indices: &'i mut Indices,
    /// How many generic indices are around it.
    depth: usize,
    /// How many definitions and operations are around it.
    nested: usize,
    /// Whether names stand for their definitions.
    defined: bool,
}

impl Values {
    pub fn new(text: &str) -> Values {
        let seed = text.bytes().fold(0xcbf2_9ce4_8422_2325, |seed: u64, byte| {
            (seed ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mut prime = (mixed(seed) >> 3) | (1 << 60) | 1;
        while !is_prime(prime) {
            prime += 2;
        }
        Values {
            prime,
            seed: mixed(seed ^ 1),
            of: HashMap::new(),
            spaces: HashMap::new(),
            definitions: HashMap::new(),
            left: Cell::new(0),
            written: Cell::new(0),
            compared: Cell::new(0),
        }
    }

    /// Begins with the right side of a law.
    pub fn begin(&self) {
        self.written.set(MOST);
    }

    /// Writes out one more part of a coefficient, unless that is too much work.
    pub fn write(&self) -> Option<()> {
        self.written.set(self.written.get().checked_sub(1)?);
        Some(())
    }

    /// Whether a name changes with an index.
    pub fn changes(&self, name: &str, index: &str) -> bool {
        name == index || self.of.get(name).is_some_and(|around| around.iter().any(|other| other == index))
    }

    pub fn depends(&self, expr: &Expr, index: &str) -> bool {
        let mut found = false;
        expr.visit(&mut |name| found |= self.changes(name, index));
        found
    }

    /// Whether a map changes with an index. What it binds itself does not count.
    pub fn varies(&self, map: &Term, index: &str) -> bool {
        deep(|| {
            let own = map.exprs().iter().any(|expr| self.depends(expr, index));
            let hidden = map.bound().contains(&index);
            own || (!hidden && map.children.iter().any(|child| self.varies(child, index)))
        })
    }

    /// A value for an index that could be any.
    pub fn generic(&self, depth: usize) -> u64 {
        self.hash("generic", &[depth as u64])
    }

    /// Whether two coefficients are the same at the indices of each side; arrays, at generic elements of a rank.
    pub fn equal(&self, a: &Expr, b: &Expr, rank: usize, left: &mut Indices, right: &mut Indices) -> bool {
        let renamed = left.iter().zip(right.iter()).any(|((i, _), (j, _))| i != j);
        if a == b && !renamed {
            return true;
        }
        self.compared.set(self.compared.get() + 1);
        let generic: Vec<u64> = (0..rank).map(|at| self.hash("element", &[at as u64])).collect();
        let at = |expr: &Expr, indices: &mut Indices, elements: &[u64], defined: bool| {
            self.left.set(MOST);
            let mut point = Point { indices, depth: 0, nested: 0, defined };
            self.value(expr, elements, &mut point).map(|value| value.residue)
        };
        let mut agree = |elements: &[u64], defined: bool| {
            let sides = (at(a, left, elements, defined), at(b, right, elements, defined));
            matches!(sides, (Some(x), Some(y)) if x == y)
        };
        agree(&generic, false) || agree(&[], false) || agree(&generic, true) || agree(&[], true)
    }

    /// The element of an array at some indices; none if that is too much work.
    fn value(&self, expr: &Expr, at: &[u64], point: &mut Point) -> Option<Value> {
        self.left.set(self.left.get().checked_sub(1)?);
        if point.nested > DEEPEST {
            return None;
        }
        point.nested += 1;
        let value = deep(|| self.evaluated(expr, at, point));
        point.nested -= 1;
        value
    }

    fn evaluated(&self, expr: &Expr, at: &[u64], point: &mut Point) -> Option<Value> {
        let opaque = |residue: u64| Value { residue, number: None };
        Some(match expr {
            Expr::Number(number) => self.number(*number),
            Expr::Var(name) => {
                if let Some((_, value)) = point.indices.iter().rev().find(|(index, _)| index == name) {
                    return Some(opaque(*value));
                }
                if point.defined
                    && let Some(definition) = self.definitions.get(name)
                {
                    return self.value(definition, at, point);
                }
                let around = self.of.get(name).into_iter().flatten();
                let value = |index: &String| {
                    let known = point.indices.iter().rev().find(|(name, _)| name == index);
                    known.map_or(self.hash(index, &[]), |(_, value)| *value)
                };
                let around: Vec<u64> = around.map(value).collect();
                opaque(self.hash(name, &[self.hash("of", &around), self.hash("at", at)]))
            }
            Expr::Each { index, count, element } => match at.split_first() {
                Some((first, rest)) => {
                    point.indices.push((index.clone(), *first));
                    let value = self.value(element, rest, point);
                    point.indices.pop();
                    value?
                }
                None => match self.whole(index, count, element) {
                    Some(array) => self.value(array, at, point)?,
                    None => {
                        let count = self.value(count, &[], point)?.residue;
                        let element = self.anywhere(index, element, &[], point)?;
                        opaque(self.hash("each", &[count, element]))
                    }
                },
            },
            Expr::Apply(operator, arguments) => self.applied(operator, arguments, at, point)?,
        })
    }

    /// `a` of `[a[i] | i < n]`, where the array is known to have as many elements.
    fn whole<'e>(&self, index: &str, count: &Expr, element: &'e Expr) -> Option<&'e Expr> {
        let Expr::Apply(Operator::Index, arguments) = element else { return None };
        let [array, Expr::Var(at)] = &arguments[..] else { return None };
        let space = self.space_of(array)?;
        let fits = matches!(space, Space::Array(known, _) if *known == size(count) && known != "_");
        (at == index && fits && !self.depends(array, index)).then_some(array)
    }

    fn space_of(&self, expr: &Expr) -> Option<&Space> {
        match expr {
            Expr::Var(name) => self.spaces.get(name),
            Expr::Apply(Operator::Index, arguments) => match self.space_of(arguments.first()?)? {
                Space::Array(_, element) => Some(element),
                _ => None,
            },
            _ => None,
        }
    }

    /// An element at a generic index.
    fn anywhere(&self, index: &str, element: &Expr, at: &[u64], point: &mut Point) -> Option<u64> {
        point.depth += 1;
        point.indices.push((index.to_string(), self.generic(point.depth)));
        let value = self.value(element, at, point);
        point.indices.pop();
        point.depth -= 1;
        value.map(|value| value.residue)
    }

    fn applied(&self, operator: &Operator, arguments: &[Expr], at: &[u64], point: &mut Point) -> Option<Value> {
        let opaque = |residue: u64| Some(Value { residue, number: None });
        let mut all = |values: &Values, at: &[u64]| -> Option<Vec<u64>> {
            arguments.iter().map(|argument| Some(values.value(argument, at, point)?.residue)).collect()
        };
        let p = self.prime;
        match (operator, arguments) {
            (Operator::Infix(sign @ ("+" | "-" | "*")), [a, b]) => {
                let (a, b) = (self.value(a, at, point)?, self.value(b, at, point)?);
                if let (Some(a), Some(b)) = (a.number, b.number) {
                    return Some(self.number(match *sign {
                        "+" => a + b,
                        "-" => a - b,
                        _ => a * b,
                    }));
                }
                opaque(match *sign {
                    "+" => sum(a.residue, b.residue, p),
                    "-" => sum(a.residue, p - b.residue, p),
                    _ => product(a.residue, b.residue, p),
                })
            }
            (Operator::Multiple, [k, v]) => {
                let (k, v) = (self.value(k, &[], point)?, self.value(v, at, point)?);
                opaque(product(k.residue, v.residue, p))
            }
            (Operator::Infix("/"), [a, b]) => {
                let (a, b) = (self.value(a, at, point)?, self.value(b, at, point)?);
                opaque(product(a.residue, power(b.residue, p - 2, p), p))
            }
            (Operator::Infix("^"), [base, exponent]) => {
                let base = self.value(base, at, point)?;
                let exponent = self.value(exponent, at, point)?;
                match exponent.number {
                    Some(n) if n.fract() == 0.0 && n.abs() <= 64.0 => {
                        let value = power(base.residue, n.abs() as u64, p);
                        opaque(if n < 0.0 { power(value, p - 2, p) } else { value })
                    }
                    _ => opaque(self.hash("^", &[base.residue, exponent.residue])),
                }
            }
            (Operator::Negative, [a]) => {
                let a = self.value(a, at, point)?;
                Some(match a.number {
                    Some(number) => self.number(-number),
                    None => Value { residue: (p - a.residue) % p, number: None },
                })
            }
            (Operator::Index, [array, index]) => {
                let index = self.value(index, &[], point)?.residue;
                let at: Vec<u64> = [index].into_iter().chain(at.iter().copied()).collect();
                self.value(array, &at, point)
            }
            (Operator::Part(part), [tuple]) => {
                let mut tuple = tuple;
                while let (true, Expr::Var(name)) = (point.defined, tuple) {
                    self.left.set(self.left.get().checked_sub(1)?);
                    match self.definitions.get(name) {
                        Some(definition) => tuple = definition,
                        None => break,
                    }
                }
                match (tuple, part.parse::<usize>()) {
                    (Expr::Apply(Operator::Tuple, parts), Ok(place)) => self.value(parts.get(place)?, at, point),
                    _ => {
                        let tuple = self.value(tuple, &[], point)?.residue;
                        opaque(self.hash(part, &[tuple, self.hash("part", at)]))
                    }
                }
            }
            (Operator::Array, elements) if !at.is_empty() => {
                let place = (0..elements.len()).find(|place| self.number(*place as f64).residue == at[0]);
                match place {
                    Some(place) => self.value(&elements[place], &at[1..], point),
                    None => opaque(self.hash("element", &[self.hash("array", &all(self, &at[1..])?), at[0]])),
                }
            }
            (Operator::Reduce(name), [Expr::Each { index, count, element }]) => {
                match self.whole(index, count, element) {
                    Some(array) => {
                        let array = self.value(array, &[], point)?.residue;
                        opaque(self.hash(name, &[self.hash("call", &[array]), self.hash("at", at)]))
                    }
                    None => {
                        let count = self.value(count, &[], point)?.residue;
                        opaque(self.hash(name, &[count, self.anywhere(index, element, at, point)?]))
                    }
                }
            }
            (Operator::Call(name), [number]) if name == "real" && at.is_empty() => self.value(number, &[], point),
            (Operator::Call(name), [matrix]) if name == "transpose" => {
                if let Expr::Apply(Operator::Call(inner), own) = matrix
                    && inner == "transpose"
                    && let [own] = &own[..]
                {
                    return self.value(own, at, point);
                }
                match at {
                    [i, j, rest @ ..] => {
                        let at: Vec<u64> = [*j, *i].into_iter().chain(rest.iter().copied()).collect();
                        self.value(matrix, &at, point)
                    }
                    _ => opaque(self.hash(name, &[self.value(matrix, &[], point)?.residue, self.hash("at", at)])),
                }
            }
            (Operator::Call(name), _) => {
                let arguments = self.hash("call", &all(self, &[])?);
                opaque(self.hash(name, &[arguments, self.hash("at", at)]))
            }
            (Operator::If, [condition, yes, no]) => {
                let condition = self.value(condition, &[], point)?.residue;
                let (yes, no) = (self.value(yes, at, point)?.residue, self.value(no, at, point)?.residue);
                opaque(self.hash("if", &[condition, yes, no]))
            }
            (Operator::Infix(sign), _) => opaque(self.hash(sign, &all(self, at)?)),
            (Operator::Not, _) => opaque(self.hash("not", &all(self, at)?)),
            (Operator::Tuple, _) => {
                opaque(self.hash("tuple", &[self.hash("parts", &all(self, &[])?), self.hash("at", at)]))
            }
            (Operator::Array, _) => opaque(self.hash("array", &all(self, &[])?)),
            _ => opaque(self.hash("other", &all(self, &[])?)),
        }
    }

    /// A number as a fraction modulo the prime.
    fn number(&self, number: f64) -> Value {
        let p = self.prime;
        let residue = if number.is_finite() {
            let bits = number.to_bits();
            let (exponent, fraction) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
            let (mantissa, exponent) =
                if exponent == 0 { (fraction, -1074) } else { (fraction | (1 << 52), exponent as i64 - 1075) };
            let two = power(2, exponent.unsigned_abs(), p);
            let two = if exponent < 0 { power(two, p - 2, p) } else { two };
            let magnitude = product(mantissa % p, two, p);
            if number < 0.0 { (p - magnitude) % p } else { magnitude }
        } else {
            self.hash("not finite", &[number.to_bits()])
        };
        Value { residue, number: Some(number) }
    }

    fn hash(&self, name: &str, values: &[u64]) -> u64 {
        let start = name.bytes().fold(mixed(self.seed ^ name.len() as u64), |hash, byte| mixed(hash ^ u64::from(byte)));
        let hash = values.iter().fold(start, |hash, value| mixed(hash.rotate_left(5) ^ value));
        mixed(hash ^ values.len() as u64) % self.prime
    }
}

/// A permutation that looks random.   [Steele et al., SplitMix]
fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

fn sum(a: u64, b: u64, p: u64) -> u64 {
    (a % p + b % p) % p
}

fn product(a: u64, b: u64, p: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(p)) as u64
}

fn power(base: u64, mut exponent: u64, p: u64) -> u64 {
    let (mut base, mut result) = (base % p, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = product(result, base, p);
        }
        base = product(base, base, p);
        exponent >>= 1;
    }
    result
}

/// Whether an odd number is prime.   [Miller and Rabin; these bases suffice below 2⁶⁴]
fn is_prime(n: u64) -> bool {
    let (shift, odd) = ((n - 1).trailing_zeros(), (n - 1) >> (n - 1).trailing_zeros());
    [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37].into_iter().all(|base| {
        let mut value = power(base, odd, n);
        if value == 1 || value == n - 1 {
            return true;
        }
        (1..shift).any(|_| {
            value = product(value, value, n);
            value == n - 1
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::expr;

    fn equal(a: &str, b: &str, rank: usize) -> bool {
        let mut values = Values::new("a text");
        values.definitions.insert("t".into(), expr("sin(x[i])").unwrap());
        values.of.insert("t".into(), vec!["i".into()]);
        values.spaces.insert("v".into(), crate::parse::space("[n]R").unwrap());
        values.equal(&expr(a).unwrap(), &expr(b).unwrap(), rank, &mut Vec::new(), &mut Vec::new())
    }

    #[test]
    fn coefficients_are_the_same_as_values() {
        for (a, b, rank) in [
            ("k * l", "l * k", 0),
            ("-a * -b", "a * b", 0),
            ("a * (1.0 / b)", "a / b", 0),
            ("(a + b)^2", "a * a + 2.0 * a * b + b^2.0", 0),
            ("0.1 + 0.2", "0.30000000000000004", 0),
            ("v", "[v[i] | i < n]", 0),
            ("[u[i] * w[i] | i < n]", "u * w", 1),
            ("[u[i] | i < m][j]", "u[j]", 0),
            ("sum(t | i < n)", "sum(sin(x[j]) | j < n)", 0),
            ("sum(v[i] | i < n)", "sum(v)", 0),
            ("transpose(a)[i][j]", "a[j][i]", 0),
            ("if c then a + b else d", "if c then b + a else d", 0),
        ] {
            assert!(equal(a, b, rank), "{a} is {b}");
        }
        for (a, b, rank) in [
            ("k * l", "k + l", 0),
            ("k", "-k", 0),
            ("a / b", "b / a", 0),
            ("v[i]", "v[j]", 0),
            ("sin(x)", "cos(x)", 0),
            ("sum(v[i] | i < m)", "sum(v)", 0),
            ("sum(u[i] | i < m)", "sum(u[i] | i < n)", 0),
            ("sum(t | i < n)", "sum(t | j < n)", 0),
            ("dot(a, b)", "dot(b, a)", 0),
            ("if c then a else b", "if c then b else a", 0),
            ("0.1 + 0.2", "0.3", 0),
            ("1.0", "2305843009213693952.0", 0),
        ] {
            assert!(!equal(a, b, rank), "{a} is not {b}");
        }
    }

    #[test]
    fn primes_are_prime() {
        let primes = (39..2000).step_by(2).filter(|n| is_prime(*n)).count();
        assert_eq!(primes, 291, "there are 303 primes below 2000, of which 12 are bases");
        assert!(is_prime((1 << 61) - 1) && !is_prime(((1 << 31) - 1) * ((1 << 29) - 3)));
    }
}
