//! Trees as text, fully bracketed, so that a test can state the expected tree.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod generate;

use riesz_syntax::tree::*;
use riesz_syntax::{Diagnostic, FileId, ParseOptions, Tree, parse, parse_expression, parse_type};

/// The tree of an expression that has no errors.
#[track_caller]
pub fn expression(text: &str) -> String {
    let (tree, expr, diagnostics) = parse_expression(FileId(0), text, &ParseOptions::default());
    assert_eq!(messages(&diagnostics), Vec::<String>::new(), "in {text:?}");
    expr_shape(&tree, expr.expect("an expression"))
}

/// The tree of a file that has no errors, one item to a line.
#[track_caller]
pub fn program(text: &str) -> String {
    let (tree, diagnostics) = parse(FileId(0), text, &ParseOptions::default());
    assert_eq!(messages(&diagnostics), Vec::<String>::new(), "in {text:?}");
    tree.items.iter().map(|item| item_shape(&tree, item)).collect::<Vec<_>>().join("\n")
}

/// The tree of a type that has no errors.
#[track_caller]
pub fn ty(text: &str) -> String {
    match parse_type(FileId(0), text) {
        Ok(ty) => type_shape(&ty),
        Err(diagnostics) => panic!("in {text:?}: {:?}", messages(&diagnostics)),
    }
}

/// The errors of an expression, as `line:column code`.
pub fn expression_errors(text: &str) -> Vec<String> {
    let (_, _, diagnostics) = parse_expression(FileId(0), text, &ParseOptions::default());
    places(text, &diagnostics)
}

/// The errors of a file, as `line:column code`.
pub fn program_errors(text: &str) -> Vec<String> {
    let (_, diagnostics) = parse(FileId(0), text, &ParseOptions::default());
    places(text, &diagnostics)
}

pub fn messages(diagnostics: &[Diagnostic]) -> Vec<String> {
    diagnostics.iter().map(|diagnostic| format!("{}: {}", diagnostic.code, diagnostic.message)).collect()
}

fn places(text: &str, diagnostics: &[Diagnostic]) -> Vec<String> {
    let place = |diagnostic: &Diagnostic| {
        let before = &text[..diagnostic.labels[0].span.start as usize];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        format!("{line}:{column} {}", diagnostic.code)
    };
    diagnostics.iter().map(place).collect()
}

pub fn item_shape(tree: &Tree, item: &Item) -> String {
    match &item.kind {
        ItemKind::Fun { name, parameters, result, body, rule } => {
            let parameters = list(parameters, |p| format!("{}: {}", pattern_shape(&p.pattern), type_shape(&p.ty)));
            let result = result.as_ref().map_or(String::new(), |ty| format!(": {}", type_shape(ty)));
            let rule =
                rule.as_ref().map_or(String::new(), |rule| format!(" {:?} {}", rule.kind, expr_shape(tree, rule.expr)));
            format!("fun {}({parameters}){result} = {}{rule}", name.name, expr_shape(tree, *body))
        }
        ItemKind::Let { name, annotation, value } => {
            format!("let {}{} = {}", name.name, annotation_shape(annotation), expr_shape(tree, *value))
        }
        ItemKind::Type { name, sizes, body } => {
            let sizes = list(sizes, |size| size.name.to_string());
            format!("type {}[{sizes}] = {}", name.name, type_shape(body))
        }
        ItemKind::Check { label, condition } => {
            let label = label.as_ref().map_or(String::new(), |label| format!("{:?} ", label.name));
            format!("check {label}{}", expr_shape(tree, *condition))
        }
        ItemKind::Import { path } => format!("import {:?}", path.name),
    }
}

