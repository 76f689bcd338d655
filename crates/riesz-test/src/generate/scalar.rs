//! Numbers, and operations on them element by element.

use super::types::Type;
use super::{Node, Production, Writer};
use riesz_primitive::{Domain, Kind, Primitive};

pub const ALL: &[(&str, usize, Production)] = &[
    ("function of a number", 30, Writer::unary),
    ("function of two numbers", 10, Writer::binary),
    ("function of two numbers, one beside an array", 4, Writer::beside),
    ("arithmetic", 20, Writer::arithmetic),
    ("arithmetic with an integer", 2, Writer::with_integer),
    ("scalar with array", 6, Writer::broadcast),
    ("scalar times vector", 5, Writer::multiple),
    ("vector over scalar", 3, Writer::quotient),
    ("unary minus", 3, Writer::negative),
    ("literal power", 5, Writer::literal_power),
    ("integer power", 2, Writer::integer_power),
    ("real power", 3, Writer::real_power),
    ("real", 2, Writer::real),
    ("constant", 1, Writer::constant),
];

/// The built-in functions of one or two numbers that programs can name.
pub fn functions() -> impl Iterator<Item = &'static Primitive> {
    riesz_primitive::table().iter().copied().filter(|primitive| {
        primitive.is_named()
            && match &primitive.kind {
                Kind::Scalar(scalar) => scalar.real.is_some(),
                Kind::Prelude => primitive.signatures == ["(x: R): R"],
                _ => false,
            }
    })
}

fn domains(primitive: &'static Primitive) -> Vec<Domain> {
    match primitive.scalar() {
        Some(scalar) => scalar.domain.to_vec(),
        None => vec![Domain::Reals(-4.0, 4.0)],
    }
}

/// Functions whose values grow fast, and step functions, which end every derivative.
const FAST: &[&str] = &["exp", "exp2", "expm1", "sinh", "cosh"];
const STEPS: &[&str] = &["sign", "floor", "ceil", "round"];

impl Writer {
    fn unary(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_tensor() {
            return None;
        }
        let functions: Vec<_> = functions().filter(|primitive| domains(primitive).len() == 1).collect();
        let mut primitive = *self.random.pick(&functions);
        if STEPS.contains(&primitive.name) && self.random.percent(60) {
            primitive = *self.random.pick(&functions);
        }
        self.cover(primitive.name);
        let argument = self.argument(domains(primitive)[0], FAST.contains(&primitive.name), ty, fuel - 1);
        Some(self.node(ty, format!("{}($)", primitive.name), vec![argument]))
    }

    fn binary(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_tensor() {
            return None;
        }
        let functions: Vec<_> = functions().filter(|primitive| domains(primitive).len() == 2).collect();
        let primitive = *self.random.pick(&functions);
        self.cover(primitive.name);
        let shares = self.split(fuel, 2);
        let parts =
            domains(primitive).into_iter().zip(shares).map(|(domain, fuel)| self.argument(domain, false, ty, fuel));
        let parts = parts.collect();
        Some(self.node(ty, format!("{}($, $)", primitive.name), parts))
    }

    fn beside(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_tensor() || *ty == Type::Real {
            return None;
        }
        let functions: Vec<_> = functions().filter(|primitive| domains(primitive).len() == 2).collect();
        let primitive = *self.random.pick(&functions);
        let mut types = [ty.clone(), Type::Real];
        if self.random.percent(50) {
            types.reverse();
        }
        let shares = self.split(fuel, 2);
        let mut parts = Vec::new();
        for ((domain, ty), fuel) in domains(primitive).into_iter().zip(&types).zip(shares) {
            parts.push(self.argument(domain, false, ty, fuel));
        }
        Some(self.node(ty, format!("{}($, $)", primitive.name), parts))
    }

    /// An expression whose numbers lie in a domain.
    pub fn argument(&mut self, domain: Domain, fast: bool, ty: &Type, fuel: usize) -> Node {
        let (low, high) = match domain {
            Domain::Reals(low, high) => (low, high),
            Domain::Integers(low, high) => (low as f64, high as f64),
        };
        let inner = self.expr(ty, fuel);
        let template = if low <= -3.0 && high >= 3.0 {
            match fast {
                true => "(1.5 * sin($))".to_string(),
                false => return inner,
            }
        } else if low > 0.0 && low < 0.5 && high > 3.0 {
            let positive = ["(0.3 + $ ^ 2)", "exp(sin($))", "(1.5 + cos($))", "(0.2 + softplus($))", "(0.4 + abs($))"];
            self.random.pick(&positive).to_string()
        } else {
            let (middle, half) = ((low + high) / 2.0, 0.9 * (high - low) / 2.0);
            let bounded = *self.random.pick(&["sin", "tanh"]);
            format!("({middle:?} + {half:?} * {bounded}($))")
        };
        self.node(ty, template, vec![inner])
    }

