//! The Rust types of the subset: as values of the Riesz program, and as parameters and results of the derivatives.

use crate::error::Errors;
use crate::term::Term;
use quote::ToTokens;
use riesz_rust::Precision;
use std::collections::HashMap;
use std::rc::Rc;

/// The type of a value inside of a function. References are their referents; slices, vectors and arrays are one type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ty {
    Float,
    Int(Integer),
    Bool,
    Tuple(Vec<Ty>),
    /// The type of the elements, and the length where an expression for it is known.
    Array(Box<Ty>, Box<Term>),
    Struct(Rc<Struct>),
    /// An enum without data, whose variants are integers.
    Enum(Rc<Enum>),
    /// A pair: whether there is a value, and the value.
    Option(Box<Ty>),
    /// Of an expression that does not give a value, such as `return`.
    Never,
    /// Not known yet, as that of the elements of `Vec::new()`.
    Unknown,
    /// Of an expression that an error has been reported for.
    Error,
}

/// The integer types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Integer {
    pub signed: bool,
    pub bits: u32,
}

impl Integer {
    pub const USIZE: Integer = Integer { signed: false, bits: 64 };
    /// The type of a literal without a suffix, which takes the type of the values with which it is used. The operations
    /// of signed integers are right for every type that it can take.
    pub const LITERAL: Integer = Integer { signed: true, bits: 0 };

    /// The type of two integers that are used together.
    pub fn with(self, other: Integer) -> Integer {
        if self.bits == 0 { other } else { self }
    }

    /// The least and the greatest number, as far as they are numbers of 64 bits with a sign.
    pub fn range(self) -> (i64, i64) {
        match (self.signed, self.bits) {
            // A literal whose type is not written has 32 bits, unless its use says otherwise.
            (true, 0) => (i64::from(i32::MIN), i64::from(i32::MAX)),
            (true, 64) => (i64::MIN, i64::MAX),
            (true, bits) => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
            (false, 64) => (0, i64::MAX),
            (false, bits) => (0, (1 << bits) - 1),
        }
    }

    /// The value of a number in this type, wrapped; `None` if the type has no sign and more than 63 bits.
    pub fn wrapped(self, number: i64) -> Option<i64> {
        match (self.signed, self.bits) {
            (true, 64) => Some(number),
            (false, 64) => (number >= 0).then_some(number),
            (false, bits) => Some(number.rem_euclid(1 << bits)),
            (true, bits) => {
                let half = 1 << (bits - 1);
                Some((number + half).rem_euclid(1 << bits) - half)
            }
        }
    }

    pub fn named(name: &str) -> Option<Integer> {
        let bits = match name.trim_start_matches(['i', 'u']) {
            "8" => 8,
            "16" => 16,
            "32" => 32,
            "64" | "size" => 64,
            _ => return None,
        };
        matches!(name.as_bytes()[0], b'i' | b'u').then(|| Integer { signed: name.starts_with('i'), bits })
    }
}

/// A struct with `#[derive(Differentiable)]`, or of an annotated module.
#[derive(Debug)]
pub(crate) struct Struct {
    pub name: String,
    /// Its name where its definition is passed on: the name and a digest of the fields.
    pub id: String,
    pub fields: Vec<(syn::Member, SignatureType)>,
}

impl PartialEq for Struct {
    fn eq(&self, other: &Struct) -> bool {
        self.id == other.id
    }
}

/// An enum without data.
#[derive(Debug, PartialEq)]
pub(crate) struct Enum {
    pub name: String,
    pub id: String,
    pub variants: Vec<String>,
}

/// `std::cmp::Ordering`
pub(crate) fn ordering() -> Ty {
    let variants = ["Less", "Equal", "Greater"].map(String::from).into();
    Ty::Enum(Rc::new(Enum { name: "Ordering".into(), id: ORDERING.into(), variants }))
}

/// A name that no enum of a program has.
const ORDERING: &str = "core::cmp::Ordering";

pub(crate) fn is_ordering(ty: &Ty) -> bool {
    matches!(ty, Ty::Enum(of) if of.id == ORDERING)
}

/// A type of a parameter or result, as it is written.
#[derive(Clone, Debug)]
pub(crate) enum SignatureType {
    Float(Precision),
    Int(Integer, syn::Type),
    Bool,
    Tuple(Vec<SignatureType>),
    Array(Sequence, Box<SignatureType>),
    /// With the type as it is written, unless it cannot be named where the derivatives are.
    Struct(Rc<Struct>, Option<syn::Type>),
    Enum(Rc<Enum>, Option<syn::Type>),
    Option(Box<SignatureType>),
}

