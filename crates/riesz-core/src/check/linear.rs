//! Reasons why a function is not linear, from its text: `f(a x + b y) = a f(x) + b f(y)` fails if two varying values
//! are multiplied, if a varying value is a divisor, if a constant is added, and in functions that are not linear.

use super::Found;
use super::call::{Callable, Given};
use super::draft::Draft;
use riesz_primitive::derivative::Derivative;
use riesz_primitive::{Kind, Primitive};
use riesz_syntax::Span;
use riesz_syntax::tree::{
    Argument, BinaryOperator, ExprId, ExprKind, Generator, ItemKind, Pattern, PatternKind, Tree, UnaryOperator,
};
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

    fn degree_of(&self, tree: &Tree, parameters: &[&Pattern], body: ExprId) -> Degree {
        let mut reader = Reader { draft: self, tree, known: FxHashMap::default() };
        parameters.iter().for_each(|pattern| reader.bind(pattern, &Degree::Linear));
        reader.expr(body)
    }
}

struct Reader<'r, 'd> {
    draft: &'r Draft<'d>,
    tree: &'r Tree,
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
                        Some(Found::Primitive(primitive)) => applied(primitive, &degrees, span),
                        _ => unless_constant(degrees),
                    },
                    _ => unless_constant(degrees),
                }
            }
            _ => Degree::Unknown,
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
    let derivative = match (primitive.derivative(), &primitive.kind) {
        (Some(derivative), _) => derivative,
        (None, Kind::Prelude) => return other(format!("`{}` is not linear", primitive.name)),
        (None, _) => return Degree::Unknown,
    };
    let varying = arguments.iter().filter(|degree| matches!(degree, Degree::Linear)).count();
    match derivative {
        Derivative::Linear => together(arguments.to_vec()),
        Derivative::Multilinear if varying == 1 => Degree::Linear,
        Derivative::Multilinear => other("this multiplies the argument by itself".to_string()),
        Derivative::Zero | Derivative::Scale(_) => other(format!("`{}` is not linear", primitive.name)),
        Derivative::Terms(_) | Derivative::Directional => Degree::Unknown,
    }
}
