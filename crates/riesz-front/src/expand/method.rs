//! The methods of the derivatives: their signatures, and bodies that call the generated functions.

use super::marshal::{Arguments, owned, place_type};
use super::slots::{Slot, Slots};
use super::{Derivative, DifferentiatedFunction};
use crate::types::{Sequence, SignatureType};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

pub(super) struct Method {
    pub head: Vec<TokenStream>,
    pub result: TokenStream,
    pub body: TokenStream,
    pub doc: String,
}

impl DifferentiatedFunction<'_> {
    /// Statements that write what the function gives to each `&mut`, or to its tangent.
    fn written(&self, slots: &mut Slots, place: impl Fn(usize) -> syn::Ident) -> TokenStream {
        let writes = self.outputs().into_iter().map(|at| {
            let place = place(at);
            slots.overwrite(&self.signature.parameters[at].shape, &quote!(#place), &self.place(at))
        });
        let writes: Vec<_> = writes.collect();
        quote!(#(#writes)*)
    }

    fn gradients(&self, slots: &mut Slots) -> TokenStream {
        let values: Vec<TokenStream> = self
            .by
            .iter()
            .map(|at| {
                let place = self.place(*at);
                slots.value(&self.signature.parameters[*at].shape, Some(&place))
            })
            .collect();
        one_or_tuple(values)
    }

    fn gradient_type(&self) -> TokenStream {
        one_or_tuple(self.by.iter().map(|at| owned(&self.signature.parameters[*at].shape)).collect())
    }

    fn by_names(&self) -> String {
        let names: Vec<String> = self.by.iter().map(|at| format!("`{}`", self.parameter_ident(*at))).collect();
        names.join(" and ")
    }

    pub(super) fn grad(&self, module: &syn::Ident) -> Method {
        let mut slots = Slots::new();
        slots.value(&self.number(), None);
        let value = self.gradients(&mut slots);
        let call = self.call(Derivative::Gradient, Arguments::default(), module, &slots);
        Method {
            head: self.head(),
            result: self.gradient_type(),
            body: quote!(#call #value),
            doc: format!("The derivative of `{}` by {}.", self.signature.name, self.by_names()),
        }
    }

    pub(super) fn value_and_grad(&self, module: &syn::Ident) -> Method {
        let mut slots = Slots::new();
        let value = slots.value(&self.number(), None);
        let mut head = self.head();
        let mut writes = Vec::new();
        for at in &self.by {
            let shape = &self.signature.parameters[*at].shape;
            let place = self.tangent_ident(*at);
            let ty = place_type(shape);
            head.push(quote!(#place: #ty));
            writes.push(slots.write(shape, &quote!(#place), &self.place(*at)));
        }
        let call = self.call(Derivative::Gradient, Arguments::default(), module, &slots);
        Method {
            head,
            result: owned(&self.number()),
            body: quote!(#call #(#writes)* #value),
            doc: format!(
                "The value of `{}`; its derivative by {} is written to the places behind the arguments.",
                self.signature.name,
                self.by_names()
            ),
        }
    }

    pub(super) fn scalar_vjp(&self, module: &syn::Ident) -> Method {
        let mut slots = Slots::new();
        let value = slots.value(&self.number(), None);
        let given = self.gradients(&mut slots);
        let mut scaled = Slots::new();
        scaled.value(&self.number(), None);
        let scales: Vec<TokenStream> = self
            .by
            .iter()
            .map(|at| scaled.scaled(&self.signature.parameters[*at].shape, &quote!(__cotangent), false))
            .collect();
        let call = self.call(Derivative::Gradient, Arguments::default(), module, &slots);
        let (gradient, number) = (self.gradient_type(), owned(&self.number()));
        let capture = self.capture();
        // Numbers that do not vary come from the arguments, which the map keeps.
        let constant = |at: &&usize| {
            let shape = &self.signature.parameters[**at].shape;
            !shape.is_real() || !shape.is_nameable()
        };
        let kept = self.by.iter().filter(constant).map(|at| self.kept(*at));
        let borrowed = self.by.iter().filter(constant).map(|at| self.borrowed(*at));
        Method {
            head: self.head(),
            result: quote!((#number, impl Fn(#number) -> #gradient + #capture)),
            body: quote! {
                #call
                #(#kept)*
                (#value, move |__cotangent: #number| { #(#borrowed)* #(#scales)* #given })
            },
            doc: format!(
                "The value of `{}`, and the adjoint of its derivative by {}: a linear map, which can be applied as often as wanted.",
                self.signature.name,
                self.by_names()
            ),
        }
    }

    /// The bound of a closure that borrows nothing.
    fn capture(&self) -> TokenStream {
        let generics = self.signature.generics.const_params().map(|generic| &generic.ident);
        quote!(use<#(#generics),*>)
    }

    /// A statement that makes a parameter a value of its own.
    fn kept(&self, at: usize) -> TokenStream {
        let (name, parameter) = (self.parameter_ident(at), &self.signature.parameters[at]);
        match (&parameter.written, &parameter.shape) {
            _ if parameter.output => {
                let copy = self.copy_ident(at);
                quote!(let #name = #copy;)
            }
            (syn::Type::Reference(_), SignatureType::Array(Sequence::Slice, _)) => quote!(let #name = #name.to_vec();),
            (syn::Type::Reference(_), _) => quote!(let #name = (*#name).clone();),
            _ => quote!(),
        }
    }

    /// A statement that makes such a value a reference again, as the parameter was.
    fn borrowed(&self, at: usize) -> TokenStream {
        let (name, parameter) = (self.parameter_ident(at), &self.signature.parameters[at]);
        match (&parameter.written, &parameter.shape) {
            (syn::Type::Reference(_), SignatureType::Array(Sequence::Slice, _)) => quote!(let #name = &#name[..];),
            (syn::Type::Reference(_), _) => quote!(let #name = &#name;),
            _ => quote!(),
        }
    }

    pub(super) fn vjp(&self, module: &syn::Ident) -> Method {
        let mut slots = Slots::new();
        let given = self.gradients(&mut slots);
        // One cotangent for the value, and one for each `&mut`.
        let mut names = Vec::new();
        let mut types = Vec::new();
        let mut cotangent = Arguments::default();
        for (at, result) in self.results().iter().enumerate() {
            let name = format_ident!("__cotangent_{}", at);
            let (ty, place) = match result {
                SignatureType::Array(Sequence::Fixed(_), _) => {
                    let ty = owned(result);
                    (quote!(&#ty), quote!(#name))
                }
                SignatureType::Array(_, element) => {
                    let ty = owned(element);
                    (quote!(&[#ty]), quote!(#name))
                }
                result => {
                    let ty = owned(result);
                    (quote!(&#ty), quote!((*#name)))
                }
            };
            let one = Arguments::of(&format!("cotangent_{at}"), result, &place);
            cotangent.setup.extend(one.setup);
            cotangent.lengths.extend(one.lengths.into_iter().filter(|length| !length.is_empty()));
            cotangent.leaves.extend(one.leaves);
            names.push(name);
            types.push(ty);
        }
        let call = self.call(Derivative::Vjp, cotangent, module, &slots);
        let value_type = self.signature.result.as_ref().map_or_else(|| quote!(()), owned);
        let (gradient, capture, path) = (self.gradient_type(), self.capture(), &self.path);
        // The map keeps its own copies of the arguments, and of what was behind each `&mut`.
        let copies = self.outputs().into_iter().map(|at| self.copied(at));
        let kept = (0..self.signature.parameters.len()).map(|at| self.kept(at));
        let borrowed = (0..self.signature.parameters.len()).map(|at| self.borrowed(at));
        let arguments = (0..self.signature.parameters.len()).map(|at| self.passed(at));
        Method {
            head: self.head(),
            result: quote!((#value_type, impl Fn(#(#types),*) -> #gradient + #capture)),
            body: quote! {
                #(#copies)*
                let __value = #path(#(#arguments),*);
                #(#kept)*
                (__value, move |#(#names: #types),*| { #(#borrowed)* #call #given })
            },
            doc: format!(
                "The value of `{}`, and the adjoint of its derivative by {}: a linear map, which can be applied as often as wanted.",
                self.signature.name,
                self.by_names()
            ),
        }
    }

    /// The parameters, each that derivatives are taken by followed by its tangent.
    fn head_with_tangents(&self, arguments: &mut Arguments) -> Vec<TokenStream> {
        let mut head = Vec::new();
        for (at, typed) in self.head().into_iter().enumerate() {
            head.push(typed);
            if !self.by.contains(&at) && self.signature.parameters[at].output {
                let (name, ty) = (self.tangent_ident(at), &self.signature.parameters[at].written);
                head.push(quote!(#name: #ty));
            }
            if self.by.contains(&at) {
                let parameter = &self.signature.parameters[at];
                let (name, ty) = (self.tangent_ident(at), &parameter.written);
                head.push(quote!(#name: #ty));
                let place = dereferenced(&quote!(#name), ty, &parameter.shape);
                let mut tangent = Arguments::of_tangent(&format!("d_{}", parameter.name), &parameter.shape, &place);
                let own = Arguments::of(&parameter.name, &parameter.shape, &self.place(at));
                // The lengths of a tangent are those of its point.
                for (length, expected) in
                    tangent.lengths.iter().zip(&own.lengths).filter(|(length, _)| !length.is_empty())
                {
                    tangent.setup.push(quote! {
                        assert_eq!(#length, #expected, "a tangent has the length of its argument");
                    });
                }
                arguments.setup.extend(tangent.setup);
                arguments.leaves.extend(tangent.leaves);
            }
        }
        head
    }

    pub(super) fn jvp(&self, module: &syn::Ident) -> Method {
        let mut arguments = Arguments::default();
        let head = self.head_with_tangents(&mut arguments);
        let mut slots = Slots::new();
        let value = self.signature.result.as_ref().map(|result| slots.value(result, None));
        let values = self.written(&mut slots, |at| self.parameter_ident(at));
        let tangent = self.signature.result.as_ref().map(|result| slots.value(result, None));
        let tangents = self.written(&mut slots, |at| self.tangent_ident(at));
        let call = self.call(Derivative::Jvp, arguments, module, &slots);
        let ty = self.signature.result.as_ref().map(owned);
        let (result, both) = match &ty {
            Some(ty) => (quote!((#ty, #ty)), quote!((#value, #tangent))),
            None => (quote!(()), quote!()),
        };
        Method {
            head,
            result,
            body: quote!(#call #values #tangents #both),
            doc: format!(
                "The value of `{}`, and its derivative in the direction of the tangents, which follow {}.",
                self.signature.name,
                self.by_names()
            ),
        }
    }

    pub(super) fn hvp(&self, module: &syn::Ident) -> Method {
        let mut arguments = Arguments::default();
        let head = self.head_with_tangents(&mut arguments);
        let mut slots = Slots::new();
        let given = self.gradients(&mut slots);
        let call = self.call(Derivative::Hvp, arguments, module, &slots);
        Method {
            head,
            result: self.gradient_type(),
            body: quote!(#call #given),
            doc: format!(
                "The second derivative of `{}` applied to the tangents, which follow {}.",
                self.signature.name,
                self.by_names()
            ),
        }
    }

    pub(super) fn hessian(&self, module: &syn::Ident) -> Method {
        let shape = &self.signature.parameters[self.by[0]].shape;
        let matrix = composed(shape, shape);
        let mut slots = Slots::new();
        let given = slots.value(&matrix, None);
        let call = self.call(Derivative::Hessian, Arguments::default(), module, &slots);
        Method {
            head: self.head(),
            result: owned(&matrix),
            body: quote!(#call #given),
            doc: format!("The matrix of the second derivative of `{}` by {}.", self.signature.name, self.by_names()),
        }
    }

    pub(super) fn jacobian(&self, module: &syn::Ident) -> Method {
        let result = self.result();
        let shapes: Vec<SignatureType> =
            self.by.iter().map(|at| self.signature.parameters[*at].shape.clone()).collect();
        let types = shapes.iter().map(|shape| owned(&composed(&result, shape))).collect();
        let mut slots = Slots::new();
        let values = match &shapes[..] {
            [one] => vec![slots.value(&composed(&result, one), None)],
            shapes => (0..shapes.len())
                .map(|at| {
                    slots = Slots::new();
                    slots.matrix(&result, shapes, at)
                })
                .collect(),
        };
        let call = self.call(Derivative::Jacobian, Arguments::default(), module, &slots);
        let value = one_or_tuple(values);
        Method {
            head: self.head(),
            result: one_or_tuple(types),
            body: quote!(#call #value),
            doc: format!("The matrix of the derivative of `{}` by {}.", self.signature.name, self.by_names()),
        }
    }

    pub(super) fn sparse(&self, module: &syn::Ident) -> Method {
        // Columns, rows and numbers, each behind its length, and how many rows and columns the matrix has.
        let slots = Slots::of(&[
            Slot::Integers,
            Slot::Integers,
            Slot::Integers,
            Slot::Integers,
            Slot::Integers,
            Slot::Numbers,
            Slot::Integers,
            Slot::Integers,
        ]);
        let call = self.call(Derivative::Sparse, Arguments::default(), module, &slots);
        let number = owned(&self.number());
        let which = if self.is_scalar() { "second derivative" } else { "derivative" };
        Method {
            head: self.head(),
            result: quote!(#module::Sparse<#number>),
            body: quote! {
                #call
                let __positions = |of: &[i64]| of.iter().map(|at| *at as usize).collect::<::std::vec::Vec<usize>>();
                let __shape = (__r6 as usize, __r7 as usize);
                #module::Sparse::new(__shape, __positions(&__r3), __positions(&__r1), __r5.into_vec())
            },
            doc: format!(
                "The entries of the matrix of the {which} of `{}` by {} that are not structurally zero.",
                self.signature.name,
                self.by_names()
            ),
        }
    }

    pub(super) fn parameter_ident(&self, at: usize) -> syn::Ident {
        match &self.signature.parameters[at].pattern {
            syn::Pat::Ident(ident) if ident.ident == "self" => format_ident!("this"),
            syn::Pat::Ident(ident) => ident.ident.clone(),
            _ => format_ident!("p{}", at),
        }
    }

    /// Whether the first parameter is `self`.
    pub(super) fn has_receiver(&self) -> bool {
        matches!(self.signature.parameters.first().map(|first| &first.pattern), Some(syn::Pat::Ident(ident)) if ident.ident == "self")
    }

    /// The name of the tangent of a parameter, or of the place of its derivative.
    fn tangent_ident(&self, at: usize) -> syn::Ident {
        let mut ident = match self.has_receiver() && at == 0 {
            true => format_ident!("d_self"),
            false => format_ident!("d_{}", self.parameter_ident(at)),
        };
        while (0..self.signature.parameters.len()).any(|other| self.parameter_ident(other) == ident) {
            ident = format_ident!("{}_", ident);
        }
        ident
    }

    fn head(&self) -> Vec<TokenStream> {
        let typed = |(at, parameter): (usize, &crate::signature::Parameter)| {
            let (name, ty) = (self.parameter_ident(at), &parameter.written);
            match at == 0 && self.has_receiver() {
                true => quote!(self: #ty),
                false => quote!(#name: #ty),
            }
        };
        self.signature.parameters.iter().enumerate().map(typed).collect()
    }

    /// A place that holds a parameter.
    pub(super) fn place(&self, at: usize) -> TokenStream {
        let name = self.parameter_ident(at);
        dereferenced(&quote!(#name), &self.signature.parameters[at].written, &self.signature.parameters[at].shape)
    }
}

/// A place behind a reference; arrays are indexed through theirs.
fn dereferenced(name: &TokenStream, written: &syn::Type, shape: &SignatureType) -> TokenStream {
    match (written, shape) {
        (syn::Type::Reference(_), SignatureType::Array(..)) => name.clone(),
        (syn::Type::Reference(_), _) => quote!((*#name)),
        _ => name.clone(),
    }
}

fn one_or_tuple(mut parts: Vec<TokenStream>) -> TokenStream {
    match parts.len() {
        1 => parts.remove(0),
        _ => quote!((#(#parts),*)),
    }
}

/// The shape of the matrix of a derivative: the result with a copy of the argument for every number.
fn composed(result: &SignatureType, argument: &SignatureType) -> SignatureType {
    match result {
        SignatureType::Float(_) => argument.clone(),
        SignatureType::Array(sequence, element) => {
            SignatureType::Array(sequence.clone(), Box::new(composed(element, argument)))
        }
        other => match other.parts() {
            Some(parts) => SignatureType::Tuple(parts.iter().map(|part| composed(part, argument)).collect()),
            None => other.clone(),
        },
    }
}
