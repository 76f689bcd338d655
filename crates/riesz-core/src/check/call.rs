//! Calls, and functions as values.
//!
//! A function expression (`\x -> ...`, a call with holes, the name of a function) has no type of its own: it is
//! expanded, or called, at each use, at the types of that use. Only where it must be a value (an element of an array,
//! an argument of a `fun`) does it become a closure, at the type that is expected there. If no type is expected, the
//! closure is completed when the type of its argument is known.

use super::arithmetic::Typed;
use super::builtin::takes_tuples;
use super::draft::Draft;
use super::scope::{Entry, Scope};
use super::{ItemId, UnitId};
use crate::size::{self, Size};
use crate::term::{Atom, FunctionId, Op};
use crate::types::Type;
use riesz_primitive::Primitive;
use riesz_syntax::tree::{Argument, ExprId, ExprKind, Generator, PatternKind};
use riesz_syntax::{Diagnostic, Span};
use std::rc::Rc;

/// A function by its form.
pub(crate) enum Callable {
    /// `\x -> ...`, with the type it was given, if any.
    Lambda { unit: UnitId, lambda: ExprId, scope: Scope, ty: Option<Type> },
    /// `f(a, _)`
    Holes { unit: UnitId, call: ExprId, scope: Scope },
    /// A `fun`.
    Item(ItemId),
    /// A built-in function.
    Primitive(&'static Primitive),
}

/// An argument of a call.
#[derive(Clone)]
pub(crate) enum CallArgument {
    /// An expression of the present scope.
    Expr(ExprId),
    /// A value.
    Value(Atom, Type, Span),
    /// `e | generators`
    Elements(ExprId, Vec<Generator>, Span),
}

/// The target of calls inside a loop: expanded there, or a value computed outside.
pub(crate) enum Target {
    Callable(Rc<Callable>),
    Value(Typed),
}

impl Draft<'_> {
    /// A call expression; `holes` are the values of its holes.
    pub fn call_expr(&mut self, id: ExprId, holes: &mut dyn Iterator<Item = Typed>, hint: Option<&Type>) -> Typed {
        let tree = self.tree();
        let span = tree.expr(id).span;
        let ExprKind::Call { function, arguments, generators } = &tree.expr(id).kind else {
            return (Atom::Int(0), Type::Error);
        };
        let mut given = Vec::with_capacity(arguments.len());
        for argument in arguments {
            given.push(match argument {
                Argument::Value(expr) => CallArgument::Expr(*expr),
                Argument::Hole(span) => match holes.next() {
                    Some((atom, ty)) => CallArgument::Value(atom, ty, *span),
                    None => {
                        return self.fail(Diagnostic::error(
                            "misplaced-hole",
                            *span,
                            "`_` stands for no argument here",
                        ));
                    }
                },
            });
        }
        if !generators.is_empty() {
            match given.pop() {
                Some(CallArgument::Expr(body)) => given.push(CallArgument::Elements(body, generators.clone(), span)),
                _ => {
                    return self.fail(
                        Diagnostic::error(
                            "misplaced-generator",
                            span,
                            "the generators of a call need an element before `|`",
                        )
                        .help("write `f(e | i < n)`"),
                    );
                }
            }
        }
        match self.callable(*function) {
            Some(callable) if generators.len() > 1 => self.nested_reduction(&callable, given, span),
            Some(callable) => self.invoke(&callable, given, span, hint),
            None => {
                let place = tree.expr(*function).span;
                let function = self.expr(*function, None);
                if generators.len() > 1 {
                    return self.two_generators(span);
                }
                self.apply(function, given, place, span)
            }
        }
    }

    /// `f(e | g, h)` is `f(f(e | h) | g)`, for functions of one array whose result is of its element's type.
    pub(super) fn nested_reduction(
        &mut self,
        callable: &Rc<Callable>,
        mut given: Vec<CallArgument>,
        span: Span,
    ) -> Typed {
        let (Some(CallArgument::Elements(body, generators, place)), true) = (given.pop(), given.is_empty()) else {
            return self.two_generators(span);
        };
        if let Callable::Primitive(primitive) = **callable
            && let Some(reduction) = super::reduce::reduction(primitive)
        {
            return self.reduce_nested(reduction, primitive, body, &generators, span);
        }
        let mut fits = true;
        let (iteration, size, element) = self.iterate(&generators[0], span, |draft| {
            let rest = vec![CallArgument::Elements(body, generators[1..].to_vec(), place)];
            match generators.len() {
                2 => {
                    let (element, value) = draft.reduced(callable, rest, span);
                    fits = draft.resolve_deep(&element) == draft.resolve_deep(&value.1)
                        || draft.unify(&element, &value.1, span).is_ok();
                    value
                }
                _ => draft.nested_reduction(callable, rest, span),
            }
        });
        if !fits {
            return self.two_generators(span);
        }
        let (atom, ty) = self.built(iteration, size, element, span);
        self.invoke(callable, vec![CallArgument::Value(atom, ty, span)], span, None)
    }

