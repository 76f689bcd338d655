//! Rust values from the numbers and buffers that generated functions give.

use super::marshal::flat_depth;
use crate::types::{Sequence, SignatureType, real};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use riesz_rust::Precision;

/// The slots of the results of a generated function, which are taken one after the other.
pub(super) struct Slots {
    slots: Vec<Slot>,
    next: usize,
}

/// The content of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// An integer, or a buffer of integers.
    Integers,
    /// A real number.
    Number,
    /// A buffer of real numbers.
    Numbers,
}

impl Slots {
    pub fn new() -> Slots {
        Slots { slots: Vec::new(), next: 0 }
    }

    /// Slots that are not taken one by one.
    pub fn of(slots: &[Slot]) -> Slots {
        Slots { slots: slots.to_vec(), next: slots.len() }
    }

    /// Their names.
    pub fn names(&self) -> Vec<syn::Ident> {
        (0..self.next).map(|at| format_ident!("__r{}", at)).collect()
    }

    /// Whether one of the numbers in them is NaN.
    pub fn is_nan(&self) -> TokenStream {
        let tests = self.slots.iter().zip(self.names()).filter_map(|(slot, name)| match slot {
            Slot::Integers => None,
            Slot::Number => Some(quote!(#name.is_nan())),
            Slot::Numbers => Some(quote!(#name.iter().any(|number| number.is_nan()))),
        });
        let tests: Vec<_> = tests.collect();
        if tests.is_empty() { quote!(false) } else { quote!(#(#tests)||*) }
    }

    fn take(&mut self, slot: Slot) -> syn::Ident {
        self.slots.truncate(self.next);
        self.slots.push(slot);
        self.next += 1;
        format_ident!("__r{}", self.next - 1)
    }

    /// A value of a shape from the next slots. Numbers that do not vary have no slots, and are those of `point`.
    pub fn value(&mut self, shape: &SignatureType, point: Option<&TokenStream>) -> TokenStream {
        self.at(shape, point, &[], &[])
    }

    /// The matrix by one of some arguments from the slots of the matrix by all of them: for each number of the result
    /// there is a value of each argument.
    pub fn matrix(&mut self, result: &SignatureType, arguments: &[SignatureType], which: usize) -> TokenStream {
        self.matrix_at(result, arguments, which, &[], &[])
    }

    fn matrix_at(
        &mut self,
        result: &SignatureType,
        arguments: &[SignatureType],
        which: usize,
        lengths: &[syn::Ident],
        indices: &[syn::Ident],
    ) -> TokenStream {
        match result {
            SignatureType::Array(sequence, element) => {
                let length = self.take(Slot::Integers);
                let index = format_ident!("__i{}", indices.len());
                let (mut lengths, mut indices) = (lengths.to_vec(), indices.to_vec());
                lengths.push(length.clone());
                indices.push(index.clone());
                let element = self.matrix_at(element, arguments, which, &lengths, &indices);
                collected(sequence, &length, &index, &element)
            }
            result => match result.parts() {
                None => {
                    let all: Vec<_> = arguments.iter().map(|shape| self.at(shape, None, lengths, indices)).collect();
                    all[which].clone()
                }
                Some(parts) => {
                    let parts: Vec<_> =
                        parts.iter().map(|part| self.matrix_at(part, arguments, which, lengths, indices)).collect();
                    quote!((#(#parts,)*))
                }
            },
        }
    }

    fn at(
        &mut self,
        shape: &SignatureType,
        point: Option<&TokenStream>,
        lengths: &[syn::Ident],
        indices: &[syn::Ident],
    ) -> TokenStream {
        match shape {
            SignatureType::Float(_) => {
                if indices.is_empty() {
                    let slot = self.take(Slot::Number);
                    return quote!(#slot);
                }
                let slot = self.take(Slot::Numbers);
                let position = position(lengths, indices);
                quote!(#slot[#position])
            }
            SignatureType::Int(..) | SignatureType::Bool | SignatureType::Enum(..) => match point {
                Some(point) => quote!(::core::clone::Clone::clone(&#point)),
                None => quote!(::core::default::Default::default()),
            },
            SignatureType::Tuple(parts) => {
                let parts: Vec<_> = parts
                    .iter()
                    .enumerate()
                    .map(|(at, part)| {
                        let at = syn::Index::from(at);
                        self.at(part, point.map(|point| quote!(#point.#at)).as_ref(), lengths, indices)
                    })
                    .collect();
                quote!((#(#parts,)*))
            }
            SignatureType::Option(inner) if !inner.varies() => self.at(&SignatureType::Bool, point, lengths, indices),
            // There is a derivative where there is a value.
            SignatureType::Option(inner) => {
                let value = self.at(inner, None, lengths, indices);
                match point {
                    Some(point) => quote!(#point.map(|_| #value)),
                    None => quote!(::core::option::Option::Some(#value)),
                }
            }
            SignatureType::Struct(..) if !shape.is_nameable() && point.is_some() => {
                let point = point.cloned().unwrap_or_default();
                let written = self.put(shape, &quote!(__made), &point, false, lengths, indices);
                quote!({ let mut __made = ::core::clone::Clone::clone(&#point); #written __made })
            }
            SignatureType::Struct(of, ty) => {
                let fields: Vec<_> = of
                    .fields
                    .iter()
                    .map(|(member, part)| {
                        let value = self.at(part, point.map(|point| quote!(#point.#member)).as_ref(), lengths, indices);
                        quote!(#member: #value)
                    })
                    .collect();
                quote!({ type Made = #ty; Made { #(#fields),* } })
            }
            SignatureType::Array(sequence, element) => {
                let length = self.take(Slot::Integers);
                if let (true, SignatureType::Float(_)) = (indices.is_empty(), &**element) {
                    let slot = self.take(Slot::Numbers);
                    return match sequence {
                        Sequence::Fixed(size) => quote! {{
                            let mut array = [0.0; #size];
                            array.copy_from_slice(&#slot);
                            array
                        }},
                        _ => quote!(#slot.into_vec()),
                    };
                }
                if let SignatureType::Float(_) = **element {
                    let slot = self.take(Slot::Numbers);
                    return row(sequence, &length, &slot, &position(lengths, indices));
                }
                let index = format_ident!("__i{}", indices.len());
                let mut lengths = lengths.to_vec();
                lengths.push(length.clone());
                let mut indices = indices.to_vec();
                indices.push(index.clone());
                let inner = point.map(|point| quote!(#point[#index]));
                let element = self.at(element, inner.as_ref(), &lengths, &indices);
                collected(sequence, &length, &index, &element)
            }
        }
    }

    /// Statements that write a value of a shape from the next slots to a place behind a `&mut`. What is there is used
    /// again, so that nothing is allocated.
    pub fn write(&mut self, shape: &SignatureType, place: &TokenStream, point: &TokenStream) -> TokenStream {
        match shape {
            SignatureType::Array(..) => self.put(shape, place, point, true, &[], &[]),
            shape => self.put(shape, &quote!((*#place)), point, true, &[], &[]),
        }
    }

    /// The same for a place that the function itself may have made longer.
    pub fn overwrite(&mut self, shape: &SignatureType, place: &TokenStream, point: &TokenStream) -> TokenStream {
        match shape {
            SignatureType::Array(Sequence::Vec, _) => self.put(shape, &quote!((*#place)), point, false, &[], &[]),
            shape => self.write(shape, place, point),
        }
    }

    /// `borrowed` says that the place is borrowed, so that its length must not change.
    fn put(
        &mut self,
        shape: &SignatureType,
        place: &TokenStream,
        point: &TokenStream,
        borrowed: bool,
        lengths: &[syn::Ident],
        indices: &[syn::Ident],
    ) -> TokenStream {
        match shape {
            SignatureType::Float(_)
            | SignatureType::Int(..)
            | SignatureType::Bool
            | SignatureType::Enum(..)
            | SignatureType::Option(_) => {
                let value = self.at(shape, Some(point), lengths, indices);
                quote!(#place = #value;)
            }
            SignatureType::Tuple(parts) => {
                let written = parts.iter().enumerate().map(|(at, part)| {
                    let at = syn::Index::from(at);
                    self.put(part, &quote!(#place.#at), &quote!(#point.#at), false, lengths, indices)
                });
                let written: Vec<_> = written.collect();
                quote!(#(#written)*)
            }
            SignatureType::Struct(of, _) => {
                let written = of.fields.iter().map(|(member, part)| {
                    self.put(part, &quote!(#place.#member), &quote!(#point.#member), false, lengths, indices)
                });
                let written: Vec<_> = written.collect();
                quote!(#(#written)*)
            }
            SignatureType::Array(sequence, element) => {
                let first = self.next;
                let whole = self.at(shape, Some(point), lengths, indices);
                let (behind, slots) = (std::mem::replace(&mut self.next, first), self.slots.clone());
                let length = self.take(Slot::Integers);
                let index = format_ident!("__i{}", indices.len());
                let (mut inner_lengths, mut inner_indices) = (lengths.to_vec(), indices.to_vec());
                inner_lengths.push(length.clone());
                inner_indices.push(index.clone());
                let written = match (indices.is_empty(), flat_depth(element)) {
                    (true, Some(depth)) => {
                        (0..depth).for_each(|_| {
                            self.take(Slot::Integers);
                        });
                        let slot = self.take(Slot::Numbers);
                        let flatten = (0..depth).map(|_| quote!(.as_flattened_mut()));
                        quote!((&mut #place[..])#(#flatten)*.copy_from_slice(&#slot);)
                    }
                    _ => {
                        let (inner, point) = (quote!(#place[#index]), quote!(#point[#index]));
                        let body = self.put(element, &inner, &point, false, &inner_lengths, &inner_indices);
                        quote! {
                            for #index in 0..#length.max(0) as usize {
                                #body
                            }
                        }
                    }
                };
                (self.next, self.slots) = (behind, slots);
                match (sequence, borrowed) {
                    (Sequence::Fixed(_), _) => written,
                    (_, true) => quote! {
                        assert_eq!(
                            #place.len(),
                            #length as usize,
                            "the place of a derivative has the length of the argument"
                        );
                        #written
                    },
                    (_, false) => quote! {
                        if #place.len() == #length as usize {
                            #written
                        } else {
                            #place = #whole;
                        }
                    },
                }
            }
        }
    }

    /// Statements that multiply the numbers in the next slots by a factor.
    pub fn scaled(&mut self, shape: &SignatureType, factor: &TokenStream, in_array: bool) -> TokenStream {
        match shape {
            SignatureType::Float(precision) => {
                let slot = self.take(if in_array { Slot::Numbers } else { Slot::Number });
                let (number, product) = match precision {
                    Precision::Double => (real(*precision), quote!(riesz_runtime::exact_mul)),
                    Precision::Single => (real(*precision), quote!(riesz_runtime::single::exact_mul)),
                };
                match in_array {
                    false => quote!(let #slot = #product(#slot, #factor);),
                    true => quote! {
                        let #slot: riesz_runtime::Buffer<#number> =
                            #slot.iter().map(|number| #product(*number, #factor)).collect();
                    },
                }
            }
            SignatureType::Int(..) | SignatureType::Bool | SignatureType::Enum(..) => quote!(),
            SignatureType::Option(inner) => self.scaled(inner, factor, in_array),
            SignatureType::Array(_, element) => {
                self.take(Slot::Integers);
                self.scaled(element, factor, true)
            }
            shape => {
                let parts = shape.parts().unwrap_or_default();
                let parts: Vec<_> = parts.iter().map(|part| self.scaled(part, factor, in_array)).collect();
                quote!(#(#parts)*)
            }
        }
    }
}

/// An array from its elements.
fn collected(sequence: &Sequence, length: &syn::Ident, index: &syn::Ident, element: &TokenStream) -> TokenStream {
    match sequence {
        Sequence::Fixed(_) => quote!(::core::array::from_fn(|#index| #element)),
        _ => quote!((0..#length.max(0) as usize).map(|#index| #element).collect::<::std::vec::Vec<_>>()),
    }
}

/// The numbers of a row of arrays row by row.
fn row(sequence: &Sequence, length: &syn::Ident, slot: &syn::Ident, at: &TokenStream) -> TokenStream {
    let numbers = quote! {
        let length = #length.max(0) as usize;
        let numbers = &#slot[(#at) * length..][..length];
    };
    match sequence {
        Sequence::Fixed(size) => quote! {{
            #numbers
            let mut array = [0.0; #size];
            array.copy_from_slice(numbers);
            array
        }},
        _ => quote!({ #numbers numbers.to_vec() }),
    }
}

/// The position of an element in arrays row by row.
fn position(lengths: &[syn::Ident], indices: &[syn::Ident]) -> TokenStream {
    let mut position = quote!(0usize);
    for (length, index) in lengths.iter().zip(indices) {
        position = quote!((#position) * (#length as usize) + #index);
    }
    position
}
