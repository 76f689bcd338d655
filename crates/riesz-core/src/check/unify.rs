//! Finding types: unknown types, undecided numbers and unknown sizes, and what makes them known.
//!
//! - `unify(a, b)`: the two are the same type.
//! - `flow(v, a, b)`: a value of type `a` is used where a `b` is needed: an `Int` may become an `R`, also inside arrays,
//!   tuples and records; a linear map may be used as a function.
//! - `join(a, b)`: the type that both flow into.
//!
//! Whether a number is an `Int` or an `R` is a least solution of constraints `a ≤ b` over `Int ≤ R`: what nothing makes
//! an `R` is an `Int`. Sizes are equated as polynomials; what cannot be told before the program runs is checked when it does.

use super::draft::{DEEPEST_TYPE, Draft, LARGEST_TYPE};
use crate::size::{self, Size};
use crate::term::{Atom, Op};
use crate::types::Type;
use riesz_syntax::tree::Name;
use riesz_syntax::{Diagnostic, Span};

/// How many pairs of types are compared for one group of items.
const MOST_EFFORT: usize = 20_000_000;
/// How many letters of a type a message shows.
const LONGEST_TYPE: usize = 300;

/// The unknowns of a draft.
#[derive(Default)]
pub(crate) struct Unknowns {
    types: Vec<Option<Type>>,
    numbers: Vec<Number>,
    sizes: Vec<Option<Size>>,
    /// How many types have been compared.
    effort: usize,
    size_names: Vec<Option<Name>>,
}

#[derive(Default)]
struct Number {
    decided: Option<Type>,
    /// Numbers that this one flows into.
    above: Vec<u32>,
    /// Numbers that flow into this one.
    below: Vec<u32>,
}

/// Why two types do not fit.
pub(crate) enum Mismatch {
    /// They are different.
    Types,
    /// Two sizes differ whatever the program's input.
    Sizes(Size, Size),
}

impl Mismatch {
    /// The same, with the two sides exchanged.
    pub fn swapped(self) -> Mismatch {
        match self {
            Mismatch::Types => Mismatch::Types,
            Mismatch::Sizes(a, b) => Mismatch::Sizes(b, a),
        }
    }
}

impl Unknowns {
    /// An unknown type.
    pub fn ty(&mut self) -> Type {
        self.types.push(None);
        Type::Unknown(self.types.len() as u32 - 1)
    }

    /// A number that is an `Int` unless something makes it an `R`.
    pub fn number(&mut self) -> Type {
        self.numbers.push(Number::default());
        Type::Number(self.numbers.len() as u32 - 1)
    }

    /// An unknown size.
    pub fn size(&mut self) -> Size {
        self.named_size(None)
    }

    /// An unknown size that the user has a name for.
    pub fn named_size(&mut self, name: Option<Name>) -> Size {
        self.size_names.push(name);
        self.sizes.push(None);
        Size::Atom(size::Atom::Unknown(self.sizes.len() as u32 - 1))
    }

    /// Decides that a number is an `R`, and all that it flows into; false if one of them is an `Int`.
    fn decide_real(&mut self, number: u32) -> bool {
        self.decide(number, Type::Real, |number| &number.above)
    }

    /// Decides that a number is an `Int`, and all that flows into it; false if one of them is an `R`.
    fn decide_int(&mut self, number: u32) -> bool {
        self.decide(number, Type::Int, |number| &number.below)
    }

    fn decide(&mut self, number: u32, ty: Type, next: fn(&Number) -> &Vec<u32>) -> bool {
        let mut work = vec![number];
        let mut consistent = true;
        while let Some(number) = work.pop() {
            let cell = &mut self.numbers[number as usize];
            match &cell.decided {
                None => {
                    cell.decided = Some(ty.clone());
                    work.extend(next(cell));
                }
                Some(decided) => consistent &= *decided == ty,
            }
        }
        consistent
    }

