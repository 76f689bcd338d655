//! Functions of arrays: reductions, those that move elements, and linear algebra.

use super::types::{Size, Type, array};
use super::{Node, Production, Writer};

pub const ALL: &[(&str, usize, Production)] = &[
    ("sum", 6, Writer::sum),
    ("sum over a generator", 6, Writer::sum_over),
    ("sum over two generators", 4, Writer::sum_over_two),
    ("sum over a triangle", 3, Writer::sum_over_triangle),
    ("prod", 5, Writer::prod),
    ("max", 4, Writer::extreme),
    ("min", 4, Writer::extreme_over),
    ("argmax", 2, Writer::at_extreme),
    ("reverse", 3, Writer::reverse),
    ("roll", 3, Writer::roll),
    ("concat", 3, Writer::concat),
    ("slice", 4, Writer::slice),
    ("flatten", 3, Writer::flatten),
    ("transpose", 4, Writer::transpose),
    ("gather", 4, Writer::gather),
    ("scatter_add", 4, Writer::scatter_add),
    ("update", 4, Writer::update),
    ("dot of vectors", 4, Writer::dot),
    ("dot of matrix and vector", 4, Writer::matrix_vector),
    ("dot of vector and matrix", 4, Writer::vector_matrix),
    ("dot of matrices", 5, Writer::matrix_matrix),
    ("outer", 4, Writer::outer),
    ("inner", 4, Writer::inner),
    ("norm", 4, Writer::norm),
    ("cholesky", 4, Writer::cholesky),
    ("solve for a vector", 3, Writer::solve_vector),
    ("solve for a matrix", 3, Writer::solve_matrix),
    ("inv", 4, Writer::inv),
    ("det", 2, Writer::det),
    ("logdet", 2, Writer::logdet),
    ("array of a size that the type does not say", 4, Writer::of_open_size),
];

impl Writer {
    // ---- reductions ----

    fn sum(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() {
            return None;
        }
        let size = self.size();
        let whole = self.expr(&array(size, ty.clone()), fuel - 1);
        Some(self.node(ty, "sum($)", vec![whole]))
    }

    /// `$ | x in e` or `$ | i < n`, and the parts.
    fn generator(&mut self, element: &Type, size: &Size, tame: bool, fuel: usize) -> (String, Vec<Node>) {
        let make = |writer: &mut Self, fuel: usize| match tame {
            true => writer.tame(element, fuel),
            false => writer.expr(element, fuel),
        };
        if self.random.percent(50) {
            let index = self.name("i");
            let element = self.indexed(&index, size, |writer| make(writer, fuel - 1));
            return (format!("$ | {index} < {}", size.show()), vec![element]);
        }
        let shares = self.split(fuel, 2);
        let from = self.types().data(1);
        let source = self.expr(&array(size.clone(), from.clone()), shares[0]);
        let (pattern, element) = self.for_each(size, |writer| writer.each(&from, |writer| make(writer, shares[1])));
        (format!("$ | {pattern} in $"), vec![element, source])
    }

    fn sum_over(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() {
            return None;
        }
        let size = self.size();
        let (text, parts) = self.generator(ty, &size, false, fuel);
        Some(self.node(ty, format!("sum({text})"), parts))
    }

    fn sum_over_two(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() {
            return None;
        }
        let (m, n) = (self.size(), self.size());
        let (i, j) = (self.name("i"), self.name("j"));
        let element = self.indexed(&i, &m, |writer| writer.indexed(&j, &n, |writer| writer.expr(ty, fuel - 1)));
        let reduction = if *ty == Type::Real && m.least > 0 && n.least > 0 {
            *self.random.pick(&["sum", "sum", "max", "min"])
        } else {
            "sum"
        };
        Some(self.node(ty, format!("{reduction}($ | {i} < {}, {j} < {})", m.show(), n.show()), vec![element]))
    }

    fn sum_over_triangle(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() {
            return None;
        }
        let size = self.size();
        let (i, j) = (self.name("i"), self.name("j"));
        // The inner index is below the outer one, and so below the size; of one index alone there is none below.
        let iterations = Size::constant(size.least.saturating_sub(1));
        let element = self.for_each(&iterations, |writer| {
            writer.indexed(&i, &size, |writer| writer.indexed(&j, &size, |writer| writer.expr(ty, fuel - 1)))
        });
        Some(self.node(ty, format!("sum($ | {i} < {}, {j} < {i})", size.show()), vec![element]))
    }

