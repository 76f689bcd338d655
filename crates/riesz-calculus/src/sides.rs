//! Maps that multiply a matrix from its sides: a Kronecker product, which `solve` inverts factor by factor.
//!
//! ```text
//! m x = a x b   is   (a ⊗ bᵀ) x,   and   m x = y   where   x = a⁻¹ y b⁻¹
//! ```
//!
//! The linear function of a derivative is read from its argument on. It may multiply from the left and from the right, also
//! row by row, and by numbers that do not depend on an index. What stands on each side is multiplied once, so that the
//! matrices between may have any shape.

use crate::compile::{Compiler, Problem, with_sizes};
use crate::map::{Form, KnownMap};
use crate::structure::uses;
use riesz_core::Type;
use riesz_core::build::{bind, type_of};
use riesz_core::renumber::renumber;
use riesz_core::size::Size;
use riesz_core::term::{Atom, Binding, Body, Function, Iteration, Op, Var};
use riesz_primitive::{Primitive, array, scalar};
use riesz_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// What stands beside the argument of a map, as far as anything does, and by which numbers the argument is multiplied.
struct Sides {
    left: Option<Atom>,
    right: Option<Atom>,
    numbers: Vec<Atom>,
}

impl Compiler<'_> {
    /// Binds a variable to the matrices beside the argument of a map, behind a number that says which there are: 1 for the
    /// left one, 2 for both, 3 for the right one, 0 if the map is another. Whether the map is known.
    pub(crate) fn factors(&mut self, var: Var, map: Atom, span: Span, out: &mut Vec<Binding>) -> Result<bool, Problem> {
        let Some(known) = self.known_map(map).filter(KnownMap::is_plain) else { return Ok(false) };
        let mut written = Vec::new();
        let mut sides = self.sides(&known, span, &mut written)?;
        if let Some(Sides { left, right, numbers }) = &mut sides
            && let Some(matrix) = left.as_mut().or(right.as_mut())
        {
            for number in numbers {
                let ty = self.atom_type(*matrix);
                *matrix = self.multiple(*number, *matrix, &ty, span, &mut written);
            }
            out.extend(written);
        }
        let (left, right) = sides.map_or((None, None), |sides| (sides.left, sides.right));
        let which = match (left, right) {
            (None, None) => 0,
            (Some(_), None) => 1,
            (Some(_), Some(_)) => 2,
            (None, Some(_)) => 3,
        };
        let parts = [left, right].map(|matrix| match matrix {
            Some(matrix) => matrix,
            None => self.bind(Op::Array(Vec::new()), matrix_of(Size::Constant(0), Size::Constant(0)), out, span),
        });
        out.push(Binding { var, op: Op::Tuple(vec![Atom::Int(which), parts[0], parts[1]]), span });
        Ok(true)
    }

    fn sides(&mut self, map: &KnownMap, span: Span, out: &mut Vec<Binding>) -> Result<Option<Sides>, Problem> {
        Ok(match &map.form {
            Form::Derivative { adjoint: true, .. } => self.sides(&map.adjoint(), span, out)?.map(|sides| {
                let [left, right] =
                    [sides.left, sides.right].map(|side| side.map(|matrix| self.turned_matrix(matrix, out, span)));
                Sides { left, right, numbers: sides.numbers }
            }),
            Form::Derivative { function, point, .. } => self.sides_of(*function, *point, span, out)?,
            Form::Multiple(factor, map) => self.sides(map, span, out)?.map(|mut sides| {
                sides.numbers.push(*factor);
                sides
            }),
            Form::Compose(after, before) => {
                let Some(after) = self.sides(after, span, out)? else { return Ok(None) };
                let Some(before) = self.sides(before, span, out)? else { return Ok(None) };
                let mut product = |a: Option<Atom>, b: Option<Atom>| match (a, b) {
                    (Some(a), Some(b)) => Some(dot(&mut self.vars, out, a, b, span)),
                    (a, b) => a.or(b),
                };
                let left = product(after.left, before.left);
                let right = product(before.right, after.right);
                Some(Sides { left, right, numbers: [after.numbers, before.numbers].concat() })
            }
            Form::Sum(..) => None,
        })
    }

    /// What the derivative of a function at a point multiplies with.
    fn sides_of(
        &mut self,
        function: Atom,
        point: Atom,
        span: Span,
        out: &mut Vec<Binding>,
    ) -> Result<Option<Sides>, Problem> {
        let Some((id, captured)) = self.closure(function) else { return Ok(None) };
        let mask: Vec<bool> = captured.iter().map(|_| false).chain([true]).collect();
        // A function that cannot be differentiated is reported where its entries are asked for.
        let Ok(linearised) = self.calculus.linearised(id, &mask) else { return Ok(None) };
        let Some(forward) = linearised.forward else { return Ok(None) };
        let forward = self.calculus.inlined(forward)?;
        let linear = self.calculus.program.function(forward).clone();
        let Some(image) = Reading::of(&linear) else { return Ok(None) };
        let (has_left, has_right) = (!image.left.is_empty(), !image.right.is_empty());
        let made = self.calculus.add(image.function(linear));
        let arguments: Vec<Atom> = captured.iter().copied().chain([point]).collect();
        let called = self.calculus.program.function(id).result.clone();
        let value = with_sizes(&called, |var| arguments.get(var.0 as usize).copied());
        let all = linearised.all(&value, &arguments);
        let all = self.bind(Op::Call(linearised.primal, arguments.clone()), all, out, span);
        let kept = linearised.kept(all, &arguments, &mut |op, ty| self.bind(op, ty, out, span));
        let parts = self.calculus.program.function(made).result.clone();
        let parts = with_sizes(&parts, |var| kept.get(var.0 as usize).copied());
        let all = self.bind(Op::Call(made, kept), parts.clone(), out, span);
        let mut parts = parts.components().unwrap_or_default().into_iter().enumerate();
        let mut next = || parts.next().map(|(at, ty)| self.bind(Op::Project(all, at), ty, out, span));
        let left = has_left.then(&mut next).flatten();
        let right = has_right.then(&mut next).flatten();
        Ok(Some(Sides { left, right, numbers: next().into_iter().collect() }))
    }

    fn turned_matrix(&mut self, matrix: Atom, out: &mut Vec<Binding>, span: Span) -> Atom {
        turned(&mut self.vars, out, matrix, span)
    }
}

