//! Generators: a body for each index or element, and the array of its values.

use super::arithmetic::Typed;
use super::draft::Draft;
use super::expr::value_span;
use super::scope::Entry;
use crate::size::{self, Size};
use crate::term::{Atom, Iteration, Op};
use crate::types::Type;
use riesz_syntax::tree::{ExprId, ExprKind, Generator, UnaryOperator};
use riesz_syntax::{Diagnostic, Span};

impl Draft<'_> {
    pub(super) fn comprehension(
        &mut self,
        body: ExprId,
        generators: &[Generator],
        hint: Option<&Type>,
        span: Span,
    ) -> Typed {
        let element_hint = match hint.map(|hint| self.resolve(hint)) {
            Some(Type::Array(_, element)) => Some((*element).clone()),
            _ => None,
        };
        let (iteration, size, element) = self.iterate(&generators[0], span, |draft| match &generators[1..] {
            [] => draft.expr(body, element_hint.as_ref()),
            rest => draft.comprehension(body, rest, element_hint.as_ref(), span),
        });
        self.built(iteration, size, element, span)
    }

    /// The array of an iteration.
    pub fn built(&mut self, iteration: Iteration, size: Size, element: Type, span: Span) -> Typed {
        let ty = Type::array(size, element);
        let built = self.bind(Op::Build(iteration), ty.clone(), span);
        self.read_sizes(built, ty, span)
    }

    /// A body for each element of a generator: the iteration, its size and the type of the body as seen from outside.
    pub fn iterate(
        &mut self,
        generator: &Generator,
        span: Span,
        body: impl FnOnce(&mut Self) -> Typed,
    ) -> (Iteration, Size, Type) {
        let (count, size, array) = self.generator_source(generator);
        self.open();
        let index = self.var(Type::Int, None);
        let outside = self.scope.clone();
        self.scope = outside.inner();
        self.bind_generated(generator, index, array);
        let (result, ty) = body(self);
        self.scope = outside;
        let body = self.close(result);
        self.reject_ragged(&ty, index, span);
        (Iteration { count, index, body }, size, self.leave(&ty))
    }

    /// The range of a generator: the number of elements, this number as a size, and the array, if there is one.
    pub(super) fn generator_source(&mut self, generator: &Generator) -> (Atom, Size, Option<Typed>) {
        match generator {
            Generator::Below { index, bound } => {
                let tree = self.tree();
                let place = value_span(&tree, *bound);
                let (atom, ty) = self.expr(*bound, Some(&Type::Int));
                // `x <- v` of other languages reads as `x < -v`.
                let source = match &tree.expr(*bound).kind {
                    ExprKind::Unary { operator: UnaryOperator::Negate, operand } => *operand,
                    _ => *bound,
                };
                let between = Span { start: index.span.end, end: tree.expr(source).span.start, ..index.span };
                let count = self.flow_or(atom, &ty, &Type::Int, place, |draft, mismatch| {
                    let diagnostic = draft.mismatch(mismatch, &ty, &Type::Int, place);
                    match draft.resolve(&ty) {
                        Type::Array(..) => diagnostic.suggest(between, "a generator runs over an array with", " in "),
                        _ => diagnostic,
                    }
                });
                (count, self.size_of(count), None)
            }
            Generator::Each { array, .. } => {
                let span = self.tree().expr(*array).span;
                let (atom, ty) = self.expr(*array, None);
                let (size, element) = self.array_type(&ty, span, "a generator runs over the elements of an array");
                let ty = Type::array(size.clone(), element);
                (self.length(atom, &ty, span), size, Some((atom, ty)))
            }
        }
    }

    /// Binds the names of a generator for one index.
    pub(super) fn bind_generated(&mut self, generator: &Generator, index: crate::term::Var, array: Option<Typed>) {
        match (generator, array) {
            (Generator::Each { pattern, .. }, Some((array, ty))) => {
                let element = match ty {
                    Type::Array(_, element) => (*element).clone(),
                    _ => Type::Error,
                };
                let value = self.bind(Op::Index(array, Atom::Var(index)), element.clone(), pattern.span);
                self.bind_pattern(pattern, (value, element));
            }
            (Generator::Below { index: name, .. }, _) => {
                self.vars[index.0 as usize].name = Some(name.name.clone());
                self.scope.bind(name.name.clone(), Entry::Value(Atom::Var(index), Type::Int));
            }
            (Generator::Each { .. }, None) => {}
        }
    }

    /// Elements whose size depends on their index make no array.
    pub(super) fn reject_ragged(&mut self, element: &Type, index: crate::term::Var, span: Span) {
        let mut depends = false;
        self.resolve_deep(element).map_sizes(&mut |size| {
            depends |= size.atoms().contains(&size::Atom::Var(index));
            size.clone()
        });
        if depends {
            self.report(
                Diagnostic::error("ragged-array", span, "the elements of this array would differ in size")
                    .help("an array is rectangular: an inner bound may depend on an outer index only under a sum or another reduction"),
            );
        }
    }

    /// The size and element type of an array.
    pub fn array_type(&mut self, ty: &Type, span: Span, needed: &str) -> (Size, Type) {
        if matches!(self.resolve(ty), Type::Unknown(_)) {
            self.force_postponed();
        }
        match self.resolve(ty) {
            Type::Array(size, element) => (self.resolve_size(&size), (*element).clone()),
            Type::Error => (Size::Constant(0), Type::Error),
            unknown @ Type::Unknown(_) => {
                let (size, element) = (self.unknowns.size(), self.unknowns.ty());
                let _ = self.unify(&unknown, &Type::array(size.clone(), element.clone()), span);
                (size, element)
            }
            other => {
                let shown = self.show(&other);
                let diagnostic = Diagnostic::error("not-an-array", span, format!("expected an array, found {shown}"))
                    .here(format!("this is {shown}"))
                    .help(needed);
                self.report(diagnostic);
                (Size::Constant(0), Type::Error)
            }
        }
    }
}