/// How the elements of an array are held.
#[derive(Clone, Debug)]
pub(crate) enum Sequence {
    Slice,
    Vec,
    /// `[T; N]`, with the length as it is written.
    Fixed(Box<syn::Expr>),
}

impl SignatureType {
    /// Whether there is a real number in it.
    pub fn varies(&self) -> bool {
        match self {
            SignatureType::Float(_) => true,
            SignatureType::Int(..) | SignatureType::Bool | SignatureType::Enum(..) => false,
            SignatureType::Tuple(parts) => parts.iter().any(SignatureType::varies),
            SignatureType::Array(_, element) | SignatureType::Option(element) => element.varies(),
            SignatureType::Struct(of, _) => of.fields.iter().any(|(_, shape)| shape.varies()),
        }
    }

    /// Whether it is made of real numbers alone.
    pub fn is_real(&self) -> bool {
        match self {
            SignatureType::Float(_) => true,
            SignatureType::Int(..) | SignatureType::Bool | SignatureType::Enum(..) | SignatureType::Option(_) => false,
            SignatureType::Tuple(parts) => parts.iter().all(SignatureType::is_real),
            SignatureType::Array(_, element) => element.is_real(),
            SignatureType::Struct(of, _) => of.fields.iter().all(|(_, shape)| shape.is_real()),
        }
    }

    /// Whether a value can be written out: all types in it have names.
    pub fn is_nameable(&self) -> bool {
        match self {
            SignatureType::Float(_) | SignatureType::Int(..) | SignatureType::Bool => true,
            SignatureType::Tuple(parts) => parts.iter().all(SignatureType::is_nameable),
            SignatureType::Array(_, element) | SignatureType::Option(element) => element.is_nameable(),
            SignatureType::Struct(of, ty) => ty.is_some() && of.fields.iter().all(|(_, shape)| shape.is_nameable()),
            SignatureType::Enum(_, ty) => ty.is_some(),
        }
    }

    /// Calls `visit` with the precision of every real number in it.
    pub fn precisions(&self, visit: &mut dyn FnMut(Precision)) {
        match self {
            SignatureType::Float(precision) => visit(*precision),
            SignatureType::Int(..) | SignatureType::Bool | SignatureType::Enum(..) => {}
            SignatureType::Tuple(parts) => parts.iter().for_each(|part| part.precisions(visit)),
            SignatureType::Array(_, element) | SignatureType::Option(element) => element.precisions(visit),
            SignatureType::Struct(of, _) => of.fields.iter().for_each(|(_, shape)| shape.precisions(visit)),
        }
    }

    /// The components of a tuple or struct.
    pub fn parts(&self) -> Option<Vec<SignatureType>> {
        match self {
            SignatureType::Tuple(parts) => Some(parts.clone()),
            SignatureType::Struct(of, _) => Some(of.fields.iter().map(|(_, shape)| shape.clone()).collect()),
            SignatureType::Option(inner) => Some(vec![SignatureType::Bool, (**inner).clone()]),
            _ => None,
        }
    }

    /// The type of its values; `length` says how long each array is, from the outermost to the innermost.
    pub fn ty(&self, length: &mut dyn FnMut(&Sequence) -> Term) -> Ty {
        match self {
            SignatureType::Float(_) => Ty::Float,
            SignatureType::Int(integer, _) => Ty::Int(*integer),
            SignatureType::Bool => Ty::Bool,
            SignatureType::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| part.ty(length)).collect()),
            SignatureType::Array(sequence, element) => {
                let count = length(sequence);
                Ty::Array(Box::new(element.ty(length)), Box::new(count))
            }
            SignatureType::Struct(of, _) => {
                // The lengths inside of it are asked for too, so that all of a signature are known.
                of.fields.iter().for_each(|(_, shape)| {
                    shape.ty(length);
                });
                Ty::Struct(of.clone())
            }
            SignatureType::Enum(of, _) => Ty::Enum(of.clone()),
            SignatureType::Option(inner) => Ty::Option(Box::new(inner.ty(length))),
        }
    }

    /// Whether the options in it are of single numbers, as those of parameters are.
    pub fn has_plain_options(&self) -> bool {
        match self {
            SignatureType::Option(inner) => {
                matches!(**inner, SignatureType::Float(_) | SignatureType::Int(..) | SignatureType::Bool)
            }
            SignatureType::Array(_, element) => element.has_plain_options(),
            SignatureType::Tuple(parts) => parts.iter().all(SignatureType::has_plain_options),
            SignatureType::Struct(of, _) => of.fields.iter().all(|(_, shape)| shape.has_plain_options()),
            SignatureType::Float(_) | SignatureType::Int(..) | SignatureType::Bool | SignatureType::Enum(..) => true,
        }
    }

    /// The type of its values where nothing is known of lengths but those that are written as numbers.
    pub fn plain(&self) -> Ty {
        self.ty(&mut |sequence| match sequence {
            Sequence::Fixed(length) => literal_length(length).map_or(Term::Unset, Term::Int),
            _ => Term::Unset,
        })
    }
}

