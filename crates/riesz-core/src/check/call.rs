//! Calls, and functions as values.
//!
//! A function that is one by its form (`\x -> ...`, a call with holes, the name of a function) has no type of its own:
//! it is expanded, or called, where it is used, with the types it is used at. Only where it must be a value (an element
//! of an array, an argument of a `fun`) does it become a closure, at the type expected there; where none is, the closure
//! is filled in when its argument's type is known.

use super::arithmetic::Typed;
use super::builtin::takes_tuples;
use super::draft::Draft;
use super::expr::value_span;
use super::scope::{Entry, Scope};
use super::signature::Signature;
use super::{ItemId, UnitId};
use crate::size::{self, Size};
use crate::term::{Atom, FunctionId, Op};
use crate::types::Type;
use riesz_primitive::{Kind, Primitive};
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
pub(crate) enum Given {
    /// An expression of the present scope.
    Expr(ExprId),
    /// A value.
    Value(Atom, Type, Span),
    /// `e | generators`
    Elements(ExprId, Vec<Generator>, Span),
}

/// What is called inside a loop: expanded there, or a value computed outside.
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
                Argument::Value(expr) => Given::Expr(*expr),
                Argument::Hole(span) => match holes.next() {
                    Some((atom, ty)) => Given::Value(atom, ty, *span),
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
                Some(Given::Expr(body)) => given.push(Given::Elements(body, generators.clone(), span)),
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
    fn nested_reduction(&mut self, callable: &Rc<Callable>, mut given: Vec<Given>, span: Span) -> Typed {
        let (Some(Given::Elements(body, generators, place)), true) = (given.pop(), given.is_empty()) else {
            return self.two_generators(span);
        };
        if let Callable::Primitive(primitive) = **callable
            && let Some(reduction) = super::builtin::reduction(primitive.name)
        {
            return self.reduce_nested(reduction, primitive, body, &generators, span);
        }
        let mut fits = true;
        let (iteration, size, element) = self.iterate(&generators[0], span, |draft| {
            let rest = vec![Given::Elements(body, generators[1..].to_vec(), place)];
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
        self.invoke(callable, vec![Given::Value(atom, ty, span)], span, None)
    }

    /// A function of one array applied to a comprehension, and the type of its elements.
    fn reduced(&mut self, callable: &Rc<Callable>, given: Vec<Given>, span: Span) -> (Type, Typed) {
        let (atom, ty) = self.value(&given[0], None);
        let element = match self.resolve(&ty) {
            Type::Array(_, element) => (*element).clone(),
            _ => Type::Error,
        };
        (element, self.invoke(callable, vec![Given::Value(atom, ty, span)], span, None))
    }

    pub fn two_generators(&mut self, span: Span) -> Typed {
        self.fail(
            Diagnostic::error("misplaced-generator", span, "two generators in a call need a function of one array whose result is of its element's type")
                .help("`sum(e | i < m, j < n)` is `sum(sum(e | j < n) | i < m)`; for other functions, build the array first: `f([e | i < m, j < n])`"),
        )
    }

    /// Calls a function that is one by its form.
    pub fn invoke(&mut self, callable: &Rc<Callable>, given: Vec<Given>, span: Span, hint: Option<&Type>) -> Typed {
        if self.gives_up() {
            return (Atom::Int(0), Type::Error);
        }
        self.expansion(span, |draft| draft.invoke_here(callable, given, span, hint))
    }

    fn invoke_here(&mut self, callable: &Rc<Callable>, given: Vec<Given>, span: Span, hint: Option<&Type>) -> Typed {
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
                        (Given::Expr(expr), PatternKind::Name(_)) => self.callable(*expr),
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

    fn reject_repeated(&mut self, pattern: &riesz_syntax::tree::Pattern, seen: &mut Vec<riesz_syntax::tree::Name>) {
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

    /// The value of an argument.
    pub fn value(&mut self, given: &Given, hint: Option<&Type>) -> Typed {
        match given {
            Given::Expr(expr) => self.expr(*expr, hint),
            Given::Value(atom, ty, _) => (*atom, ty.clone()),
            Given::Elements(body, generators, span) => {
                let (iteration, size, element) = self.iterate(&generators[0], *span, |draft| draft.expr(*body, None));
                self.built(iteration, size, element, *span)
            }
        }
    }

    pub fn given_span(&self, given: &Given) -> Span {
        match given {
            Given::Expr(expr) => self.tree().expr(*expr).span,
            Given::Value(_, _, span) | Given::Elements(_, _, span) => *span,
        }
    }

    /// As many arguments as there are parameters: a function of several parameters is a function of one tuple.
    pub fn adapt(&mut self, given: Vec<Given>, parameters: usize, what: &str, span: Span) -> Option<Vec<Given>> {
        if given.len() == parameters {
            return Some(given);
        }
        if parameters == 1 {
            let values: Vec<Typed> = given.iter().map(|given| self.value(given, None)).collect();
            let (atoms, types): (Vec<Atom>, Vec<Type>) = values.into_iter().unzip();
            let ty = Type::Tuple(types.into());
            return Some(vec![Given::Value(self.bind(Op::Tuple(atoms), ty.clone(), span), ty, span)]);
        }
        if let [only] = &given[..] {
            let place = self.given_span(only);
            let (atom, ty) = self.value(only, None);
            match self.resolve(&ty) {
                Type::Error => return None,
                Type::Tuple(parts) if parts.len() == parameters => {
                    let parts = self.parts((atom, ty), place);
                    return Some(parts.into_iter().map(|(atom, ty)| Given::Value(atom, ty, place)).collect());
                }
                unknown @ Type::Unknown(_) => {
                    let tuple = Type::Tuple((0..parameters).map(|_| self.unknowns.ty()).collect());
                    let _ = self.unify(&unknown, &tuple, place);
                    let parts = self.parts((atom, tuple), place);
                    return Some(parts.into_iter().map(|(atom, ty)| Given::Value(atom, ty, place)).collect());
                }
                _ => {}
            }
        }
        self.wrong_arguments(given.len(), parameters, what, span);
        None
    }

    pub fn wrong_arguments(&mut self, given: usize, parameters: usize, what: &str, span: Span) {
        let takes = match parameters {
            0 => "no arguments".to_string(),
            1 => "1 argument".to_string(),
            n => format!("{n} arguments"),
        };
        let given = if given == 0 { "none".to_string() } else { given.to_string() };
        let message = format!("{what} takes {takes}, {given} given");
        self.report(Diagnostic::error("wrong-arguments", span, message));
    }

    /// Adds to what was just said of the arguments of a call.
    pub fn explain(&mut self, call: Span, more: impl FnOnce(Diagnostic) -> Diagnostic) {
        if let Some(last) = self.diagnostics.pop() {
            let about = last.code == "wrong-arguments" && last.labels.len() == 1 && last.labels[0].span == call;
            self.diagnostics.push(if about { more(last) } else { last });
        }
    }

    // ---- items ----

    fn call_item(&mut self, item: ItemId, given: Vec<Given>, span: Span) -> Typed {
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
    fn lift(&mut self, item: ItemId, value: Typed, place: Span, span: Span) -> Typed {
        if let Type::Array(..) = self.resolve(&value.1) {
            return self.each(&[value], span, |draft, mut parts| {
                let part = parts.remove(0);
                draft.lift(item, part, place, span)
            });
        }
        let argument = self.flow(value.0, &value.1, &Type::Real, place);
        self.emit_call(item, Vec::new(), Vec::new(), vec![argument], Type::Real, span)
    }

    fn emit_call(
        &mut self,
        item: ItemId,
        types: Vec<Type>,
        sizes: Vec<Size>,
        arguments: Vec<Atom>,
        result: Type,
        span: Span,
    ) -> Typed {
        let call = FunctionId(self.calls.len() as u32);
        self.calls.push(super::draft::DraftCall { item, types, sizes, span });
        let result = self.resolve_deep(&result);
        let value = self.bind(Op::Call(call, arguments), result.clone(), span);
        self.read_sizes(value, result, span)
    }

    /// Unknowns for the type variables and sizes of a signature.
    pub fn fresh(&mut self, signature: &Signature) -> (Vec<Type>, Vec<Size>) {
        let types = signature.types.iter().map(|_| self.unknowns.ty()).collect();
        let sizes = signature.sizes.iter().map(|size| self.unknowns.named_size(size.name.clone())).collect();
        (types, sizes)
    }

    /// Arguments at the parameters' types: values first, then functions, whose parameters' types the values tell.
    pub fn arguments(
        &mut self,
        signature: &Signature,
        types: &[Type],
        sizes: &[Size],
        given: &[Given],
        what: &str,
    ) -> Vec<Atom> {
        let mut atoms = vec![Atom::Int(0); given.len()];
        for functions in [false, true] {
            for (at, given) in given.iter().enumerate() {
                let function = match given {
                    Given::Expr(expr) => self.callable(*expr),
                    _ => None,
                };
                if function.is_some() != functions {
                    continue;
                }
                let expected = instantiate(&signature.parameters[at], types, sizes);
                let place = self.given_span(given);
                let (atom, ty) = match function {
                    Some(function) => self.function_value(function, Some(&expected), place),
                    None => self.value(given, Some(&expected)),
                };
                atoms[at] = self.flow_or(atom, &ty, &expected, place, |draft, mismatch| {
                    let declared = signature.spans.get(at);
                    let diagnostic = draft.mismatch(mismatch, &ty, &expected, place);
                    match declared {
                        Some(&declared) if declared.file != super::PRELUDE_FILE => {
                            diagnostic.label(declared, format!("{what} takes this"))
                        }
                        _ => diagnostic,
                    }
                });
                for (size, parameter) in sizes.iter().zip(&signature.sizes) {
                    if parameter.argument == Some(at) {
                        let value = self.size_of(atoms[at]);
                        if let Err(mismatch) = self.equate(&value, size, place) {
                            let diagnostic = self.mismatch(mismatch, &Type::Error, &Type::Error, place);
                            self.report(diagnostic);
                        }
                    }
                }
            }
        }
        atoms
    }

    /// Calls a value.
    fn apply(&mut self, (function, ty): Typed, given: Vec<Given>, place: Span, span: Span) -> Typed {
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

    /// What to call in a loop: a function by its form is expanded there, any other is computed before.
    pub fn target(&mut self, given: &Given) -> Target {
        if let Given::Expr(expr) = given
            && let Some(callable) = self.callable(*expr)
        {
            return Target::Callable(callable);
        }
        Target::Value(self.value(given, None))
    }

    /// Calls it.
    pub fn call_target(&mut self, target: &Target, arguments: Vec<Typed>, span: Span) -> Typed {
        let given = arguments.into_iter().map(|(atom, ty)| Given::Value(atom, ty, span)).collect();
        match target {
            Target::Callable(callable) => self.invoke(callable, given, span, None),
            Target::Value(function) => self.apply(function.clone(), given, span, span),
        }
    }

    // ---- functions as values ----

    /// A function as a value, of the type that is expected, if any is.
    pub fn function_value(&mut self, callable: Rc<Callable>, hint: Option<&Type>, span: Span) -> Typed {
        let annotated = match &*callable {
            Callable::Lambda { ty, .. } => ty.clone(),
            _ => None,
        };
        if let Some(Type::Function(arrow) | Type::Linear(arrow)) =
            annotated.or(hint.cloned()).map(|hint| self.resolve(&hint))
            && self.is_told(&arrow.0)
        {
            return self.closure_at(&callable, arrow.0.clone(), Some(arrow.1.clone()), span);
        }
        match self.own_parameter(&callable) {
            Some(parameter) => self.closure_at(&callable, parameter, None, span),
            None => {
                let (parameter, result) = (self.unknowns.ty(), self.unknowns.ty());
                let ty = Type::function(parameter.clone(), result.clone());
                let lambda = self.lambda(parameter, result, span);
                let value = self.closure(lambda, ty.clone(), span);
                self.postpone(callable, lambda, ty.clone(), span);
                (value, ty)
            }
        }
    }

    /// A `fun` as a value.
    pub fn item_value(&mut self, item: ItemId, hint: Option<&Type>, span: Span) -> Typed {
        match self.checker.callable_item(item) {
            Some(callable) => self.function_value(callable, hint, span),
            None => (Atom::Int(0), Type::Error),
        }
    }

    /// The type of a function's parameter, where the function itself says it.
    fn own_parameter(&mut self, callable: &Callable) -> Option<Type> {
        let signature = match callable {
            Callable::Item(item) => self.checker.signature(*item)?,
            Callable::Primitive(primitive) if matches!(primitive.kind, Kind::Scalar(_)) => {
                let arity = self.checker.primitive_signature(primitive, 0).parameters.len();
                return Some(Type::tuple(vec![Type::Real; arity]));
            }
            Callable::Primitive(primitive) if primitive.signatures.len() == 1 => {
                self.checker.primitive_signature(primitive, 0)
            }
            _ => return None,
        };
        let (types, sizes) = self.fresh(&signature);
        Some(Type::tuple(signature.parameters.iter().map(|ty| instantiate(ty, &types, &sizes)).collect()))
    }

    fn closure_at(&mut self, callable: &Rc<Callable>, parameter: Type, result: Option<Type>, span: Span) -> Typed {
        let result = result.unwrap_or_else(|| self.unknowns.ty());
        let lambda = self.lambda(parameter.clone(), result.clone(), span);
        self.fill(callable, lambda, &parameter, &result, span);
        let ty = Type::function(parameter, self.lambdas[lambda].result.clone());
        (self.closure(lambda, ty.clone(), span), ty)
    }

    /// Writes the body of a closure.
    fn fill(&mut self, callable: &Rc<Callable>, lambda: usize, parameter: &Type, result: &Type, span: Span) {
        self.open();
        let var = self.lambdas[lambda].parameter;
        self.adopt(var);
        let hint = Some(result.clone()).filter(|ty| !matches!(self.resolve(ty), Type::Unknown(_)));
        let argument = Given::Value(Atom::Var(var), parameter.clone(), span);
        let (atom, ty) = self.invoke(callable, vec![argument], span, hint.as_ref());
        let place = self.body_span(callable).unwrap_or(span);
        let atom = match &hint {
            Some(expected) => self.flow(atom, &ty, expected, place),
            None => atom,
        };
        let body = self.close(atom);
        let outside = match hint {
            Some(expected) => expected,
            None => self.leave(&ty),
        };
        let _ = self.unify(result, &outside, span);
        self.lambdas[lambda].result = outside;
        self.lambdas[lambda].body = Some(body);
    }

    /// Writes the closures that were put off and whose argument's type has become known.
    pub fn force_postponed(&mut self) {
        loop {
            let (known, unknown): (Vec<_>, Vec<_>) =
                std::mem::take(&mut self.postponed).into_iter().partition(|postponed| match &postponed.ty {
                    Type::Function(arrow) => self.is_told(&arrow.0),
                    _ => false,
                });
            self.postponed = unknown;
            if known.is_empty() {
                return;
            }
            for postponed in known {
                let Type::Function(arrow) = &postponed.ty else { continue };
                self.at_postponed(&postponed, |draft| {
                    draft.fill(&postponed.callable, postponed.lambda, &arrow.0, &arrow.1, postponed.span);
                });
            }
        }
    }

    /// Where a function's value is computed, if the function is written out.
    fn body_span(&self, callable: &Callable) -> Option<Span> {
        let Callable::Lambda { unit, lambda, .. } = callable else { return None };
        let tree = self.checker.tree(*unit);
        match &tree.expr(*lambda).kind {
            ExprKind::Lambda { body, .. } => Some(value_span(&tree, *body)),
            _ => None,
        }
    }

    /// How many parameters a function is written with.
    fn arity(&self, callable: &Callable) -> usize {
        match callable {
            Callable::Lambda { unit, lambda, .. } => match &self.checker.tree(*unit).expr(*lambda).kind {
                ExprKind::Lambda { parameters, .. } => parameters.len(),
                _ => 1,
            },
            Callable::Holes { unit, call, .. } => match &self.checker.tree(*unit).expr(*call).kind {
                ExprKind::Call { arguments, .. } => {
                    arguments.iter().filter(|argument| matches!(argument, Argument::Hole(_))).count()
                }
                _ => 1,
            },
            Callable::Item(_) | Callable::Primitive(_) => 1,
        }
    }

    /// Writes all of them; an argument that nothing tells the type of is an `R`, and so is a part of one.
    pub fn finish_postponed(&mut self) {
        loop {
            self.force_postponed();
            let Some(postponed) = self.postponed.first() else { return };
            let (ty, span) = (postponed.ty.clone(), postponed.span);
            let arity = self.arity(&postponed.callable);
            let Type::Function(arrow) = &ty else { return };
            match self.resolve(&arrow.0) {
                unknown @ Type::Unknown(_) => {
                    let _ = self.unify(&unknown, &Type::tuple(vec![Type::Real; arity]), span);
                }
                partly => {
                    for unknown in untold(&self.resolve_deep(&partly)) {
                        let _ = self.unify(&unknown, &Type::Real, span);
                    }
                }
            }
        }
    }

    /// Whether a type is known as far as it is one of data: a function of such a value can be written out.
    fn is_told(&self, ty: &Type) -> bool {
        untold(&self.resolve_deep(ty)).is_empty()
    }
}

/// The unknown parts of a type of data. What functions in it take and give may be told by how they are used.
fn untold(ty: &Type) -> Vec<Type> {
    match ty {
        Type::Unknown(_) => vec![ty.clone()],
        Type::Array(_, element) => untold(element),
        Type::Tuple(_) | Type::Record(_) => ty.components().unwrap_or_default().iter().flat_map(untold).collect(),
        _ => Vec::new(),
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