    fn prod(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() {
            return None;
        }
        let size = self.size();
        if self.random.percent(40) {
            let whole = self.tame(&array(size, ty.clone()), fuel - 1);
            return Some(self.node(ty, "prod($)", vec![whole]));
        }
        let (text, parts) = self.generator(ty, &size, true, fuel);
        Some(self.node(ty, format!("prod({text})"), parts))
    }

    fn extreme(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if *ty != Type::Real {
            return None;
        }
        let size = self.some_size();
        let whole = self.expr(&array(size, Type::Real), fuel - 1);
        let form = *self.random.pick(&["max", "min"]);
        Some(self.node(ty, format!("{form}($)"), vec![whole]))
    }

    fn extreme_over(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if *ty != Type::Real {
            return None;
        }
        let size = self.some_size();
        let (text, parts) = self.generator(ty, &size, false, fuel);
        let form = *self.random.pick(&["max", "min"]);
        Some(self.node(ty, format!("{form}({text})"), parts))
    }

    fn at_extreme(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let size = self.some_size();
        let types = [array(size.clone(), ty.clone()), array(size, Type::Real)];
        let parts = self.exprs(&types, fuel);
        let form = *self.random.pick(&["argmax", "argmin"]);
        Some(self.node(ty, format!("($)[{form}($)]"), parts))
    }

    // ---- moving elements ----

    fn reverse(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(..) = ty else { return None };
        let inner = self.expr(ty, fuel - 1);
        Some(self.node(ty, "reverse($)", vec![inner]))
    }

    fn roll(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(..) = ty else { return None };
        let (inner, places) = (self.expr(ty, fuel - 1), self.random.below(9) as i64 - 4);
        Some(self.node(ty, format!("roll($, {places})"), vec![inner]))
    }

    fn concat(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(Size { name: None, least }, element) = ty else { return None };
        let first = self.random.below(least + 1);
        let sizes = [first, least - first];
        let types = sizes.map(|size| array(Size::constant(size), (**element).clone()));
        let parts = self.exprs(&types, fuel);
        Some(self.node(ty, "concat($, $)", parts))
    }

    fn slice(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(Size { name: None, least }, element) = ty else { return None };
        let (before, after) = (self.random.below(2), self.random.below(2));
        let whole = self.expr(&array(Size::constant(before + least + after), (**element).clone()), fuel - 1);
        Some(self.node(ty, format!("slice($, {before}, {})", before + least), vec![whole]))
    }

    fn flatten(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(Size { name: None, least }, element) = ty else { return None };
        let divisors: Vec<usize> = (1..=*least).filter(|divisor| least % divisor == 0).collect();
        let (rows, columns) = match divisors.is_empty() {
            true => (self.random.below(2), 0),
            false => {
                let rows = *self.random.pick(&divisors);
                (rows, least / rows)
            }
        };
        let row = array(Size::constant(columns), (**element).clone());
        let matrix = self.expr(&array(Size::constant(rows), row), fuel - 1);
        Some(self.node(ty, "flatten($)", vec![matrix]))
    }

    fn transpose(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(rows, row) = ty else { return None };
        let Type::Array(columns, element) = &**row else { return None };
        let inner = self.expr(&array(columns.clone(), array(rows.clone(), (**element).clone())), fuel - 1);
        Some(self.node(ty, "transpose($)", vec![inner]))
    }

    /// An array of indices below a size.
    fn indices(&mut self, count: &Size, below: &Size) -> String {
        if count.name.is_none() && count.least > 0 && self.random.percent(50) {
            let indices: Vec<String> = (0..count.least).map(|_| self.random.below(below.least).to_string()).collect();
            return format!("[{}]", indices.join(", "));
        }
        let index = self.name("i");
        format!("[mod({index} * 2 + 1, {}) | {index} < {}]", below.show(), count.show())
    }

