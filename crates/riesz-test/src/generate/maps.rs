//! Linear maps as values: summed, measured, compared, captured and passed, and derivatives of functions that take or
//! give them.

use super::types::Type;
use super::{Node, Production, Writer};

pub const ALL: &[(&str, usize, Production)] = &[
    ("sum over maps", 2, Writer::sum_over_maps),
    ("inner product of maps", 5, Writer::inner_of_maps),
    ("norm of a map", 3, Writer::norm_of_map),
    ("comparison of maps", 3, Writer::compared_maps),
    ("map that is captured", 2, Writer::captured_map),
    ("tangent of a map", 2, Writer::tangent_of_map),
    ("cotangent of a map", 2, Writer::cotangent_of_map),
    ("derivative by a map", 2, Writer::derivative_by_map),
    ("gradient by a map", 2, Writer::gradient_by_map),
    ("map into a space of maps", 3, Writer::map_of_maps),
    ("block of maps", 1, Writer::block_of_maps),
];

impl Writer {
    /// A function and a point for `D`, inside of one more derivative.
    fn map_parts(&mut self, from: &Type, to: &Type, fuel: usize) -> [Node; 2] {
        self.derivatives += 1;
        let function = self.function_for(from, to, fuel / 2);
        self.derivatives -= 1;
        [function, self.expr(from, fuel / 2)]
    }

    /// A function whose derivative at a variable is taken, which may capture it.
    fn function_at(&mut self, variable: &str, from: &Type, to: &Type, fuel: usize) -> Node {
        self.derivatives += 2;
        let function = self.within(&[(variable, from)], |writer| writer.function_for(from, to, fuel));
        self.derivatives -= 2;
        function
    }

    fn sum_over_maps(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() || !self.may_derive() {
            return None;
        }
        let from = self.types().vector(0);
        let mut parts = self.map_parts(&from, ty, fuel / 2).to_vec();
        let count = self.random.below(4);
        let template = match self.random.below(3) {
            0 => {
                parts.extend(self.map_parts(&from, ty, fuel / 2));
                "sum([D($, $), D($, $)])($)".to_string()
            }
            1 => format!("sum(replicate({count}, D($, $)))($)"),
            _ => format!("sum(0.5 * D($, $) | {} < {count})($)", self.name("i")),
        };
        parts.push(self.leaf(&from));
        Some(self.node(ty, template, parts))
    }

    fn inner_of_maps(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if *ty != Type::Real || !self.may_derive() {
            return None;
        }
        let (from, to) = (self.types().vector(1), self.types().vector(0));
        let mut parts = self.map_parts(&from, &to, fuel / 2).to_vec();
        parts.extend(self.map_parts(&from, &to, fuel / 2));
        let template = *self.random.pick(&["inner(D($, $), D($, $))", "inner([D($, $)], [D($, $)])"]);
        Some(self.node(ty, template, parts))
    }

    fn block_of_maps(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() || !self.may_derive() {
            return None;
        }
        let (first, second, other) = (self.types().vector(0), self.types().vector(0), self.types().vector(0));
        let mut parts = Vec::new();
        for (from, to) in [(&first, ty), (&second, ty), (&first, &other), (&second, &other)] {
            parts.extend(self.map_parts(from, to, fuel / 4));
        }
        parts.extend([self.leaf(&first), self.leaf(&second)]);
        Some(self.node(ty, "block(D($, $), D($, $), D($, $), D($, $))(($, $)).0", parts))
    }

    fn norm_of_map(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if *ty != Type::Real || !self.may_derive() {
            return None;
        }
        let (from, to) = (self.types().vector(0), self.types().vector(1));
        let parts = self.map_parts(&from, &to, fuel);
        Some(self.node(ty, "norm((1.0, D($, $)))", parts.to_vec()))
    }

