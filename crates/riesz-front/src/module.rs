//! The attribute on a function, on the methods of a type, and on a module of functions that see each other.

use crate::attribute::{self, Attribute};
use crate::error::{Errors, Stop};
use crate::generic::{self, monomorphic};
use crate::link::{self, Purpose, State};
use crate::operator::{self, without_self};
use crate::rule;
use crate::signature::Signature;
use crate::types::{Enum, SignatureType, Struct, show};
use crate::unit::{Body, ParsedFunction, Unit};
use crate::world::{methods, refuse_cfg, world};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use std::rc::Rc;

/// The output of the attribute.
pub struct Expansion {
    /// The item as it was written, and the derivatives beside it.
    pub tokens: TokenStream,
    /// The functions that have been differentiated.
    pub names: Vec<String>,
    /// They and their derivatives as a program of the language.
    pub riesz: String,
    /// The generated functions.
    pub rust: String,
    /// The function or type of another module whose definition the tokens ask for, before anything else is added.
    pub needs: Option<syn::Path>,
}

/// Expands `#[differentiable(attribute)] item`. The site says where the item is, as text.
pub fn differentiable(attribute: TokenStream, item: TokenStream, site: &str) -> Result<Expansion, syn::Error> {
    let state = State::new(Purpose::Derivatives, attribute, item, site)?;
    let mut written = state.item.clone();
    without_marks(&mut written)?;
    let mut expansion = beside(&state)?;
    expansion.tokens = match written {
        syn::Item::Mod(mut module) => {
            if let Some((_, items)) = &mut module.content {
                items.push(syn::Item::Verbatim(expansion.tokens));
            }
            module.to_token_stream()
        }
        item => {
            let added = expansion.tokens;
            quote!(#item #added)
        }
    };
    Ok(expansion)
}

/// Expands `#[derivative(of = function)] rule`. The site says where the item is, as text.
pub fn derivative(attribute: TokenStream, item: TokenStream, site: &str) -> Result<Expansion, syn::Error> {
    let state = State::new(Purpose::Rule, attribute, item, site)?;
    let mut expansion = beside(&state)?;
    let (item, added) = (&state.item, expansion.tokens);
    // The rule states the derivative, so it need not be called.
    expansion.tokens = quote!(#[allow(dead_code)] #item #added);
    Ok(expansion)
}

/// Expands `#[derive(Differentiable)]`, which makes the definition of a type known to functions of other modules.
pub fn derive(item: TokenStream, site: &str) -> Result<TokenStream, syn::Error> {
    let item: syn::Item = syn::parse2(item)?;
    let attributes = match &item {
        syn::Item::Struct(item) => &item.attrs[..],
        syn::Item::Enum(item) => &item.attrs[..],
        _ => &[],
    };
    let written = attributes.iter().find(|attribute| attribute.path().is_ident("riesz"));
    let written = match written.map(|attribute| &attribute.meta) {
        Some(syn::Meta::List(list)) => list.tokens.clone(),
        _ => TokenStream::new(),
    };
    let attribute = syn::parse2(written.clone())?;
    let site = site.to_string();
    Ok(beside(&State { purpose: Purpose::Definition, attribute, written, item, site, known: Vec::new() })?.tokens)
}

/// Goes on with an expansion that has asked for a definition.
pub fn link(tokens: TokenStream) -> Result<Expansion, syn::Error> {
    beside(&syn::parse2(tokens)?)
}

/// An item without the attributes of the functions in it: what remains of it where there are errors.
pub fn without_derivatives(item: TokenStream) -> TokenStream {
    let read = syn::parse2::<syn::Item>(item.clone()).and_then(|mut item| without_marks(&mut item).map(|()| item));
    read.map_or(item, |item| item.to_token_stream())
}

/// The items that are added beside an item, or inside a module.
fn beside(state: &State) -> Result<Expansion, syn::Error> {
    if let (true, Some(of)) = (state.purpose != Purpose::Rule, &state.attribute.of) {
        let message = "`of` is an option of `#[derivative]`\n\n  = help: write `#[derivative(of = name)]`";
        return Err(syn::Error::new_spanned(of, message));
    }
    let done = match (state.purpose, &state.item) {
        (Purpose::Rule, syn::Item::Fn(function)) => rule::on_rule(state, function),
        (Purpose::Rule, other) => {
            let message = "`#[derivative]` is for functions\n\n  = help: write `#[derivative(of = f)] fn rule(x: f64, dx: f64) -> f64`";
            Err(Stop::Wrong(syn::Error::new_spanned(other, message)))
        }
        (Purpose::Definition, item) => on_type(state, item),
        (_, syn::Item::Fn(function)) => on_function(state, function),
        (_, syn::Item::Mod(module)) => on_module(state, module),
        (_, syn::Item::Impl(methods)) => on_methods(state, methods),
        (_, other) => {
            let message = "`#[differentiable]` is for functions, methods and modules\n\n  = help: put it on a function, on an `impl`, or on the module around the item";
            Err(Stop::Wrong(syn::Error::new_spanned(other, message)))
        }
    };
    match done {
        Ok(expansion) => Ok(expansion),
        Err(Stop::Wrong(error)) => Err(error),
        Err(Stop::Needs(path)) => {
            let tokens = state.ask(&path)?;
            Ok(Expansion { tokens, names: Vec::new(), riesz: String::new(), rust: String::new(), needs: Some(path) })
        }
    }
}

/// Takes the attributes of functions and methods out of an item.
fn without_marks(item: &mut syn::Item) -> Result<(), syn::Error> {
    match item {
        syn::Item::Impl(item) => {
            for inner in &mut item.items {
                if let syn::ImplItem::Fn(function) = inner {
                    attribute::take(&mut function.attrs)?;
                }
            }
        }
        syn::Item::Mod(module) => {
            for inner in module.content.iter_mut().flat_map(|(_, items)| items) {
                match inner {
                    syn::Item::Fn(function) => {
                        attribute::take(&mut function.attrs)?;
                    }
                    syn::Item::Impl(_) => without_marks(inner)?,
                    _ => {}
                }
            }
        }
        _ => {}
    }
    Ok(())
}

fn on_type(state: &State, item: &syn::Item) -> Result<Expansion, Stop> {
    let mut errors = Errors::default();
    let world = state.world()?;
    refuse_cfg(item, &mut errors);
    let (ident, visibility, shape) = match item {
        syn::Item::Struct(item) if item.generics.params.is_empty() => {
            let read = Struct::read(item, item.ident.to_string(), &world.types, &world.constants, &mut errors);
            (&item.ident, &item.vis, read.map(|of| SignatureType::Struct(Rc::new(of), None)))
        }
        syn::Item::Enum(item)
            if item.variants.iter().all(|variant| variant.fields.is_empty() && variant.discriminant.is_none()) =>
        {
            (&item.ident, &item.vis, Some(SignatureType::Enum(Enum::read(item, item.ident.to_string()), None)))
        }
        other => {
            let message = "`Differentiable` is for structs without type parameters and for enums without data\n\n  = help: write a struct of `f64`, integers, `bool`, and tuples, arrays, `Vec`s and structs of these";
            return Err(Stop::Wrong(syn::Error::new_spanned(other, message)));
        }
    };
    errors.into_result()?;
    let Some(definition) = shape.and_then(|shape| link::type_definition(&shape, &world)) else {
        let message = "a length in this type is not visible to `Differentiable`\n\n  = help: write it as a number";
        return Err(Stop::Wrong(syn::Error::new_spanned(ident, message)));
    };
    let tokens = link::exported(ident, visibility, &definition, &state.site);
    Ok(Expansion { tokens, names: Vec::new(), riesz: String::new(), rust: String::new(), needs: None })
}

fn on_function(state: &State, function: &syn::ItemFn) -> Result<Expansion, Stop> {
    let concrete = monomorphic(function, |function| &mut function.sig)?;
    let function = concrete.as_ref().unwrap_or(function);
    let mut errors = Errors::default();
    let mut world = state.world()?;
    refuse_cfg(&syn::Item::Fn(function.clone()), &mut errors);
    let signature = Signature::read(&function.sig, None, &world.types, &world.constants, &mut errors);
    let Some(signature) = signature else {
        errors.into_result()?;
        return Err(syn::Error::new_spanned(&function.sig, "this signature cannot be differentiated").into());
    };
    let signature = Rc::new(signature);
    world.functions.insert(signature.name.clone(), signature.clone());
    world.by.insert(signature.name.clone(), signature.active(state.attribute.by.as_deref()));
    let reads = [ParsedFunction {
        signature,
        ident: &function.sig.ident,
        visibility: &function.vis,
        body: Body::Rust(&function.block),
        of: None,
        wanted: Some(state.attribute.clone()),
    }];
    Unit { world: &world, reads: &reads, state, checks: Vec::new() }.expand(errors)
}

fn on_methods(state: &State, written: &syn::ItemImpl) -> Result<Expansion, Stop> {
    refuse_wrt(&state.attribute, "methods")?;
    if written.trait_.is_some() || !written.generics.params.is_empty() {
        let message =
            "only the methods of a type without parameters can be differentiated\n\n  = help: write `impl Type { .. }`";
        return Err(syn::Error::new_spanned(&written.self_ty, message).into());
    }
    let mut errors = Errors::default();
    let mut item = syn::Item::Impl(written.clone());
    refuse_cfg(&item, &mut errors);
    let marks = marks_of(&mut item)?;
    let items = [item];
    let known = state.world()?;
    // The type itself, and then its methods.
    known.types.shape(&written.self_ty, crate::types::Enclosing::Nothing, &mut errors);
    errors.into_result()?;
    let mut errors = Errors::default();
    let world = world(&items, known, &mut errors);
    let reads = read_all(&items, &world, marks, &mut errors);
    Unit { world: &world, reads: &reads, state, checks: Vec::new() }.expand(errors)
}

fn on_module(state: &State, module: &syn::ItemMod) -> Result<Expansion, Stop> {
    refuse_wrt(&state.attribute, "functions")?;
    let Some((_, items)) = &module.content else {
        let message =
            "the functions of this module are not visible here\n\n  = help: write the module as `mod name { .. }`";
        return Err(syn::Error::new_spanned(module, message).into());
    };
    let (higher, mut items): (Vec<_>, Vec<_>) = items.iter().cloned().partition(generic::takes_functions);
    let mut marks = Vec::new();
    for item in &mut items {
        marks.extend(marks_of(item)?);
    }
    let mut errors = Errors::default();
    let read = |item: &&syn::Item| !matches!(item, syn::Item::Mod(_) | syn::Item::Use(_) | syn::Item::Macro(_));
    items.iter().filter(read).for_each(|item| refuse_cfg(item, &mut errors));
    for item in &items {
        if let syn::Item::Macro(syn::ItemMacro { ident: Some(name), .. }) = item
            && link::STANDARD.contains(&format!(" {name} "))
        {
            let help = "give the macro another name";
            errors.add(name, format!("`{name}!` means something else in this module"), help);
        }
    }
    let mut world = world(&items, state.world()?, &mut errors);
    for item in higher {
        if let syn::Item::Fn(function) = item {
            world.higher.insert(function.sig.ident.to_string(), Rc::new(function));
        }
    }
    let reads = read_all(&items, &world, marks, &mut errors);
    for read in &reads {
        let named = read.wanted.as_ref().and_then(|attribute| attribute.by.as_deref());
        world.by.insert(read.signature.name.clone(), read.signature.active(named));
    }
    Unit { world: &world, reads: &reads, state, checks: Vec::new() }.expand(errors)
}

fn refuse_wrt(attribute: &Attribute, of: &str) -> Result<(), Stop> {
    match attribute.by.as_deref() {
        Some([name, ..]) => {
            let message =
                format!("`wrt` is for functions\n\n  = help: write `#[differentiable(wrt(..))]` on the {of} inside");
            Err(syn::Error::new_spanned(name, message).into())
        }
        _ => Ok(()),
    }
}

/// Takes the attributes out of an item: one for each function and method, which become functions of `f64`.
fn marks_of(item: &mut syn::Item) -> Result<Vec<Option<Attribute>>, Stop> {
    let mut marks = Vec::new();
    if let syn::Item::Impl(item) = item {
        operator::as_methods(item)?;
    }
    match item {
        syn::Item::Fn(function) => {
            marks.push(attribute::take(&mut function.attrs)?);
            if let Some(concrete) = monomorphic(function, |function| &mut function.sig)? {
                *function = concrete;
            }
        }
        syn::Item::Impl(item) if item.trait_.is_none() && item.generics.params.is_empty() => {
            let of = item.self_ty.to_token_stream();
            for inner in &mut item.items {
                match inner {
                    syn::ImplItem::Fn(function) => {
                        function.block = syn::parse2(without_self(function.block.to_token_stream(), &of))?;
                    }
                    syn::ImplItem::Const(constant) => {
                        *constant = syn::parse2(without_self(constant.to_token_stream(), &of))?;
                    }
                    _ => {}
                }
                if let syn::ImplItem::Fn(function) = inner {
                    marks.push(attribute::take(&mut function.attrs)?);
                    if let Some(concrete) = monomorphic(function, |function| &mut function.sig)? {
                        *function = concrete;
                    }
                }
            }
        }
        _ => {}
    }
    Ok(marks)
}

/// The functions and methods of some items. Derivatives are wanted of those with an attribute, or of all that can have some
/// if none has.
fn read_all<'i>(
    items: &'i [syn::Item],
    world: &crate::world::World,
    marks: Vec<Option<Attribute>>,
    errors: &mut Errors,
) -> Vec<ParsedFunction<'i>> {
    let all = marks.iter().all(Option::is_none);
    let alone = items.len() == 1;
    let mut marks = marks.into_iter();
    let mut reads = Vec::new();
    let mut add = |name: String, ident: &'i syn::Ident, visibility, body, of: Option<&'i syn::Type>| {
        let mark = marks.next().flatten();
        let Some(signature) = world.functions.get(&name) else {
            // Of a method that cannot be read, that is an error only if its derivatives are wanted.
            match world.unread.get(&name) {
                Some(needs) if mark.is_some() || (all && alone) => needs.iter().for_each(|path| errors.need(path)),
                _ if mark.is_some() && of.is_some() => errors.add(
                    ident,
                    "the types of this method cannot be differentiated",
                    "use `f64`, integers, `bool`, and tuples, arrays, slices, `Vec`s and structs of these",
                ),
                _ => {}
            }
            return;
        };
        let varies = signature.parameters.iter().any(|parameter| parameter.shape.varies() && !parameter.output);
        let written =
            signature.parameters.iter().filter(|parameter| parameter.output).map(|parameter| &parameter.shape);
        let mut results = signature.result.iter().chain(written).peekable();
        let gives = results.peek().is_some() && results.all(|shape| shape.is_real() && shape.is_nameable());
        let wanted = match mark {
            Some(mark) => Some(mark),
            None if all && (of.is_none() || alone) && varies && gives => Some(Attribute::default()),
            None => None,
        };
        reads.push(ParsedFunction {
            signature: signature.clone(),
            ident,
            visibility,
            body: Body::Rust(body),
            of,
            wanted,
        });
    };
    for item in items {
        for (function, of) in methods(item) {
            let name = format!("{}::{}", show(of), function.sig.ident);
            add(name, &function.sig.ident, &function.vis, &function.block, Some(of));
        }
        if let syn::Item::Fn(function) = item {
            add(function.sig.ident.to_string(), &function.sig.ident, &function.vis, &function.block, None);
        }
    }
    reads
}
