//! Operators of types of a module: `impl Mul<Vector> for Matrix` gives the method `Matrix::mul__Vector`.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};

/// The traits of operators.
const TRAITS: &str = " Add Sub Mul Div Rem Neg AddAssign SubAssign MulAssign DivAssign RemAssign ";

/// The name of the method of an operator, by the type of its right operand.
pub(crate) fn method_name(method: &str, right: &str) -> String {
    format!("{method}__{right}")
}

/// Makes the implementation of an operator for types without parameters one of methods, named by both types.
pub(crate) fn as_methods(item: &mut syn::ItemImpl) -> syn::Result<()> {
    let Some((None, path, _)) = &item.trait_ else { return Ok(()) };
    let Some(last) = path.segments.last() else { return Ok(()) };
    if !TRAITS.contains(&format!(" {} ", last.ident)) || !item.generics.params.is_empty() {
        return Ok(());
    }
    let right = match &last.arguments {
        syn::PathArguments::AngleBracketed(given) => match given.args.first() {
            Some(syn::GenericArgument::Type(ty)) => plain(ty),
            _ => None,
        },
        _ if last.ident == "Neg" => Some(String::new()),
        _ => plain(&item.self_ty),
    };
    let (Some(right), Some(of)) = (right, plain(&item.self_ty)) else { return Ok(()) };
    let right = if right == "Self" { of } else { right };
    let of = item.self_ty.to_token_stream();
    let output = item.items.iter().find_map(|inner| match inner {
        syn::ImplItem::Type(ty) => Some(without_self(ty.ty.to_token_stream(), &of)),
        _ => None,
    });
    for inner in &mut item.items {
        if let syn::ImplItem::Fn(function) = inner {
            let tokens = without_output(function.to_token_stream(), &output.clone().unwrap_or_default());
            *function = syn::parse2(without_self(tokens, &of))?;
            let name = method_name(&function.sig.ident.to_string(), &right);
            function.sig.ident = format_ident!("{}", name, span = function.sig.ident.span());
        }
    }
    item.trait_ = None;
    Ok(())
}

/// The name of a type that is one.
fn plain(ty: &syn::Type) -> Option<String> {
    let syn::Type::Path(path) = ty else { return None };
    path.path.get_ident().map(ToString::to_string)
}

/// Tokens with a type in the place of `Self::Output`.
fn without_output(tokens: TokenStream, output: &TokenStream) -> TokenStream {
    let mut made = TokenStream::new();
    let mut tokens: std::collections::VecDeque<TokenTree> = tokens.into_iter().collect();
    while let Some(token) = tokens.pop_front() {
        let text = |at: usize| tokens.get(at).map(ToString::to_string);
        let is_output = text(0).as_deref() == Some(":") && text(2).as_deref() == Some("Output");
        match token {
            TokenTree::Ident(ident) if ident == "Self" && is_output => {
                tokens.drain(..3);
                made.extend(output.clone());
            }
            TokenTree::Group(group) => made.extend([inside(&group, |inner| without_output(inner, output))]),
            token => made.extend([token]),
        }
    }
    made
}

/// Tokens with the name of a type in the place of `Self`.
pub(crate) fn without_self(tokens: TokenStream, of: &TokenStream) -> TokenStream {
    let named = |token: TokenTree| match token {
        TokenTree::Ident(ident) if ident == "Self" => of
            .clone()
            .into_iter()
            .map(|mut token| {
                token.set_span(ident.span());
                token
            })
            .collect(),
        TokenTree::Group(group) => inside(&group, |inner| without_self(inner, of)).into(),
        token => TokenStream::from(token),
    };
    tokens.into_iter().flat_map(named).collect()
}

fn inside(group: &Group, change: impl FnOnce(TokenStream) -> TokenStream) -> TokenTree {
    let mut changed = Group::new(group.delimiter(), change(group.stream()));
    changed.set_span(group.span());
    changed.into()
}
