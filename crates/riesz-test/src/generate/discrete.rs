//! Integers, indices and conditions.

use super::types::{Size, Type};
use super::{Node, Variable, Writer};

impl Writer {
    /// An index into an array of a size, as simple text; none where there need not be any.
    pub(super) fn index(&mut self, size: &Size) -> Option<String> {
        let fitting: Vec<&Variable> =
            self.scope.iter().filter(|variable| variable.below.as_ref() == Some(size)).collect();
        if !fitting.is_empty() && self.random.percent(70) {
            return Some(self.random.pick(&fitting).name.clone());
        }
        if size.least == 0 {
            return None;
        }
        Some(match self.random.below(4) {
            0 => format!("{} - 1", size.show()),
            1 => {
                let ints: Vec<&Variable> = self.scope.iter().filter(|variable| variable.ty == Type::Int).collect();
                match ints.is_empty() {
                    true => "0".to_string(),
                    false => format!("mod({}, {})", self.random.pick(&ints).name, size.show()),
                }
            }
            _ => self.random.below(size.least).to_string(),
        })
    }

    /// A small integer.
    pub(super) fn int(&mut self) -> Node {
        if self.counting && self.random.percent(15) {
            return self.integer_reduction();
        }
        if self.counting && self.random.percent(3) {
            return self.unread_size();
        }
        let ints: Vec<String> =
            self.scope.iter().filter(|variable| variable.ty == Type::Int).map(|v| v.name.clone()).collect();
        let text = match self.random.below(8) {
            0..3 if !ints.is_empty() => self.random.pick(&ints).clone(),
            3 if !ints.is_empty() => format!("({} + 1)", self.random.pick(&ints)),
            4 if !self.sizes.is_empty() => self.random.pick(&self.sizes).show(),
            5 => {
                let real = self.leaf(&Type::Real);
                return self.node(&Type::Int, "trunc(2 * sin($))", vec![real]);
            }
            6 if !ints.is_empty() => format!("mod({} * 3 + 1, 4)", self.random.pick(&ints)),
            _ => self.random.below(4).to_string(),
        };
        self.node(&Type::Int, text, Vec::new())
    }

    /// The size of an array whose elements nobody reads: an error where it has fewer than none.
    fn unread_size(&mut self) -> Node {
        let ints: Vec<String> =
            self.scope.iter().filter(|variable| variable.ty == Type::Int).map(|v| v.name.clone()).collect();
        let count = match ints.is_empty() {
            true => self.random.below(3).to_string(),
            false => format!("{} - {}", self.random.pick(&ints), self.random.below(2)),
        };
        let (index, element) = (self.name("i"), self.leaf(&Type::Real));
        let template = match self.random.below(3) {
            0 => format!("size([$ | {index} < {count}])"),
            1 => format!("size(reverse([$ | {index} < {count}]))"),
            _ => format!("size(concat([$ | {index} < {count}], [0.5]))"),
        };
        self.node(&Type::Int, template, vec![element])
    }

    pub(super) fn condition(&mut self, fuel: usize) -> Node {
        let ty = Type::Bool;
        let ints: Vec<String> =
            self.scope.iter().filter(|variable| variable.ty == Type::Int).map(|v| v.name.clone()).collect();
        match self.random.below(11) {
            0..3 if !ints.is_empty() => {
                let name = self.random.pick(&ints).clone();
                let template = match self.random.below(4) {
                    0 => format!("{name} == {}", self.random.below(3)),
                    1 => format!("mod({name}, 2) == 0"),
                    2 => format!("{name} != {}", self.random.below(3)),
                    _ => format!("{name} < {}", 1 + self.random.below(3)),
                };
                self.node(&ty, template, Vec::new())
            }
            3 if fuel > 2 => {
                let parts = self.exprs(&[Type::Bool, Type::Bool], fuel);
                let template = *self.random.pick(&["($ and $)", "($ or $)", "($ and not $)"]);
                self.node(&ty, template.replace("not $", "not ($)"), parts)
            }
            4 if fuel > 2 => {
                let size = self.size();
                let index = self.name("i");
                let inner = self.indexed(&index, &size, |writer| writer.condition(fuel / 2));
                let form = *self.random.pick(&["all", "any"]);
                self.node(&ty, format!("{form}($ | {index} < {})", size.show()), vec![inner])
            }
            5 => {
                let inner = self.expr(&Type::Real, fuel / 2);
                self.node(&ty, "not is_nan($)", vec![inner])
            }
            6 => {
                let parts = self.exprs(&[Type::Real, Type::Real], fuel);
                let template = *self.random.pick(&["$ < $", "$ >= $"]);
                self.node(&ty, template, parts)
            }
            _ => {
                let inner = self.expr(&Type::Real, fuel / 2);
                let number = (self.random.below(100) as f64 + 0.123) / 60.0 - 0.6;
                let sign = *self.random.pick(&["<", "<=", ">", ">="]);
                self.node(&ty, format!("$ {sign} ({number:?})"), vec![inner])
            }
        }
    }
}
