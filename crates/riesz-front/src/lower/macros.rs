//! The macros of the subset: `vec!`, assertions and panics.

use super::assigned::is_panic;
use super::{Lower, Value};
use crate::term::Term;
use crate::types::Ty;
use quote::ToTokens;

impl Lower<'_> {
    pub(super) fn macro_(&mut self, call: &syn::Macro) -> Value {
        let name = call.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        if is_panic(call) {
            self.must_hold(Term::Bool(false), call);
            return Value::never();
        }
        let parse = syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
        match name.as_str() {
            "vec" => {
                if let Ok(repeat) = syn::parse2::<Repeat>(call.tokens.clone()) {
                    let element = self.value(&repeat.element);
                    return self.repeat(element, &repeat.length);
                }
                match call.parse_body_with(parse) {
                    Ok(parts) => self.plain(&syn::Expr::Array(syn::ExprArray {
                        attrs: Vec::new(),
                        bracket_token: Default::default(),
                        elems: parts,
                    })),
                    Err(error) => {
                        self.errors.extend(error);
                        Value::error()
                    }
                }
            }
            "assert" | "debug_assert" => {
                if let Ok(parts) = call.parse_body_with(parse)
                    && let Some(condition) = parts.first()
                {
                    let holds = self.value(condition);
                    self.must_hold(holds.term, call);
                }
                Value::unit()
            }
            "assert_eq" | "debug_assert_eq" | "assert_ne" | "debug_assert_ne" => {
                if let Ok(parts) = call.parse_body_with(parse)
                    && let (Some(left), Some(right)) = (parts.get(0), parts.get(1))
                {
                    let (left, right) = (self.value(left), self.value(right));
                    let sign = if name.ends_with("eq") { "==" } else { "!=" };
                    if !matches!(left.ty, Ty::Float | Ty::Int(_) | Ty::Bool | Ty::Error) {
                        return self.refuse(call, "only numbers can be compared here", "compare element by element");
                    }
                    self.must_hold(Term::binary(sign, left.term, right.term), call);
                }
                Value::unit()
            }
            "matches" => match syn::parse2::<Matches>(call.tokens.clone()) {
                Ok(Matches { value, pattern, guard }) => {
                    let guard = guard.map(|guard| quote::quote!(if #guard));
                    self.value(&syn::parse_quote!(match #value { #pattern #guard => true, _ => false }))
                }
                Err(error) => {
                    self.errors.extend(error);
                    Value::error()
                }
            },
            "println" | "print" | "eprintln" | "eprint" | "dbg" | "write" | "writeln" | "format" => {
                let message = format!("`{name}!` has an effect, which a derivative would lose or repeat");
                self.refuse(call, message, "print outside the function")
            }
            _ => {
                let message = format!("`{name}!` is not visible to `#[differentiable]`");
                self.refuse(call, message, "write what the macro expands to")
            }
        }
    }

    /// Remembers that a condition must hold. Where it does not, the function panics, and so do its derivatives.
    fn must_hold(&mut self, condition: Term, at: &dyn ToTokens) {
        if let Some(ok) = self.lookup(super::statement::OK) {
            let before = self.vars[ok.0].term.clone();
            let now = match condition {
                Term::Bool(false) => Term::Bool(false),
                condition => self.name_it("ok", before.and(condition), at),
            };
            self.vars[ok.0].term = now;
        }
    }
}

/// `value, pattern if guard`
struct Matches {
    value: syn::Expr,
    pattern: syn::Pat,
    guard: Option<syn::Expr>,
}

impl syn::parse::Parse for Matches {
    fn parse(input: syn::parse::ParseStream) -> syn::Result<Matches> {
        let value = input.parse()?;
        input.parse::<syn::Token![,]>()?;
        let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
        let guard = match input.peek(syn::Token![if]) {
            true => {
                input.parse::<syn::Token![if]>()?;
                Some(input.parse()?)
            }
            false => None,
        };
        input.parse::<Option<syn::Token![,]>>()?;
        Ok(Matches { value, pattern, guard })
    }
}

struct Repeat {
    element: syn::Expr,
    length: syn::Expr,
}

impl syn::parse::Parse for Repeat {
    fn parse(input: syn::parse::ParseStream) -> syn::Result<Repeat> {
        let element = input.parse()?;
        input.parse::<syn::Token![;]>()?;
        Ok(Repeat { element, length: input.parse()? })
    }
}
