//! `#[derivative(of = f)]`: the derivative of a function that Riesz cannot see, stated once as a linear map.
//!
//! ```text
//! #[derivative(of = f)] fn rule(x: f64, dx: f64, y: f64, dy: f64) -> f64 { a(x, y) * dx + b(x, y) * dy }
//! ```
//!
//! says `D f (x, y) = scale a ∘ project₀ + scale b ∘ project₁`. The function becomes a row like those of the built-in
//! functions, and the numbers `a` and `b` become coefficients, which are made of rows: so forward mode, reverse mode and
//! the derivatives of every order follow from the rule, as they do from the table.
//!
//! - `form`: the body of a rule as coefficients, which checks that it is linear
//! - `value`: coefficients, as rows of the compiler and as text for other modules
//! - here: the generated items, and how generated code calls the function

mod form;
mod value;

use crate::error::{Errors, Stop};
use crate::link::State;
use crate::lower;
use crate::module::Expansion;
use crate::signature::Signature;
use crate::types::{SignatureType, real, show};
use crate::unit::{Body, ParsedFunction, Unit};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use riesz_rust::Precision;
use std::collections::BTreeMap;
use std::rc::Rc;
pub(crate) use value::Row;
use value::Value;

/// The properties of a function that has a rule.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// For each argument, whether it is a real number: the others are integers.
    pub reals: Vec<bool>,
    /// For each argument, what its tangent is multiplied with.
    coefficients: Vec<Value>,
    /// A function of an array of numbers, as the hidden module sees it.
    pub call: TokenStream,
}

/// The beginning of the text of a rule, among the texts of functions.
const MARK: &str = "rule ";

impl Rule {
    /// The text that stands for the rule in a definition.
    pub fn text(&self) -> String {
        let reals: String = self.reals.iter().map(|real| if *real { 'r' } else { 'i' }).collect();
        let coefficients: Vec<String> = self.coefficients.iter().map(ToString::to_string).collect();
        format!("{MARK}{reals} {}", coefficients.join(" "))
    }

    /// Reads such a text; none if it is that of a function of Riesz.
    pub fn read(text: &str, call: TokenStream) -> Option<Rule> {
        let rest = text.strip_prefix(MARK)?;
        let (reals, rest) = rest.split_once(' ')?;
        let reals: Vec<bool> = reals.chars().map(|letter| letter == 'r').collect();
        let coefficients = Value::read_all(rest)?;
        (coefficients.len() == reals.len()).then_some(Rule { reals, coefficients, call })
    }

    /// A function of Riesz of the right type, in the place of which the compiler puts the row.
    pub fn placeholder(&self, name: &str) -> String {
        let typed = |(at, real): (usize, &bool)| format!("x{at}: {}", if *real { "R" } else { "Int" });
        let parameters: Vec<String> = self.reals.iter().enumerate().map(typed).collect();
        let first = self.reals.iter().position(|real| *real).unwrap_or(0);
        format!("fun {name}({}): R = x{first}\n\n", parameters.join(", "))
    }
}

/// The rows of all rules.
pub(crate) fn rows(rules: &BTreeMap<String, Rule>) -> Vec<Row> {
    let mut made = BTreeMap::new();
    rules
        .iter()
        .filter_map(|(name, rule)| {
            let row = value::row(name, rules, &mut made)?;
            Some(Row { function: name.clone(), row, reals: rule.reals.clone() })
        })
        .collect()
}

/// The hidden function, beside the derivatives of a function with a rule, that calls the function.
const CALLER: &str = "__riesz_call";

