//! Names, branches and loops.

use super::types::{Size, Type, array};
use super::{Node, Production, Writer};

pub const ALL: &[(&str, usize, Production)] = &[
    ("let", 8, Writer::let_in),
    ("let with a pattern", 4, Writer::let_pattern),
    ("block", 3, Writer::block),
    ("if", 8, Writer::branch),
    ("if without derivative on one side", 2, Writer::branch_constant),
    ("loop for", 6, Writer::loop_for),
    ("loop for elements", 4, Writer::loop_elements),
    ("loop with several states", 6, Writer::loop_states),
    ("loop without an iteration", 1, Writer::loop_never),
    ("loop while, counted", 4, Writer::loop_counted),
    ("loop while, on data", 4, Writer::loop_data),
    ("fold", 5, Writer::fold),
    ("scan", 5, Writer::scan),
];

impl Writer {
    fn let_in(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let bound = self.types().data(1);
        let shares = self.split(fuel, 2);
        let value = self.expr(&bound, shares[0]);
        let name = self.name("v");
        let body = self.within(&[(&name, &bound)], |writer| writer.expr(ty, shares[1]));
        Some(self.node(ty, format!("(let {name} = $ in $)"), vec![value, body]))
    }

    fn let_pattern(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let bound = Type::Tuple(vec![self.types().data(1), self.types().vector(1)]);
        let shares = self.split(fuel, 2);
        let value = self.expr(&bound, shares[0]);
        let names = [self.name("v"), self.name("v")];
        let parts = bound.components();
        let body = self.within(&[(&names[0], &parts[0]), (&names[1], &parts[1])], |writer| writer.expr(ty, shares[1]));
        Some(self.node(ty, format!("(let ({}, {}) = $ in $)", names[0], names[1]), vec![value, body]))
    }

    fn block(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let types = [self.types().vector(0), self.types().vector(1)];
        let shares = self.split(fuel, 3);
        let names = [self.name("v"), self.name("v")];
        let first = self.expr(&types[0], shares[0]);
        let second = self.within(&[(&names[0], &types[0])], |writer| writer.expr(&types[1], shares[1]));
        let body = self.within(&[(&names[0], &types[0]), (&names[1], &types[1])], |writer| writer.expr(ty, shares[2]));
        Some(self.node(ty, format!("{{ let {} = $; let {} = $; $ }}", names[0], names[1]), vec![first, second, body]))
    }

    fn branch(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let parts = self.exprs(&[Type::Bool, ty.clone(), ty.clone()], fuel);
        Some(self.node(ty, "(if $ then $ else $)", parts))
    }

    fn branch_constant(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let condition = self.condition(2);
        let scope = std::mem::take(&mut self.scope);
        let constant = self.leaf(ty);
        self.scope = scope;
        let other = self.expr(ty, fuel - 1);
        let order = if self.random.percent(50) { [constant, other] } else { [other, constant] };
        let parts = [condition].into_iter().chain(order).collect();
        Some(self.node(ty, "(if $ then $ else $)", parts))
    }

    /// How many iterations a loop has.
    fn count(&mut self) -> Size {
        match self.random.below(8) {
            0 => Size::constant(0),
            1..4 => self.size(),
            _ => Size::constant(1 + self.random.below(3)),
        }
    }

    fn loop_for(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let shares = self.split(fuel, 2);
        let start = self.expr(ty, shares[0]);
        let (state, index, count) = (self.name("s"), self.name("i"), self.count());
        let step =
            self.indexed(&index, &count, |writer| writer.within(&[(&state, ty)], |writer| writer.tame(ty, shares[1])));
        Some(self.node(ty, format!("(loop {state} = $ for {index} < {} do $)", count.show()), vec![start, step]))
    }

    fn loop_elements(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let shares = self.split(fuel, 3);
        let start = self.expr(ty, shares[0]);
        let (element, size) = (self.types().data(1), self.size());
        let source = self.expr(&array(size, element.clone()), shares[1]);
        let state = self.name("s");
        let (pattern, step) =
            self.each(&element, |writer| writer.within(&[(&state, ty)], |writer| writer.tame(ty, shares[2])));
        Some(self.node(ty, format!("(loop {state} = $ for {pattern} in $ do $)"), vec![start, source, step]))
    }

