//! The signature of a Rust function, and of the Riesz function that it becomes.

use crate::error::Errors;
use crate::term::{Name, Term};
use crate::types::{Sequence, SignatureType, Ty, Types, literal_length, show};
use riesz_rust::Precision;
use std::collections::HashMap;
use std::fmt::Write;

/// The signature of a function that can be differentiated.
#[derive(Debug)]
pub(crate) struct Signature {
    /// Its name, with that of its type where it is a method.
    pub name: String,
    /// The const generics, by their names in Riesz.
    pub sizes: Vec<Name>,
    pub generics: syn::Generics,
    pub parameters: Vec<Parameter>,
    /// The type of the result; none for `()`.
    pub result: Option<SignatureType>,
    /// How long its real numbers are; none if it has none.
    pub precision: Option<Precision>,
}

/// A parameter.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub pattern: syn::Pat,
    /// Its name in Riesz.
    pub name: Name,
    /// Its type as it is written.
    pub written: syn::Type,
    pub shape: SignatureType,
    /// The lengths of the arrays in it, in the order in which the type is written.
    pub lengths: Vec<Term>,
    pub ty: Ty,
    /// Whether it is a `&mut`.
    pub output: bool,
}

impl Parameter {
    /// Whether the function may give it another length.
    pub fn may_grow(&self) -> bool {
        self.output && matches!(self.shape, SignatureType::Array(Sequence::Vec, _))
    }
}

impl Signature {
    pub fn riesz_name(&self) -> Name {
        format!("rust_{}", self.name.replace("::", "_")).into()
    }

