//! Linear systems that invert a map: their entries and further unknowns.
//!
//! ```text
//! m x = y   where   (a b; c d) (x, t) = (y, 0)   with unknowns t for intermediate values
//! ```
//!
//! The entries of a derivative are those of its structure, in which sums that many rows read are unknowns; without
//! structure, all entries. Sums, multiples and adjoints of maps are sums, multiples and transposes of lists of entries,
//! where entries at the same place are added. A composition is never multiplied out:
//!
//! ```text
//! g ∘ f:  (0 g; f −1) (x, t) = (y, 0)
//! ```

use crate::compile::{Compiler, Problem};
use crate::jacobian::{MatrixForm, numbers_in};
use crate::map::{Form, KnownMap};
use riesz_core::build::write_size;
use riesz_core::term::{Atom, Binding, Body, Comparison, Iteration, Op, Var};
use riesz_core::types::Record;
use riesz_core::{Size, Type};
use riesz_primitive::{array, scalar};
use riesz_syntax::Span;

/// A list of entries: arrays of columns, rows and numbers.
struct List {
    columns: Atom,
    rows: Atom,
    numbers: Atom,
    /// How many unknowns there are for values on the way.
    between: Size,
}

impl Compiler<'_> {
    /// Binds a variable to the entries of a system for a map, if the map is known.
    pub(crate) fn system(&mut self, var: Var, map: Atom, span: Span, out: &mut Vec<Binding>) -> Result<bool, Problem> {
        let Type::Linear(arrow) = self.atom_type(map) else { return Ok(false) };
        let Some(known) = self.known_map(map).filter(KnownMap::is_plain) else { return Ok(false) };
        let mut written = Vec::new();
        let Some(list) = self.list(&known, (&arrow.0, &arrow.1), span, &mut written)? else { return Ok(false) };
        out.extend(written);
        out.push(Binding { var, op: Op::Tuple(vec![list.columns, list.rows, list.numbers]), span });
        Ok(true)
    }

    /// The entries of a map; none where a type does not tell how many numbers a vector has. The order in which types declare
    /// the fields of records is that of the numbers.
    fn list(
        &mut self,
        map: &KnownMap,
        (from, to): (&Type, &Type),
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Result<Option<List>, Problem> {
        let (from, to) = (map.from.declared_as(from), map.to.declared_as(to));
        let (Some(columns), Some(rows)) = (numbers_in(&from), numbers_in(&to)) else { return Ok(None) };
        let sum = |a: &Size, b: &Size| a.add(b).unwrap_or(Size::Hole);
        Ok(match &map.form {
            Form::Derivative { adjoint: true, .. } => {
                let list = self.list(&map.adjoint(), (&to, &from), span, out)?;
                list.map(|list| List { columns: list.rows, rows: list.columns, ..list })
            }
            Form::Derivative { .. } => {
                let map = KnownMap { from, to, form: map.form.clone() };
                let var = self.var(Type::Record(Record::entries()));
                match self.structured((var, MatrixForm::System), &map, span, out)? {
                    true => match out.pop().map(|binding| binding.op) {
                        Some(Op::Tuple(fields)) => match fields[..] {
                            [columns, rows, numbers, Atom::Int(between)] => {
                                Some(List { columns, rows, numbers, between: Size::Constant(between) })
                            }
                            _ => None,
                        },
                        _ => None,
                    },
                    false => self.all_entries(&map, (&columns, &rows), span, out)?,
                }
            }
            Form::Multiple(factor, map) => {
                let Some(list) = self.list(map, (&from, &to), span, out)? else { return Ok(None) };
                let numbers = self.each_entry(list.numbers, Type::Real, span, out, |compiler, at, number, out| {
                    let times = |compiler: &mut Self, out: &mut Vec<Binding>| {
                        let op = Op::Scalar(&scalar::EXACT_MUL, vec![*factor, number]);
                        compiler.bind(op, Type::Real, out, span)
                    };
                    if list.between == Size::Constant(0) {
                        return times(compiler, out);
                    }
                    // Equations for values on the way stay.
                    let row = compiler.bind(Op::Index(list.rows, at), Type::Int, out, span);
                    let limit = write_size(&rows, &mut compiler.vars, out, span);
                    let condition = compiler.bind(Op::Compare(Comparison::Less, row, limit), Type::Bool, out, span);
                    let mut bindings = Vec::new();
                    let result = times(compiler, &mut bindings);
                    let (yes, no) = (Body { bindings, result }, Body { bindings: Vec::new(), result: number });
                    compiler.bind(Op::If { condition, yes, no }, Type::Real, out, span)
                });
                Some(List { numbers, ..list })
            }
            Form::Sum(left, right) => {
                let Some(left) = self.list(left, (&from, &to), span, out)? else { return Ok(None) };
                let Some(mut right) = self.list(right, (&from, &to), span, out)? else { return Ok(None) };
                let none = Size::Constant(0);
                self.move_places(
                    &mut right,
                    (&columns, &none, &left.between),
                    (&rows, &none, &left.between),
                    span,
                    out,
                );
                Some(self.together(vec![left, right], span, out))
            }
            Form::Compose(after, before) => {
                let middle = &before.to.clone();
                let Some(inner) = numbers_in(middle) else { return Ok(None) };
                let Some(mut outer) = self.list(after, (middle, &to), span, out)? else { return Ok(None) };
                let Some(mut first) = self.list(before, (&from, middle), span, out)? else { return Ok(None) };
                let none = Size::Constant(0);
                let beyond = sum(&inner, &outer.between);
                let first_rows = (&inner, &rows, &sum(&rows, &outer.between));
                self.move_places(&mut outer, (&inner, &columns, &columns), (&rows, &none, &inner), span, out);
                self.move_places(&mut first, (&columns, &none, &beyond), first_rows, span, out);
                let values = self.negative_identity(&inner, (&columns, &rows), span, out);
                Some(self.together(vec![outer, first, values], span, out))
                    .map(|list| List { between: sum(&list.between, &inner), ..list })
            }
        })
    }

    /// All entries of a map's matrix, row by row.
    fn all_entries(
        &mut self,
        map: &KnownMap,
        (columns, rows): (&Size, &Size),
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Result<Option<List>, Problem> {
        let ty = Type::Linear((map.from.clone(), map.to.clone()).into()).with_matrices();
        let matrix = self.var(ty.clone());
        self.matrix(matrix, map, span, out)?;
        let Some(numbers) = self.numbers(Atom::Var(matrix), &ty, span, out) else { return Ok(None) };
        let places = [true, false].map(|is_column| {
            let (row, column) = (self.var(Type::Int), self.var(Type::Int));
            let result = Atom::Var(if is_column { column } else { row });
            let mut bindings = Vec::new();
            let count = write_size(columns, &mut self.vars, &mut bindings, span);
            let line = Type::array(columns.clone(), Type::Int);
            let body = Body { bindings: Vec::new(), result };
            let op = Op::Build(Iteration { count, index: column, body });
            let result = self.bind(op, line.clone(), &mut bindings, span);
            let count = write_size(rows, &mut self.vars, out, span);
            let op = Op::Build(Iteration { count, index: row, body: Body { bindings, result } });
            let all = self.bind(op, Type::array(rows.clone(), line), out, span);
            let ty = Type::array(rows.mul(columns).unwrap_or(Size::Hole), Type::Int);
            self.bind(Op::ArrayFunction(&array::FLATTEN, vec![all]), ty, out, span)
        });
        Ok(Some(List { columns: places[0], rows: places[1], numbers, between: Size::Constant(0) }))
    }

    /// The numbers of a vector in one array, fields of records as they are declared.
    fn numbers(&mut self, value: Atom, ty: &Type, span: Span, out: &mut Vec<Binding>) -> Option<Atom> {
        let flat = |ty: &Type| Some(Type::array(numbers_in(ty)?, Type::Real));
        Some(match ty {
            Type::Real => self.bind(Op::Array(vec![value]), flat(ty)?, out, span),
            Type::Array(_, element) if **element == Type::Real => value,
            Type::Array(size, element) => {
                let count = write_size(size, &mut self.vars, out, span);
                let index = self.var(Type::Int);
                let mut bindings = Vec::new();
                let part = self.bind(Op::Index(value, Atom::Var(index)), (**element).clone(), &mut bindings, span);
                let result = self.numbers(part, element, span, &mut bindings)?;
                let lines = Type::array(size.clone(), flat(element)?);
                let op = Op::Build(Iteration { count, index, body: Body { bindings, result } });
                let lines = self.bind(op, lines, out, span);
                self.bind(Op::ArrayFunction(&array::FLATTEN, vec![lines]), flat(ty)?, out, span)
            }
            _ => {
                let mut parts = Vec::new();
                for at in ty.declared()? {
                    let part_type = ty.component(at)?.clone();
                    let part = self.bind(Op::Project(value, at), part_type.clone(), out, span);
                    parts.push(self.numbers(part, &part_type, span, out)?);
                }
                let op = if parts.is_empty() { Op::Array(parts) } else { Op::ArrayFunction(&array::CONCAT, parts) };
                self.bind(op, flat(ty)?, out, span)
            }
        })
    }

    /// An array of what is made of each entry of another.
    fn each_entry(
        &mut self,
        of: Atom,
        element: Type,
        span: Span,
        out: &mut Vec<Binding>,
        make: impl FnOnce(&mut Self, Atom, Atom, &mut Vec<Binding>) -> Atom,
    ) -> Atom {
        let ty = self.atom_type(of);
        let Type::Array(size, before) = &ty else { return of };
        let count = self.bind(Op::SizeOf(of, Vec::new()), Type::Int, out, span);
        let index = self.var(Type::Int);
        let mut bindings = Vec::new();
        let entry = self.bind(Op::Index(of, Atom::Var(index)), (**before).clone(), &mut bindings, span);
        let result = make(self, Atom::Var(index), entry, &mut bindings);
        let op = Op::Build(Iteration { count, index, body: Body { bindings, result } });
        self.bind(op, Type::array(size.clone(), element), out, span)
    }

    /// Moves the columns, and the rows, of a list: those below a limit by one number, others by another.
    fn move_places(
        &mut self,
        list: &mut List,
        columns: (&Size, &Size, &Size),
        rows: (&Size, &Size, &Size),
        span: Span,
        out: &mut Vec<Binding>,
    ) {
        let all_below = list.between == Size::Constant(0);
        for (places, (limit, below, above)) in [(&mut list.columns, columns), (&mut list.rows, rows)] {
            let same = all_below || below == above;
            if same && *below == Size::Constant(0) {
                continue;
            }
            *places = self.each_entry(*places, Type::Int, span, out, |compiler, _, place, out| {
                let further = |compiler: &mut Self, by: &Size, out: &mut Vec<Binding>| {
                    let by = write_size(by, &mut compiler.vars, out, span);
                    compiler.bind(Op::Scalar(&scalar::ADD, vec![place, by]), Type::Int, out, span)
                };
                if same {
                    return further(compiler, below, out);
                }
                let limit = write_size(limit, &mut compiler.vars, out, span);
                let condition = compiler.bind(Op::Compare(Comparison::Less, place, limit), Type::Bool, out, span);
                let [yes, no] = [below, above].map(|by| {
                    let mut bindings = Vec::new();
                    let result = further(compiler, by, &mut bindings);
                    Body { bindings, result }
                });
                compiler.bind(Op::If { condition, yes, no }, Type::Int, out, span)
            });
        }
    }

    /// −1 for each intermediate value, in its column and its row, which follow others.
    fn negative_identity(
        &mut self,
        count: &Size,
        (columns, rows): (&Size, &Size),
        span: Span,
        out: &mut Vec<Binding>,
    ) -> List {
        let count_atom = write_size(count, &mut self.vars, out, span);
        let mut each = |element: Type, first: Option<&Size>| {
            let index = self.var(Type::Int);
            let mut bindings = Vec::new();
            let result = match first {
                Some(first) => {
                    let first = write_size(first, &mut self.vars, &mut bindings, span);
                    let op = Op::Scalar(&scalar::ADD, vec![first, Atom::Var(index)]);
                    self.bind(op, Type::Int, &mut bindings, span)
                }
                None => Atom::Real(-1.0),
            };
            let op = Op::Build(Iteration { count: count_atom, index, body: Body { bindings, result } });
            self.bind(op, Type::array(count.clone(), element), out, span)
        };
        let (columns, rows) = (each(Type::Int, Some(columns)), each(Type::Int, Some(rows)));
        List { columns, rows, numbers: each(Type::Real, None), between: Size::Constant(0) }
    }

    /// The entries of several lists.
    fn together(&mut self, lists: Vec<List>, span: Span, out: &mut Vec<Binding>) -> List {
        let mut all = |field: fn(&List) -> Atom, element: Type| {
            let parts: Vec<Atom> = lists.iter().map(field).collect();
            let sizes = parts.iter().map(|part| match self.atom_type(*part) {
                Type::Array(size, _) => size,
                _ => Size::Hole,
            });
            let sizes: Vec<Size> = sizes.collect();
            let total = sizes.iter().try_fold(Size::Constant(0), |total, size| total.add(size));
            let ty = Type::array(total.unwrap_or(Size::Hole), element);
            self.bind(Op::ArrayFunction(&array::CONCAT, parts), ty, out, span)
        };
        let columns = all(|list| list.columns, Type::Int);
        let rows = all(|list| list.rows, Type::Int);
        let numbers = all(|list| list.numbers, Type::Real);
        let between = lists.iter().fold(Size::Constant(0), |all, list| all.add(&list.between).unwrap_or(Size::Hole));
        List { columns, rows, numbers, between }
    }
}
