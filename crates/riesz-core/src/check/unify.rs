//! Type inference: unknown types, undecided numbers and unknown sizes, and the constraints that determine them.
//!
//! - `unify(a, b)`: the two are the same type.
//! - `flow(v, a, b)`: a value of type `a` is used where a `b` is needed: an `Int` may become an `R`, also inside arrays,
//!   tuples and records; a linear map may be used as a function.
//! - `join(a, b)`: the type that both flow into.
//!
//! Whether a number is an `Int` or an `R` is the least solution of constraints `a ≤ b` with `Int ≤ R`: a number that no
//! constraint makes an `R` is an `Int`. Sizes are equated as polynomials; equations that depend on values are checked
//! at run time.

use super::draft::{DEEPEST_TYPE, Draft, LARGEST_TYPE};
use super::mismatch::Mismatch;
use crate::size::{self, Size};
use crate::term::{Atom, Op};
use crate::types::Type;
use riesz_syntax::tree::Name;
use riesz_syntax::{Diagnostic, Span};

/// How many pairs of types are compared for one group of items.
const MOST_EFFORT: usize = 20_000_000;

/// The unknowns of a draft.
#[derive(Default)]
pub(crate) struct Unknowns {
    types: Vec<Option<Type>>,
    numbers: Vec<Number>,
    pub(super) sizes: Vec<Option<Size>>,
    /// How many types have been compared.
    effort: usize,
    pub(super) size_names: Vec<Option<Name>>,
}

#[derive(Default)]
struct Number {
    decided: Option<Type>,
    /// Numbers that this one flows into.
    above: Vec<u32>,
    /// Numbers that flow into this one.
    below: Vec<u32>,
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
    pub(super) fn resolve_within(&self, ty: &Type, depth: u32, parts: &mut u32) -> Type {
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

    pub(super) fn resolve_size_here(&self, size: &Size) -> Size {
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
    pub(super) fn with_effort<T>(&mut self, tired: T, compare: impl FnOnce(&mut Self) -> T) -> T {
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
    pub(super) fn subsume(&mut self, from: &Type, to: &Type, span: Span) -> Result<bool, Mismatch> {
        self.with_effort(Ok(false), |draft| draft.subsume_here(from, to, span))
    }

    pub(super) fn subsume_here(&mut self, from: &Type, to: &Type, span: Span) -> Result<bool, Mismatch> {
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

    pub(super) fn unify_here(&mut self, a: &Type, b: &Type, span: Span) -> Result<(), Mismatch> {
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

    pub(super) fn join_sizes(&mut self, a: &Type, b: &Type, span: Span, either: bool) -> Result<Type, Mismatch> {
        self.with_effort(Ok(Type::Error), |draft| draft.join_here(a, b, span, either))
    }

    pub(super) fn join_here(&mut self, a: &Type, b: &Type, span: Span, either: bool) -> Result<Type, Mismatch> {
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

    pub(super) fn join_parts(&mut self, a: &Type, b: &Type, span: Span, either: bool) -> Result<Type, Mismatch> {
        let (left, right) = (a.components().unwrap_or_default(), b.components().unwrap_or_default());
        let mut parts = Vec::with_capacity(left.len());
        for (left, right) in left.iter().zip(&right) {
            parts.push(self.join_sizes(left, right, span, either)?);
        }
        Ok(a.with_components(parts))
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
}

fn fits(fits: bool) -> Result<(), Mismatch> {
    if fits { Ok(()) } else { Err(Mismatch::Types) }
}

fn same_fields(a: &crate::types::Record, b: &crate::types::Record) -> bool {
    a.fields.len() == b.fields.len() && a.fields.iter().zip(b.fields.iter()).all(|((a, _), (b, _))| a == b)
}
