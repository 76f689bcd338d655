//! Reasons why a function is not linear, from its text: `f(a x + b y) = a f(x) + b f(y)` fails if two varying values
//! are multiplied, if a varying value is a divisor, if a constant is added, and in functions that are not linear.

use super::arithmetic::Typed;
use super::call::{Callable, Given};
use super::draft::Draft;
use super::scope::Entry;
use super::{ItemId, Resolved};
use crate::term::{Atom, Derive, Op};
use crate::types::Type;
use riesz_primitive::derivative::Derivative;
use riesz_primitive::{Form, Kind, Primitive};
use riesz_syntax::tree::{
    Argument, BinaryOperator, ExprId, ExprKind, Generator, ItemKind, Pattern, PatternKind, Tree, UnaryOperator,
};
use riesz_syntax::{Diagnostic, Span};
use rustc_hash::FxHashMap;

/// How an expression varies with the parameters of a function.
#[derive(Clone)]
pub(super) enum Degree {
    /// Not at all.
    Constant,
    /// Linearly.
    Linear,
    /// Not linearly, for this reason, at this place.
    Other(Span, String),
    /// The text does not tell.
    Unknown,
}

impl Draft<'_> {
    /// How a function varies with its parameters.
    pub(super) fn linearity(&self, given: &Given) -> Degree {
        let Given::Expr(expr) = given else { return Degree::Unknown };
        match self.callable(*expr).as_deref() {
            Some(Callable::Lambda { unit, lambda, .. }) => {
                let tree = self.checker.tree(*unit);
                let ExprKind::Lambda { parameters, body } = &tree.expr(*lambda).kind else { return Degree::Unknown };
                self.degree_of(&tree, &parameters.iter().collect::<Vec<_>>(), *body)
            }
            Some(Callable::Item(item)) => {
                let (unit, at) = self.checker.place_of(*item);
                let tree = self.checker.tree(unit);
                let ItemKind::Fun { parameters, body, .. } = &tree.items[at].kind else { return Degree::Unknown };
                self.degree_of(&tree, &parameters.iter().map(|parameter| &parameter.pattern).collect::<Vec<_>>(), *body)
            }
            Some(Callable::Primitive(primitive)) => applied(primitive, &[Degree::Linear], self.tree().expr(*expr).span),
            _ => Degree::Unknown,
        }
    }

    /// A function that its text shows to be linear, as the linear map of a type: its derivative, which is the same at every
    /// point. `at` is a value whose tangents it takes.
    pub(super) fn linear_function(&mut self, given: &Given, ty: &Type, at: Typed, span: Span) -> Typed {
        let Type::Linear(arrow) = self.resolve_deep(ty) else { return (Atom::Int(0), Type::Error) };
        if let Some(problem) = self.why_not_linear(given, span) {
            return self.fail(problem);
        }
        let Given::Expr(expr) = given else { return (Atom::Int(0), Type::Error) };
        let Some(callable) = self.callable(*expr) else { return (Atom::Int(0), Type::Error) };
        let expected = Type::function(arrow.0.clone(), arrow.1.clone());
        let (function, found) = self.function_value(callable, Some(&expected), span);
        let function = self.flow(function, &found, &expected, span);
        self.force_postponed();
        let zero = self.bind(Op::Zero(at.0), arrow.0.clone(), span);
        (self.bind(Op::Derive(Derive::Derivative, vec![function, zero]), ty.clone(), span), ty.clone())
    }

    /// Why a function is not linear, or that its text does not show it.
    pub(super) fn why_not_linear(&mut self, given: &Given, span: Span) -> Option<Diagnostic> {
        let refused = |place: Span, reason: String| {
            let diagnostic = Diagnostic::error("not-linear", place, "this function is not linear").here(reason);
            diagnostic.help(
                "a linear map takes sums to sums and multiples to multiples: `f(a * x + b * y) == a * f(x) + b * f(y)`",
            )
        };
        match self.linearity(given) {
            Degree::Linear => None,
            Degree::Other(place, reason) => Some(refused(place, reason)),
            Degree::Constant => Some(refused(span, "this does not depend on the argument".into())),
            Degree::Unknown => Some(
                refused(span, "its text does not show that it is linear".into())
                    .help("if it is, write its derivative at a point: `D(f, x)`"),
            ),
        }
    }

    fn degree_of(&self, tree: &Tree, parameters: &[&Pattern], body: ExprId) -> Degree {
        let mut reader = Reader { draft: self, tree, known: FxHashMap::default(), calls: MOST_CALLS };
        parameters.iter().for_each(|pattern| reader.bind(pattern, &Degree::Linear));
        reader.expr(body)
    }
}

