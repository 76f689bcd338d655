//! The attribute on a function and on a module of functions that see each other.

use crate::compile;
use crate::error::Errors;
use crate::expand::{self, Wanted};
use crate::lower::{self, World};
use crate::print::Text;
use crate::signature::Signature;
use crate::types::{Enum, Shape, Struct, show};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use std::rc::Rc;
use syn::parse::{Parse, ParseStream};
use syn::visit::Visit;

/// What the attribute adds.
pub struct Expansion {
    /// The item as it was written, and the derivatives beside it.
    pub tokens: TokenStream,
    /// The functions that have been differentiated.
    pub names: Vec<String>,
    /// They and their derivatives as a program of the language.
    pub riesz: String,
    /// The generated functions.
    pub rust: String,
}

/// Expands `#[differentiable(attribute)] item`.
pub fn differentiable(attribute: TokenStream, item: TokenStream) -> Result<Expansion, syn::Error> {
    let attribute: Attribute = syn::parse2(attribute)?;
    match syn::parse2::<syn::Item>(item)? {
        syn::Item::Fn(function) => on_function(&attribute, function),
        syn::Item::Mod(module) => on_module(&attribute, module),
        other => Err(syn::Error::new_spanned(
            other,
            "`#[differentiable]` is for functions and for modules\n\n  = help: put it on a function, or on the module around the item",
        )),
    }
}

/// `wrt(a, b), crate = path`
#[derive(Default)]
struct Attribute {
    by: Option<Vec<syn::Ident>>,
    root: Option<syn::Path>,
}

