//! The derivatives of functions that are compiled together, beside them.

use crate::attribute::Attribute;
use crate::compile::{self, Products};
use crate::error::{Errors, Stop};
use crate::expand::{self, DifferentiatedFunction};
use crate::link::{self, State, digest};
use crate::lower;
use crate::module::Expansion;
use crate::print::Text;
use crate::rule::{self, Rule};
use crate::signature::Signature;
use crate::term::{Block, Name};
use crate::types::{Integer, real, show};
use crate::world::World;
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};
use riesz_rust::Precision;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// A function with what is known of it.
pub(crate) struct ParsedFunction<'f> {
    pub signature: Rc<Signature>,
    pub ident: &'f syn::Ident,
    pub visibility: &'f syn::Visibility,
    pub body: Body<'f>,
    /// The type that it is a method of.
    pub of: Option<&'f syn::Type>,
    /// Whether its derivatives are wanted, and what its own attribute says.
    pub wanted: Option<Attribute>,
}

/// The known part of the body of a function.
#[derive(Clone, Copy)]
pub(crate) enum Body<'f> {
    Rust(&'f syn::Block),
    /// There is a rule for its derivative. This is its path.
    Rule(&'f syn::Path),
}

/// Functions that see each other.
pub(crate) struct Unit<'f> {
    pub world: &'f World,
    pub reads: &'f [ParsedFunction<'f>],
    pub state: &'f State,
    /// The constants that names in what has been read before are assumed to be.
    pub checks: Vec<(TokenStream, f64)>,
}