    /// A function of one array applied to a comprehension, and the type of its elements.
    pub(super) fn reduced(&mut self, callable: &Rc<Callable>, given: Vec<CallArgument>, span: Span) -> (Type, Typed) {
        let (atom, ty) = self.value(&given[0], None);
        let element = match self.resolve(&ty) {
            Type::Array(_, element) => (*element).clone(),
            _ => Type::Error,
        };
        (element, self.invoke(callable, vec![CallArgument::Value(atom, ty, span)], span, None))
    }

    pub fn two_generators(&mut self, span: Span) -> Typed {
        self.fail(
            Diagnostic::error("misplaced-generator", span, "a call with two generators needs a reduction such as `sum` or `max`")
                .help("`sum(e | i < m, j < n)` is `sum(sum(e | j < n) | i < m)`; for other functions, build the array first: `f([e | i < m, j < n])`"),
        )
    }

    /// Calls a function that is one by its form.
    pub fn invoke(
        &mut self,
        callable: &Rc<Callable>,
        given: Vec<CallArgument>,
        span: Span,
        hint: Option<&Type>,
    ) -> Typed {
        if self.gives_up() {
            return (Atom::Int(0), Type::Error);
        }
        self.expansion(span, |draft| draft.invoke_here(callable, given, span, hint))
    }

