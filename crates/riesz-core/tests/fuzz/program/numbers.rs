//! Expressions for numbers, conditions, and arrays of any type.

use super::types::{Size, Type};
use super::{Writer, array};

impl Writer<'_> {
    pub(super) fn real(&mut self, depth: usize) -> String {
        let vector = |size: &Size| array(size.clone());
        let size = self.size();
        match self.random.below(14) {
            0..=3 => {
                let (left, right) = (self.expr(&Type::Real, depth - 1), self.expr(&Type::Real, depth - 1));
                format!("({left} {} {right})", self.random.pick(&["+", "-", "*", "/", "^"]))
            }
            4 => format!("(-{})", self.expr(&Type::Real, depth - 1)),
            5 => {
                let function = *self.random.pick(&[
                    "exp", "log", "sqrt", "sin", "atan", "tanh", "abs", "sign", "floor", "round", "erf", "lgamma",
                    "sigmoid", "softplus", "relu", "norm", "real", "digamma", "cbrt",
                ]);
                format!("{function}({})", self.expr(&Type::Real, depth - 1))
            }
            6 => {
                let function = *self.random.pick(&["max", "min", "pow", "atan2", "hypot", "inner"]);
                format!("{function}({}, {})", self.expr(&Type::Real, depth - 1), self.expr(&Type::Real, depth - 1))
            }
            7 | 8 => {
                let function = *self.random.pick(&["sum", "prod", "max", "min", "norm"]);
                format!("{function}({})", self.expr(&vector(&size), depth - 1))
            }
            9 => {
                let (i, j) = (self.name(), self.name());
                let body =
                    self.within(&[(&i, &Type::Int), (&j, &Type::Int)], |writer| writer.expr(&Type::Real, depth - 1));
                let bound = if self.random.percent(50) { i.clone() } else { self.size().to_string() };
                format!("sum({body} | {i} < {size}, {j} < {bound})")
            }
            10 => {
                let function = *self.random.pick(&["dot", "inner"]);
                format!(
                    "{function}({}, {})",
                    self.expr(&vector(&size), depth - 1),
                    self.expr(&vector(&size), depth - 1)
                )
            }
            11 => {
                let matrix = Type::Array(size.clone(), Box::new(vector(&size)));
                format!("{}({})", self.random.pick(&["det", "logdet", "norm"]), self.expr(&matrix, depth - 1))
            }
            12 => self.expr(&Type::Int, depth - 1),
            _ => self.simple(&Type::Real),
        }
    }

    pub(super) fn integer(&mut self, depth: usize) -> String {
        let element = self.ty(1);
        let array = Type::Array(self.size(), Box::new(element));
        let integers = Type::Array(self.size(), Box::new(Type::Int));
        match self.random.below(9) {
            0..=2 => {
                let (left, right) = (self.expr(&Type::Int, depth - 1), self.expr(&Type::Int, depth - 1));
                format!("({left} {} {right})", self.random.pick(&["+", "-", "*"]))
            }
            3 => format!("({} ^ {})", self.expr(&Type::Int, depth - 1), self.random.below(4)),
            4 => {
                let function = *self.random.pick(&["div", "mod", "max", "min"]);
                format!("{function}({}, {})", self.expr(&Type::Int, depth - 1), self.expr(&Type::Int, depth - 1))
            }
            5 => format!("size({})", self.expr(&array, depth - 1)),
            6 => format!("trunc({})", self.expr(&Type::Real, depth - 1)),
            7 => {
                let function = *self.random.pick(&["sum", "prod", "max", "argmax", "argmin"]);
                format!("{function}({})", self.expr(&integers, depth - 1))
            }
            _ => format!("(-{})", self.expr(&Type::Int, depth - 1)),
        }
    }

    pub(super) fn condition(&mut self, depth: usize) -> String {
        let ty = self.ty(1);
        let number = if self.random.percent(50) { Type::Int } else { Type::Real };
        match self.random.below(6) {
            0 => format!("({} == {})", self.expr(&ty, depth - 1), self.expr(&ty, depth - 1)),
            1 => {
                let (left, right) = (self.expr(&number, depth - 1), self.expr(&number, depth - 1));
                format!("({left} {} {right})", self.random.pick(&["<", "<=", ">", ">=", "!=", "~="]))
            }
            2 => format!("(not {})", self.expr(&Type::Bool, depth - 1)),
            3 => {
                let (left, right) = (self.expr(&Type::Bool, depth - 1), self.expr(&Type::Bool, depth - 1));
                format!("({left} {} {right})", self.random.pick(&["and", "or"]))
            }
            4 => format!("is_nan({})", self.expr(&Type::Real, depth - 1)),
            _ => {
                let array = Type::Array(self.size(), Box::new(Type::Bool));
                format!("{}({})", self.random.pick(&["all", "any"]), self.expr(&array, depth - 1))
            }
        }
    }

    pub(super) fn array(&mut self, size: &Size, element: &Type, depth: usize) -> String {
        let same = Type::Array(size.clone(), Box::new(element.clone()));
        let numbers = matches!(element, Type::Real | Type::Int);
        match self.random.below(14) {
            0..=2 => {
                let index = self.name();
                let body = self.within(&[(&index, &Type::Int)], |writer| writer.expr(element, depth - 1));
                format!("[{body} | {index} < {size}]")
            }
            3 => {
                let (name, inner) = (self.name(), self.ty(1));
                let from = self.expr(&Type::Array(size.clone(), Box::new(inner.clone())), depth - 1);
                let body = self.within(&[(&name, &inner)], |writer| writer.expr(element, depth - 1));
                match self.random.below(2) {
                    0 => format!("[{body} | {name} in {from}]"),
                    _ => format!("map(\\{name} -> {body}, {from})"),
                }
            }
            4 => format!("reverse({})", self.expr(&same, depth - 1)),
            5 => format!("replicate({size}, {})", self.expr(element, depth - 1)),
            6 => {
                let (before, after) = (self.random.below(2), self.random.below(2));
                let (start, end) = (before, format!("{size} + {before}"));
                let longer = Size { constant: size.constant + before + after, ..size.clone() };
                let array = self.expr(&Type::Array(longer, Box::new(element.clone())), depth - 1);
                format!("slice({array}, {start}, {end})")
            }
            7 if size.constant > 0 => {
                let shorter = Size { constant: size.constant - 1, ..size.clone() };
                let rest = self.expr(&Type::Array(shorter, Box::new(element.clone())), depth - 1);
                format!("concat([{}], {rest})", self.expr(element, depth - 1))
            }
            8 => format!(
                "update({}, {}, {})",
                self.expr(&same, depth - 1),
                self.random.below(2),
                self.expr(element, depth - 1)
            ),
            9 => {
                let (from, indices) = (Size { constant: 3, ..self.size() }, size.clone());
                let array = self.expr(&Type::Array(from, Box::new(element.clone())), depth - 1);
                let index = self.random.below(3);
                format!("gather({array}, [{index} | i < {indices}])")
            }
            10 => match element {
                Type::Array(inner, innermost) => {
                    let turned = Type::Array(inner.clone(), Box::new(Type::Array(size.clone(), innermost.clone())));
                    format!("transpose({})", self.expr(&turned, depth - 1))
                }
                Type::Real => {
                    let k = self.size();
                    let matrix = Type::Array(size.clone(), Box::new(array(k.clone())));
                    format!("dot({}, {})", self.expr(&matrix, depth - 1), self.expr(&array(k), depth - 1))
                }
                _ => self.expr(&same, depth - 1),
            },
            11 => {
                let (state, inner) = (element.clone(), self.ty(1));
                let from = self.expr(&Type::Array(size.clone(), Box::new(inner.clone())), depth - 1);
                let start = self.expr(&state, depth - 1);
                let (a, b) = (self.name(), self.name());
                let body = self.within(&[(&a, &state), (&b, &inner)], |writer| writer.expr(&state, depth - 1));
                format!("scan(\\{a} {b} -> {body}, {start}, {from})")
            }
            12 if numbers => {
                let (left, right) = (self.expr(&same, depth - 1), self.expr(&same, depth - 1));
                format!("({left} {} {right})", self.random.pick(&["+", "-", "*"]))
            }
            13 if numbers => {
                let (left, right) = (self.expr(&same, depth - 1), self.expr(element, depth - 1));
                format!("({left} {} {right})", self.random.pick(&["+", "-", "*"]))
            }
            _ => {
                let indices = Type::Array(Size::constant(2), Box::new(Type::Int));
                let values = Type::Array(Size::constant(2), Box::new(element.clone()));
                match element {
                    Type::Real | Type::Array(..) => format!(
                        "scatter_add({size}, {}, {})",
                        self.expr(&indices, depth - 1),
                        self.expr(&values, depth - 1)
                    ),
                    _ => self.simple(&same),
                }
            }
        }
    }
}