/// A length that is a number.
pub(crate) fn literal_length(length: &syn::Expr) -> Option<i64> {
    match length {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(value), .. }) => value.base10_parse().ok(),
        _ => None,
    }
}

/// The named types that a function can see.
#[derive(Clone, Debug, Default)]
pub(crate) struct Types {
    pub structs: HashMap<String, Rc<Struct>>,
    pub enums: HashMap<String, Rc<Enum>>,
    pub aliases: HashMap<String, syn::Type>,
    /// The types of other modules that types of this one need, which cannot be read before.
    pub unread: HashMap<String, Vec<syn::Path>>,
}

/// The context of a type that is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Enclosing {
    /// Nothing: slices need a reference.
    Nothing,
    Reference,
}

impl Types {
    /// Reads a type; what is outside of the subset is an error. The second part says whether it is a `&mut`.
    pub fn read(&self, ty: &syn::Type, errors: &mut Errors) -> Option<(SignatureType, bool)> {
        match ty {
            syn::Type::Reference(reference) => {
                let shape = self.shape(&reference.elem, Enclosing::Reference, errors)?;
                Some((shape, reference.mutability.is_some()))
            }
            ty => Some((self.shape(ty, Enclosing::Nothing, errors)?, false)),
        }
    }

    pub fn shape(&self, ty: &syn::Type, around: Enclosing, errors: &mut Errors) -> Option<SignatureType> {
        match ty {
            syn::Type::Paren(inner) => self.shape(&inner.elem, around, errors),
            syn::Type::Group(inner) => self.shape(&inner.elem, around, errors),
            syn::Type::Reference(inner) if inner.mutability.is_none() => {
                self.shape(&inner.elem, Enclosing::Reference, errors)
            }
            syn::Type::Tuple(tuple) => {
                let parts: Vec<_> =
                    tuple.elems.iter().map(|part| self.shape(part, Enclosing::Nothing, errors)).collect();
                Some(SignatureType::Tuple(parts.into_iter().collect::<Option<_>>()?))
            }
            syn::Type::Array(array) => {
                let element = self.shape(&array.elem, Enclosing::Nothing, errors)?;
                Some(SignatureType::Array(Sequence::Fixed(Box::new(array.len.clone())), Box::new(element)))
            }
            syn::Type::Slice(slice) if around == Enclosing::Reference => {
                let element = self.shape(&slice.elem, Enclosing::Nothing, errors)?;
                Some(SignatureType::Array(Sequence::Slice, Box::new(element)))
            }
            syn::Type::Path(path) if path.qself.is_none() => self.named(path, ty, errors),
            _ => {
                errors.add(
                    ty,
                    format!("`{}` is not a type that can be differentiated", show(ty)),
                    "use `f64`, integers, `bool`, and tuples, arrays, slices, `Vec`s and structs of these",
                );
                None
            }
        }
    }

