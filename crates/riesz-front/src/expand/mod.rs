//! The items that the attribute adds: the derivatives of a function, beside it.

mod call;
mod marshal;
mod method;
mod slots;

use crate::compile::{Compiled, Entry, Products};
use crate::signature::{Signature, fixed_length, riesz_type};
use crate::term::{Name, Term};
use crate::types::{Sequence, SignatureType};
use method::Method;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::fmt::Write;

/// A function whose derivatives are wanted.
pub(crate) struct DifferentiatedFunction<'s> {
    pub signature: &'s Signature,
    /// The parameters that derivatives are taken by, by position.
    pub by: Vec<usize>,
    /// The function, as the expansion calls it.
    pub path: TokenStream,
    /// Its name and visibility where it is a method: its derivatives are methods beside it.
    pub method: Option<(syn::Ident, syn::Visibility)>,
    /// Whether sparse matrices are wanted.
    pub sparse: bool,
    /// The products of the functions that have been generated.
    pub products: Vec<(Derivative, Products)>,
}

/// A derivative of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Derivative {
    /// The value and the gradient.
    Gradient,
    Jvp,
    Vjp,
    /// The matrices by all parameters that derivatives are taken by.
    Jacobian,
    Hessian,
    Hvp,
    /// The entries of the Jacobian, or of the Hessian of a function that gives a number, that are not structurally zero.
    Sparse,
}