impl Attribute {
    fn root(&self) -> TokenStream {
        self.root.as_ref().map_or_else(|| quote!(::riesz), |root| quote!(#root))
    }
}

impl Parse for Attribute {
    fn parse(input: ParseStream) -> syn::Result<Attribute> {
        let mut attribute = Attribute::default();
        while !input.is_empty() {
            if input.peek(syn::Token![crate]) {
                input.parse::<syn::Token![crate]>()?;
                input.parse::<syn::Token![=]>()?;
                attribute.root = Some(input.call(syn::Path::parse_mod_style)?);
            } else {
                let name: syn::Ident = input.parse()?;
                if name != "wrt" {
                    let message = format!(
                        "`{name}` is not an option of `#[differentiable]`\n\n  = help: write `wrt(x, y)` or `crate = path`"
                    );
                    return Err(syn::Error::new_spanned(name, message));
                }
                let inner;
                syn::parenthesized!(inner in input);
                let names = inner.parse_terminated(syn::Ident::parse, syn::Token![,])?;
                attribute.by = Some(names.into_iter().collect());
            }
            if !input.is_empty() {
                input.parse::<syn::Token![,]>()?;
            }
        }
        Ok(attribute)
    }
}

/// A function with what is known of it.
struct Read<'f> {
    signature: Rc<Signature>,
    ident: &'f syn::Ident,
    visibility: &'f syn::Visibility,
    body: &'f syn::Block,
    /// Whether its derivatives are wanted, and what its own attribute says.
    wanted: Option<Attribute>,
}

fn on_function(attribute: &Attribute, function: syn::ItemFn) -> Result<Expansion, syn::Error> {
    let mut errors = Errors::default();
    let mut world = World::default();
    refuse_cfg(&syn::Item::Fn(function.clone()), &mut errors);
    let signature = Signature::read(&function.sig, None, &world.types, &world.constants, &mut errors);
    let Some(signature) = signature else {
        errors.into_result()?;
        return Err(syn::Error::new_spanned(&function.sig, "this signature cannot be differentiated"));
    };
    let signature = Rc::new(signature);
    world.functions.insert(signature.name.clone(), signature.clone());
    let own = Attribute { by: attribute.by.clone(), root: attribute.root.clone() };
    let read = Read {
        signature,
        ident: &function.sig.ident,
        visibility: &function.vis,
        body: &function.block,
        wanted: Some(own),
    };
    let (items, mut expansion) = expand(&world, &[read], &attribute.root(), errors)?;
    expansion.tokens = quote!(#function #items);
    Ok(expansion)
}

fn on_module(attribute: &Attribute, mut module: syn::ItemMod) -> Result<Expansion, syn::Error> {
    if let Some(names) = &attribute.by
        && let Some(name) = names.first()
    {
        let message =
            "`wrt` is for functions\n\n  = help: write `#[differentiable(wrt(..))]` on the functions of the module";
        return Err(syn::Error::new_spanned(name, message));
    }
    let Some((_, items)) = &mut module.content else {
        let message =
            "the functions of this module are not visible here\n\n  = help: write the module as `mod name { .. }`";
        return Err(syn::Error::new_spanned(&module, message));
    };
    let mut errors = Errors::default();
    let mut marks = Vec::new();
    for item in items.iter_mut() {
        if let syn::Item::Fn(function) = item {
            let at = function.attrs.iter().position(|attribute| is_mark(attribute.path()));
            marks.push(match at {
                None => None,
                Some(at) => {
                    let mark = function.attrs.remove(at);
                    Some(match &mark.meta {
                        syn::Meta::List(list) => syn::parse2::<Attribute>(list.tokens.clone())?,
                        _ => Attribute::default(),
                    })
                }
            });
        }
    }
    let read = |item: &&syn::Item| !matches!(item, syn::Item::Mod(_) | syn::Item::Use(_) | syn::Item::Macro(_));
    items.iter().filter(read).for_each(|item| refuse_cfg(item, &mut errors));
    let world = world(items, &mut errors);
    let all = marks.iter().all(Option::is_none);
    let mut marks = marks.into_iter();
    let mut reads = Vec::new();
    for item in items.iter() {
        // Methods can be called by the functions of the module.
        for (function, of) in methods(item) {
            if let Some(signature) = world.functions.get(&format!("{}::{}", show(of), function.sig.ident)) {
                reads.push(Read {
                    signature: signature.clone(),
                    ident: &function.sig.ident,
                    visibility: &function.vis,
                    body: &function.block,
                    wanted: None,
                });
            }
        }
        let syn::Item::Fn(function) = item else { continue };
        let mark = marks.next().flatten();
        let Some(signature) = world.functions.get(&function.sig.ident.to_string()) else { continue };
        let varies = signature.parameters.iter().any(|parameter| parameter.shape.varies() && !parameter.output);
        let gives = signature.result.as_ref().is_some_and(Shape::is_real);
        let plain = signature.parameters.iter().all(|parameter| !parameter.output);
        let wanted = match mark {
            Some(mark) => Some(mark),
            None if all && varies && gives && plain => Some(Attribute::default()),
            None => None,
        };
        reads.push(Read {
            signature: signature.clone(),
            ident: &function.sig.ident,
            visibility: &function.vis,
            body: &function.block,
            wanted,
        });
    }
    let (added, mut expansion) = expand(&world, &reads, &attribute.root(), errors)?;
    items.push(syn::Item::Verbatim(added));
    expansion.tokens = module.to_token_stream();
    Ok(expansion)
}

/// What is compiled under a condition may not be there: the attribute cannot know.
fn refuse_cfg(item: &syn::Item, errors: &mut Errors) {
    struct Find<'e>(&'e mut Errors);
    impl<'a> Visit<'a> for Find<'_> {
        fn visit_attribute(&mut self, attribute: &'a syn::Attribute) {
            if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
                let help = "move the condition out of what is differentiated, for example to two modules";
                self.0.add(attribute, "`#[differentiable]` cannot know whether this condition holds", help);
            }
        }
    }
    Find(errors).visit_item(item);
}