    fn loop_states(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let other = match self.random.below(4) {
            0 => Type::Int,
            1 => Type::Tuple(vec![Type::Int, self.types().vector(1)]),
            _ => self.types().data(1),
        };
        let mut parts = vec![ty.clone(), other];
        let at = self.random.below(2);
        parts.swap(0, at);
        let whole = Type::Tuple(parts.clone());
        let shares = self.split(fuel, 2);
        let start = self.expr(&whole, shares[0]);
        let (names, index, count) = ([self.name("s"), self.name("s")], self.name("i"), self.count());
        let step = self.indexed(&index, &count, |writer| {
            let bound = [(names[0].as_str(), &parts[0]), (names[1].as_str(), &parts[1])];
            writer.within(&bound, |writer| writer.tame(&whole, shares[1]))
        });
        let template = format!("(loop ({}, {}) = $ for {index} < {} do $).{at}", names[0], names[1], count.show());
        Some(self.node(ty, template, vec![start, step]))
    }

    fn loop_never(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let shares = self.split(fuel, 2);
        let start = self.expr(ty, shares[0]);
        let state = self.name("s");
        let step = self.within(&[(&state, ty)], |writer| writer.tame(ty, shares[1]));
        let form = match self.random.below(3) {
            0 => format!("(loop {state} = $ while false do $)"),
            1 => format!("(loop {state} = $ for {} < 0 do $)", self.name("i")),
            _ => format!("(loop {state} = $ for {} in slice([1.0], 1, 1) do $)", self.name("y")),
        };
        Some(self.node(ty, form, vec![start, step]))
    }

    fn loop_counted(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let shares = self.split(fuel, 3);
        let start = self.expr(ty, shares[0]);
        let (state, counter) = (self.name("s"), self.name("k"));
        let iterations = self.random.below(4);
        let bound = [(state.as_str(), ty), (counter.as_str(), &Type::Int)];
        let (condition, step) = self.within(&bound, |writer| {
            let condition = match writer.random.percent(50) {
                true => writer.condition(shares[1]),
                false => writer.node(&Type::Bool, "true", Vec::new()),
            };
            (condition, writer.tame(ty, shares[2]))
        });
        let template = format!(
            "(loop ({state}, {counter}) = ($, 0) while {counter} < {iterations} and ($) do ($, {counter} + 1)).0"
        );
        Some(self.node(ty, template, vec![start, condition, step]))
    }

    /// Halves, with something small, until a bound is met.
    fn loop_data(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() {
            return None;
        }
        let shares = self.split(fuel, 2);
        let start = self.expr(ty, shares[0]);
        let state = self.name("s");
        let step = self.within(&[(&state, ty)], |writer| writer.tame(ty, shares[1]));
        let template = match self.random.percent(50) {
            true => format!("(loop {state} = $ while norm({state}) > 1.537 do 0.5 * {state})"),
            false => format!("(loop {state} = $ while inner({state}, {state}) > 9.37 do 0.3 * {state} + 0.1 * $)"),
        };
        let parts = if template.matches('$').count() == 1 { vec![start] } else { vec![start, step] };
        Some(self.node(ty, template, parts))
    }

    fn fold(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let (template, parts) = self.accumulation(ty, None, fuel);
        Some(self.node(ty, format!("fold({template})"), parts))
    }

    fn scan(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(size, element) = ty else { return None };
        let (template, parts) = self.accumulation(element, Some(size.clone()), fuel);
        Some(self.node(ty, format!("scan({template})"), parts))
    }

    /// The arguments of `fold` and `scan`.
    fn accumulation(&mut self, state: &Type, size: Option<Size>, fuel: usize) -> (String, Vec<Node>) {
        let shares = self.split(fuel, 3);
        let element = self.types().data(1);
        let size = size.unwrap_or_else(|| self.size());
        let (a, b) = (self.name("s"), self.name("y"));
        let step = self.for_each(&size, |writer| {
            writer.within(&[(&a, state), (&b, &element)], |writer| writer.tame(state, shares[0]))
        });
        let start = self.expr(state, shares[1]);
        let source = self.expr(&array(size, element), shares[2]);
        let pattern = if self.random.percent(50) { format!("{a} {b}") } else { format!("({a}, {b})") };
        (format!("\\{pattern} -> $, $, $"), vec![step, start, source])
    }
}