impl DifferentiatedFunction<'_> {
    /// The results of the function: its value, and then the values that it writes to each `&mut`.
    fn results(&self) -> Vec<SignatureType> {
        let written = self.outputs().into_iter().map(|at| self.signature.parameters[at].shape.clone());
        self.signature.result.iter().cloned().chain(written).collect()
    }

    /// All that the function gives as one value.
    fn result(&self) -> SignatureType {
        let mut results = self.results();
        if results.len() == 1 { results.remove(0) } else { SignatureType::Tuple(results) }
    }

    /// The parameters that the function writes to.
    fn outputs(&self) -> Vec<usize> {
        (0..self.signature.parameters.len()).filter(|at| self.signature.parameters[*at].output).collect()
    }

    /// The type of its real numbers.
    fn number(&self) -> SignatureType {
        SignatureType::Float(self.signature.precision.unwrap_or_default())
    }

    fn is_scalar(&self) -> bool {
        matches!(self.signature.result, Some(SignatureType::Float(_))) && self.outputs().is_empty()
    }

    /// The derivatives that the function has; they do not depend on its body.
    pub fn derivatives(&self) -> Vec<Derivative> {
        let mut derivatives = self.dense_derivatives();
        if self.has_sparse() {
            derivatives.push(Derivative::Sparse);
        }
        derivatives
    }

    /// Columns are numbers that vary: there are sparse matrices where all do.
    pub fn has_sparse(&self) -> bool {
        self.sparse && self.by.iter().all(|at| self.signature.parameters[*at].shape.is_real())
    }

    fn dense_derivatives(&self) -> Vec<Derivative> {
        match self.is_scalar() {
            true => {
                let mut all = vec![Derivative::Gradient, Derivative::Jvp, Derivative::Hvp];
                if let [one] = self.by[..]
                    && self.signature.parameters[one].shape.is_real()
                    && self.signature.parameters[one].shape.is_nameable()
                {
                    all.push(Derivative::Hessian);
                }
                all
            }
            false => {
                let mut all = vec![Derivative::Jvp, Derivative::Vjp];
                let whole = |at: &&usize| {
                    let shape = &self.signature.parameters[**at].shape;
                    shape.is_real() && shape.is_nameable()
                };
                if self.by.iter().all(|at| whole(&at)) {
                    all.push(Derivative::Jacobian);
                }
                all
            }
        }
    }

    /// The name of the generated function of a derivative.
    pub fn entry(&self, derivative: Derivative) -> Entry {
        let name = self.signature.name.replace("::", "_");
        let what = match derivative {
            Derivative::Gradient => "value_and_grad".to_string(),
            Derivative::Jvp => "jvp".to_string(),
            Derivative::Vjp => "vjp".to_string(),
            Derivative::Jacobian => "jacobian".to_string(),
            Derivative::Hessian => "hessian".to_string(),
            Derivative::Hvp => "hvp".to_string(),
            Derivative::Sparse => "sparse".to_string(),
        };
        Entry { name: format!("riesz_{name}_{what}") }
    }

    /// The lengths that the generated functions take, each once.
    fn lengths(&self) -> Vec<Name> {
        let mut names: Vec<Name> = Vec::new();
        for length in self.signature.parameters.iter().flat_map(|parameter| &parameter.lengths) {
            if let Term::Name(name) = length
                && !names.contains(name)
            {
                names.push(name.clone());
            }
        }
        names
    }

    /// A derivative as a function of Riesz.
    pub fn text(&self, derivative: Derivative) -> String {
        let signature = self.signature;
        let mut parameters: Vec<String> = self.lengths().iter().map(|name| format!("{name}: Int")).collect();
        for parameter in &signature.parameters {
            parameters.push(format!("{}: {}", parameter.name, riesz_type(&parameter.shape, &parameter.lengths)));
        }
        let by: &[usize] = &self.by;
        let list = |names: Vec<String>| match &names[..] {
            [one] => one.clone(),
            names => format!("({})", names.join(", ")),
        };
        let name = |at: &usize| signature.parameters[*at].name.to_string();
        let variables = list(by.iter().map(|at| format!("v_{}", name(at))).collect());
        let point = list(by.iter().map(name).collect());
        let arguments: Vec<String> = (0..signature.parameters.len())
            .map(|at| if by.contains(&at) { format!("v_{}", name(&at)) } else { name(&at) })
            .collect();
        let function = format!("\\{variables} -> {}({})", signature.riesz_name(), arguments.join(", "));
        let tangents = list(by.iter().map(|at| format!("d_{}", name(at))).collect());
        if matches!(derivative, Derivative::Jvp | Derivative::Hvp) {
            for at in by {
                let parameter = &signature.parameters[*at];
                let ty = tangent_type(&parameter.shape, &parameter.lengths);
                parameters.push(format!("d_{}: {ty}", parameter.name));
            }
        }
        let body = match derivative {
            Derivative::Gradient => format!("vjp({function}, {point}, 1.0)"),
            Derivative::Jvp => format!("jvp({function}, {point}, {tangents})"),
            Derivative::Vjp => {
                let result = self.result();
                let mut count = 0;
                let mut lengths = Vec::new();
                result.ty(&mut |sequence| {
                    let length = match sequence {
                        Sequence::Fixed(length) => fixed_length(length, &signature.sizes, &Default::default()),
                        _ => None,
                    };
                    count += 1;
                    let length = length.unwrap_or_else(|| Term::name(&format!("cotangent_n{count}")));
                    lengths.push(length.clone());
                    length
                });
                for length in &lengths {
                    if let Term::Name(name) = length
                        && name.starts_with("cotangent_n")
                    {
                        parameters.push(format!("{name}: Int"));
                    }
                }
                parameters.push(format!("cotangent: {}", riesz_type(&result, &lengths)));
                format!("vjp({function}, {point}, cotangent).1")
            }
            Derivative::Jacobian => format!("jacobian({function}, {point})"),
            Derivative::Hessian => format!("hessian({function}, {point})"),
            Derivative::Hvp => format!("hvp({function}, {point}, {tangents})"),
            Derivative::Sparse => {
                let counts = by.iter().map(|at| count(&name(at), &signature.parameters[*at].shape));
                let columns = counts.collect::<Vec<_>>().join(" + ");
                match self.is_scalar() {
                    true => {
                        let outer = list(by.iter().map(|at| format!("w_{}", name(at))).collect());
                        format!("(coo(D(\\{outer} -> grad({function}, {outer}), {point})), {columns}, {columns})")
                    }
                    false => {
                        let rows = count("y", &self.result());
                        let all: Vec<String> = (0..signature.parameters.len()).map(|at| name(&at)).collect();
                        let value = format!("{}({})", signature.riesz_name(), all.join(", "));
                        format!("let y = {value} in (coo(D({function}, {point})), {rows}, {columns})")
                    }
                }
            }
        };
        let mut text = String::new();
        let _ = writeln!(text, "fun {}({}) =\n  {body}\n", self.entry(derivative).name, parameters.join(", "));
        text
    }

    /// The methods of the derivatives that have been compiled, and traits that say why others have not.
    pub fn methods(
        &self,
        compiled: &[(Derivative, Result<Products, String>)],
        module: &syn::Ident,
    ) -> (TokenStream, TokenStream) {
        let mut methods = TokenStream::new();
        let mut traits = TokenStream::new();
        let find = |wanted: Derivative| compiled.iter().find(|(derivative, _)| *derivative == wanted);
        let reason = |wanted: &[Derivative]| {
            wanted.iter().find_map(|wanted| find(*wanted).and_then(|(_, found)| found.clone().err()))
        };
        let mut add = |name: &str, needs: &[Derivative], method: &dyn Fn() -> Method| {
            let Method { head, result, body, doc } = method();
            let generics = &self.signature.generics.params;
            let (visibility, name_ident, this) = match &self.method {
                None => (quote!(pub), format_ident!("{}", name), quote!()),
                Some((method, visibility)) => {
                    let this = self.has_receiver().then(|| quote!(let this = self;));
                    (quote!(#visibility), format_ident!("{}_{}", method, name), quote!(#this))
                }
            };
            let (bound, body) = match reason(needs) {
                None => (quote!(), body),
                Some(reason) => {
                    let missing = format_ident!("No_{}_{}", self.signature.name.replace("::", "_"), name);
                    let message = format!("`{}::{name}` cannot be compiled: {reason}", self.signature.name);
                    traits.extend(quote! {
                        #[doc(hidden)]
                        #[allow(non_camel_case_types)]
                        #[diagnostic::on_unimplemented(message = #message)]
                        pub trait #missing<'missing> {}
                    });
                    (quote!(where for<'missing> (): #module::#missing<'missing>), quote!(::core::unreachable!()))
                }
            };
            methods.extend(quote! {
                #[doc = #doc]
                #[inline]
                #[allow(clippy::all, unused_variables, unused_mut, non_snake_case, dead_code)]
                #visibility fn #name_ident<#generics>(#(#head),*) -> #result #bound {
                    #this
                    #body
                }
            });
        };
        if self.is_scalar() {
            add("grad", &[Derivative::Gradient], &|| self.grad(module));
            add("value_and_grad", &[Derivative::Gradient], &|| self.value_and_grad(module));
            add("vjp", &[Derivative::Gradient], &|| self.scalar_vjp(module));
            add("hvp", &[Derivative::Hvp], &|| self.hvp(module));
            if find(Derivative::Hessian).is_some() {
                add("hessian", &[Derivative::Hessian], &|| self.hessian(module));
            }
        } else {
            add("vjp", &[Derivative::Vjp], &|| self.vjp(module));
            if find(Derivative::Jacobian).is_some() {
                add("jacobian", &[Derivative::Jacobian], &|| self.jacobian(module));
            }
        }
        add("jvp", &[Derivative::Jvp], &|| self.jvp(module));
        if self.has_sparse() {
            let name = if self.is_scalar() { "sparse_hessian" } else { "sparse_jacobian" };
            add(name, &[Derivative::Sparse], &|| self.sparse(module));
        }
        (methods, traits)
    }
}