/// The methods of a type, and the type.
fn methods(item: &syn::Item) -> Vec<(&syn::ImplItemFn, &syn::Type)> {
    let syn::Item::Impl(item) = item else { return Vec::new() };
    if item.trait_.is_some() || !item.generics.params.is_empty() {
        return Vec::new();
    }
    let functions = item.items.iter().filter_map(|inner| match inner {
        syn::ImplItem::Fn(function) => Some((function, &*item.self_ty)),
        _ => None,
    });
    functions.collect()
}

fn is_mark(path: &syn::Path) -> bool {
    path.segments.last().is_some_and(|segment| segment.ident == "differentiable")
}

/// The types, constants and signatures of a module.
fn world(items: &[syn::Item], errors: &mut Errors) -> World {
    let mut world = World::default();
    for item in items {
        match item {
            syn::Item::Const(item) => {
                world.constants.insert(item.ident.to_string(), ((*item.ty).clone(), (*item.expr).clone()));
            }
            syn::Item::Enum(item)
                if item.variants.iter().all(|variant| variant.fields.is_empty() && variant.discriminant.is_none()) =>
            {
                let variants = item.variants.iter().map(|variant| variant.ident.to_string()).collect();
                let of = Enum { name: item.ident.to_string(), variants };
                world.types.enums.insert(item.ident.to_string(), Rc::new(of));
            }
            syn::Item::Type(item) if item.generics.params.is_empty() => {
                world.types.aliases.insert(item.ident.to_string(), (*item.ty).clone());
            }
            _ => {}
        }
    }
    // Structs may contain structs that are written behind them. Those that cannot be read are an error where they are used.
    let structs: Vec<&syn::ItemStruct> =
        items.iter().filter_map(|item| if let syn::Item::Struct(item) = item { Some(item) } else { None }).collect();
    for _ in 0..structs.len() {
        for item in &structs {
            if world.types.structs.contains_key(&item.ident.to_string()) || !item.generics.params.is_empty() {
                continue;
            }
            let mut quiet = Errors::default();
            let fields: Option<Vec<_>> = item
                .fields
                .iter()
                .enumerate()
                .map(|(at, field)| {
                    let member = field.ident.clone().map_or_else(|| syn::Member::from(at), syn::Member::from);
                    Some((member, world.types.shape(&field.ty, crate::types::Around::Nothing, &mut quiet)?))
                })
                .collect();
            if let Some(fields) = fields {
                let of = Struct { name: item.ident.to_string(), fields };
                world.types.structs.insert(item.ident.to_string(), Rc::new(of));
            }
        }
    }
    for item in items {
        if let syn::Item::Fn(function) = item {
            let read = Signature::read(&function.sig, None, &world.types, &world.constants, errors);
            if let Some(signature) = read {
                world.functions.insert(signature.name.clone(), Rc::new(signature));
            }
        }
    }
    for (function, of) in items.iter().flat_map(methods) {
        let mut types = world.types.clone();
        types.aliases.insert("Self".into(), of.clone());
        // A method that is outside of the subset is an error where it is called.
        let read = Signature::read(&function.sig, Some(of), &types, &world.constants, &mut Errors::default());
        if let Some(signature) = read {
            world.functions.insert(signature.name.clone(), Rc::new(signature));
        }
    }
    world
}