    fn number_flows(&mut self, from: u32, to: u32) -> bool {
        let (below, above) = (&self.numbers[from as usize].decided, &self.numbers[to as usize].decided);
        match (below, above) {
            (Some(Type::Real), _) => self.decide_real(to),
            (_, Some(Type::Int)) => self.decide_int(from),
            (None, None) => {
                self.numbers[from as usize].above.push(to);
                self.numbers[to as usize].below.push(from);
                true
            }
            _ => true,
        }
    }
}

impl Draft<'_> {
    /// The type with its outermost part known, if it is.
    pub fn resolve(&self, ty: &Type) -> Type {
        let mut ty = ty;
        loop {
            match ty {
                Type::Unknown(unknown) => match &self.unknowns.types[*unknown as usize] {
                    Some(found) => ty = found,
                    None => return ty.clone(),
                },
                Type::Number(number) => {
                    return self.unknowns.numbers[*number as usize].decided.clone().unwrap_or_else(|| ty.clone());
                }
                _ => return ty.clone(),
            }
        }
    }

    /// The type with all of it known that is.
    pub fn resolve_deep(&self, ty: &Type) -> Type {
        self.resolve_within(ty, DEEPEST_TYPE, &mut LARGEST_TYPE.clone())
    }

    /// Unknowns can stand for types that hold unknowns in turn, many times over: what gets too large is cut off.
    fn resolve_within(&self, ty: &Type, depth: u32, parts: &mut u32) -> Type {
        if depth == 0 || *parts == 0 {
            self.overgrown.set(true);
            return Type::Error;
        }
        *parts -= 1;
        let mut inner = |ty: &Type| self.resolve_within(ty, depth - 1, parts);
        match self.resolve(ty) {
            Type::Array(size, element) => Type::array(self.resolve_size(&size), inner(&element)),
            ty @ (Type::Tuple(_) | Type::Record(_)) => {
                let resolved = ty.components().unwrap_or_default().iter().map(inner).collect();
                ty.with_components(resolved)
            }
            Type::Function(arrow) => Type::function(inner(&arrow.0), inner(&arrow.1)),
            Type::Linear(arrow) => Type::Linear((inner(&arrow.0), inner(&arrow.1)).into()),
            other => other,
        }
    }

    pub fn resolve_size(&self, size: &Size) -> Size {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.resolve_size_here(size))
    }

    fn resolve_size_here(&self, size: &Size) -> Size {
        if !size.atoms().iter().any(|atom| matches!(atom, size::Atom::Unknown(_))) {
            return size.clone();
        }
        size.replace(&mut |atom| match atom {
            size::Atom::Unknown(unknown) => match &self.unknowns.sizes[unknown as usize] {
                Some(found) => self.resolve_size(found),
                None => Size::Atom(atom),
            },
            atom => Size::Atom(atom),
        })
    }

    /// Uses a value of type `from` where a `to` is needed.
    pub fn flow(&mut self, value: Atom, from: &Type, to: &Type, span: Span) -> Atom {
        self.flow_or(value, from, to, span, |draft, mismatch| draft.mismatch(mismatch, from, to, span))
    }

    /// Likewise, with a message of its own.
    pub fn flow_or(
        &mut self,
        value: Atom,
        from: &Type,
        to: &Type,
        span: Span,
        message: impl FnOnce(&Self, Mismatch) -> Diagnostic,
    ) -> Atom {
        if from == to {
            return value;
        }
        match self.subsume(from, to, span) {
            Ok(false) => value,
            Ok(true) => self.bind(Op::Copy(value), to.clone(), span),
            Err(mismatch) => {
                let diagnostic = message(self, mismatch);
                self.report(diagnostic);
                value
            }
        }
    }

    /// Compares types, unless so much has been compared that types without end must be the reason.
    fn with_effort<T>(&mut self, tired: T, compare: impl FnOnce(&mut Self) -> T) -> T {
        self.unknowns.effort += 1;
        if self.unknowns.effort > MOST_EFFORT {
            self.overgrown.set(true);
            return tired;
        }
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || compare(self))
    }

    /// Looks whether unknown types have turned out too large.
    pub fn measure_unknowns(&self) {
        for ty in self.unknowns.types.iter().flatten() {
            self.resolve_deep(ty);
        }
    }

    /// Makes `from` flow into `to`; true if a value may have to be converted.
    fn subsume(&mut self, from: &Type, to: &Type, span: Span) -> Result<bool, Mismatch> {
        self.with_effort(Ok(false), |draft| draft.subsume_here(from, to, span))
    }

    fn subsume_here(&mut self, from: &Type, to: &Type, span: Span) -> Result<bool, Mismatch> {
        let (from, to) = (self.resolve(from), self.resolve(to));
        match (&from, &to) {
            (Type::Error, _) | (_, Type::Error) => Ok(false),
            (Type::Int, Type::Real) => Ok(true),
            (Type::Number(_), Type::Real) | (Type::Int, Type::Number(_)) => Ok(true),
            (Type::Real, Type::Number(number)) => fits(self.unknowns.decide_real(*number)).map(|()| true),
            (Type::Number(a), Type::Number(b)) if a != b => fits(self.unknowns.number_flows(*a, *b)).map(|()| true),
            (_, Type::Unknown(_)) if !matches!(from, Type::Unknown(_)) => {
                let loose = self.loosen(&from);
                self.unify(&loose, &to, span)?;
                if loose == from { Ok(false) } else { self.subsume(&from, &loose, span) }
            }
            (Type::Array(m, a), Type::Array(n, b)) => {
                self.equate(m, n, span)?;
                self.subsume(a, b, span)
            }
            (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => {
                let mut converts = false;
                for (a, b) in a.iter().zip(b.iter()) {
                    converts |= self.subsume(a, b, span)?;
                }
                Ok(converts)
            }
            (Type::Record(a), Type::Record(b)) if same_fields(a, b) => {
                let mut converts = false;
                for ((_, a), (_, b)) in a.fields.iter().zip(b.fields.iter()) {
                    converts |= self.subsume(a, b, span)?;
                }
                Ok(converts)
            }
            (Type::Linear(a), Type::Function(b)) => {
                self.unify(&a.0, &b.0, span)?;
                self.unify(&a.1, &b.1, span)?;
                Ok(false)
            }
            _ => self.unify(&from, &to, span).map(|()| false),
        }
    }

    /// Makes two types the same.
    pub fn unify(&mut self, a: &Type, b: &Type, span: Span) -> Result<(), Mismatch> {
        self.with_effort(Ok(()), |draft| draft.unify_here(a, b, span))
    }

    fn unify_here(&mut self, a: &Type, b: &Type, span: Span) -> Result<(), Mismatch> {
        let (a, b) = (self.resolve(a), self.resolve(b));
        match (&a, &b) {
            (Type::Error, _) | (_, Type::Error) => Ok(()),
            (Type::Unknown(x), Type::Unknown(y)) => {
                // The younger stands for the older, so that many of them make no chain.
                if x != y {
                    self.unknowns.types[*x.max(y) as usize] = Some(Type::Unknown(*x.min(y)));
                }
                Ok(())
            }
            (Type::Unknown(unknown), other) | (other, Type::Unknown(unknown)) => {
                let other = self.resolve_deep(other);
                if other.any(&mut |part| part == &Type::Unknown(*unknown)) {
                    return Err(Mismatch::Types);
                }
                self.unknowns.types[*unknown as usize] = Some(other);
                Ok(())
            }
            (Type::Number(a), Type::Number(b)) => {
                fits(self.unknowns.number_flows(*a, *b) && self.unknowns.number_flows(*b, *a))
            }
            (Type::Number(number), Type::Int) | (Type::Int, Type::Number(number)) => {
                fits(self.unknowns.decide_int(*number))
            }
            (Type::Number(number), Type::Real) | (Type::Real, Type::Number(number)) => {
                fits(self.unknowns.decide_real(*number))
            }
            (Type::Array(m, a), Type::Array(n, b)) => {
                self.equate(m, n, span)?;
                self.unify(a, b, span)
            }
            (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => {
                a.iter().zip(b.iter()).try_for_each(|(a, b)| self.unify(a, b, span))
            }
            (Type::Record(a), Type::Record(b)) if same_fields(a, b) => {
                a.fields.iter().zip(b.fields.iter()).try_for_each(|((_, a), (_, b))| self.unify(a, b, span))
            }
            (Type::Function(a), Type::Function(b)) | (Type::Linear(a), Type::Linear(b)) => {
                self.unify(&a.0, &b.0, span)?;
                self.unify(&a.1, &b.1, span)
            }
            _ => fits(a == b),
        }
    }

    /// The type that values of both types flow into.
    pub fn join(&mut self, a: &Type, b: &Type, span: Span) -> Result<Type, Mismatch> {
        self.join_sizes(a, b, span, false)
    }

    /// The type that values of either type flow into: sizes that may differ stay open.
    pub fn join_either(&mut self, a: &Type, b: &Type, span: Span) -> Result<Type, Mismatch> {
        self.join_sizes(a, b, span, true)
    }

    fn join_sizes(&mut self, a: &Type, b: &Type, span: Span, either: bool) -> Result<Type, Mismatch> {
        self.with_effort(Ok(Type::Error), |draft| draft.join_here(a, b, span, either))
    }

    fn join_here(&mut self, a: &Type, b: &Type, span: Span, either: bool) -> Result<Type, Mismatch> {
        let (a, b) = (self.resolve(a), self.resolve(b));
        match (&a, &b) {
            (Type::Error, other) | (other, Type::Error) => Ok(other.clone()),
            (Type::Real, Type::Int | Type::Number(_)) | (Type::Int | Type::Number(_), Type::Real) => Ok(Type::Real),
            (Type::Number(_), Type::Number(_) | Type::Int) | (Type::Int, Type::Number(_)) if a != b => {
                let joined = self.unknowns.number();
                self.subsume(&a, &joined, span)?;
                self.subsume(&b, &joined, span)?;
                Ok(joined)
            }
            (Type::Array(m, a), Type::Array(n, b)) => {
                let size = self.join_size(m, n, span, either)?;
                Ok(Type::array(size, self.join_sizes(a, b, span, either)?))
            }
            (Type::Tuple(left), Type::Tuple(right)) if left.len() == right.len() => {
                self.join_parts(&a, &b, span, either)
            }
            (Type::Record(left), Type::Record(right)) if same_fields(left, right) => {
                self.join_parts(&a, &b, span, either)
            }
            (Type::Unknown(_), other) | (other, Type::Unknown(_)) if a != b => {
                let loose = self.loosen(other);
                self.unify(&a, &b, span).or_else(|_| self.unify(&a, &loose, span))?;
                Ok(a)
            }
            _ => self.unify(&a, &b, span).map(|()| a),
        }
    }

    fn join_parts(&mut self, a: &Type, b: &Type, span: Span, either: bool) -> Result<Type, Mismatch> {
        let (left, right) = (a.components().unwrap_or_default(), b.components().unwrap_or_default());
        let mut parts = Vec::with_capacity(left.len());
        for (left, right) in left.iter().zip(&right) {
            parts.push(self.join_sizes(left, right, span, either)?);
        }
        Ok(a.with_components(parts))
    }

    fn join_size(&mut self, m: &Size, n: &Size, span: Span, either: bool) -> Result<Size, Mismatch> {
        let (m, n) = (self.resolve_size(m), self.resolve_size(n));
        if either && m != n {
            let unknown = |size: &Size| size.atoms().iter().any(|atom| matches!(atom, size::Atom::Unknown(_)));
            let differ = matches!(m.sub(&n), Some(Size::Constant(difference)) if difference != 0);
            if !differ && !unknown(&m) && !unknown(&n) {
                return Ok(Size::Hole);
            }
        }
        self.equate(&m, &n, span)?;
        // The more definite size of the two.
        Ok(if m == Size::Hole { n } else { m })
    }

    /// The type with every `Int` replaced by a number that may yet turn out to be an `R`.
    pub fn loosen(&mut self, ty: &Type) -> Type {
        let resolved = self.resolve_deep(ty);
        if !resolved.any(&mut |part| *part == Type::Int) {
            return resolved;
        }
        let unknowns = &mut self.unknowns;
        resolved.rebuild(&mut Size::clone, &mut |part| match part {
            Type::Int => Some(unknowns.number()),
            Type::Function(_) | Type::Linear(_) => Some(part.clone()),
            _ => None,
        })
    }

    /// Makes two sizes the same: by finding what is unknown, else by a check when the program runs.
    pub fn equate(&mut self, a: &Size, b: &Size, span: Span) -> Result<(), Mismatch> {
        let (a, b) = (self.resolve_size(a), self.resolve_size(b));
        if a == b || a == Size::Hole || b == Size::Hole {
            return Ok(());
        }
        // Where even the difference is too large to write down, only the program's run can tell.
        let difference = a.sub(&b).unwrap_or(Size::Hole);
        match difference {
            Size::Constant(0) => return Ok(()),
            Size::Constant(_) => return Err(Mismatch::Sizes(a, b)),
            _ => {}
        }
        let unknown = |atom: &size::Atom| matches!(atom, size::Atom::Unknown(_));
        let monomials = difference.monomials();
        // c · σ + rest = 0, where σ stands nowhere else: the unknown with the smallest coefficient is found.
        let solvable = (monomials.iter())
            .filter_map(|monomial| match monomial.factors() {
                [atom @ size::Atom::Unknown(index)] => Some((monomial.coefficient(), *atom, *index)),
                _ => None,
            })
            .filter(|(_, atom, _)| difference.atoms().iter().filter(|other| *other == atom).count() == 1)
            .min_by_key(|(coefficient, _, _)| coefficient.unsigned_abs());
        if let Some((coefficient, atom, index)) = solvable {
            let rest =
                difference.replace(&mut |other| if other == atom { Size::Constant(0) } else { Size::Atom(other) });
            if coefficient.unsigned_abs() == 1 {
                if let Some(found) = rest.mul(&Size::Constant(-coefficient)) {
                    self.unknowns.sizes[index as usize] = Some(found);
                    return Ok(());
                }
            } else if !rest.atoms().iter().any(unknown) {
                return self.divide(index, coefficient, &rest, &a, &b, span);
            }
        }
        let atoms = [a.atoms(), b.atoms()].concat();
        if atoms.iter().any(unknown) {
            // Nothing to be done now; most of these are found by another argument. What is left is looked at in the end.
            self.later.push((a, b, span));
            return Ok(());
        }
        if atoms.iter().any(|atom| matches!(atom, size::Atom::Var(var) if !self.in_scope(*var))) {
            self.report_unknown_sizes(&a, &b, span);
            return Ok(());
        }
        let (left, right) = (self.compute(&a, span), self.compute(&b, span));
        let var = self.var(Type::unit(), None);
        self.push(crate::term::Binding { var, op: Op::CheckSizes(left, right), span });
        Ok(())
    }

    /// Finds σ with `coefficient · σ + rest = 0` by division, which must come out even.
    fn divide(
        &mut self,
        index: u32,
        coefficient: i64,
        rest: &Size,
        a: &Size,
        b: &Size,
        span: Span,
    ) -> Result<(), Mismatch> {
        if let Size::Constant(rest) = rest {
            if rest % coefficient != 0 {
                return Err(Mismatch::Sizes(a.clone(), b.clone()));
            }
            self.unknowns.sizes[index as usize] = Some(Size::Constant(-(rest / coefficient)));
            return Ok(());
        }
        let negated = rest.mul(&Size::Constant(-1)).unwrap_or(Size::Hole);
        let dividend = self.compute(&negated, span);
        let divide = riesz_primitive::find("div").expect("the table has div");
        let quotient = self.bind(Op::Scalar(divide, vec![dividend, Atom::Int(coefficient)]), Type::Int, span);
        self.unknowns.sizes[index as usize] = Some(self.size_of(quotient));
        self.equate(a, b, span)
    }

    /// Sizes that calls pass and that nothing tells, or that cannot be.
    pub fn reject_open_sizes(&mut self) {
        // Where something is wrong already, what would have told the size may be missing.
        if !self.diagnostics.is_empty() {
            return;
        }
        let mut problems = Vec::new();
        for call in &self.calls {
            for passed in &call.sizes {
                let size = self.resolve_size(passed);
                if let Some(size::Atom::Unknown(unknown)) =
                    size.atoms().into_iter().find(|atom| matches!(atom, size::Atom::Unknown(_)))
                {
                    let name = self.unknowns.size_names[unknown as usize].as_deref().unwrap_or("_");
                    problems.push(
                        Diagnostic::error("unknown-size", call.span, format!("nothing tells what the size `{name}` is here"))
                            .help("a size is found from an argument's type: from `[n]R` or `[2 * n + 1]R`, not from `[n + m]R` alone"),
                    );
                } else if let Size::Constant(negative @ ..0) = size {
                    let name = match passed {
                        Size::Atom(size::Atom::Unknown(unknown)) => {
                            self.unknowns.size_names[*unknown as usize].as_deref()
                        }
                        _ => None,
                    };
                    let message = format!("the size `{}` would be {negative} here", name.unwrap_or("_"));
                    let diagnostic = Diagnostic::error("negative-size", call.span, message);
                    problems.push(diagnostic.help("an argument is smaller than the type of its parameter says"));
                }
            }
        }
        problems.into_iter().for_each(|problem| self.report(problem));
    }

    /// Sizes whose equality could not be told when it was asked.
    pub fn equate_later(&mut self) {
        for _ in 0..2 {
            for (a, b, span) in std::mem::take(&mut self.later) {
                if let Err(mismatch) = self.equate(&a, &b, span) {
                    let diagnostic = self.mismatch(mismatch, &Type::Error, &Type::Error, span);
                    self.report(diagnostic);
                }
            }
        }
        for (a, b, span) in std::mem::take(&mut self.later) {
            self.report_unknown_sizes(&a, &b, span);
        }
    }

    fn report_unknown_sizes(&mut self, a: &Size, b: &Size, span: Span) {
        let (a, b) = (self.show_size(a), self.show_size(b));
        self.report(
            Diagnostic::error("unknown-size", span, format!("cannot tell what sizes make {a} equal to {b}"))
                .help("write the type of the value, or pass the size as an `Int`"),
        );
    }

    // ---- messages ----

    pub fn show(&self, ty: &Type) -> String {
        let shown =
            self.resolve_deep(ty).show(&|atom| self.atom_name(atom), &|index| self.checker.variable_name(index));
        match shown.char_indices().nth(LONGEST_TYPE) {
            Some((end, _)) => format!("{} …", &shown[..end]),
            None => shown,
        }
    }

    pub fn show_size(&self, size: &Size) -> String {
        self.resolve_size(size).show(&|atom| self.atom_name(atom))
    }

    fn atom_name(&self, atom: size::Atom) -> String {
        match atom {
            size::Atom::Var(var) => self.vars[var.0 as usize].name.as_deref().unwrap_or("_").to_string(),
            size::Atom::Global(global) => self.checker.program.global(global).name.to_string(),
            size::Atom::Unknown(unknown) => {
                self.unknowns.size_names[unknown as usize].as_deref().unwrap_or("_").to_string()
            }
            size::Atom::Parameter(_) => "_".to_string(),
        }
    }

    /// What to say when the two sides of an operator, in the order of the mismatch, do not fit each other.
    pub fn differ(&self, mismatch: Mismatch, a: &Type, b: &Type, sign: &str, span: Span) -> Diagnostic {
        let sizes = match &mismatch {
            Mismatch::Sizes(m, n) => Some(format!("sizes differ: {} and {}", self.show_size(m), self.show_size(n))),
            Mismatch::Types => None,
        };
        let mut diagnostic = self.mismatch(mismatch, b, a, span);
        diagnostic.message = sizes.unwrap_or(diagnostic.message);
        diagnostic.here(format!("`{sign}` between {} and {}", self.show(a), self.show(b)))
    }

    /// What to say when a value does not fit.
    pub fn mismatch(&self, mismatch: Mismatch, found: &Type, expected: &Type, span: Span) -> Diagnostic {
        let (found_text, expected_text) = (self.show(found), self.show(expected));
        match mismatch {
            Mismatch::Sizes(a, b) => {
                let (a, b) = (self.show_size(&a), self.show_size(&b));
                let diagnostic =
                    Diagnostic::error("size-mismatch", span, format!("sizes differ: {a} here, {b} needed"));
                if matches!(found, Type::Error) {
                    diagnostic
                } else {
                    diagnostic.here(format!("this is {found_text}, not {expected_text}"))
                }
            }
            Mismatch::Types => {
                let diagnostic =
                    Diagnostic::error("type-mismatch", span, format!("expected {expected_text}, found {found_text}"))
                        .here(format!("this is {found_text}"));
                match (self.resolve(found), self.resolve(expected)) {
                    (Type::Real, Type::Int | Type::Number(_)) => diagnostic
                        .help("an `R` does not become an `Int` by itself: `trunc(x)` drops what is behind the point, `div(a, b)` divides integers"),
                    (Type::Bool, Type::Real | Type::Int | Type::Number(_)) => {
                        diagnostic.help("to make a number of a condition, write `if ... then 1 else 0`")
                    }
                    (Type::Real | Type::Int | Type::Number(_), Type::Bool) => {
                        diagnostic.help("a number is no condition: compare it, as in `x != 0`")
                    }
                    (Type::Function(_), Type::Linear(_)) => diagnostic
                        .help("a function need not be linear; its derivative at a point is a linear map: `D(f, x)`"),
                    (Type::Real | Type::Number(_), Type::Tuple(parts)) | (Type::Tuple(parts), Type::Real)
                        if parts.is_empty() =>
                    {
                        diagnostic.help("an `Int` does not vary, so that derivatives by it are `()`: differentiate at an `R`, as in `real(k)`")
                    }
                    (Type::Array(size, element), expected)
                        if self.resolve_size(&size) == Size::Constant(1) && self.resolve(&element) == expected =>
                    {
                        diagnostic.help("this is an array of one element: write `[0]` behind it to take the element")
                    }
                    (Type::Record(found), Type::Record(expected)) => {
                        let missing = |of: &crate::types::Record, from: &crate::types::Record| {
                            let names = of.fields.iter().filter(|(name, _)| from.position(name).is_none());
                            names.map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ")
                        };
                        let (lacking, extra) = (missing(&expected, &found), missing(&found, &expected));
                        match (lacking.is_empty(), extra.is_empty()) {
                            (true, true) => diagnostic,
                            (false, true) => diagnostic.help(format!("the record lacks {lacking}")),
                            (true, false) => diagnostic.help(format!("the record should not have {extra}")),
                            (false, false) => diagnostic.help(format!("the record has {extra} and lacks {lacking}")),
                        }
                    }
                    (Type::Function(_), Type::Real | Type::Int | Type::Number(_) | Type::Array(..)) => {
                        diagnostic.help("this is a function: call it with its arguments in parentheses")
                    }
                    _ => diagnostic,
                }
            }
        }
    }
}

fn fits(fits: bool) -> Result<(), Mismatch> {
    if fits { Ok(()) } else { Err(Mismatch::Types) }
}

fn same_fields(a: &crate::types::Record, b: &crate::types::Record) -> bool {
    a.fields.len() == b.fields.len() && a.fields.iter().zip(b.fields.iter()).all(|((a, _), (b, _))| a == b)
}