    /// Reads a signature. `receiver` is the type of `self`.
    pub fn read(
        signature: &syn::Signature,
        receiver: Option<&syn::Type>,
        types: &Types,
        constants: &HashMap<String, (syn::Type, syn::Expr)>,
        errors: &mut Errors,
    ) -> Option<Signature> {
        for (wrong, what) in [
            (signature.asyncness.as_ref().map(|token| show(token)), "an `async` function"),
            (signature.unsafety.as_ref().map(|token| show(token)), "an `unsafe` function"),
            (signature.abi.as_ref().map(|token| show(token)), "a function with a foreign ABI"),
        ] {
            if wrong.is_some() {
                errors.add(&signature.ident, format!("{what} cannot be differentiated"), "write a plain `fn`");
            }
        }
        let mut sizes = Vec::new();
        for generic in &signature.generics.params {
            match generic {
                syn::GenericParam::Const(of) if show(&of.ty) == "usize" => sizes.push(size_name(&of.ident)),
                syn::GenericParam::Lifetime(_) => {}
                generic => errors.add(
                    generic,
                    "a function that is generic over types cannot be differentiated",
                    "write `f64` here; const generics and lifetimes are fine",
                ),
            }
        }
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut complete = true;
        for (at, input) in signature.inputs.iter().enumerate() {
            let (pattern, written) = match input {
                syn::FnArg::Typed(typed) => ((*typed.pat).clone(), (*typed.ty).clone()),
                syn::FnArg::Receiver(this) => match receiver {
                    Some(ty) => {
                        let ty: syn::Type = match (&this.reference, &this.mutability) {
                            (Some(_), Some(_)) => syn::parse_quote!(&mut #ty),
                            (Some(_), None) => syn::parse_quote!(&#ty),
                            _ => ty.clone(),
                        };
                        (syn::parse_quote!(self), ty)
                    }
                    None => {
                        let help = "put the attribute on a module with the type and its `impl`";
                        errors.add(this, "the type of `self` is not visible to `#[differentiable]`", help);
                        complete = false;
                        continue;
                    }
                },
            };
            let Some((shape, output)) = types.read(&written, errors) else {
                complete = false;
                continue;
            };
            if !shape.has_plain_options() {
                let help = "take an `Option` of a number or a `bool`, or the numbers and a `bool`";
                errors.add(&written, format!("`{}` cannot be the type of a parameter", show(&written)), help);
                complete = false;
                continue;
            }
            let hint = match &pattern {
                syn::Pat::Ident(ident) => ident.ident.to_string(),
                _ => format!("p{at}"),
            };
            let name: Name = format!("{}_{at}", plain(&hint)).into();
            let mut lengths = Vec::new();
            let mut wrong = false;
            let ty = shape.ty(&mut |sequence| {
                let length = match sequence {
                    Sequence::Fixed(length) => match fixed_length(length, &sizes, constants) {
                        Some(length) => length,
                        None => {
                            errors.add(
                                length,
                                "this length is not visible to `#[differentiable]`",
                                "write a number, or a const generic of the function",
                            );
                            wrong = true;
                            Term::Unset
                        }
                    },
                    _ => Term::name(&format!("{name}_n{}", lengths.len())),
                };
                lengths.push(length.clone());
                length
            });
            complete &= !wrong;
            parameters.push(Parameter { pattern, name, written, shape, lengths, ty, output });
        }
        let result = match &signature.output {
            syn::ReturnType::Default => None,
            syn::ReturnType::Type(_, ty) => match types.read(ty, errors) {
                Some((SignatureType::Tuple(parts), _)) if parts.is_empty() => None,
                Some((shape, _)) => Some(shape),
                None => {
                    complete = false;
                    None
                }
            },
        };
        let bound = |size: &Name| {
            parameters
                .iter()
                .any(|parameter| parameter.lengths.iter().any(|length| *length == Term::Name(size.clone())))
        };
        for (size, generic) in sizes.iter().zip(signature.generics.const_params()) {
            if complete && !bound(size) {
                errors.add(
                    generic,
                    "this const generic is not the length of a parameter",
                    "take an array of that length, or take the number as a parameter",
                );
                complete = false;
            }
        }
        let mut precision = None;
        let mut mixed = false;
        for shape in parameters.iter().map(|parameter| &parameter.shape).chain(&result) {
            shape.precisions(&mut |found| mixed |= *precision.get_or_insert(found) != found);
        }
        if mixed {
            errors.add(
                &signature.ident,
                "this function has real numbers of both precisions",
                "use `f64` or `f32` alone, and convert where the function is called",
            );
            complete = false;
        }
        complete.then(|| Signature {
            name: match receiver {
                Some(ty) => format!("{}::{}", show(ty), signature.ident),
                None => signature.ident.to_string(),
            },
            sizes,
            generics: signature.generics.clone(),
            parameters,
            result,
            precision,
        })
    }

    /// The parameters that derivatives are taken by: those that are named, or else all that vary. What a `&mut` holds before
    /// is a constant, unless it is named.
    pub fn active(&self, named: Option<&[syn::Ident]>) -> Vec<usize> {
        let is_active = |at: &usize| {
            let parameter = &self.parameters[*at];
            match (named, &parameter.pattern) {
                (None, _) => parameter.shape.varies() && !parameter.output,
                (Some(names), syn::Pat::Ident(ident)) => names.contains(&ident.ident),
                _ => false,
            }
        };
        (0..self.parameters.len()).filter(is_active).collect()
    }

    /// `fun name(parameters): result =`
    pub fn head(&self, name: &str) -> String {
        let parameters: Vec<String> = self
            .parameters
            .iter()
            .map(|parameter| format!("{}: {}", parameter.name, riesz_type(&parameter.shape, &parameter.lengths)))
            .collect();
        let mut results: Vec<String> = self.result.iter().map(|shape| result_type(shape, &self.sizes)).collect();
        for output in self.parameters.iter().filter(|parameter| parameter.output) {
            results.push(match output.may_grow() {
                true => result_type(&output.shape, &self.sizes),
                false => riesz_type(&output.shape, &output.lengths),
            });
        }
        let result = match &results[..] {
            [one] => one.clone(),
            several => format!("({})", several.join(", ")),
        };
        let mut text = String::new();
        let _ = write!(text, "fun {name}({}): {result} =", parameters.join(", "));
        text
    }
}

/// A name as Riesz and the names of generated code allow it.
fn plain(name: &str) -> String {
    let kept: String = name.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect();
    match kept.trim_start_matches('_') {
        "" => "p".into(),
        kept if kept.starts_with(|letter: char| letter.is_ascii_digit()) => format!("p{kept}"),
        kept => kept.to_lowercase(),
    }
}

/// The name of a const generic in Riesz.
pub(crate) fn size_name(ident: &syn::Ident) -> Name {
    format!("size_{}", plain(&ident.to_string())).into()
}

/// A length of an array `[T; N]` as Riesz writes it.
pub(crate) fn fixed_length(
    length: &syn::Expr,
    sizes: &[Name],
    constants: &HashMap<String, (syn::Type, syn::Expr)>,
) -> Option<Term> {
    if let Some(number) = literal_length(length) {
        return Some(Term::Int(number));
    }
    let ident = match length {
        syn::Expr::Path(path) => path.path.get_ident()?,
        syn::Expr::Block(block) => match &block.block.stmts[..] {
            [syn::Stmt::Expr(inner, None)] => return fixed_length(inner, sizes, constants),
            _ => return None,
        },
        syn::Expr::Paren(inner) => return fixed_length(&inner.expr, sizes, constants),
        _ => return None,
    };
    let name = size_name(ident);
    if sizes.contains(&name) {
        return Some(Term::Name(name));
    }
    constants.get(&ident.to_string()).and_then(|(_, value)| literal_length(value)).map(Term::Int)
}

/// A type in Riesz, with the lengths of its arrays in order.
pub(crate) fn riesz_type(shape: &SignatureType, lengths: &[Term]) -> String {
    let mut lengths = lengths.iter();
    written(shape, &mut |_| match lengths.next() {
        Some(Term::Name(name)) => name.to_string(),
        Some(Term::Int(number)) => number.to_string(),
        _ => "_".into(),
    })
}

/// The type of a result: lengths that no parameter tells are found out.
fn result_type(shape: &SignatureType, sizes: &[Name]) -> String {
    written(shape, &mut |sequence| match sequence {
        Sequence::Fixed(length) => match fixed_length(length, sizes, &HashMap::new()) {
            Some(Term::Int(number)) => number.to_string(),
            Some(Term::Name(name)) => name.to_string(),
            _ => "_".into(),
        },
        _ => "_".into(),
    })
}

fn written(shape: &SignatureType, length: &mut dyn FnMut(&Sequence) -> String) -> String {
    match shape {
        SignatureType::Float(_) => "R".into(),
        SignatureType::Int(..) | SignatureType::Enum(..) => "Int".into(),
        SignatureType::Bool => "Bool".into(),
        SignatureType::Array(sequence, element) => {
            let outer = length(sequence);
            format!("[{outer}]{}", written(element, length))
        }
        SignatureType::Tuple(_) | SignatureType::Struct(..) | SignatureType::Option(_) => {
            let parts: Vec<String> =
                shape.parts().unwrap_or_default().iter().map(|part| written(part, length)).collect();
            match &parts[..] {
                [one] => one.clone(),
                parts => format!("({})", parts.join(", ")),
            }
        }
    }
}