    fn named(&self, path: &syn::TypePath, ty: &syn::Type, errors: &mut Errors) -> Option<SignatureType> {
        let last = path.path.segments.last()?;
        let name = last.ident.to_string();
        if let Some(integer) = Integer::named(&name) {
            return Some(SignatureType::Int(integer, ty.clone()));
        }
        match name.as_str() {
            "f64" => return Some(SignatureType::Float(Precision::Double)),
            "f32" => return Some(SignatureType::Float(Precision::Single)),
            "bool" => return Some(SignatureType::Bool),
            "Vec" => {
                if let syn::PathArguments::AngleBracketed(arguments) = &last.arguments
                    && let Some(syn::GenericArgument::Type(element)) = arguments.args.first()
                {
                    let element = self.shape(element, Enclosing::Nothing, errors)?;
                    return Some(SignatureType::Array(Sequence::Vec, Box::new(element)));
                }
            }
            "Option" => {
                if let syn::PathArguments::AngleBracketed(arguments) = &last.arguments
                    && let Some(syn::GenericArgument::Type(inner)) = arguments.args.first()
                {
                    return Some(SignatureType::Option(Box::new(self.shape(inner, Enclosing::Nothing, errors)?)));
                }
            }
            "Result" | "Box" | "Rc" | "Arc" | "HashMap" | "BTreeMap" | "String" | "i128" | "u128" | "str" | "char" => {
                errors.add(
                    ty,
                    format!("`{}` is not a type that can be differentiated", show(ty)),
                    "use `f64`, integers, `bool`, and tuples, arrays, slices, `Vec`s and structs of these",
                );
                return None;
            }
            _ => {}
        }
        let name = key(&path.path);
        if let Some(alias) = self.aliases.get(&name) {
            return self.shape(alias, Enclosing::Nothing, errors);
        }
        if let Some(of) = self.structs.get(&name) {
            return Some(SignatureType::Struct(of.clone(), Some(ty.clone())));
        }
        if let Some(of) = self.enums.get(&name) {
            return Some(SignatureType::Enum(of.clone(), Some(ty.clone())));
        }
        if path.path.segments.iter().any(|segment| !segment.arguments.is_empty()) {
            errors.add(
                ty,
                format!("`{}` is generic, and the definition of its fields is not known here", show(ty)),
                "use a type without parameters",
            );
            return None;
        }
        match self.unread.get(&name) {
            Some(needs) if !needs.is_empty() => needs.iter().for_each(|path| errors.need(path)),
            Some(_) => errors.add(
                ty,
                format!("`{}` has fields that cannot be differentiated", show(ty)),
                "use `f64`, integers, `bool`, and tuples, arrays, slices, `Vec`s and structs of these",
            ),
            None => errors.need(&path.path),
        }
        None
    }
}

/// The components of a type that has some.
pub(crate) fn components(ty: &Ty) -> Option<Vec<Ty>> {
    match ty {
        Ty::Tuple(parts) => Some(parts.clone()),
        Ty::Struct(of) => Some(of.fields.iter().map(|(_, shape)| shape.plain()).collect()),
        _ => None,
    }
}

/// A type in words.
pub(crate) fn describe(ty: &Ty) -> String {
    match ty {
        Ty::Float => "a real number".into(),
        Ty::Int(_) => "an integer".into(),
        Ty::Bool => "a `bool`".into(),
        Ty::Tuple(parts) if parts.is_empty() => "`()`".into(),
        Ty::Tuple(_) => "a tuple".into(),
        Ty::Array(..) => "an array".into(),
        Ty::Struct(of) => format!("a `{}`", of.name),
        Ty::Enum(of) => format!("a `{}`", of.name),
        Ty::Option(_) => "an `Option`".into(),
        Ty::Never | Ty::Unknown | Ty::Error => "something else".into(),
    }
}

/// A path as names are looked up by it.
pub(crate) fn key(path: &syn::Path) -> String {
    let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    match &segments[..] {
        [first, rest @ ..] if first == "self" && !rest.is_empty() => rest.join("::"),
        segments => segments.join("::"),
    }
}

/// The type of real numbers of a precision.
pub(crate) fn real(precision: Precision) -> proc_macro2::TokenStream {
    match precision {
        Precision::Double => quote::quote!(f64),
        Precision::Single => quote::quote!(f32),
    }
}

/// Rust as it is written, without the spaces that tokens have between them.
pub(crate) fn show(tokens: &dyn ToTokens) -> String {
    let mut text = String::new();
    tokens.to_token_stream().to_string().chars().for_each(|letter| {
        let tight = |letter: char| "<>()[]&,;:.!".contains(letter);
        if letter != ' ' && text.ends_with(' ') && (tight(letter) && !"&([".contains(letter)) {
            text.pop();
        }
        if !(letter == ' ' && text.ends_with(['<', '(', '[', '&', ':', '.'])) {
            text.push(letter);
        }
    });
    text
}