/// `a x` or `x b`, beside a vector that is read.
#[derive(Clone, PartialEq)]
struct Factor {
    matrix: Atom,
    is_turned: bool,
}

/// What a linear function makes of its argument, or an element of that.
#[derive(Clone)]
struct Image {
    left: Vec<Factor>,
    right: Vec<Factor>,
    /// Numbers that it is multiplied by.
    numbers: Vec<Atom>,
    constant: f64,
    /// The indices of the element.
    path: Vec<Var>,
    /// The type of the whole.
    ty: Type,
}

/// A linear function while it is read.
struct Reading<'f> {
    function: &'f Function,
    images: FxHashMap<Var, Image>,
    /// The variables that are bound outside of every loop and do not depend on the argument.
    known: FxHashSet<Var>,
}

impl<'f> Reading<'f> {
    /// What a function makes of its last parameter, a matrix; none if that is more than products from the sides.
    fn of(function: &'f Function) -> Option<Image> {
        let argument = Var(function.parameters.checked_sub(1)? as u32);
        let ty = function.vars[argument.0 as usize].ty.clone();
        is_matrix(&ty).then_some(())?;
        let known = (0..argument.0).map(Var).collect();
        let whole =
            Image { left: Vec::new(), right: Vec::new(), numbers: Vec::new(), constant: 1.0, path: Vec::new(), ty };
        let mut reading = Reading { function, images: [(argument, whole)].into_iter().collect(), known };
        reading.body(&function.body, true).filter(|image| image.path.is_empty())
    }