impl Unit<'_> {
    /// The items beside the functions: definitions for other modules, and derivatives of those that they are wanted of.
    pub fn expand(&self, mut errors: Errors) -> Result<Expansion, Stop> {
        let Unit { world, reads, state, .. } = *self;
        let mut text = Text::default();
        world.texts.values().for_each(|function| text.raw(function));
        let mut places = vec![reads.first().map_or_else(TokenStream::new, |read| read.ident.to_token_stream())];
        for (name, rule) in &world.rules {
            text.raw(&rule.placeholder(name));
        }
        let mut checks = self.checks.clone();
        let mut wanted = Vec::new();
        let mut bodies = Vec::new();
        for read in reads {
            if let Body::Rust(body) = read.body {
                let lowered = lower::lower(&read.signature, body, world, &mut places, &mut errors);
                checks.extend(lowered.checks);
                places.push(read.ident.to_token_stream());
                let place = places.len() - 1;
                text.at(place, |text| function(text, &read.signature, &lowered.body));
                bodies.push((read, lowered.body));
            }
            if let Some(attribute) = &read.wanted {
                wanted.extend(want(read, attribute, &mut errors));
            }
        }
        let mut precision = None;
        for read in reads {
            if let Some(own) = read.signature.precision
                && *precision.get_or_insert(own) != own
            {
                errors.add(
                    read.ident,
                    "the functions of this module have real numbers of both precisions",
                    "use `f64` or `f32` alone, or two modules",
                );
            }
        }
        errors.into_result()?;
        let precision = precision.unwrap_or_default();
        let mut errors = Errors::default();
        let mut entries = Vec::new();
        let definitions = self.definitions(&bodies, &text.text);
        for (read, one) in &wanted {
            places.push(read.ident.to_token_stream());
            let place = places.len() - 1;
            for derivative in one.derivatives() {
                text.at(place, |text| text.raw(&one.text(derivative)));
                entries.push(one.entry(derivative));
            }
        }
        let rows = rule::rows(&world.rules);
        let compiled = compile::compile(&text, &entries, &rows, precision, &places, &mut errors);
        let Some(compiled) = compiled else {
            errors.into_result()?;
            return Err(syn::Error::new_spanned(&places[0], "this cannot be differentiated").into());
        };
        let mut found = compiled.functions.iter();
        let name = reads.first().map_or_else(|| "empty".to_string(), |read| read.signature.name.replace("::", "_"));
        let hidden = format_ident!("__riesz_{}", name);
        let mut items = TokenStream::new();
        let mut traits = TokenStream::new();
        for (read, one) in &mut wanted {
            let results: Vec<_> = one
                .derivatives()
                .into_iter()
                .map(|derivative| (derivative, found.next().cloned().unwrap_or(Ok(Products::Exact))))
                .collect();
            // Of a function that nothing can be compiled of, that is an error at once.
            if let Some((_, Err(reason))) = results.first() {
                let help = match reason.contains("known only at run time") {
                    true => {
                        "write a `while` loop inside another one as a `for` loop with a largest number of iterations and a `break`"
                    }
                    false => "the book's page on Rust functions lists what can be written",
                };
                errors.add(read.ident, format!("this derivative cannot be compiled: {reason}"), help);
            }
            one.products = results.iter().filter_map(|(of, found)| Some((*of, *found.as_ref().ok()?))).collect();
            let (methods, missing) = one.methods(&results, &hidden);
            traits.extend(missing);
            let (ident, visibility) = (read.ident, read.visibility);
            let doc = format!("The derivatives of the function `{ident}`.");
            items.extend(match read.of {
                Some(of) => quote!(impl #of { #methods }),
                None => {
                    let callers = rule::callers(&world.rules, read, &hidden);
                    quote! {
                    #[doc = #doc]
                    #[allow(non_camel_case_types)]
                    #visibility enum #ident {}
                    impl #ident { #methods #callers }
                    }
                }
            });
        }
        errors.into_result()?;
        traits.extend(rule::aliases(&world.rules, precision));
        let sparse = wanted.iter().any(|(_, one)| one.has_sparse());
        let module = expand::module(&hidden, &compiled, traits, &state.attribute.root(), sparse)?;
        let real = real(precision);
        let checks = checks.iter().map(|(path, value)| {
            let message =
                format!("`{}` is not the constant of `std::{real}::consts`: pass it as an argument", show(path));
            let value = match precision {
                Precision::Double => quote!(#value),
                Precision::Single => (*value as f32).to_token_stream(),
            };
            quote!(
                const _: () = assert!(#path == #value, #message);
            )
        });
        let (names, bounds) = (standard_names(&state.item), crate::generic::assertions(&state.item));
        let tokens = quote!(#module #items #(#checks)* #names #bounds #definitions);
        let names = wanted.iter().map(|(read, _)| read.ident.to_string()).collect();
        Ok(Expansion { tokens, names, riesz: text.text, rust: compiled.source, needs: None })
    }

    /// The macros that give the definitions of the functions to others. The text of all is the digest of their names.
    fn definitions(&self, bodies: &[(&ParsedFunction, Block)], text: &str) -> TokenStream {
        let rules: Vec<String> = self.world.rules.values().map(Rule::text).collect();
        let digest = digest(&format!("{text}{}", rules.concat()));
        let mut texts: Vec<(String, String)> =
            self.world.texts.iter().map(|(name, text)| (name.clone(), text.clone())).collect();
        let renamed = |name: &Name| -> Name { format!("{name}_{digest}").into() };
        let names = self.reads.iter().map(|read| read.signature.riesz_name());
        let renamed: HashMap<Name, Name> = names.map(|name| (name.clone(), renamed(&name))).collect();
        for (name, rule) in &self.world.rules {
            let name = renamed.get(&**name).map_or_else(|| name.clone(), ToString::to_string);
            texts.push((name, rule.text()));
        }
        for (read, body) in bodies {
            let mut text = Text::default();
            text.renamed = renamed.clone();
            function(&mut text, &read.signature, body);
            texts.push((renamed[&read.signature.riesz_name()].to_string(), text.text));
        }
        let mut definitions = TokenStream::new();
        // A function with a rule is called through the derivatives of those that need it.
        let called = |read: &&ParsedFunction| self.world.rules.is_empty() || read.wanted.is_some();
        for read in self.reads.iter().filter(|read| read.of.is_none()).filter(called) {
            let name = format!("{}_{digest}", read.signature.name);
            if let Some(definition) = link::function_definition(&read.signature, &name, &texts, self.world) {
                definitions.extend(link::exported(read.ident, read.visibility, &definition, &self.state.site));
            }
        }
        definitions
    }
}

/// Assertions that the names of the language's types in an item mean what they always mean.
fn standard_names(item: &syn::Item) -> TokenStream {
    fn find(tokens: TokenStream, found: &mut BTreeSet<String>) {
        for token in tokens {
            match token {
                proc_macro2::TokenTree::Ident(ident) => {
                    let name = ident.to_string();
                    let known = matches!(&*name, "Vec" | "bool" | "Some" | "None" | "Option")
                        || real_named(&name)
                        || Integer::named(&name).is_some();
                    found.extend(known.then_some(name));
                }
                proc_macro2::TokenTree::Group(group) => find(group.stream(), found),
                _ => {}
            }
        }
    }
    let mut found = BTreeSet::new();
    find(item.to_token_stream(), &mut found);
    let checks = found.iter().map(|name| {
        let ident = format_ident!("{}", name);
        match name.as_str() {
            "Vec" => quote!(
                const _: Vec<()> = ::std::vec::Vec::new();
            ),
            "Some" => quote!(
                const _: ::core::option::Option<()> = Some(());
            ),
            "None" => quote!(
                const _: ::core::option::Option<()> = None;
            ),
            "Option" => quote!(
                const _: Option<()> = ::core::option::Option::None;
            ),
            "bool" => quote!(
                const _: bool = true;
            ),
            _ => {
                // A literal with a suffix has the type of the language.
                let zero: proc_macro2::Literal = format!("0{name}").parse().unwrap_or(Literal::u8_suffixed(0));
                quote!(const _: #ident = #zero;)
            }
        }
    });
    quote!(#(#checks)*)
}

fn real_named(name: &str) -> bool {
    matches!(name, "f64" | "f32")
}

/// A function as text.
fn function(text: &mut Text, signature: &Signature, body: &Block) {
    let name = signature.riesz_name();
    let name = text.renamed.get(&name).unwrap_or(&name).clone();
    text.raw(&signature.head(&name));
    text.raw("\n  ");
    text.block(body);
    text.raw("\n\n");
}

/// The parameters that derivatives of a function are taken by.
fn want<'r>(
    read: &'r ParsedFunction<'r>,
    attribute: &Attribute,
    errors: &mut Errors,
) -> Option<(&'r ParsedFunction<'r>, DifferentiatedFunction<'r>)> {
    let signature = &read.signature;
    let parameters = &signature.parameters;
    let named = |name: &syn::Ident| {
        parameters
            .iter()
            .position(|parameter| matches!(&parameter.pattern, syn::Pat::Ident(ident) if ident.ident == *name))
    };
    let mut by = Vec::new();
    match &attribute.by {
        // What a `&mut` holds before is a constant, unless it is named.
        None => {
            by.extend((0..parameters.len()).filter(|at| parameters[*at].shape.varies() && !parameters[*at].output));
        }
        Some(names) => {
            for name in names {
                match named(name) {
                    Some(at) if parameters[at].shape.varies() => by.push(at),
                    Some(at) => errors.add(
                        name,
                        format!("`{name}` has the type `{}`, which does not vary", show(&parameters[at].written)),
                        "derivatives are taken by `f64` and by arrays, tuples and structs of it",
                    ),
                    None => {
                        errors.add(name, format!("`{name}` is not a parameter"), "name a parameter of the function")
                    }
                }
            }
            by.sort_unstable();
            by.dedup();
        }
    }
    let mut fine = true;
    if by.is_empty() && attribute.by.is_none() {
        errors.add(
            read.ident,
            "no parameter of this function varies",
            "take an `f64`, or an array, tuple or struct of it",
        );
        fine = false;
    }
    let mut results = signature.result.iter().map(|shape| (shape, read.ident.to_token_stream())).collect::<Vec<_>>();
    let outputs = parameters.iter().filter(|parameter| parameter.output);
    results.extend(outputs.map(|parameter| (&parameter.shape, parameter.written.to_token_stream())));
    if results.is_empty() {
        errors.add(read.ident, "this function returns nothing", "return an `f64`, or an array, tuple or struct of it");
        fine = false;
    }
    for (shape, at) in results {
        if !shape.is_real() {
            let help = "return only real numbers";
            errors.add(&at, "some parts of the result of this function do not vary", help);
            fine = false;
        } else if !shape.is_nameable() {
            let help = "return the numbers, or the inner struct";
            errors.add(&at, "the result of this function has a struct of another module inside of its own", help);
            fine = false;
        }
    }
    (fine && !by.is_empty()).then(|| {
        let ident = read.ident;
        let path = match (read.body, read.of) {
            (Body::Rule(path), _) => path.to_token_stream(),
            (_, Some(of)) => quote!(<#of>::#ident),
            _ => quote!(#ident),
        };
        let visibility = read.visibility.clone();
        (
            read,
            DifferentiatedFunction {
                signature,
                by,
                path,
                method: read.of.map(|_| (ident.clone(), visibility)),
                sparse: attribute.sparse,
                products: Vec::new(),
            },
        )
    })
}
