//! Calls of functions, and uses of types, of other modules and crates.
//!
//! ```text
//! #[differentiable] fn g ..      adds   macro g { (link) rest => link! { { definition of g } rest } }
//! #[differentiable] fn f .. g(x) adds   g! { (riesz::__link) definition of f so far }
//! ```
//!
//! A macro may have the name of a function, as a type may: `use m::g` brings all three, also under another name. Where a
//! function calls one that is not known, the expansion asks the macro of that name for the definition and goes on with it:
//! names are resolved by the compiler of Rust, and the functions are compiled together.
//!
//! The definition of a function is its signature, the types in it, and its text in Riesz with all functions that it calls.
//! Each name in it ends with a digest of its meaning, so that equal names from different places do not clash.

use crate::rule::{self, Rule};
use crate::signature::{Signature, fixed_length};
use crate::term::Term;
use crate::types::{Enum, Sequence, SignatureType, Struct, Types, key, real};
use crate::world::World;
use crate::{attribute::Attribute, error::Errors, error::Stop};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use syn::parse::{Parse, ParseStream};

/// The state that one expansion passes to the next.
pub(crate) struct State {
    /// The purpose of the expansion.
    pub purpose: Purpose,
    pub attribute: Attribute,
    /// The attribute as it is written.
    pub written: TokenStream,
    pub item: syn::Item,
    /// Where the item is, as text.
    pub site: String,
    /// The definitions that have been asked for, by their paths.
    pub known: Vec<(syn::Path, TokenStream)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// `#[differentiable]`
    Derivatives,
    /// `#[derive(Differentiable)]`
    Definition,
    /// `#[derivative(of = ..)]`
    Rule,
}

impl State {
    pub fn new(purpose: Purpose, attribute: TokenStream, item: TokenStream, site: &str) -> Result<State, syn::Error> {
        let (written, attribute) = (attribute.clone(), syn::parse2(attribute)?);
        Ok(State { purpose, attribute, written, item: syn::parse2(item)?, site: site.to_string(), known: Vec::new() })
    }

    /// Asks the macro of a path for its definition.
    pub fn ask(&self, path: &syn::Path) -> Result<TokenStream, syn::Error> {
        if self.known.iter().any(|(known, _)| key(known) == key(path)) {
            let message = format!("the definition of `{}` is not what it is used for here", key(path));
            return Err(syn::Error::new_spanned(path, message));
        }
        let State { written, item, site, .. } = self;
        let purpose = match self.purpose {
            Purpose::Derivatives => quote!(derivatives),
            Purpose::Definition => quote!(definition),
            Purpose::Rule => quote!(rule),
        };
        let (root, paths, known) = (
            self.attribute.root(),
            self.known.iter().map(|(path, _)| path),
            self.known.iter().map(|(_, definition)| definition),
        );
        Ok(quote! {
            #path! { (#root::__link) { #path } #purpose { #written } { #item } { #site } #({ #paths } { #known })* }
        })
    }

    /// The parts of other modules that functions can see.
    pub fn world(&self) -> Result<World, Stop> {
        let mut world = World::default();
        for (path, definition) in &self.known {
            syn::parse2::<Definition>(definition.clone())?.add(path, &mut world)?;
        }
        Ok(world)
    }
}

impl Parse for State {
    /// `{ definition } { path } purpose { attribute } { item } { site } ({ path } { definition })*`
    fn parse(input: ParseStream) -> syn::Result<State> {
        fn group(input: ParseStream) -> syn::Result<TokenStream> {
            let inner;
            syn::braced!(inner in input);
            inner.parse()
        }
        let definition = group(input)?;
        let path: syn::Path = syn::parse2(group(input)?)?;
        let purpose: syn::Ident = input.parse()?;
        let purpose = match purpose.to_string().as_str() {
            "definition" => Purpose::Definition,
            "rule" => Purpose::Rule,
            _ => Purpose::Derivatives,
        };
        let written = group(input)?;
        let item: syn::Item = syn::parse2(group(input)?)?;
        let site: syn::LitStr = syn::parse2(group(input)?)?;
        let mut known = vec![(path, definition)];
        while !input.is_empty() {
            known.push((syn::parse2(group(input)?)?, group(input)?));
        }
        let attribute = syn::parse2(written.clone())?;
        Ok(State { purpose, attribute, written, item, site: site.value(), known })
    }
}

