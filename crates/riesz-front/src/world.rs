//! The scope of a function: the types, constants and signatures of its module.

use crate::error::Errors;
use crate::rule::Rule;
use crate::signature::Signature;
use crate::types::{Enum, Struct, Types, show};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use syn::visit::Visit;

/// The functions and types that a function sees.
#[derive(Default)]
pub(crate) struct World {
    pub types: Types,
    pub functions: HashMap<String, Rc<Signature>>,
    /// The parameters that derivatives of functions are taken by, where these are not all that vary.
    pub by: HashMap<String, Vec<usize>>,
    /// The functions of the module that take functions, whose bodies stand in the place of each call.
    pub higher: HashMap<String, Rc<syn::ItemFn>>,
    pub constants: HashMap<String, (syn::Type, syn::Expr)>,
    /// The methods that need types of other modules.
    pub unread: HashMap<String, Vec<syn::Path>>,
    /// The methods that a trait gives the types of the module, as `Type::method`.
    pub of_traits: HashSet<String>,
    /// The functions of Riesz that functions of other modules are, by their names.
    pub texts: BTreeMap<String, String>,
    /// The functions among them that have rules.
    pub rules: BTreeMap<String, Rule>,
}

/// The types, constants and signatures of a module.
pub(crate) fn world(items: &[syn::Item], mut world: World, errors: &mut Errors) -> World {
    for item in items {
        match item {
            syn::Item::Const(item) => {
                world.constants.insert(item.ident.to_string(), ((*item.ty).clone(), (*item.expr).clone()));
            }
            syn::Item::Enum(item)
                if item.variants.iter().all(|variant| variant.fields.is_empty() && variant.discriminant.is_none()) =>
            {
                world.types.enums.insert(item.ident.to_string(), Enum::read(item, item.ident.to_string()));
            }
            syn::Item::Type(item) if item.generics.params.is_empty() => {
                world.types.aliases.insert(item.ident.to_string(), (*item.ty).clone());
            }
            syn::Item::Impl(item) if item.trait_.is_none() && item.generics.params.is_empty() => {
                for inner in &item.items {
                    if let syn::ImplItem::Const(constant) = inner {
                        let name = format!("{}::{}", show(&item.self_ty), constant.ident);
                        world.constants.insert(name, (constant.ty.clone(), constant.expr.clone()));
                    }
                }
            }
            _ => {}
        }
    }
    for item in items {
        if let syn::Item::Impl(item) = item
            && item.trait_.is_some()
        {
            let methods = item.items.iter().filter_map(|inner| match inner {
                syn::ImplItem::Fn(function) => Some(format!("{}::{}", show(&item.self_ty), function.sig.ident)),
                _ => None,
            });
            world.of_traits.extend(methods);
        }
    }
    // Structs may contain structs that are written behind them. Those that cannot be read are an error where they are used.
    let structs: Vec<&syn::ItemStruct> =
        items.iter().filter_map(|item| if let syn::Item::Struct(item) = item { Some(item) } else { None }).collect();
    for _ in 0..structs.len() {
        for item in &structs {
            let name = item.ident.to_string();
            if world.types.structs.contains_key(&name) || !item.generics.params.is_empty() {
                continue;
            }
            let mut quiet = Errors::default();
            match Struct::read(item, name.clone(), &world.types, &world.constants, &mut quiet) {
                Some(of) => {
                    world.types.unread.remove(&name);
                    world.types.structs.insert(name, Rc::new(of));
                }
                None => {
                    world.types.unread.insert(name, quiet.needs().to_vec());
                }
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
        let mut quiet = Errors::default();
        match Signature::read(&function.sig, Some(of), &types, &world.constants, &mut quiet) {
            Some(signature) => {
                world.functions.insert(signature.name.clone(), Rc::new(signature));
            }
            None if !quiet.needs().is_empty() => {
                let name = format!("{}::{}", show(of), function.sig.ident);
                world.unread.insert(name, quiet.needs().to_vec());
            }
            None => {}
        }
    }
    world
}

/// The methods of a type, and the type.
pub(crate) fn methods(item: &syn::Item) -> Vec<(&syn::ImplItemFn, &syn::Type)> {
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

/// Refuses conditional compilation: the attribute cannot know whether the item exists.
pub(crate) fn refuse_cfg(item: &syn::Item, errors: &mut Errors) {
    struct Find<'e>(&'e mut Errors);
    impl<'a> Visit<'a> for Find<'_> {
        fn visit_attribute(&mut self, attribute: &'a syn::Attribute) {
            if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
                let help = "move the condition to an item outside, for example to two modules";
                self.0.add(attribute, "`#[differentiable]` cannot know whether this condition holds", help);
            }
        }
    }
    Find(errors).visit_item(item);
}