    fn positive(&mut self, ty: &Type, fuel: usize) -> Node {
        self.argument(Domain::Reals(0.05, 8.0), false, ty, fuel)
    }

    fn arithmetic(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() {
            return None;
        }
        let shares = self.split(fuel, 2);
        let sign = *self.random.pick(&["+", "-", "*", "*", "/"]);
        let left = self.expr(ty, shares[0]);
        let right = match sign {
            "/" if ty.is_tensor() => self.positive(ty, shares[1]),
            _ => self.expr(ty, shares[1]),
        };
        let sign = if sign == "/" && !ty.is_tensor() { "*" } else { sign };
        Some(self.node(ty, format!("($ {sign} $)"), vec![left, right]))
    }

    fn with_integer(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_tensor() {
            return None;
        }
        let (int, inner) = (self.int(), self.expr(ty, fuel - 1));
        let template = *self.random.pick(&["($ * $)", "($ + $)", "($ - $)"]);
        Some(self.node(ty, template, vec![int, inner]))
    }

    fn broadcast(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_tensor() || *ty == Type::Real {
            return None;
        }
        let shares = self.split(fuel, 2);
        let (scalar, whole) = (self.expr(&Type::Real, shares[0]), self.expr(ty, shares[1]));
        Some(match self.random.below(6) {
            0 => self.node(ty, "($ + $)", vec![scalar, whole]),
            1 => self.node(ty, "($ + $)", vec![whole, scalar]),
            2 => self.node(ty, "($ - $)", vec![scalar, whole]),
            3 => self.node(ty, "($ - $)", vec![whole, scalar]),
            4 => self.node(ty, "($ / (1.1 + $ ^ 2))", vec![scalar, whole]),
            _ => self.node(ty, "($ / (1.1 + $ ^ 2))", vec![whole, scalar]),
        })
    }

    fn multiple(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() || *ty == Type::Real {
            return None;
        }
        let shares = self.split(fuel, 2);
        let (scalar, whole) = (self.expr(&Type::Real, shares[0]), self.expr(ty, shares[1]));
        let order = if self.random.percent(50) { vec![scalar, whole] } else { vec![whole, scalar] };
        Some(self.node(ty, "($ * $)", order))
    }

    fn quotient(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() {
            return None;
        }
        let shares = self.split(fuel, 2);
        let whole = self.expr(ty, shares[0]);
        let scalar = self.positive(&Type::Real, shares[1]);
        Some(self.node(ty, "($ / $)", vec![whole, scalar]))
    }

    fn negative(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() {
            return None;
        }
        let inner = self.expr(ty, fuel - 1);
        Some(self.node(ty, "(-$)", vec![inner]))
    }

    fn literal_power(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_tensor() {
            return None;
        }
        let exponent = *self.random.pick(&[2, 2, 3, 1, 0, -1, -2]);
        let base = match exponent < 0 {
            true => self.positive(ty, fuel - 1),
            false => self.expr(ty, fuel - 1),
        };
        Some(self.node(ty, format!("($ ^ {exponent})"), vec![base]))
    }

    fn integer_power(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_tensor() {
            return None;
        }
        let (base, exponent) = (self.tame(ty, fuel - 1), self.int());
        Some(self.node(ty, "($ ^ abs($))", vec![base, exponent]))
    }

    fn real_power(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_tensor() {
            return None;
        }
        let shares = self.split(fuel, 2);
        let (base, exponent) = (self.positive(ty, shares[0]), self.expr(ty, shares[1]));
        Some(self.node(ty, "($ ^ (1.5 * sin($)))", vec![base, exponent]))
    }

    fn real(&mut self, ty: &Type, _: usize) -> Option<Node> {
        if *ty != Type::Real {
            return None;
        }
        let int = self.int();
        Some(self.node(ty, "real($)", vec![int]))
    }

    fn constant(&mut self, ty: &Type, _: usize) -> Option<Node> {
        let name = *self.random.pick(&["pi", "e", "1.25"]);
        (*ty == Type::Real).then(|| self.node(ty, name, Vec::new()))
    }
}