/// How many calls of functions inside each other are read.
const MOST_CALLS: usize = 8;

struct Reader<'r, 'd> {
    draft: &'r Draft<'d>,
    tree: &'r Tree,
    /// How many calls may still be read inside of this one.
    calls: usize,
    /// How the names bound so far vary.
    known: FxHashMap<String, Degree>,
}

impl Reader<'_, '_> {
    fn bind(&mut self, pattern: &Pattern, degree: &Degree) {
        match &pattern.kind {
            PatternKind::Name(name) => {
                self.known.insert(name.to_string(), degree.clone());
            }
            PatternKind::Tuple(parts) => parts.iter().for_each(|part| self.bind(part, degree)),
            PatternKind::Wildcard | PatternKind::Error => {}
        }
    }

    fn generators(&mut self, generators: &[Generator]) {
        for generator in generators {
            match generator {
                Generator::Below { index, .. } => {
                    self.known.insert(index.name.to_string(), Degree::Constant);
                }
                Generator::Each { pattern, array } => {
                    let degree = self.expr(*array);
                    self.bind(pattern, &degree);
                }
            }
        }
    }

    fn expr(&mut self, id: ExprId) -> Degree {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.expr_here(id))
    }

    fn expr_here(&mut self, id: ExprId) -> Degree {
        let tree = self.tree;
        let span = tree.expr(id).span;
        match &tree.expr(id).kind {
            ExprKind::Integer(_) | ExprKind::Real(_) | ExprKind::Bool(_) => Degree::Constant,
            ExprKind::Name(name) => self.known.get(&**name).cloned().unwrap_or(Degree::Constant),
            ExprKind::Paren(inner) | ExprKind::Block(inner) => self.expr(*inner),
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => {
                let parts = parts.iter().map(|part| self.expr(*part)).collect();
                together(parts)
            }
            ExprKind::Record(fields) => {
                let parts = fields.iter().map(|(_, value)| self.expr(*value)).collect();
                together(parts)
            }
            ExprKind::Comprehension { body, generators } => {
                self.generators(generators);
                self.expr(*body)
            }
            ExprKind::Let { bindings, body } => {
                for binding in bindings {
                    let degree = self.expr(binding.value);
                    self.bind(&binding.pattern, &degree);
                }
                self.expr(*body)
            }
            ExprKind::If { condition, yes, no } => match self.expr(*condition) {
                Degree::Constant => together(vec![self.expr(*yes), self.expr(*no)]),
                Degree::Linear => {
                    Degree::Other(tree.expr(*condition).span, "which branch is taken depends on the argument".into())
                }
                other => other,
            },
            ExprKind::Unary { operator: UnaryOperator::Negate, operand } => self.expr(*operand),
            ExprKind::Binary { operator, left, right, .. } => {
                let (a, b) = (self.expr(*left), self.expr(*right));
                binary(*operator, a, b, span)
            }
            ExprKind::Index { array, .. } => self.expr(*array),
            ExprKind::Field { of, .. } => self.expr(*of),
            ExprKind::Call { function, arguments, generators } => {
                self.generators(generators);
                let mut degrees = Vec::new();
                for argument in arguments {
                    degrees.push(match argument {
                        Argument::Value(value) => self.expr(*value),
                        Argument::Hole(_) => Degree::Unknown,
                    });
                }
                match &tree.expr(*function).kind {
                    ExprKind::Name(name) if !self.known.contains_key(&**name) => match self.draft.lookup(name) {
                        Some(Resolved::Primitive(primitive)) => applied(primitive, &degrees, span),
                        Some(Resolved::Item(item)) => self.called(item, degrees),
                        Some(Resolved::Local(Entry::Value(_, ty))) => match self.draft.resolve(&ty) {
                            Type::Linear(_) => together(degrees),
                            _ => unless_constant(degrees),
                        },
                        _ => unless_constant(degrees),
                    },
                    // A tangent that can be applied is a linear map.
                    ExprKind::Name(name) if matches!(self.known[&**name], Degree::Linear) => {
                        match unless_constant(degrees) {
                            Degree::Constant => Degree::Linear,
                            other => other,
                        }
                    }
                    _ => unless_constant(degrees),
                }
            }
            _ => Degree::Unknown,
        }
    }
}