/// In the place of a name: the text is the positions of the parameters that derivatives are taken by.
const BY: &str = "by";

/// The definition of a function, or of the last of the types.
struct Definition {
    types: Vec<syn::Item>,
    function: Option<(syn::Signature, Vec<(String, String)>)>,
}

impl Parse for Definition {
    /// `types; fn signature; "name" "text" ..` or `types;`
    fn parse(input: ParseStream) -> syn::Result<Definition> {
        let mut types = Vec::new();
        while !input.peek(syn::Token![;]) {
            types.push(input.parse()?);
        }
        input.parse::<syn::Token![;]>()?;
        if input.is_empty() {
            return Ok(Definition { types, function: None });
        }
        let signature = input.parse()?;
        input.parse::<syn::Token![;]>()?;
        let mut texts = Vec::new();
        while !input.is_empty() {
            texts.push((input.parse::<syn::LitStr>()?.value(), input.parse::<syn::LitStr>()?.value()));
        }
        Ok(Definition { types, function: Some((signature, texts)) })
    }
}

impl Definition {
    fn add(self, path: &syn::Path, world: &mut World) -> Result<(), Stop> {
        let mut errors = Errors::default();
        let mut types = Types::default();
        let written = path;
        let path = key(path);
        for item in &self.types {
            match item {
                syn::Item::Enum(item) => {
                    types.enums.insert(item.ident.to_string(), Enum::read(item, original(&item.ident)));
                }
                syn::Item::Struct(item) => {
                    let read = Struct::read(item, original(&item.ident), &types, &HashMap::new(), &mut errors);
                    if let Some(of) = read {
                        types.structs.insert(item.ident.to_string(), Rc::new(of.without_names()));
                    }
                }
                _ => {}
            }
        }
        match (self.function, self.types.last()) {
            (Some((signature, texts)), _) => {
                let read = Signature::read(&signature, None, &types, &HashMap::new(), &mut errors);
                let own = read.as_ref().map(Signature::riesz_name);
                world.functions.extend(read.map(|signature| (path.clone(), Rc::new(signature))));
                for (name, text) in texts {
                    if name == BY {
                        let by = text.split_whitespace().filter_map(|at| at.parse().ok());
                        world.by.insert(path.clone(), by.collect());
                        continue;
                    }
                    // A text of another function is called through the one that was asked for.
                    let call = rule::call_of(written, own.as_deref() == Some(&*name), &name);
                    match Rule::read(&text, call) {
                        Some(rule) => {
                            world.rules.insert(name, rule);
                        }
                        None => {
                            world.texts.insert(name, text);
                        }
                    }
                }
            }
            (None, Some(syn::Item::Struct(item))) => {
                let of = types.structs.get(&item.ident.to_string()).cloned();
                world.types.structs.extend(of.map(|of| (path, of)));
            }
            (None, Some(syn::Item::Enum(item))) => {
                let of = types.enums.get(&item.ident.to_string()).cloned();
                world.types.enums.extend(of.map(|of| (path, of)));
            }
            _ => {}
        }
        errors.into_result()
    }
}

/// A name without the digest behind it.
fn original(ident: &syn::Ident) -> String {
    let name = ident.to_string();
    name.rsplit_once('_').map_or(name.clone(), |(name, _)| name.to_string())
}