pub fn expr_shape(tree: &Tree, id: ExprId) -> String {
    let show = |id: &ExprId| expr_shape(tree, *id);
    match &tree.expr(id).kind {
        ExprKind::Integer(integer) => integer.value.map_or(format!("{:?}", integer.real), |value| value.to_string()),
        ExprKind::Real(real) => format!("{real:?}"),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Name(name) => name.to_string(),
        ExprKind::Paren(inner) => format!("(paren {})", show(inner)),
        ExprKind::Tuple(parts) => format!("(tuple {})", list(parts, show)),
        ExprKind::Array(parts) => format!("[{}]", list(parts, show)),
        ExprKind::Comprehension { body, generators } => {
            format!("[{} | {}]", show(body), list(generators, |g| generator_shape(tree, g)))
        }
        ExprKind::Record(fields) => {
            format!("{{{}}}", list(fields, |(name, value)| format!("{} = {}", name.name, show(value))))
        }
        ExprKind::Block(body) => format!("(block {})", show(body)),
        ExprKind::Let { bindings, body } => {
            let bindings = list(bindings, |b| {
                let annotation = annotation_shape(&b.annotation);
                format!("{}{annotation} = {}", pattern_shape(&b.pattern), show(&b.value))
            });
            format!("(let {bindings} in {})", show(body))
        }
        ExprKind::Lambda { parameters, body } => {
            let parameters: Vec<_> = parameters.iter().map(pattern_shape).collect();
            format!("(\\{} -> {})", parameters.join(" "), show(body))
        }
        ExprKind::If { condition, yes, no } => format!("(if {} {} {})", show(condition), show(yes), show(no)),
        ExprKind::Loop { pattern, start, head, body } => {
            let head = match head {
                LoopHead::For(generator) => format!("for {}", generator_shape(tree, generator)),
                LoopHead::While(condition) => format!("while {}", show(condition)),
            };
            format!("(loop {} = {} {head} do {})", pattern_shape(pattern), show(start), show(body))
        }
        ExprKind::Unary { operator: UnaryOperator::Negate, operand } => format!("(neg {})", show(operand)),
        ExprKind::Unary { operator: UnaryOperator::Not, operand } => format!("(not {})", show(operand)),
        ExprKind::Binary { operator, left, right, .. } => {
            format!("({} {} {})", operator_shape(*operator), show(left), show(right))
        }
        ExprKind::Approximately { left, right, tolerance: None } => format!("(~= {} {})", show(left), show(right)),
        ExprKind::Approximately { left, right, tolerance: Some(tolerance) } => {
            format!("(~= {} {} {})", show(left), show(right), show(tolerance))
        }
        ExprKind::Call { function, arguments, generators } => {
            let arguments = list(arguments, |argument| match argument {
                Argument::Value(value) => show(value),
                Argument::Hole(_) => "_".to_string(),
            });
            match generators.len() {
                0 => format!("{}({arguments})", show(function)),
                _ => format!("{}({arguments} | {})", show(function), list(generators, |g| generator_shape(tree, g))),
            }
        }
        ExprKind::Index { array, indices } => format!("{}[{}]", show(array), list(indices, show)),
        ExprKind::Field { of, field: Field::Position(position), .. } => format!("{}.{position}", show(of)),
        ExprKind::Field { of, field: Field::Name(name), .. } => format!("{}.{name}", show(of)),
        ExprKind::Error => "<error>".to_string(),
    }
}

fn generator_shape(tree: &Tree, generator: &Generator) -> String {
    match generator {
        Generator::Below { index, bound } => format!("{} < {}", index.name, expr_shape(tree, *bound)),
        Generator::Each { pattern, array } => format!("{} in {}", pattern_shape(pattern), expr_shape(tree, *array)),
    }
}

fn annotation_shape(annotation: &Option<Type>) -> String {
    annotation.as_ref().map_or(String::new(), |ty| format!(": {}", type_shape(ty)))
}

fn pattern_shape(pattern: &Pattern) -> String {
    match &pattern.kind {
        PatternKind::Name(name) => name.to_string(),
        PatternKind::Wildcard => "_".to_string(),
        PatternKind::Tuple(parts) => format!("({})", list(parts, pattern_shape)),
        PatternKind::Error => "<error>".to_string(),
    }
}

pub fn type_shape(ty: &Type) -> String {
    match &ty.kind {
        TypeKind::Name(name, sizes) if sizes.is_empty() => name.to_string(),
        TypeKind::Name(name, sizes) => format!("{name}[{}]", list(sizes, size_shape)),
        TypeKind::Tuple(parts) => format!("({})", list(parts, type_shape)),
        TypeKind::Array(size, element) => format!("[{}]{}", size_shape(size), type_shape(element)),
        TypeKind::Record(fields) => {
            format!("{{{}}}", list(fields, |(name, ty)| format!("{}: {}", name.name, type_shape(ty))))
        }
        TypeKind::Function(from, to) => format!("({} -> {})", type_shape(from), type_shape(to)),
        TypeKind::Linear(from, to) => format!("({} -o {})", type_shape(from), type_shape(to)),
        TypeKind::Error => "<error>".to_string(),
    }
}

fn size_shape(size: &Size) -> String {
    match &size.kind {
        SizeKind::Name(name) => name.to_string(),
        SizeKind::Integer(value) => value.to_string(),
        SizeKind::Hole => "_".to_string(),
        SizeKind::Binary(operator, left, right) => {
            format!("({} {} {})", operator_shape(*operator), size_shape(left), size_shape(right))
        }
        SizeKind::Error => "<error>".to_string(),
    }
}

fn operator_shape(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Or => "or",
        BinaryOperator::And => "and",
        BinaryOperator::Equal => "==",
        BinaryOperator::NotEqual => "!=",
        BinaryOperator::Less => "<",
        BinaryOperator::LessEqual => "<=",
        BinaryOperator::Greater => ">",
        BinaryOperator::GreaterEqual => ">=",
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Power => "^",
    }
}

fn list<T>(parts: &[T], show: impl Fn(&T) -> String) -> String {
    parts.iter().map(show).collect::<Vec<_>>().join(", ")
}