/// The items beside functions, for those whose derivatives are wanted.
fn expand(
    world: &World,
    reads: &[Read],
    root: &TokenStream,
    mut errors: Errors,
) -> Result<(TokenStream, Expansion), syn::Error> {
    let mut text = Text::default();
    let mut places = vec![reads.first().map_or_else(TokenStream::new, |read| read.ident.to_token_stream())];
    let mut checks = Vec::new();
    let mut wanted = Vec::new();
    for read in reads {
        let lowered = lower::lower(&read.signature, read.body, world, &mut places, &mut errors);
        checks.extend(lowered.checks);
        places.push(read.ident.to_token_stream());
        let place = places.len() - 1;
        text.at(place, |text| {
            text.raw(&read.signature.head());
            text.raw("\n  ");
            text.block(&lowered.body);
        });
        text.raw("\n\n");
        if let Some(attribute) = &read.wanted {
            wanted.extend(want(read, attribute, &mut errors));
        }
    }
    errors.into_result()?;
    let mut errors = Errors::default();
    let mut entries = Vec::new();
    for (read, one) in &wanted {
        places.push(read.ident.to_token_stream());
        let place = places.len() - 1;
        for derivative in one.derivatives() {
            text.at(place, |text| text.raw(&one.text(derivative)));
            entries.push(one.entry(derivative));
        }
    }
    let compiled = compile::compile(&text, &entries, &places, &mut errors);
    let Some(compiled) = compiled else {
        errors.into_result()?;
        return Err(syn::Error::new_spanned(&places[0], "this cannot be differentiated"));
    };
    let mut found = compiled.functions.iter();
    let name = reads.first().map_or_else(|| "empty".to_string(), |read| read.ident.to_string());
    let hidden = format_ident!("__riesz_{}", name);
    let mut items = TokenStream::new();
    let mut traits = TokenStream::new();
    for (read, one) in &wanted {
        let results: Vec<_> = one
            .derivatives()
            .into_iter()
            .map(|derivative| (derivative, found.next().cloned().unwrap_or(Ok(()))))
            .collect();
        // Of a function that nothing can be compiled of, that is an error at once.
        if let Some((_, Err(reason))) = results.first() {
            errors.add(
                read.ident,
                format!("this cannot be differentiated as code: {reason}"),
                "the book's page on Rust functions lists what can be written",
            );
        }
        let (methods, missing) = one.methods(&results, &hidden);
        traits.extend(missing);
        let (ident, visibility) = (read.ident, read.visibility);
        let doc = format!("The derivatives of the function `{ident}`.");
        items.extend(quote! {
            #[doc = #doc]
            #[allow(non_camel_case_types)]
            #visibility enum #ident {}
            impl #ident { #methods }
        });
    }
    errors.into_result()?;
    let module = expand::module(&hidden, &compiled, traits, root)?;
    let checks = checks.iter().map(|(path, value)| {
        let message = format!("`{}` is not the constant of `std::f64::consts`: pass it as an argument", show(path));
        quote!(
            const _: () = assert!(#path == #value, #message);
        )
    });
    let tokens = quote!(#module #items #(#checks)*);
    let names = wanted.iter().map(|(read, _)| read.ident.to_string()).collect();
    let expansion = Expansion { tokens: TokenStream::new(), names, riesz: text.text, rust: compiled.source };
    Ok((tokens, expansion))
}

/// The parameters that derivatives of a function are taken by.
fn want<'r>(read: &'r Read<'r>, attribute: &Attribute, errors: &mut Errors) -> Option<(&'r Read<'r>, Wanted<'r>)> {
    let signature = &read.signature;
    let parameters = &signature.parameters;
    let named = |name: &syn::Ident| {
        parameters
            .iter()
            .position(|parameter| matches!(&parameter.pattern, syn::Pat::Ident(ident) if ident.ident == *name))
    };
    let mut by = Vec::new();
    match &attribute.by {
        None => by.extend((0..parameters.len()).filter(|at| parameters[*at].shape.varies())),
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
    if let Some(output) = parameters.iter().find(|parameter| parameter.output) {
        errors.add(
            &output.written,
            "derivatives of a function that writes to a `&mut` are not there yet",
            "return the value; functions of one module may call each other with `&mut`",
        );
        fine = false;
    }
    match &signature.result {
        Some(shape) if shape.is_real() => {}
        Some(_) => {
            errors.add(
                read.ident,
                "the result of this function has parts that do not vary",
                "return real numbers alone",
            );
            fine = false;
        }
        None => {
            errors.add(
                read.ident,
                "this function returns nothing",
                "return an `f64`, or an array, tuple or struct of it",
            );
            fine = false;
        }
    }
    (fine && !by.is_empty()).then(|| {
        let ident = read.ident;
        (read, Wanted { signature, by, path: quote!(#ident) })
    })
}