/// A digest of something, as part of a name.
pub(crate) fn digest(of: &str) -> String {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

impl Enum {
    /// Reads an enum without data.
    pub fn read(item: &syn::ItemEnum, name: String) -> Rc<Enum> {
        let variants: Vec<String> = item.variants.iter().map(|variant| variant.ident.to_string()).collect();
        let id = format!("{name}_{}", digest(&variants.join(" ")));
        Rc::new(Enum { name, id, variants })
    }
}

impl Struct {
    /// Reads a struct whose types are known.
    pub fn read(
        item: &syn::ItemStruct,
        name: String,
        types: &Types,
        constants: &HashMap<String, (syn::Type, syn::Expr)>,
        errors: &mut Errors,
    ) -> Option<Struct> {
        let mut fields = Vec::new();
        for (at, field) in item.fields.iter().enumerate() {
            let member = field.ident.clone().map_or_else(|| syn::Member::from(at), syn::Member::from);
            let shape = types.shape(&field.ty, crate::types::Enclosing::Nothing, errors)?;
            if !shape.has_plain_options() {
                let help = "hold an `Option` of a number or a `bool`";
                errors.add(&field.ty, "this `Option` is no field that can be differentiated", help);
                return None;
            }
            fields.push((member, shape));
        }
        let of = Struct { name, id: String::new(), fields };
        let written = of.definition(constants).unwrap_or_else(|| item.to_token_stream());
        let id = format!("{}_{}", of.name, digest(&written.to_string()));
        Some(Struct { id, ..of })
    }

    /// The same, where the types in it cannot be named.
    fn without_names(self) -> Struct {
        let fields = self.fields.into_iter().map(|(member, shape)| (member, shape.without_names())).collect();
        Struct { fields, ..self }
    }

    /// The struct with types that are the same everywhere.
    fn definition(&self, constants: &HashMap<String, (syn::Type, syn::Expr)>) -> Option<TokenStream> {
        let id = format_ident!("{}", if self.id.is_empty() { "Unnamed" } else { &self.id });
        let types: Option<Vec<_>> = self.fields.iter().map(|(_, shape)| portable(shape, &[], constants)).collect();
        let types = types?;
        Some(match self.fields.first() {
            Some((syn::Member::Named(_), _)) => {
                let names = self.fields.iter().map(|(member, _)| member);
                quote!(struct #id { #(#names: #types),* })
            }
            _ => quote!(struct #id ( #(#types),* );),
        })
    }
}

impl SignatureType {
    fn without_names(self) -> SignatureType {
        match self {
            SignatureType::Struct(of, _) => SignatureType::Struct(of, None),
            SignatureType::Enum(of, _) => SignatureType::Enum(of, None),
            SignatureType::Tuple(parts) => {
                SignatureType::Tuple(parts.into_iter().map(SignatureType::without_names).collect())
            }
            SignatureType::Array(sequence, element) => {
                SignatureType::Array(sequence, Box::new(element.without_names()))
            }
            SignatureType::Option(inner) => SignatureType::Option(Box::new(inner.without_names())),
            other => other,
        }
    }
}

/// A type as it can be written everywhere, if its lengths are known.
fn portable(
    shape: &SignatureType,
    sizes: &[crate::term::Name],
    constants: &HashMap<String, (syn::Type, syn::Expr)>,
) -> Option<TokenStream> {
    Some(match shape {
        SignatureType::Float(precision) => real(*precision),
        SignatureType::Bool => quote!(bool),
        SignatureType::Int(integer, _) => {
            // As wide as the type may be on any machine: `usize` and `u64` are one type here.
            let name = format_ident!("{}{}", if integer.signed { "i" } else { "u" }, integer.bits);
            quote!(#name)
        }
        SignatureType::Tuple(parts) => {
            let parts: Option<Vec<_>> = parts.iter().map(|part| portable(part, sizes, constants)).collect();
            let parts = parts?;
            quote!((#(#parts,)*))
        }
        SignatureType::Array(sequence, element) => {
            let element = portable(element, sizes, constants)?;
            match sequence {
                Sequence::Slice => quote!(&[#element]),
                Sequence::Vec => quote!(::std::vec::Vec<#element>),
                Sequence::Fixed(length) => match fixed_length(length, sizes, constants)? {
                    Term::Int(number) => {
                        let number = proc_macro2::Literal::i64_unsuffixed(number);
                        quote!([#element; #number])
                    }
                    _ => quote!([#element; #length]),
                },
            }
        }
        SignatureType::Option(inner) => {
            let inner = portable(inner, sizes, constants)?;
            quote!(::core::option::Option<#inner>)
        }
        SignatureType::Struct(of, _) => format_ident!("{}", of.id).to_token_stream(),
        SignatureType::Enum(of, _) => format_ident!("{}", of.id).to_token_stream(),
    })
}

/// The definitions of the types in a shape, those that others need first.
fn types_in(
    shape: &SignatureType,
    constants: &HashMap<String, (syn::Type, syn::Expr)>,
    found: &mut Vec<(String, TokenStream)>,
) -> Option<()> {
    match shape {
        SignatureType::Float(_) | SignatureType::Int(..) | SignatureType::Bool => {}
        SignatureType::Tuple(parts) => parts.iter().try_for_each(|part| types_in(part, constants, found))?,
        SignatureType::Array(_, element) | SignatureType::Option(element) => types_in(element, constants, found)?,
        SignatureType::Struct(of, _) => {
            of.fields.iter().try_for_each(|(_, part)| types_in(part, constants, found))?;
            if found.iter().all(|(id, _)| *id != of.id) {
                found.push((of.id.clone(), of.definition(constants)?));
            }
        }
        SignatureType::Enum(of, _) => {
            if found.iter().all(|(id, _)| *id != of.id) {
                let id = format_ident!("{}", of.id);
                let variants = of.variants.iter().map(|variant| format_ident!("{}", variant));
                found.push((of.id.clone(), quote!(enum #id { #(#variants),* })));
            }
        }
    }
    Some(())
}

/// The definition of a type.
pub(crate) fn type_definition(shape: &SignatureType, world: &World) -> Option<TokenStream> {
    let mut found = Vec::new();
    types_in(shape, &world.constants, &mut found)?;
    let types = found.iter().map(|(_, definition)| definition);
    Some(quote!(#(#types)* ;))
}

/// The definition of a function: `name` is what it is called in the texts, without `rust_`.
pub(crate) fn function_definition(
    signature: &Signature,
    name: &str,
    texts: &[(String, String)],
    world: &World,
) -> Option<TokenStream> {
    let mut found = Vec::new();
    let shapes = || signature.parameters.iter().map(|parameter| &parameter.shape).chain(&signature.result);
    shapes().try_for_each(|shape| types_in(shape, &world.constants, &mut found))?;
    let types = found.iter().map(|(_, definition)| definition);
    let name = format_ident!("{}", name);
    let generics = signature.generics.const_params();
    let mut parameters = Vec::new();
    for (at, parameter) in signature.parameters.iter().enumerate() {
        let (at, ty) = (format_ident!("p{}", at), portable(&parameter.shape, &signature.sizes, &world.constants)?);
        let ty = match (&parameter.shape, parameter.output) {
            (SignatureType::Array(Sequence::Slice, element), true) => {
                let element = portable(element, &signature.sizes, &world.constants)?;
                quote!(&mut [#element])
            }
            (_, true) => quote!(&mut #ty),
            _ => ty,
        };
        parameters.push(quote!(#at: #ty));
    }
    let result = match &signature.result {
        None => quote!(),
        Some(shape) => {
            let ty = portable(shape, &signature.sizes, &world.constants)?;
            quote!(-> #ty)
        }
    };
    let texts = texts.iter().map(|(name, text)| quote!(#name #text));
    let by = world.by.get(&signature.name).map(|by| {
        let by = by.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        quote!(#BY #by)
    });
    Some(quote!(#(#types)* ; fn #name<#(#generics),*>(#(#parameters),*) #result ; #by #(#texts)*))
}

/// The macros of the standard library that are there without a `use`: functions of these names have no macro.
pub(crate) const STANDARD: &str = " assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert debug_assert_eq \
    debug_assert_ne env eprint eprintln file format format_args include include_bytes include_str is_x86_feature_detected \
    line matches module_path option_env panic print println stringify thread_local todo try unimplemented unreachable vec \
    write writeln ";

/// The macro that gives a definition.
pub(crate) fn exported(
    ident: &syn::Ident,
    visibility: &syn::Visibility,
    definition: &TokenStream,
    site: &str,
) -> TokenStream {
    if STANDARD.contains(&format!(" {ident} ")) {
        return TokenStream::new();
    }
    let name = format_ident!("__riesz_{}_{}", ident, digest(&format!("{site} {definition}")));
    let export = matches!(visibility, syn::Visibility::Public(_)).then(|| quote!(#[macro_export]));
    quote! {
        #[doc(hidden)]
        #[allow(unused_macros, non_local_definitions)]
        #export
        macro_rules! #name {
            (($($link:tt)*) $($rest:tt)*) => { $($link)* ! { { #definition } $($rest)* } };
        }
        #[doc(hidden)]
        #[allow(unused_imports)]
        #visibility use #name as #ident;
    }
}
