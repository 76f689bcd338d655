//! Functions that call themselves, or each other, until a counter is at zero.

use super::types::Type;
use super::{Item, Node, Writer};

impl Writer {
    pub(super) fn recursion(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        self.recursive(ty, fuel, false)
    }

    pub(super) fn tail_recursion(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        self.recursive(ty, fuel, true)
    }

    fn recursive(&mut self, ty: &Type, fuel: usize, tail: bool) -> Option<Node> {
        let argument = if tail && self.random.percent(50) { ty.clone() } else { self.types().data(1) };
        let parameters = [argument.clone(), Type::Int];
        let (signature, given) = self.fun("r", &parameters, ty, |writer, own, names, result| {
            let shares = writer.split(fuel / 2, 3);
            let base = writer.expr(result, shares[0]);
            let sizes = own_sizes(writer);
            let argument = writer.scope[0].ty.clone();
            let again = writer.tame(&argument, shares[1]);
            let call = format!("{own}({sizes}$, {} - 1)", names[1]);
            let step = match tail {
                true => writer.node(result, call, vec![again]),
                false => {
                    let name = writer.name("v");
                    let body = writer.within(&[(&name, result)], |writer| writer.tame(result, shares[2]));
                    writer.node(result, format!("(let {name} = {call} in $)"), vec![again, body])
                }
            };
            writer.node(result, format!("(if {} <= 0 then $ else $)", names[1]), vec![base, step])
        });
        let start = self.expr(&argument, fuel / 2);
        let iterations = self.random.below(4).to_string();
        let iterations = self.node(&Type::Int, iterations, Vec::new());
        Some(self.call(ty, &signature.name, &given, vec![start, iterations]))
    }

    pub(super) fn mutual_recursion(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let argument = self.types().vector(1);
        let parameters = [argument.clone(), Type::Int];
        let other = self.name("r");
        // The sizes of both are the same, since the second is written with the names of the first.
        let called = other.clone();
        let mut second = None;
        let (signature, given) = self.fun("r", &parameters, ty, |writer, own, names, result| {
            let shares = writer.split(fuel / 2, 4);
            let argument = writer.scope[0].ty.clone();
            let sizes = own_sizes(writer);
            let side = |writer: &mut Self, called: &str, fuels: [usize; 2]| {
                let base = writer.expr(result, fuels[0]);
                let again = writer.tame(&argument, fuels[1]);
                let template = format!("(if {0} <= 0 then $ else 0.7 * {called}({sizes}$, {0} - 1))", names[1]);
                let template = if result.is_vector() { template } else { template.replace("0.7 * ", "") };
                writer.node(result, template, vec![base, again])
            };
            let body = side(writer, &called, [shares[0], shares[1]]);
            let other = side(writer, own, [shares[2], shares[3]]);
            let mut written: Vec<String> = writer
                .sizes
                .iter()
                .filter(|size| {
                    let mut bound = Vec::new();
                    argument.sizes(&mut bound);
                    !bound.contains(size)
                })
                .map(|size| format!("{}: Int", size.show()))
                .collect();
            written.push(format!("{}: {}", names[0], argument.show()));
            written.push(format!("{}: Int", names[1]));
            let template = format!("fun {called}({}): {} = $", written.join(", "), result.show());
            second = Some(Item { template, bodies: vec![other] });
            body
        });
        self.items.extend(second);
        let start = self.expr(&argument, fuel / 2);
        let iterations = self.random.below(4).to_string();
        let iterations = self.node(&Type::Int, iterations, Vec::new());
        Some(self.call(ty, &signature.name, &given, vec![start, iterations]))
    }
}

/// The sizes that a `fun` takes as integers, as arguments of a call of itself.
pub(super) fn own_sizes(writer: &Writer) -> String {
    let mut bound = Vec::new();
    writer.scope.iter().for_each(|variable| variable.ty.sizes(&mut bound));
    let given = writer.sizes.iter().filter(|size| !bound.contains(size));
    given.map(|size| format!("{}, ", size.show())).collect()
}