/// How many numbers a value has.
fn count(value: &str, shape: &SignatureType) -> String {
    match shape {
        SignatureType::Array(_, element) if matches!(**element, SignatureType::Float(_)) => format!("size({value})"),
        SignatureType::Array(_, element) => format!("sum({} | e in {value})", count("e", element)),
        shape => match &shape.parts().unwrap_or_default()[..] {
            [] => "1".into(),
            [one] => count(value, one),
            parts => {
                let parts = parts.iter().enumerate().map(|(at, part)| count(&format!("{value}.{at}"), part));
                format!("({})", parts.collect::<Vec<_>>().join(" + "))
            }
        },
    }
}

/// The type of tangents: `()` in the place of what does not vary.
fn tangent_type(shape: &SignatureType, lengths: &[Term]) -> String {
    let mut lengths = lengths.iter();
    tangent(shape, &mut lengths)
}

fn tangent(shape: &SignatureType, lengths: &mut std::slice::Iter<Term>) -> String {
    match shape {
        SignatureType::Float(_) => "R".into(),
        SignatureType::Int(..) | SignatureType::Bool | SignatureType::Enum(..) => "()".into(),
        SignatureType::Array(_, element) => {
            let length = match lengths.next() {
                Some(Term::Name(name)) => name.to_string(),
                Some(Term::Int(number)) => number.to_string(),
                _ => "_".into(),
            };
            format!("[{length}]{}", tangent(element, lengths))
        }
        shape => {
            let parts: Vec<String> =
                shape.parts().unwrap_or_default().iter().map(|part| tangent(part, lengths)).collect();
            match &parts[..] {
                [one] => one.clone(),
                parts => format!("({})", parts.join(", ")),
            }
        }
    }
}

/// The private module of the generated functions.
pub(crate) fn module(
    name: &syn::Ident,
    compiled: &Compiled,
    traits: TokenStream,
    root: &TokenStream,
    sparse: bool,
) -> syn::Result<TokenStream> {
    let items: TokenStream = compiled.source.parse().map_err(|error| {
        syn::Error::new(proc_macro2::Span::call_site(), format!("the generated code cannot be read: {error}"))
    })?;
    let sparse = sparse.then(|| quote!(pub use #root::Sparse;));
    Ok(quote! {
        #[doc(hidden)]
        #[allow(
            unused_variables, unused_mut, unused_unsafe, unused_parens, unused_assignments, dead_code, non_snake_case,
            unused_imports, unsafe_code, missing_docs, clippy::all
        )]
        mod #name {
            pub use #root::__runtime as riesz_runtime;
            #sparse
            #traits
            #items
        }
    })
}