    fn body(&mut self, body: &Body, outside: bool) -> Option<Image> {
        for Binding { var, op, .. } in &body.bindings {
            if uses(op, &|var| self.images.contains_key(&var)) {
                let image = self.operation(*var, op)?;
                self.images.insert(*var, image);
            } else if outside {
                self.known.insert(*var);
            }
        }
        self.image(body.result).cloned()
    }

    fn image(&self, atom: Atom) -> Option<&Image> {
        match atom {
            Atom::Var(var) => self.images.get(&var),
            _ => None,
        }
    }

    fn is_known(&self, atom: Atom) -> bool {
        !matches!(atom, Atom::Var(var) if !self.known.contains(&var))
    }

    fn operation(&mut self, var: Var, op: &Op) -> Option<Image> {
        let ty = &self.function.vars[var.0 as usize].ty;
        match op {
            Op::Copy(a) => self.image(*a).cloned(),
            Op::Index(array, Atom::Var(index)) => {
                let mut image = self.image(*array)?.clone();
                image.path.push(*index);
                (image.path.len() <= 2).then_some(image)
            }
            Op::Build(Iteration { index, body, .. }) => {
                let mut image = self.body(body, false)?;
                (image.path.pop() == Some(*index)).then_some(())?;
                let part = image.path.iter().try_fold(&image.ty, |ty, _| match ty {
                    Type::Array(_, element) => Some(&**element),
                    _ => None,
                })?;
                (part == ty).then_some(image)
            }
            Op::Plus(a, b) => self.sum(*a, *b, 1.0),
            Op::Scalar(row, operands) => match operands[..] {
                // An accumulator that is added to once begins with a zero.
                [a, Atom::Real(0.0)] | [Atom::Real(0.0), a] if is(row, &scalar::ADD) => self.image(a).cloned(),
                [a] if is(row, &scalar::NEG) => self.multiple(a, -1.0),
                [a, b] if is(row, &scalar::ADD) => self.sum(a, b, 1.0),
                [a, b] if is(row, &scalar::SUB) => self.sum(a, b, -1.0),
                [a, b] if is(row, &scalar::EXACT_MUL) || is(row, &scalar::MUL) => {
                    let (number, of) = if self.image(a).is_some() { (b, a) } else { (a, b) };
                    match number {
                        Atom::Real(number) => self.multiple(of, number),
                        number if self.is_known(number) => {
                            let mut image = self.image(of)?.clone();
                            image.numbers.push(number);
                            Some(image)
                        }
                        _ => None,
                    }
                }
                _ => None,
            },
            Op::ArrayFunction(row, operands) if is(row, &array::DOT) || is(row, &array::EXACT_DOT) => {
                let (a, b) = (operands[0], operands[1]);
                let is_right = self.image(a).is_some();
                let (matrix, of) = if is_right { (b, a) } else { (a, b) };
                let is_factor = self.is_known(matrix) && is_matrix(&type_of(matrix, &self.function.vars));
                let mut image = self.image(of).filter(|_| is_factor)?.clone();
                match (&image.path[..], is_right) {
                    ([], true) => image.right.push(Factor { matrix, is_turned: false }),
                    ([], false) => image.left.insert(0, Factor { matrix, is_turned: false }),
                    // `b x` for a row `x` is that row times `bᵀ`.
                    ([_], _) => image.right.push(Factor { matrix, is_turned: !is_right }),
                    _ => return None,
                }
                image.ty = match (&image.path[..], image.ty) {
                    ([_], Type::Array(size, _)) => Type::array(size, ty.clone()),
                    _ => ty.clone(),
                };
                Some(image)
            }
            _ => None,
        }
    }

    fn multiple(&self, of: Atom, number: f64) -> Option<Image> {
        let image = self.image(of)?.clone();
        Some(Image { constant: image.constant * number, ..image })
    }

