//! Tuples, records and arrays: construction and access.

use super::types::{FIELDS, Size, Type, array};
use super::{Node, Production, Writer};

pub const ALL: &[(&str, usize, Production)] = &[
    ("tuple", 12, Writer::tuple),
    ("record", 12, Writer::record),
    ("component", 3, Writer::component),
    ("field", 3, Writer::field),
    ("array", 6, Writer::array_of),
    ("comprehension", 8, Writer::comprehension),
    ("comprehension over elements", 6, Writer::over_elements),
    ("nested generators", 4, Writer::nested_generators),
    ("index", 4, Writer::indexing),
    ("build", 3, Writer::build),
    ("map", 3, Writer::map),
    ("replicate", 2, Writer::replicate),
    ("zip", 3, Writer::zip),
    ("unzip", 2, Writer::unzip),
    ("iota", 2, Writer::iota),
    ("empty array", 1, Writer::empty),
];

impl Writer {
    fn tuple(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Tuple(parts) = ty else { return None };
        let nodes = self.exprs(parts, fuel);
        Some(self.node(ty, format!("({})", vec!["$"; parts.len()].join(", ")), nodes))
    }

    fn record(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Record(fields) = ty else { return None };
        let mut nodes = self.exprs(&ty.components(), fuel);
        let mut places: Vec<String> = fields.iter().map(|(name, _)| format!("{name} = $")).collect();
        if self.random.percent(30) {
            nodes.reverse();
            places.reverse();
        }
        Some(self.node(ty, format!("{{{}}}", places.join(", ")), nodes))
    }

    fn component(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let mut parts = vec![ty.clone(), self.types().data(1)];
        let at = self.random.below(2);
        parts.swap(0, at);
        let tuple = self.expr(&Type::Tuple(parts), fuel - 1);
        Some(self.node(ty, format!("($).{at}"), vec![tuple]))
    }

    fn field(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let mut parts = [ty.clone(), self.types().data(1)];
        let at = self.random.below(2);
        parts.swap(0, at);
        let record = self.expr(&Type::Record(FIELDS.into_iter().zip(parts).collect()), fuel - 1);
        Some(self.node(ty, format!("($).{}", FIELDS[at]), vec![record]))
    }

    fn array_of(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        match ty {
            Type::Array(Size { name: None, least }, element) if *least > 0 => {
                let elements = self.exprs(&vec![(**element).clone(); *least], fuel);
                Some(self.node(ty, format!("[{}]", vec!["$"; *least].join(", ")), elements))
            }
            _ => None,
        }
    }

    fn comprehension(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(size, element) = ty else { return None };
        let index = self.name("i");
        let element = self.indexed(&index, size, |writer| writer.expr(element, fuel - 1));
        Some(self.node(ty, format!("[$ | {index} < {}]", size.show()), vec![element]))
    }

    fn over_elements(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(size, element) = ty else { return None };
        let shares = self.split(fuel, 2);
        let from = self.types().data(1);
        let source = self.expr(&array(size.clone(), from.clone()), shares[0]);
        let (pattern, element) =
            self.for_each(size, |writer| writer.each(&from, |writer| writer.expr(element, shares[1])));
        Some(self.node(ty, format!("[$ | {pattern} in $]"), vec![element, source]))
    }

    /// An expression in which a variable, or the names in a pattern, stand for a value of a type.
    pub fn each(&mut self, ty: &Type, f: impl FnOnce(&mut Self) -> Node) -> (String, Node) {
        match ty {
            Type::Tuple(parts) if self.random.percent(50) => {
                let names: Vec<String> = parts.iter().map(|_| self.name("y")).collect();
                let bound: Vec<(&str, &Type)> = names.iter().map(String::as_str).zip(parts).collect();
                let node = self.within(&bound, f);
                (format!("({})", names.join(", ")), node)
            }
            _ => {
                let name = self.name("y");
                let node = self.within(&[(&name, ty)], f);
                (name, node)
            }
        }
    }

