//! Functions that are known only at run time: elements of arrays, states of loops, results of recursion.

use super::recursion::own_sizes;
use super::types::{Type, function};
use super::{Node, Production, Writer};

pub const ALL: &[(&str, usize, Production)] = &[
    ("function in an array", 3, Writer::function_in_array),
    ("functions of an array", 2, Writer::functions_of_array),
    ("functions that are moved", 2, Writer::moved_functions),
    ("derivative of a function in an array", 2, Writer::derivative_in_array),
    ("function in a loop", 2, Writer::function_in_loop),
    ("function given by recursion", 2, Writer::function_by_recursion),
    ("function whose derivative is stated", 3, Writer::stated),
];

impl Writer {
    /// Two functions of a type.
    fn two_functions(&mut self, from: &Type, to: &Type, fuel: usize) -> [Node; 2] {
        [self.function_for(from, to, fuel / 2), self.function_for(from, to, fuel / 2)]
    }

    fn stated(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let (call, count) = match ty {
            Type::Real => *self.random.pick(&[("wave($)", 1), ("settled($, $)", 2)]),
            Type::Array(_, element) if **element == Type::Real => {
                *self.random.pick(&[("swirl($)", 1), ("eased($)", 1), ("wave($)", 1)])
            }
            _ => return None,
        };
        let shares = self.split(fuel, count);
        let parts = shares.into_iter().map(|share| self.expr(ty, share)).collect();
        let template = self.library(call);
        Some(self.node(ty, template, parts))
    }

    fn function_in_array(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let from = self.types().vector(1);
        let shares = self.split(fuel, 2);
        let [one, other] = self.two_functions(&from, ty, shares[0]);
        let parts = vec![one, other, self.int(), self.expr(&from, shares[1])];
        Some(self.node(ty, "[$, $][mod($, 2)]($)", parts))
    }

    fn functions_of_array(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() {
            return None;
        }
        let from = self.types().vector(1);
        let shares = self.split(fuel, 2);
        let argument = self.expr(&from, shares[1]);
        let [one, other] = self.two_functions(&from, ty, shares[0]);
        let name = self.name("g");
        let functions =
            *self.random.pick(&["[$, $]", "slice([$, $], 0, 0)", "slice([$, $], 1, 2)", "concat([$, $], [])"]);
        Some(self.node(ty, format!("sum({name}($) | {name} in {functions})"), vec![argument, one, other]))
    }

    fn moved_functions(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let from = self.types().vector(1);
        let shares = self.split(fuel, 2);
        let [one, other] = self.two_functions(&from, ty, shares[0]);
        let moved = *self.random.pick(&[
            "reverse([$, $])",
            "concat([$], [$])",
            "gather([$, $], [1, 0])",
            "update(replicate(2, $), 1, $)",
            "transpose([[$], [$]])[0]",
            "flatten([[$], [$]])",
            "slice([$, $], 0, 2)",
        ]);
        let parts = vec![one, other, self.int(), self.expr(&from, shares[1])];
        Some(self.node(ty, format!("{moved}[mod($, 2)]($)"), parts))
    }

    fn derivative_in_array(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() || !self.may_derive() {
            return None;
        }
        let from = self.types().vector(1);
        let shares = self.split(fuel, 2);
        self.derivatives += 1;
        let [one, other] = self.two_functions(&from, ty, shares[0]);
        self.derivatives -= 1;
        let parts = vec![one, other, self.int(), self.expr(&from, shares[1]), self.leaf(&from)];
        Some(self.node(ty, "D([$, $][mod($, 2)], $)($)", parts))
    }

    fn function_in_loop(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let from = self.types().vector(1);
        let shares = self.split(fuel, 4);
        let (start, argument) = (self.function_for(&from, ty, shares[0]), self.expr(&from, shares[3]));
        let (name, index) = (self.name("g"), self.name("i"));
        let next = self.around(&name, &from, ty, [shares[1], shares[2]]);
        let iterations = self.random.below(4);
        let template = format!("(loop {name} = $ for {index} < {iterations} do $)($)");
        Some(self.node(ty, template, vec![start, next, argument]))
    }

    fn function_by_recursion(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let from = self.types().vector(1);
        let shares = self.split(fuel, 6);
        let parameters = [self.types().vector(1), Type::Int];
        let result = function(from.clone(), ty.clone());
        let (signature, given) = self.fun("r", &parameters, &result, |writer, own, names, result| {
            let Type::Function(from, to) = result.clone() else { unreachable!("it is a function") };
            let first = writer.lambda(&from, &to, shares[0]);
            let sizes = own_sizes(writer);
            let again = writer.scope[0].ty.clone();
            let again = writer.tame(&again, shares[1]);
            let name = writer.name("g");
            let next = writer.around(&name, &from, &to, [shares[2], shares[3]]);
            let call = format!("{own}({sizes}$, {} - 1)", names[1]);
            let template = format!("(if {} <= 0 then $ else (let {name} = {call} in $))", names[1]);
            writer.node(result, template, vec![first, again, next])
        });
        let (start, argument) = (self.expr(&parameters[0], shares[4]), self.expr(&from, shares[5]));
        let mut written: Vec<String> = given.iter().map(|size| size.show()).collect();
        written.extend(["$".to_string(), self.random.below(4).to_string()]);
        Some(self.node(ty, format!("{}({})($)", signature.name, written.join(", ")), vec![start, argument]))
    }

    /// A function that calls another.
    fn around(&mut self, name: &str, from: &Type, to: &Type, fuels: [usize; 2]) -> Node {
        let (parameter, value) = (self.name("z"), self.name("v"));
        let ty = function(from.clone(), to.clone());
        let (argument, body) = self.within(&[(name, &ty), (&parameter, from)], |writer| {
            let argument = writer.tame(from, fuels[0]);
            (argument, writer.within(&[(&value, to)], |writer| writer.tame(to, fuels[1])))
        });
        self.node(&ty, format!("(\\{parameter} -> (let {value} = {name}($) in $))"), vec![argument, body])
    }
}