    /// The sum of two multiples of one image.
    fn sum(&self, a: Atom, b: Atom, sign: f64) -> Option<Image> {
        let (a, b) = (self.image(a)?, self.image(b)?);
        let alike = a.left == b.left && a.right == b.right && a.numbers == b.numbers && a.path == b.path;
        alike.then(|| Image { constant: a.constant + sign * b.constant, ..a.clone() })
    }
}

impl Image {
    /// The function that computes the product on the left, if there is one, the product on the right, and the number.
    fn function(self, linear: Function) -> Function {
        let Function { name, mut vars, parameters, body, span, .. } = linear;
        let dependent = |op: &Op, dependent: &FxHashSet<Var>| uses(op, &|var| dependent.contains(&var));
        let mut left_out: FxHashSet<Var> = [Var(parameters as u32 - 1)].into_iter().collect();
        let mut out = Vec::new();
        for binding in body.bindings {
            match dependent(&binding.op, &left_out) {
                true => {
                    left_out.insert(binding.var);
                }
                false => out.push(binding),
            }
        }
        let mut results = Vec::new();
        for side in [self.left, self.right] {
            let matrices = side.into_iter().map(|Factor { matrix, is_turned }| match is_turned {
                true => turned(&mut vars, &mut out, matrix, span),
                false => matrix,
            });
            let matrices: Vec<Atom> = matrices.collect();
            results.extend(matrices.into_iter().reduce(|a, b| dot(&mut vars, &mut out, a, b, span)));
        }
        let mut number = Atom::Real(self.constant);
        for factor in self.numbers {
            let op = Op::Scalar(&scalar::EXACT_MUL, vec![number, factor]);
            number = bind(&mut vars, &mut out, op, Type::Real, span);
        }
        results.push(number);
        let ty = Type::Tuple(results.iter().map(|atom| type_of(*atom, &vars)).collect());
        let result = bind(&mut vars, &mut out, Op::Tuple(results), ty.clone(), span);
        let parameters: Vec<Var> = (0..parameters as u32 - 1).map(Var).collect();
        let seen = |size: &Size| {
            size.replace(&mut |atom| match atom {
                riesz_core::size::Atom::Var(var) if !parameters.contains(&var) => Size::Hole,
                atom => Size::Atom(atom),
            })
        };
        let ty = ty.map_sizes(&mut |size| seen(size));
        let body = Body { bindings: out, result };
        renumber(format!("{name} sides").into(), &parameters, body, &ty, span, &|var| vars[var.0 as usize].clone())
    }
}

fn is(row: &'static Primitive, other: &'static Primitive) -> bool {
    std::ptr::eq(row, other)
}

fn matrix_of(rows: Size, columns: Size) -> Type {
    Type::array(rows, Type::array(columns, Type::Real))
}

fn is_matrix(ty: &Type) -> bool {
    sizes(ty).is_some()
}

/// How many rows and columns a matrix has.
fn sizes(ty: &Type) -> Option<(Size, Size)> {
    let Type::Array(rows, row) = ty else { return None };
    match &**row {
        Type::Array(columns, element) if **element == Type::Real => Some((rows.clone(), columns.clone())),
        _ => None,
    }
}

fn turned(vars: &mut Vec<riesz_core::term::VarInfo>, out: &mut Vec<Binding>, matrix: Atom, span: Span) -> Atom {
    let ty = sizes(&type_of(matrix, vars)).map_or(Type::Real, |(rows, columns)| matrix_of(columns, rows));
    bind(vars, out, Op::ArrayFunction(&array::TRANSPOSE, vec![matrix]), ty, span)
}

/// `a b`
fn dot(vars: &mut Vec<riesz_core::term::VarInfo>, out: &mut Vec<Binding>, a: Atom, b: Atom, span: Span) -> Atom {
    let ty = match (sizes(&type_of(a, vars)), sizes(&type_of(b, vars))) {
        (Some((rows, _)), Some((_, columns))) => matrix_of(rows, columns),
        _ => Type::Real,
    };
    bind(vars, out, Op::ArrayFunction(&array::DOT, vec![a, b]), ty, span)
}