    fn nested_generators(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(rows, row) = ty else { return None };
        let Type::Array(columns, element) = &**row else { return None };
        let (i, j) = (self.name("i"), self.name("j"));
        let element =
            self.indexed(&i, rows, |writer| writer.indexed(&j, columns, |writer| writer.expr(element, fuel - 1)));
        Some(self.node(ty, format!("[$ | {i} < {}, {j} < {}]", rows.show(), columns.show()), vec![element]))
    }

    fn indexing(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let size = self.some_size();
        let whole = self.expr(&array(size.clone(), ty.clone()), fuel - 1);
        let index = self.index(&size)?;
        Some(self.node(ty, format!("($)[{index}]"), vec![whole]))
    }

    fn build(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(size, element) = ty else { return None };
        let index = self.name("i");
        let element = self.indexed(&index, size, |writer| writer.expr(element, fuel - 1));
        Some(self.node(ty, format!("build({}, \\{index} -> $)", size.show()), vec![element]))
    }

    fn map(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(size, element) = ty else { return None };
        let from = self.types().vector(1);
        let shares = self.split(fuel, 2);
        let function = self.for_each(size, |writer| writer.function_for(&from, element, shares[0]));
        let source = self.expr(&array(size.clone(), from), shares[1]);
        Some(self.node(ty, "map($, $)", vec![function, source]))
    }

    fn replicate(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(size, element) = ty else { return None };
        let element = self.for_each(size, |writer| writer.expr(element, fuel - 1));
        Some(self.node(ty, format!("replicate({}, $)", size.show()), vec![element]))
    }

    fn zip(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(size, element) = ty else { return None };
        if let Type::Tuple(parts) = &**element
            && parts.len() == 2
        {
            let types: Vec<Type> = parts.iter().map(|part| array(size.clone(), part.clone())).collect();
            let nodes = self.exprs(&types, fuel);
            return Some(self.node(ty, "zip($, $)", nodes));
        }
        let sources = [self.types().vector(0), self.types().vector(1)];
        let types: Vec<Type> = sources.iter().map(|part| array(size.clone(), part.clone())).collect();
        let mut nodes = self.exprs(&types, fuel / 2);
        let (a, b) = (self.name("y"), self.name("y"));
        let bound = [(a.as_str(), &sources[0]), (b.as_str(), &sources[1])];
        nodes.insert(0, self.for_each(size, |writer| writer.within(&bound, |writer| writer.expr(element, fuel / 2))));
        Some(self.node(ty, format!("[$ | ({a}, {b}) in zip($, $)]"), nodes))
    }

    fn unzip(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(size, element) = ty else { return None };
        let mut parts = vec![(**element).clone(), self.types().vector(0)];
        let at = self.random.below(2);
        parts.swap(0, at);
        let pairs = self.expr(&array(size.clone(), Type::Tuple(parts)), fuel - 1);
        Some(self.node(ty, format!("unzip($).{at}"), vec![pairs]))
    }

    fn iota(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(size, element) = ty else { return None };
        let index = self.name("i");
        let element = self.indexed(&index, size, |writer| writer.expr(element, fuel - 1));
        Some(self.node(ty, format!("[$ | {index} in iota({})]", size.show()), vec![element]))
    }

    /// An array without elements, and what is made of it.
    fn empty(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() {
            return None;
        }
        let nothing = Size::constant(0);
        let index = self.name("i");
        let element = self.indexed(&index, &nothing, |writer| writer.expr(ty, fuel / 2));
        let rest = self.expr(ty, fuel / 2);
        let form = *self.random.pick(&["sum", "prod"]);
        let size = *self.random.pick(&["0", "size([1.0]) - 1"]);
        Some(self.node(ty, format!("({form}($ | {index} < {size}) + $)"), vec![element, rest]))
    }
}