impl Reader<'_, '_> {
    /// A call of a `fun`, as its body tells.
    fn called(&self, item: ItemId, arguments: Vec<Degree>) -> Degree {
        let (unit, at) = self.draft.checker.place_of(item);
        let tree = self.draft.checker.tree(unit);
        match &tree.items[at].kind {
            ItemKind::Fun { parameters, body, rule: None, .. }
                if self.calls > 0 && parameters.len() == arguments.len() =>
            {
                let known = FxHashMap::default();
                let mut reader = Reader { draft: self.draft, tree: &tree, known, calls: self.calls - 1 };
                for (parameter, degree) in parameters.iter().zip(&arguments) {
                    reader.bind(&parameter.pattern, degree);
                }
                reader.expr(*body)
            }
            _ => unless_constant(arguments),
        }
    }
}

/// The parts of a tuple or an array, or the branches of a conditional.
fn together(parts: Vec<Degree>) -> Degree {
    let is = |wanted: fn(&Degree) -> bool| parts.iter().all(wanted);
    if is(|part| matches!(part, Degree::Constant)) {
        return Degree::Constant;
    }
    if is(|part| matches!(part, Degree::Linear)) {
        return Degree::Linear;
    }
    parts.into_iter().find(|part| matches!(part, Degree::Other(..))).unwrap_or(Degree::Unknown)
}

fn unless_constant(arguments: Vec<Degree>) -> Degree {
    match arguments.iter().all(|degree| matches!(degree, Degree::Constant)) {
        true => Degree::Constant,
        false => arguments.into_iter().find(|degree| matches!(degree, Degree::Other(..))).unwrap_or(Degree::Unknown),
    }
}

fn binary(operator: BinaryOperator, a: Degree, b: Degree, span: Span) -> Degree {
    use Degree::{Constant, Linear, Other, Unknown};
    let other = |reason: &str| Other(span, reason.to_string());
    match (operator, a, b) {
        (_, other @ Other(..), _) | (_, _, other @ Other(..)) => other,
        (_, Constant, Constant) => Constant,
        (_, Unknown, _) | (_, _, Unknown) => Unknown,
        (BinaryOperator::Add | BinaryOperator::Subtract, Linear, Linear) => Linear,
        (BinaryOperator::Add | BinaryOperator::Subtract, ..) => other("this adds a constant to what varies"),
        (BinaryOperator::Multiply, Linear, Linear) => other("this multiplies the argument by itself"),
        (BinaryOperator::Multiply, ..) | (BinaryOperator::Divide, Linear, Constant) => Linear,
        (BinaryOperator::Divide, ..) => other("this divides by the argument"),
        (BinaryOperator::Power, ..) => other("this is a power"),
        _ => Unknown,
    }
}

/// What a built-in function makes of arguments, as its row says.
fn applied(primitive: &'static Primitive, arguments: &[Degree], span: Span) -> Degree {
    if !arguments.iter().any(|degree| matches!(degree, Degree::Linear)) {
        return unless_constant(arguments.to_vec());
    }
    let other = |reason: String| Degree::Other(span, reason);
    match (&primitive.kind, arguments) {
        (Kind::Form(Form::Sum | Form::Zip | Form::Unzip), _) => return together(arguments.to_vec()),
        (Kind::Form(Form::Replicate), [Degree::Constant, degree]) => return degree.clone(),
        (Kind::Form(Form::Inner), [Degree::Constant, degree] | [degree, Degree::Constant]) => return degree.clone(),
        _ => {}
    }
    let derivative = match (primitive.derivative(), &primitive.kind) {
        (Some(derivative), _) => derivative,
        (None, Kind::Prelude) => return other(format!("`{}` is not linear", primitive.name)),
        (None, _) => return Degree::Unknown,
    };
    let varying = arguments.iter().filter(|degree| matches!(degree, Degree::Linear)).count();
    match derivative {
        Derivative::Linear => {
            let parts = arguments.iter().enumerate().filter(|(at, _)| !is_index(primitive, *at));
            together(parts.map(|(_, degree)| degree.clone()).collect())
        }
        Derivative::Multilinear if varying == 1 => Degree::Linear,
        Derivative::Multilinear => other("this multiplies the argument by itself".to_string()),
        Derivative::Zero | Derivative::Scale(_) => other(format!("`{}` is not linear", primitive.name)),
        Derivative::Terms(_) | Derivative::Directional => Degree::Unknown,
    }
}

/// Whether an argument of a function has integers alone, which say where numbers go.
fn is_index(primitive: &Primitive, at: usize) -> bool {
    primitive.signatures.iter().all(|signature| {
        let parameters = signature.trim_start_matches('(').split("): ").next().unwrap_or_default();
        parameters.split(", ").nth(at).is_some_and(|parameter| parameter.ends_with("Int"))
    })
}