    fn compared_maps(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() || !self.may_derive() {
            return None;
        }
        let (from, to) = (self.types().vector(0), self.types().vector(0));
        let mut parts = self.map_parts(&from, &to, fuel / 4).to_vec();
        parts.extend(self.map_parts(&from, &to, fuel / 4));
        parts.extend(self.exprs(&[ty.clone(), ty.clone()], fuel / 2));
        Some(self.node(ty, "(if D($, $) ~= D($, $) then $ else $)", parts))
    }

    fn captured_map(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() || !self.may_derive() {
            return None;
        }
        let from = self.types().vector(0);
        let [function, point] = self.map_parts(&from, ty, fuel);
        let [one, other] = [self.leaf(&from), self.leaf(&from)];
        let name = self.name("m");
        let (template, parts) = match self.random.below(3) {
            0 => (format!("(let {name} = D($, $) in {name}($) + {name}($))"), vec![function, point, one, other]),
            1 => {
                let pair = format!("(let k{name} = D($, $) in (k{name}, [k{name}]))");
                let template = format!("(\\{name} -> {name}.0($) - {name}.1[0]($))({pair})");
                (template, vec![one, other, function, point])
            }
            _ => {
                let parts = vec![function, point, self.leaf(ty), one, other];
                (format!("({{a = D($, $)}}.a + 0.5 * D(\\z{name} -> $, $))($)"), parts)
            }
        };
        Some(self.node(ty, template, parts))
    }

    fn tangent_of_map(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() || self.derivatives > 0 {
            return None;
        }
        let (from, name) = (self.types().vector(0), self.name("z"));
        let function = self.function_at(&name, &from, ty, fuel / 2);
        let parts = vec![function, self.expr(&from, fuel / 2), self.leaf(&from), self.leaf(&from)];
        let form = *self.random.pick(&["D(\\z -> D($, z), $)($)($)", "jvp(\\z -> D($, z), $, $).1($)"]);
        Some(self.node(ty, form.replace('z', &name), parts))
    }

    fn cotangent_of_map(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() || self.derivatives > 0 {
            return None;
        }
        let (to, name) = (self.types().vector(0), self.name("z"));
        let function = self.function_at(&name, ty, &to, fuel / 2);
        let mut parts = vec![function, self.expr(ty, fuel / 4)];
        parts.extend(self.map_parts(ty, &to, fuel / 4));
        let form =
            *self.random.pick(&["vjp(\\z -> D($, z), $, D($, $)).1", "adjoint(D(\\z -> [D($, z)], $))([D($, $)])"]);
        Some(self.node(ty, form.replace('z', &name), parts))
    }

    fn derivative_by_map(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() || !self.may_derive() {
            return None;
        }
        let (from, name) = (self.types().vector(0), self.name("m"));
        let mut parts = vec![self.leaf(&from)];
        parts.extend(self.map_parts(&from, ty, fuel / 2));
        parts.extend(self.map_parts(&from, ty, fuel / 2));
        Some(self.node(ty, format!("D(\\{name} -> {name}($), D($, $))(D($, $))"), parts))
    }

    fn gradient_by_map(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() || !self.may_derive() {
            return None;
        }
        let (from, name) = (self.types().vector(0), self.name("m"));
        let mut parts = self.map_parts(&from, ty, fuel).to_vec();
        parts.push(self.leaf(&from));
        Some(self.node(ty, format!("grad(\\{name} -> 0.5 * inner({name}, {name}), D($, $))($)"), parts))
    }

    fn map_of_maps(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if *ty != Type::Real || self.derivatives > 0 {
            return None;
        }
        let (from, to, name) = (self.types().vector(0), self.types().vector(0), self.name("z"));
        let function = self.function_at(&name, &from, &to, fuel / 2);
        let parts = vec![function, self.expr(&from, fuel / 2)];
        let form = *self.random.pick(&[
            "(let k = D(\\z -> D($, z), $) in inner(k, k))",
            "sum(coo(D(\\z -> D($, z), $)).vals)",
            "(let k = matrix(adjoint(D(\\z -> D($, z), $))) in inner(k, k))",
        ]);
        Some(self.node(ty, form.replace('z', &name).replace('k', &format!("k{name}")), parts))
    }
}