    pub(super) fn invoke_here(
        &mut self,
        callable: &Rc<Callable>,
        given: Vec<CallArgument>,
        span: Span,
        hint: Option<&Type>,
    ) -> Typed {
        match &**callable {
            Callable::Lambda { unit, lambda, scope, ty } => {
                let tree = self.checker.tree(*unit);
                let ExprKind::Lambda { parameters, body } = &tree.expr(*lambda).kind else {
                    return (Atom::Int(0), Type::Error);
                };
                let (from, to) = match ty {
                    Some(Type::Function(arrow)) => (Some(arrow.0.clone()), Some(arrow.1.clone())),
                    _ => (None, None),
                };
                let Some(given) = self.adapt(given, parameters.len(), "this function", span) else {
                    if let [first, .., last] | [first @ last] = &parameters[..] {
                        let written = first.span.to(last.span);
                        let inside =
                            written.file == span.file && span.start <= written.start && written.end <= span.end;
                        self.explain(span, |mut diagnostic| match inside {
                            true => {
                                diagnostic.labels[0].span = written;
                                diagnostic
                            }
                            false => diagnostic.label(written, "the function is this"),
                        });
                    }
                    return (Atom::Int(0), Type::Error);
                };
                let hints: Vec<Option<Type>> = match (from, parameters.len()) {
                    (Some(from), 1) => vec![Some(from)],
                    (Some(Type::Tuple(parts)), count) if parts.len() == count => {
                        parts.iter().cloned().map(Some).collect()
                    }
                    (_, count) => vec![None; count],
                };
                // Functions handed to a local function are expanded in it, in turn.
                let mut entries = Vec::with_capacity(parameters.len());
                for ((parameter, given), hint) in parameters.iter().zip(&given).zip(&hints) {
                    let function = match (given, &parameter.kind) {
                        (CallArgument::Expr(expr), PatternKind::Name(_)) => self.callable(*expr),
                        _ => None,
                    };
                    entries.push(match function {
                        Some(function) => Entry::Callable(function),
                        None => {
                            let (atom, ty) = self.value(given, hint.as_ref());
                            match hint {
                                Some(hint) => Entry::Value(self.flow(atom, &ty, hint, span), hint.clone()),
                                None => Entry::Value(atom, ty),
                            }
                        }
                    });
                }
                stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
                    self.within(*unit, scope.inner(), |draft| {
                        let mut seen = Vec::new();
                        for (parameter, entry) in parameters.iter().zip(entries) {
                            draft.reject_repeated(parameter, &mut seen);
                            match (entry, &parameter.kind) {
                                (Entry::Value(atom, ty), _) => draft.bind_pattern(parameter, (atom, ty)),
                                (entry, PatternKind::Name(name)) => draft.scope.bind(name.clone(), entry),
                                _ => {}
                            }
                        }
                        match to {
                            Some(to) => (draft.expr_of(*body, &to), to),
                            None => draft.expr(*body, hint),
                        }
                    })
                })
            }
            Callable::Holes { unit, call, scope } => {
                let tree = self.checker.tree(*unit);
                let ExprKind::Call { arguments, .. } = &tree.expr(*call).kind else {
                    return (Atom::Int(0), Type::Error);
                };
                let holes = arguments.iter().filter(|argument| matches!(argument, Argument::Hole(_))).count();
                let Some(given) = self.adapt(given, holes, "this function", span) else {
                    return (Atom::Int(0), Type::Error);
                };
                let values: Vec<Typed> = given.iter().map(|given| self.value(given, None)).collect();
                self.within(*unit, scope.inner(), |draft| draft.call_expr(*call, &mut values.into_iter(), hint))
            }
            Callable::Item(item) => self.call_item(*item, given, span),
            Callable::Primitive(primitive) => self.builtin(primitive, given, span, hint),
        }
    }

    pub(super) fn reject_repeated(
        &mut self,
        pattern: &riesz_syntax::tree::Pattern,
        seen: &mut Vec<riesz_syntax::tree::Name>,
    ) {
        match &pattern.kind {
            PatternKind::Name(name) if seen.contains(name) => {
                self.report(Diagnostic::error(
                    "duplicate-name",
                    pattern.span,
                    format!("`{name}` is a parameter twice"),
                ));
            }
            PatternKind::Name(name) => seen.push(name.clone()),
            PatternKind::Tuple(parts) => parts.iter().for_each(|part| self.reject_repeated(part, seen)),
            PatternKind::Wildcard | PatternKind::Error => {}
        }
    }

    pub(super) fn call_item(&mut self, item: ItemId, given: Vec<CallArgument>, span: Span) -> Typed {
        let name = self.checker.item_name(item);
        let Some(signature) = self.checker.signature(item) else { return (Atom::Int(0), Type::Error) };
        if let ([Type::Real], Type::Real, [only]) =
            (&signature.parameters[..], self.resolve(&signature.result), &given[..])
        {
            let value = self.value(only, Some(&Type::Real));
            let place = self.given_span(only);
            return self.lift(item, value, place, span);
        }
        let what = format!("`{name}`");
        let (count, parameters) = (given.len(), &signature.parameters);
        let given = if parameters.len() == 1 && count != 1 && !takes_tuples(parameters) {
            self.wrong_arguments(count, 1, &what, span);
            None
        } else {
            self.adapt(given, parameters.len(), &what, span)
        };
        let Some(given) = given else {
            if let [first, .., last] | [first @ last] = &signature.spans[..]
                && first.file != super::PRELUDE_FILE
            {
                let text = if signature.spans.len() > 1 { "its parameters" } else { "its parameter" };
                self.explain(span, |diagnostic| diagnostic.label(first.to(*last), text));
            }
            return (Atom::Int(0), Type::Error);
        };
        let (types, sizes) = self.fresh(&signature);
        let arguments = self.arguments(&signature, &types, &sizes, &given, &what);
        let result = instantiate(&signature.result, &types, &sizes);
        let hidden = (signature.sizes.iter().zip(&sizes))
            .filter(|(parameter, _)| parameter.argument.is_none())
            .map(|(_, size)| size.clone())
            .collect();
        self.emit_call(item, types, hidden, arguments, result, span)
    }

    /// A `fun` from `R` to `R`, element by element on arrays.
    pub(super) fn lift(&mut self, item: ItemId, value: Typed, place: Span, span: Span) -> Typed {
        if let Type::Array(..) = self.resolve(&value.1) {
            return self.each(&[value], span, |draft, mut parts| {
                let part = parts.remove(0);
                draft.lift(item, part, place, span)
            });
        }
        let argument = self.flow(value.0, &value.1, &Type::Real, place);
        self.emit_call(item, Vec::new(), Vec::new(), vec![argument], Type::Real, span)
    }

    pub(super) fn emit_call(
        &mut self,
        item: ItemId,
        types: Vec<Type>,
        sizes: Vec<Size>,
        arguments: Vec<Atom>,
        result: Type,
        span: Span,
    ) -> Typed {
        let call = FunctionId(self.calls.len() as u32);
        let result = self.resolve_deep(&result);
        let value = self.bind(Op::Call(call, arguments.clone()), result.clone(), span);
        self.note_norm(item, &types, &arguments, value);
        self.calls.push(super::draft::DraftCall { item, types, sizes, span });
        self.read_sizes(value, result, span)
    }

    /// Calls a value.
    pub(super) fn apply(&mut self, (function, ty): Typed, given: Vec<CallArgument>, place: Span, span: Span) -> Typed {
        if matches!(self.resolve(&ty), Type::Unknown(_)) {
            self.force_postponed();
        }
        let (from, to) = match self.resolve(&ty) {
            Type::Function(arrow) | Type::Linear(arrow) => (arrow.0.clone(), arrow.1.clone()),
            Type::Error => return (Atom::Int(0), Type::Error),
            unknown @ Type::Unknown(_) => {
                let arrow = (self.unknowns.ty(), self.unknowns.ty());
                let _ = self.unify(&unknown, &Type::function(arrow.0.clone(), arrow.1.clone()), span);
                arrow
            }
            other => {
                let shown = self.show(&other);
                let message = format!("expected a function, found {shown}");
                let diagnostic = Diagnostic::error("not-a-function", place, message).here(format!("this is {shown}"));
                return self.fail(match other {
                    Type::Real | Type::Int | Type::Number(_) => diagnostic.help("to multiply, write `*`"),
                    Type::Array(..) => diagnostic.help("an element of an array is taken with `[ ]`: `v[0]`"),
                    _ => diagnostic,
                });
            }
        };
        let parts = match self.resolve(&from) {
            Type::Tuple(parts) if parts.len() == given.len() => Some(parts),
            _ => None,
        };
        let argument = match (parts, &given[..]) {
            (Some(parts), _) => {
                let mut atoms = Vec::with_capacity(parts.len());
                for (given, part) in given.iter().zip(parts.iter()) {
                    let (atom, ty) = self.value(given, Some(part));
                    let place = self.given_span(given);
                    atoms.push(self.flow(atom, &ty, part, place));
                }
                self.bind(Op::Tuple(atoms), from, span)
            }
            (None, [only]) => {
                let (atom, ty) = self.value(only, Some(&from));
                let place = self.given_span(only);
                self.flow(atom, &ty, &from, place)
            }
            (None, _) => {
                let Some(given) = self.adapt(given, 1, "this function", span) else {
                    return (Atom::Int(0), Type::Error);
                };
                let (atom, ty) = self.value(&given[0], None);
                self.flow(atom, &ty, &from, span)
            }
        };
        self.force_postponed();
        let result = self.resolve_deep(&to);
        let value = self.bind(Op::Apply(function, argument), result.clone(), span);
        self.read_sizes(value, result, span)
    }

    /// The target of calls in a loop: a function that is known by its form is expanded there, any other is computed
    /// before.
    pub fn target(&mut self, given: &CallArgument) -> Target {
        if let CallArgument::Expr(expr) = given
            && let Some(callable) = self.callable(*expr)
        {
            return Target::Callable(callable);
        }
        Target::Value(self.value(given, None))
    }

    /// Calls it.
    pub fn call_target(&mut self, target: &Target, arguments: Vec<Typed>, span: Span) -> Typed {
        let given = arguments.into_iter().map(|(atom, ty)| CallArgument::Value(atom, ty, span)).collect();
        match target {
            Target::Callable(callable) => self.invoke(callable, given, span, None),
            Target::Value(function) => self.apply(function.clone(), given, span, span),
        }
    }
}

/// A type of a signature, with types and sizes for its variables.
pub(crate) fn instantiate(ty: &Type, types: &[Type], sizes: &[Size]) -> Type {
    ty.rebuild(
        &mut |size| {
            size.replace(&mut |atom| match atom {
                size::Atom::Parameter(index) => sizes[index as usize].clone(),
                atom => Size::Atom(atom),
            })
        },
        &mut |part| match part {
            Type::Variable(index) => Some(types.get(*index as usize).cloned().unwrap_or(Type::Error)),
            _ => None,
        },
    )
}