    fn gather(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(size, element) = ty else { return None };
        let from = self.some_size();
        let whole = self.expr(&array(from.clone(), (**element).clone()), fuel - 1);
        let indices = self.indices(size, &from);
        Some(self.node(ty, format!("gather($, {indices})"), vec![whole]))
    }

    fn scatter_add(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(size, element) = ty else { return None };
        if !element.is_vector() || size.least == 0 {
            return None;
        }
        let from = self.size();
        let values = self.expr(&array(from.clone(), (**element).clone()), fuel - 1);
        let indices = self.indices(&from, size);
        Some(self.node(ty, format!("scatter_add({}, {indices}, $)", size.show()), vec![values]))
    }

    fn update(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let Type::Array(size, element) = ty else { return None };
        let at = self.index(size)?;
        let parts = self.exprs(&[ty.clone(), (**element).clone()], fuel);
        Some(self.node(ty, format!("update($, {at}, $)"), parts))
    }

    // ---- linear algebra ----

    fn dot(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if *ty != Type::Real {
            return None;
        }
        let vector = array(self.size(), Type::Real);
        let parts = self.exprs(&[vector.clone(), vector], fuel);
        Some(self.node(ty, "dot($, $)", parts))
    }

    fn matrix_vector(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let rows = vector_size(ty)?;
        let columns = self.size();
        let parts = self.exprs(&[matrix(&rows, &columns), array(columns, Type::Real)], fuel);
        Some(self.node(ty, "dot($, $)", parts))
    }

    fn vector_matrix(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let columns = vector_size(ty)?;
        let rows = self.size();
        let parts = self.exprs(&[array(rows.clone(), Type::Real), matrix(&rows, &columns)], fuel);
        Some(self.node(ty, "dot($, $)", parts))
    }

    fn matrix_matrix(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let (rows, columns) = matrix_sizes(ty)?;
        let between = self.size();
        let parts = self.exprs(&[matrix(&rows, &between), matrix(&between, &columns)], fuel);
        Some(self.node(ty, "dot($, $)", parts))
    }

    fn outer(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let (rows, columns) = matrix_sizes(ty)?;
        let parts = self.exprs(&[array(rows, Type::Real), array(columns, Type::Real)], fuel);
        Some(self.node(ty, "outer($, $)", parts))
    }

    fn inner(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if *ty != Type::Real {
            return None;
        }
        let space = self.types().vector(2);
        let parts = self.exprs(&[space.clone(), space], fuel);
        Some(self.node(ty, "inner($, $)", parts))
    }

    fn norm(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if *ty != Type::Real {
            return None;
        }
        let space = self.types().vector(1);
        let inner = self.expr(&space, fuel - 1);
        Some(self.node(ty, "norm($)", vec![inner]))
    }

    /// A symmetric matrix that is far from singular.
    fn positive_definite(&mut self, size: &Size, fuel: usize) -> Node {
        let ty = matrix(size, size);
        let inner = self.tame(&ty, fuel);
        let template = self.library("positive_definite($)");
        self.node(&ty, template, vec![inner])
    }

    /// A matrix that is far from singular.
    fn regular(&mut self, size: &Size, fuel: usize) -> Node {
        let ty = matrix(size, size);
        let inner = self.expr(&ty, fuel);
        let template = self.library("dominant($)");
        self.node(&ty, template, vec![inner])
    }

    fn cholesky(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let (rows, columns) = matrix_sizes(ty)?;
        if rows != columns {
            return None;
        }
        let inner = self.positive_definite(&rows, fuel - 1);
        Some(self.node(ty, "cholesky($)", vec![inner]))
    }

    fn solve_vector(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let size = vector_size(ty)?;
        let shares = self.split(fuel, 2);
        let parts = vec![self.regular(&size, shares[0]), self.expr(ty, shares[1])];
        Some(self.node(ty, "solve($, $)", parts))
    }

    fn solve_matrix(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let (rows, _) = matrix_sizes(ty)?;
        let shares = self.split(fuel, 2);
        let parts = vec![self.regular(&rows, shares[0]), self.expr(ty, shares[1])];
        Some(self.node(ty, "solve($, $)", parts))
    }

    fn inv(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let (rows, columns) = matrix_sizes(ty)?;
        if rows != columns {
            return None;
        }
        let inner = self.regular(&rows, fuel - 1);
        Some(self.node(ty, "inv($)", vec![inner]))
    }

