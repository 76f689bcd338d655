//! The definitions in a text: names, their places, and their written types.

use crate::{Name, Sources, Span, Tree};
use riesz_syntax::tree::{self, ExprKind, ItemKind, TypeKind};

/// The keywords of definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyword {
    /// `fun`
    Fun,
    /// `let`
    Let,
    /// `type`
    Type,
}

/// Something a program defines.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name.
    pub name: Name,
    /// From its keyword to its end.
    pub span: Span,
    /// Where its name stands.
    pub place: Span,
    /// The item that defines it.
    pub keyword: Keyword,
    /// Whether it is a `let` that has a value, and not a function whose types depend on its use.
    pub is_value: bool,
    /// Of a `fun`: its type as far as it is written.
    pub(crate) written: Option<WrittenSignature>,
}

/// The type of a `fun` as its author wrote it.
#[derive(Clone, Debug)]
pub(crate) struct WrittenSignature {
    /// The types of the parameters, one by one.
    pub types: Vec<String>,
    pub parameters: String,
    pub result: Option<String>,
    /// Whether it has type variables.
    pub generic: bool,
}

/// The names that a text defines.
pub(crate) fn definitions(tree: &Tree, sources: &Sources) -> Vec<Definition> {
    let mut found = Vec::new();
    for item in &tree.items {
        let (name, keyword, written) = match &item.kind {
            ItemKind::Fun { name, parameters, result, .. } => {
                (name, Keyword::Fun, Some(written(parameters, result, sources)))
            }
            ItemKind::Let { name, .. } => (name, Keyword::Let, None),
            ItemKind::Type { name, .. } => (name, Keyword::Type, None),
            ItemKind::Check { .. } | ItemKind::Import { .. } => continue,
        };
        let (place, name) = (name.span, name.name.clone());
        found.push(Definition { name, span: item.span, place, keyword, is_value: false, written });
    }
    found
}

fn written(parameters: &[tree::Parameter], result: &Option<tree::Type>, sources: &Sources) -> WrittenSignature {
    let text = |ty: &tree::Type| sources.text(ty.span).split_whitespace().collect::<Vec<_>>().join(" ");
    let types: Vec<String> = parameters.iter().map(|parameter| text(&parameter.ty)).collect();
    let arrow = |ty: &tree::Type| matches!(ty.kind, TypeKind::Function(..) | TypeKind::Linear(..));
    let bare = matches!(parameters, [parameter] if !arrow(&parameter.ty));
    WrittenSignature {
        types: types.clone(),
        parameters: if bare { types.concat() } else { format!("({})", types.join(", ")) },
        result: result.as_ref().map(text),
        generic: parameters.iter().any(|parameter| is_generic(&parameter.ty)),
    }
}

/// Whether a type has variables: names in lower case.
fn is_generic(ty: &tree::Type) -> bool {
    match &ty.kind {
        TypeKind::Name(name, _) => name.starts_with(char::is_lowercase),
        TypeKind::Tuple(parts) => parts.iter().any(is_generic),
        TypeKind::Array(_, element) => is_generic(element),
        TypeKind::Record(fields) => fields.iter().any(|(_, ty)| is_generic(ty)),
        TypeKind::Function(from, to) | TypeKind::Linear(from, to) => is_generic(from) || is_generic(to),
        TypeKind::Error => false,
    }
}

/// The places of the equations that are checked, and of their sides.
pub(crate) fn equations(tree: &Tree) -> impl Iterator<Item = (Span, (Span, Span))> {
    tree.items.iter().filter_map(|item| {
        let ItemKind::Check { condition, .. } = &item.kind else { return None };
        let whole = tree.expr(*condition);
        let mut equation = whole;
        while let ExprKind::Paren(inner) = equation.kind {
            equation = tree.expr(inner);
        }
        match equation.kind {
            ExprKind::Approximately { left, right, .. } | ExprKind::Binary { left, right, .. } => {
                Some((whole.span, (tree.expr(left).span, tree.expr(right).span)))
            }
            _ => None,
        }
    })
}