/// How generated code calls a function with a rule, which is the function at a path or is called by that.
pub(crate) fn call_of(path: &syn::Path, of_path: bool, name: &str) -> TokenStream {
    let inside = from_inside(path);
    let caller = if of_path { format_ident!("{CALLER}") } else { format_ident!("{CALLER}_{}", name) };
    quote!(#inside::#caller)
}

/// A path that is written beside the attribute, as the hidden module inside sees it.
fn from_inside(path: &syn::Path) -> TokenStream {
    let first = path.segments.first().map(|segment| segment.ident.to_string()).unwrap_or_default();
    if path.leading_colon.is_some() || first == "crate" || first == "$crate" {
        return path.to_token_stream();
    }
    let skipped = usize::from(first == "self" && path.segments.len() > 1);
    let rest = path.segments.iter().skip(skipped);
    quote!(super::#(#rest)::*)
}

/// Expands `#[derivative(of = f)]` on a function.
pub(crate) fn on_rule(state: &State, function: &syn::ItemFn) -> Result<Expansion, Stop> {
    let Some(of) = &state.attribute.of else {
        let message = "`#[derivative]` must name the function whose derivative this is\n\n  = help: write `#[derivative(of = name)]`";
        return Err(syn::Error::new_spanned(&function.sig.ident, message).into());
    };
    let mut errors = Errors::default();
    let mut world = state.world()?;
    crate::world::refuse_cfg(&syn::Item::Fn(function.clone()), &mut errors);
    let own = Signature::read(&function.sig, None, &world.types, &world.constants, &mut errors);
    let arguments = own.as_ref().and_then(|own| arguments(own, &function.sig, &mut errors));
    let (Some(own), Some(arguments)) = (own, arguments) else {
        errors.into_result()?;
        return Err(syn::Error::new_spanned(&function.sig, "this is not the signature of a rule").into());
    };
    // The function itself, as far as the rule tells its signature.
    let Some(ident) = of.segments.last().map(|segment| segment.ident.clone()) else {
        unreachable!("paths have a name")
    };
    let inputs: Vec<&syn::FnArg> = function
        .sig
        .inputs
        .iter()
        .enumerate()
        .filter(|(at, _)| arguments.iter().any(|one| one.value == *at))
        .map(|(_, input)| input)
        .collect();
    let output = &function.sig.output;
    let signature: syn::Signature = syn::parse_quote!(fn #ident(#(#inputs),*) #output);
    let Some(signature) = Signature::read(&signature, None, &world.types, &world.constants, &mut errors) else {
        errors.into_result()?;
        return Err(syn::Error::new_spanned(&function.sig, "this is not the signature of a rule").into());
    };
    let signature = Rc::new(signature);
    let name = signature.riesz_name();
    world.functions.insert(crate::types::key(of), signature.clone());
    world.functions.insert(ident.to_string(), signature.clone());
    let mut places = vec![function.sig.ident.to_token_stream()];
    let lowered = lower::lower(&own, &function.block, &world, &mut places, &mut errors);
    errors.into_result()?;
    let mut errors = Errors::default();
    let reals: Vec<bool> = arguments.iter().map(|one| one.tangent.is_some()).collect();
    let parameter = |at: usize| own.parameters[at].name.clone();
    let values: Vec<_> = arguments.iter().map(|one| parameter(one.value)).collect();
    let tangents: Vec<_> = arguments.iter().map(|one| one.tangent.map(parameter)).collect();
    let found = form::coefficients(&lowered.body, &values, &tangents, &name, &world.rules);
    let coefficients = match found {
        Ok(coefficients) => coefficients,
        Err(wrong) => {
            let at = wrong.place.and_then(|place| places.get(place)).unwrap_or(&places[0]).clone();
            errors.add(&at, wrong.message, wrong.help);
            errors.into_result()?;
            return Err(syn::Error::new_spanned(&function.sig.ident, "this is no rule").into());
        }
    };
    let call = call_of(&syn::Path::from(ident.clone()), true, &name);
    let rule = Rule { reals, coefficients, call };
    world.rules.insert(name.to_string(), rule);
    let reads = [ParsedFunction {
        signature,
        ident: &ident,
        visibility: &function.vis,
        body: Body::Rule(of),
        of: None,
        wanted: Some(state.attribute.clone()),
    }];
    Unit { world: &world, reads: &reads, state, checks: lowered.checks }.expand(errors)
}

/// An argument of the function: the position of its value in the rule, and of its tangent.
struct Argument {
    value: usize,
    tangent: Option<usize>,
}

/// The arguments of the function that a rule is of: every real number is followed by its tangent.
fn arguments(own: &Signature, written: &syn::Signature, errors: &mut Errors) -> Option<Vec<Argument>> {
    let help = "write `fn rule(x: f64, dx: f64) -> f64`, where every real number is followed by its tangent, and integers are not";
    if let Some(generic) = written.generics.params.first() {
        errors.add(generic, "a rule is not generic", help);
        return None;
    }
    let mut arguments = Vec::new();
    let mut at = 0;
    while let Some(parameter) = own.parameters.get(at) {
        let is_reference = matches!(parameter.written, syn::Type::Reference(_));
        match &parameter.shape {
            _ if is_reference => {
                errors.add(&parameter.written, "a rule takes numbers by value", help);
                return None;
            }
            SignatureType::Float(_) => {
                let next = own.parameters.get(at + 1);
                let follows = next.is_some_and(|next| {
                    matches!(next.shape, SignatureType::Float(_)) && !matches!(next.written, syn::Type::Reference(_))
                });
                if !follows {
                    errors.add(&parameter.pattern, "this number is not followed by its tangent", help);
                    return None;
                }
                arguments.push(Argument { value: at, tangent: Some(at + 1) });
                at += 2;
            }
            SignatureType::Int(..) => {
                arguments.push(Argument { value: at, tangent: None });
                at += 1;
            }
            _ => {
                let message = format!("`{}` cannot be an argument of a function with a rule", show(&parameter.written));
                errors.add(&parameter.written, message, help);
                return None;
            }
        }
    }
    if arguments.iter().all(|one| one.tangent.is_none()) {
        errors.add(&written.ident, "this rule has no tangent", help);
        return None;
    }
    if !matches!(own.result, Some(SignatureType::Float(_))) {
        errors.add(&written.output, "a rule gives a number", help);
        return None;
    }
    Some(arguments)
}

/// The hidden functions by which generated code, here and in other modules, calls the functions with rules that this one
/// needs. They take their arguments as an array.
pub(crate) fn callers(rules: &BTreeMap<String, Rule>, read: &ParsedFunction, module: &syn::Ident) -> TokenStream {
    let own = read.signature.riesz_name();
    let number = real(read.signature.precision.unwrap_or_default());
    let mut functions = TokenStream::new();
    for (name, rule) in rules {
        let count = rule.reals.len();
        let (caller, body) = match read.body {
            Body::Rule(of) if **name == *own => {
                let arguments = read.signature.parameters.iter().enumerate().map(|(at, parameter)| {
                    let ty = &parameter.written;
                    quote!(arguments[#at] as #ty)
                });
                (format_ident!("{CALLER}"), quote!(#of(#(#arguments),*)))
            }
            _ => (format_ident!("{CALLER}_{}", name), {
                let alias = format_ident!("call_{}", name);
                quote!(#module::#alias(arguments))
            }),
        };
        functions.extend(quote! {
            #[doc(hidden)]
            #[inline]
            #[allow(clippy::all)]
            pub fn #caller(arguments: [#number; #count]) -> #number {
                #body
            }
        });
    }
    functions
}

/// Names inside of the hidden module for the functions of other modules with rules.
pub(crate) fn aliases(rules: &BTreeMap<String, Rule>, precision: Precision) -> TokenStream {
    let number = real(precision);
    let functions = rules.iter().map(|(name, rule)| {
        let (alias, call, count) = (format_ident!("call_{}", name), &rule.call, rule.reals.len());
        quote! {
            #[inline]
            pub fn #alias(arguments: [#number; #count]) -> #number {
                #call(arguments)
            }
        }
    });
    quote!(#(#functions)*)
}
