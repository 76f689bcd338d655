//! Reductions that are long enough for code that runs eight or thirty-two iterations at a time, of real numbers and of
//! integers, with conditions on the index of an element.

use super::types::{Size, Type};
use super::{Node, Production, Writer};

pub const ALL: &[(&str, usize, Production)] = &[
    ("long reduction", 40, Writer::long_reduction),
    ("long reduction of integers", 30, Writer::long_integers),
    ("long reduction of pairs", 15, Writer::long_pairs),
    ("long array", 20, Writer::long_array),
];

/// Around the iterations that are taken together.
const LENGTHS: &[usize] = &[7, 8, 9, 15, 31, 32, 33, 34, 40, 65];

impl Writer {
    fn length(&mut self) -> Size {
        let named: Vec<Size> = self.sizes.iter().filter(|size| size.least > 0).cloned().collect();
        match named.is_empty() || self.random.percent(70) {
            true => Size::constant(*self.random.pick(LENGTHS)),
            // Code that is told its lengths is prepared for any.
            false => self.random.pick(&named).clone(),
        }
    }

    /// Whether an index below a size is one of some.
    fn standing(&mut self, index: &str, size: &Size) -> String {
        let (few, n) = (self.random.below(4), size.show());
        match self.random.below(8) {
            0 => format!("{index} > {few}"),
            1 => format!("{index} < {n} - {few}"),
            2 => format!("{index} == {few}"),
            3 => format!("{index} != {n} - 1"),
            4 => format!("({index} >= {few} and {index} < {n} - 1)"),
            5 => format!("mod({index}, {}) == 0", 2 + few),
            6 => format!("({index} == 0 or {index} == {n} - 1)"),
            _ => format!("{few} <= {index}"),
        }
    }

    /// An element that depends on where it stands, more often than not.
    fn at_index(&mut self, ty: &Type, index: &str, size: &Size, fuel: usize) -> Node {
        if self.random.percent(30) {
            return self.indexed(index, size, |writer| writer.expr(ty, fuel));
        }
        let condition = self.standing(index, size);
        let parts = self.indexed(index, size, |writer| vec![writer.expr(ty, fuel / 2), writer.expr(ty, fuel / 2)]);
        self.node(ty, format!("(if {condition} then $ else $)"), parts)
    }

    fn long_reduction(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() {
            return None;
        }
        let (size, index) = (self.length(), self.name("i"));
        let element = self.at_index(ty, &index, &size, fuel.min(9) - 1);
        let forms: &[&str] = if *ty == Type::Real { &["sum", "sum", "max", "min", "prod"] } else { &["sum"] };
        let form = match *self.random.pick(forms) {
            "prod" => "prod(1.0 + 0.01 * tanh($)".to_string(),
            form => format!("{form}($"),
        };
        Some(self.node(ty, format!("{form} | {index} < {})", size.show()), vec![element]))
    }

    /// A reduction of integers, which a program counts with.
    pub fn integer_reduction(&mut self) -> Node {
        let (size, index) = (self.length(), self.name("i"));
        let condition = self.standing(&index, &size);
        let forms: &[&str] = match size.least {
            0 => &["sum(", "prod("],
            _ => &["sum(", "sum(", "max(", "min(", "argmax([", "argmin([", "prod("],
        };
        let form = *self.random.pick(forms);
        let mut element = || match (form, self.random.below(4)) {
            ("prod(", 0) => "(0 - 1)".to_string(),
            ("prod(", _) => "1".to_string(),
            (_, 0) => index.clone(),
            (_, 1) => format!("mod({index} * 5 + 2, 7)"),
            (_, 2) => format!("(3 - {index})"),
            _ => self.random.below(3).to_string(),
        };
        let (yes, no) = (element(), element());
        let element = match self.random.below(5) {
            0 => yes,
            _ => format!("(if {condition} then {yes} else {no})"),
        };
        let close = if form.ends_with('[') { "])" } else { ")" };
        self.node(&Type::Int, format!("{form}{element} | {index} < {}{close}", size.show()), Vec::new())
    }

    fn long_integers(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() {
            return None;
        }
        let (inner, count) = (self.expr(ty, fuel - 1), self.integer_reduction());
        let template = *self.random.pick(&["(0.01 * real($) * $)", "((if $ > 3 then 1.0 else 0.5) * $)"]);
        Some(self.node(ty, template, vec![count, inner]))
    }

    /// A number and an integer that are added up together.
    fn long_pairs(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if *ty != Type::Real {
            return None;
        }
        let (size, index, pair) = (self.length(), self.name("i"), self.name("p"));
        let element = self.at_index(ty, &index, &size, fuel.min(9) - 1);
        let condition = self.standing(&index, &size);
        let n = size.show();
        let sum = format!("sum((if {condition} then ($, {index}) else (0.5, 0 - 1)) | {index} < {n})");
        Some(self.node(ty, format!("(let {pair} = {sum} in {pair}.0 + 0.01 * real({pair}.1))"), vec![element]))
    }

    /// An array that is long itself, and read in some way.
    fn long_array(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() {
            return None;
        }
        let (size, i, j, w) = (self.length(), self.name("i"), self.name("i"), self.name("w"));
        let element = self.at_index(ty, &i, &size, fuel.min(9) - 1);
        let n = size.show();
        let condition = self.standing(&j, &size);
        let read = match self.random.below(5) {
            0 => format!("sum(if {condition} then {w}[{j}] else {w}[{n} - 1 - {j}] | {j} < {n})"),
            1 => format!("sum({w}[mod({j} * 3 + 1, {n})] | {j} < {n})"),
            2 => format!("sum(scan(\\a b -> 0.5 * a + b, {w}[0], reverse({w})))"),
            3 => format!("(loop s = {w}[0] for {j} < {n} do if {condition} then 0.5 * (s + {w}[{j}]) else s)"),
            _ => format!("sum(gather({w}, [mod({j} * {j}, {n}) | {j} < {n}]))"),
        };
        if size.least == 0 {
            return None;
        }
        Some(self.node(ty, format!("(let {w} = [$ | {i} < {n}] in {read})"), vec![element]))
    }
}