    fn det(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if *ty != Type::Real {
            return None;
        }
        let size = self.size();
        let inner = self.regular(&size, fuel - 1);
        Some(self.node(ty, "det($)", vec![inner]))
    }

    fn logdet(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if *ty != Type::Real {
            return None;
        }
        let size = self.size();
        let inner = match self.random.percent(50) {
            true => self.regular(&size, fuel - 1),
            false => self.positive_definite(&size, fuel - 1),
        };
        Some(self.node(ty, "logdet($)", vec![inner]))
    }

    // ---- sizes that are known only when the program runs ----

    fn of_open_size(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_vector() {
            return None;
        }
        let element = if self.random.percent(60) { ty.clone() } else { self.types().vector(1) };
        let shares = self.split(fuel, 2);
        let open = self.open_array(&element, shares[0]);
        if element == *ty && self.random.percent(50) {
            let form = *self.random.pick(&["sum($)", "prod($)", "($)[0]", "sum(reverse($))"]);
            return Some(self.node(ty, form, vec![open]));
        }
        let name = self.name("w");
        let size = Size { name: Some(format!("size({name})")), least: 1 };
        let outside = self.sizes.len();
        self.sizes.push(size.clone());
        let whole = array(size.clone(), element.clone());
        let body = self.within(&[(&name, &whole)], |writer| match writer.random.below(4) {
            0 => {
                let index = writer.name("i");
                let inner = writer.indexed(&index, &size, |writer| writer.expr(ty, shares[1]));
                writer.node(ty, format!("sum($ | {index} < {})", size.show()), vec![inner])
            }
            1 => {
                let (y, state) = (writer.name("y"), writer.name("s"));
                let start = writer.expr(ty, shares[1] / 2);
                let step = writer.within(&[(&y, &element), (&state, ty)], |writer| writer.tame(ty, shares[1] / 2));
                writer.node(ty, format!("(loop {state} = $ for {y} in {name} do $)"), vec![start, step])
            }
            _ => writer.expr(ty, shares[1]),
        });
        self.sizes.truncate(outside);
        Some(self.node(ty, format!("(let {name} = $ in $)"), vec![open, body]))
    }

    /// A non-empty array whose size follows from values. Its type is not to be relied on.
    fn open_array(&mut self, element: &Type, fuel: usize) -> Node {
        let size = self.some_size();
        let ty = array(size.clone(), element.clone());
        match self.random.below(5) {
            0 => {
                let inner = self.expr(&ty, fuel);
                let template = self.library("front($)");
                self.node(&ty, template, vec![inner])
            }
            1 => {
                let more = array(Size::constant(1 + self.random.below(3)), element.clone());
                let condition = self.condition(1);
                let mut parts = self.exprs(&[ty.clone(), more], fuel);
                parts.insert(0, condition);
                let template = self.library("front($)");
                self.node(&ty, format!("(if $ then {template} else $)"), parts)
            }
            2 => {
                let parts = vec![self.expr(&ty, fuel / 2), self.open_array(element, fuel / 2)];
                self.node(&ty, "concat($, $)", parts)
            }
            3 => {
                let (inner, int) = (self.expr(&ty, fuel), self.int());
                self.node(&ty, format!("slice($, 0, 1 + mod($, {}))", size.show()), vec![inner, int])
            }
            _ => {
                let from = self.types().vector(0);
                let source = self.open_array(&from, fuel / 2);
                let name = self.name("y");
                let inner = self.within(&[(&name, &from)], |writer| writer.expr(element, fuel / 2));
                self.node(&ty, format!("[$ | {name} in $]"), vec![inner, source])
            }
        }
    }
}

fn matrix(rows: &Size, columns: &Size) -> Type {
    array(rows.clone(), array(columns.clone(), Type::Real))
}

fn vector_size(ty: &Type) -> Option<Size> {
    match ty {
        Type::Array(size, element) if **element == Type::Real => Some(size.clone()),
        _ => None,
    }
}

fn matrix_sizes(ty: &Type) -> Option<(Size, Size)> {
    match ty {
        Type::Array(rows, row) => Some((rows.clone(), vector_size(row)?)),
        _ => None,
    }
}
