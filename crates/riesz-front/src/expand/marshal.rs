//! Rust values as the numbers and buffers that generated functions take and give.

use crate::types::{Integer, Sequence, Shape, real};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use riesz_rust::Precision;

/// What a generated function is called with.
#[derive(Default)]
pub(super) struct Arguments {
    /// What the names of its variables begin with.
    prefix: String,
    /// Whether it is a tangent, which has no numbers that do not vary.
    is_tangent: bool,
    /// Statements that make what the arguments borrow.
    pub setup: Vec<TokenStream>,
    /// The lengths of arrays, in the order in which the type is written.
    pub lengths: Vec<TokenStream>,
    /// The numbers and buffers.
    pub leaves: Vec<TokenStream>,
}

impl Arguments {
    /// A value of a shape, whose expression is a place. The prefix differs from those of other arguments of the call.
    pub fn of(prefix: &str, shape: &Shape, place: &TokenStream) -> Arguments {
        let mut arguments = Arguments { prefix: prefix.to_string(), ..Arguments::default() };
        arguments.add(shape, place);
        arguments
    }

    /// The same for a tangent at a value of the shape.
    pub fn of_tangent(prefix: &str, shape: &Shape, place: &TokenStream) -> Arguments {
        let mut arguments = Arguments { prefix: prefix.to_string(), is_tangent: true, ..Arguments::default() };
        arguments.add(shape, place);
        arguments
    }

    fn add(&mut self, shape: &Shape, place: &TokenStream) {
        match shape {
            Shape::Bool | Shape::Int(..) | Shape::Enum(..) if self.is_tangent => {}
            Shape::Float(_) | Shape::Bool => self.leaves.push(quote!(#place)),
            Shape::Int(..) => self.leaves.push(number(shape, &quote!(&#place))),
            Shape::Enum(..) => {
                let number = number(shape, &quote!(&#place));
                self.leaves.push(number);
            }
            Shape::Tuple(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    let at = syn::Index::from(at);
                    self.add(part, &quote!(#place.#at));
                }
            }
            Shape::Struct(of, _) => {
                for (member, part) in &of.fields {
                    self.add(part, &quote!(#place.#member));
                }
            }
            Shape::Option(inner) => {
                if !self.is_tangent {
                    self.leaves.push(quote!(#place.is_some()));
                }
                self.add(inner, &quote!(#place.unwrap_or_default()));
            }
            Shape::Array(sequence, element) => match flat_depth(element) {
                Some(depth) => {
                    if !matches!(sequence, Sequence::Fixed(_)) {
                        self.lengths.push(length(place));
                    } else {
                        self.lengths.push(quote!());
                    }
                    (0..depth).for_each(|_| self.lengths.push(quote!()));
                    let flatten = (0..depth).map(|_| quote!(.as_flattened()));
                    self.leaves.push(quote!((&#place[..])#(#flatten)*));
                }
                None => self.gather(sequence, element, place),
            },
        }
    }

    /// Copies the numbers of an array of other things than numbers.
    fn gather(&mut self, sequence: &Sequence, element: &Shape, place: &TokenStream) {
        self.lengths.push(match sequence {
            Sequence::Fixed(_) => quote!(),
            _ => length(place),
        });
        let mut leaves = Vec::new();
        let mut lengths = Vec::new();
        let body = self.each(element, &quote!(__element), 0, &mut leaves, &mut lengths);
        for (name, ty) in &leaves {
            self.setup.push(quote!(let mut #name = riesz_runtime::Buffer::<#ty>::collecting();));
        }
        for name in lengths.iter().flatten() {
            self.setup.push(quote!(let mut #name: ::core::option::Option<usize> = ::core::option::Option::None;));
        }
        self.setup.push(quote! {
            for __element in #place.iter() {
                #body
            }
        });
        for name in lengths {
            self.lengths.push(match name {
                Some(name) => quote!((#name.unwrap_or(0) as i64)),
                None => quote!(),
            });
        }
        self.leaves.extend(leaves.iter().map(|(name, _)| quote!(&#name[..])));
    }

    /// The statements that copy the numbers of one element, which is behind a reference.
    fn each(
        &mut self,
        shape: &Shape,
        place: &TokenStream,
        depth: usize,
        leaves: &mut Vec<(syn::Ident, TokenStream)>,
        lengths: &mut Vec<Option<syn::Ident>>,
    ) -> TokenStream {
        match shape {
            Shape::Bool | Shape::Int(..) | Shape::Enum(..) if self.is_tangent => quote!(),
            Shape::Float(_) | Shape::Bool | Shape::Int(..) | Shape::Enum(..) => {
                let name = format_ident!("{}_leaf_{}_{}", self.prefix, self.setup.len(), leaves.len());
                let (ty, value) = match shape {
                    Shape::Float(precision) => (real(*precision), quote!(*#place)),
                    Shape::Bool => (quote!(bool), quote!(*#place)),
                    shape => (quote!(i64), number(shape, place)),
                };
                leaves.push((name.clone(), ty.clone()));
                quote!(#name.push(#value);)
            }
            Shape::Tuple(parts) => {
                let parts = parts.iter().enumerate().map(|(at, part)| {
                    let at = syn::Index::from(at);
                    (part.clone(), quote!((&#place.#at)))
                });
                let parts: Vec<_> = parts.collect();
                let written: Vec<_> =
                    parts.iter().map(|(part, place)| self.each(part, place, depth, leaves, lengths)).collect();
                quote!(#(#written)*)
            }
            Shape::Option(inner) => {
                let there = self.each(&Shape::Bool, &quote!(&#place.is_some()), depth, leaves, lengths);
                let value = self.each(inner, &quote!((&#place.unwrap_or_default())), depth, leaves, lengths);
                quote!(#there #value)
            }
            Shape::Struct(of, _) => {
                let written: Vec<_> = of
                    .fields
                    .iter()
                    .map(|(member, part)| self.each(part, &quote!((&#place.#member)), depth, leaves, lengths))
                    .collect();
                quote!(#(#written)*)
            }
            Shape::Array(sequence, element) => {
                let inner = format_ident!("__element_{}", depth);
                let check = match sequence {
                    Sequence::Fixed(_) => {
                        lengths.push(None);
                        quote!()
                    }
                    _ => {
                        let name = format_ident!("{}_length_{}_{}", self.prefix, self.setup.len(), lengths.len());
                        lengths.push(Some(name.clone()));
                        quote! {
                            assert!(
                                *#name.get_or_insert(#place.len()) == #place.len(),
                                "the rows of an array that is differentiated have one length"
                            );
                        }
                    }
                };
                let body = self.each(element, &quote!(#inner), depth + 1, leaves, lengths);
                quote! {
                    #check
                    for #inner in #place.iter() {
                        #body
                    }
                }
            }
        }
    }
}

/// The length of an array.
fn length(place: &TokenStream) -> TokenStream {
    let long = "an array that a derivative is taken at has less than 2^31 elements";
    quote!(::core::primitive::i64::from(::core::primitive::i32::try_from(#place.len()).expect(#long)))
}

/// An integer of any type, or an enum, behind a reference, as an `i64`.
fn number(shape: &Shape, place: &TokenStream) -> TokenStream {
    match shape {
        // The variants of a type that has no name here have the numbers that Rust gives them.
        Shape::Enum(_, None) => quote!((::core::clone::Clone::clone(#place) as i64)),
        Shape::Enum(of, Some(ty)) => {
            let arms = of.variants.iter().enumerate().map(|(at, variant)| {
                let (variant, at) = (format_ident!("{}", variant), at as i64);
                quote!(<#ty>::#variant => #at)
            });
            quote!(match #place { #(#arms),* })
        }
        Shape::Int(Integer { signed: false, bits: 64 }, _) => {
            quote!(::core::primitive::i64::try_from(*#place).expect("integers that a derivative is taken at have 63 bits"))
        }
        _ => quote!((*#place as i64)),
    }
}

/// How many arrays `[T; N]` are around the numbers, if there is nothing else around them.
pub(super) fn flat_depth(shape: &Shape) -> Option<usize> {
    match shape {
        Shape::Float(_) => Some(0),
        Shape::Array(Sequence::Fixed(_), element) => Some(flat_depth(element)? + 1),
        _ => None,
    }
}

/// The type of a value that is given away.
pub(super) fn owned(shape: &Shape) -> TokenStream {
    match shape {
        Shape::Float(precision) => real(*precision),
        Shape::Bool => quote!(bool),
        Shape::Int(_, ty) => quote!(#ty),
        Shape::Struct(_, ty) | Shape::Enum(_, ty) => ty.as_ref().map_or_else(|| quote!(_), |ty| quote!(#ty)),
        Shape::Option(inner) => {
            let inner = owned(inner);
            quote!(::core::option::Option<#inner>)
        }
        Shape::Tuple(parts) => {
            let parts = parts.iter().map(owned);
            quote!((#(#parts,)*))
        }
        Shape::Array(Sequence::Fixed(length), element) => {
            let element = owned(element);
            quote!([#element; #length])
        }
        Shape::Array(_, element) => {
            let element = owned(element);
            quote!(::std::vec::Vec<#element>)
        }
    }
}

/// The type of a place that a derivative is written to.
pub(super) fn place_type(shape: &Shape) -> TokenStream {
    match shape {
        Shape::Array(Sequence::Slice | Sequence::Vec, element) => {
            let element = owned(element);
            quote!(&mut [#element])
        }
        shape => {
            let ty = owned(shape);
            quote!(&mut #ty)
        }
    }
}

/// The slots of the results of a generated function, which are taken one after the other.
pub(super) struct Slots {
    next: usize,
}

impl Slots {
    pub fn new() -> Slots {
        Slots { next: 0 }
    }

    pub fn count(&self) -> usize {
        self.next
    }

    fn take(&mut self) -> syn::Ident {
        self.next += 1;
        format_ident!("__r{}", self.next - 1)
    }

    /// A value of a shape from the next slots. Numbers that do not vary have no slots, and are those of `point`.
    pub fn value(&mut self, shape: &Shape, point: Option<&TokenStream>) -> TokenStream {
        self.at(shape, point, &[], &[])
    }

    fn at(
        &mut self,
        shape: &Shape,
        point: Option<&TokenStream>,
        lengths: &[syn::Ident],
        indices: &[syn::Ident],
    ) -> TokenStream {
        match shape {
            Shape::Float(_) => {
                let slot = self.take();
                if indices.is_empty() {
                    return quote!(#slot);
                }
                let position = position(lengths, indices);
                quote!(#slot[#position])
            }
            Shape::Int(..) | Shape::Bool | Shape::Enum(..) => match point {
                Some(point) => quote!(::core::clone::Clone::clone(&#point)),
                None => quote!(::core::default::Default::default()),
            },
            Shape::Tuple(parts) => {
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
            Shape::Option(inner) if !inner.varies() => self.at(&Shape::Bool, point, lengths, indices),
            // There is a derivative where there is a value.
            Shape::Option(inner) => {
                let value = self.at(inner, None, lengths, indices);
                match point {
                    Some(point) => quote!(#point.map(|_| #value)),
                    None => quote!(::core::option::Option::Some(#value)),
                }
            }
            Shape::Struct(..) if !shape.is_nameable() && point.is_some() => {
                let point = point.cloned().unwrap_or_default();
                let written = self.put(shape, &quote!(__made), &point, false, lengths, indices);
                quote!({ let mut __made = ::core::clone::Clone::clone(&#point); #written __made })
            }
            Shape::Struct(of, ty) => {
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
            Shape::Array(sequence, element) => {
                let length = self.take();
                if let (true, Shape::Float(_)) = (indices.is_empty(), &**element) {
                    let slot = self.take();
                    return match sequence {
                        Sequence::Fixed(size) => quote! {{
                            let mut array = [0.0; #size];
                            array.copy_from_slice(&#slot);
                            array
                        }},
                        _ => quote!(#slot.into_vec()),
                    };
                }
                let index = format_ident!("__i{}", indices.len());
                let mut lengths = lengths.to_vec();
                lengths.push(length.clone());
                let mut indices = indices.to_vec();
                indices.push(index.clone());
                let inner = point.map(|point| quote!(#point[#index]));
                let element = self.at(element, inner.as_ref(), &lengths, &indices);
                match sequence {
                    Sequence::Fixed(_) => quote!(::core::array::from_fn(|#index| #element)),
                    _ => quote!((0..#length.max(0) as usize).map(|#index| #element).collect::<::std::vec::Vec<_>>()),
                }
            }
        }
    }

    /// Statements that write a value of a shape from the next slots to a place behind a `&mut`. What is there is used
    /// again, so that nothing is allocated.
    pub fn write(&mut self, shape: &Shape, place: &TokenStream, point: &TokenStream) -> TokenStream {
        match shape {
            Shape::Array(..) => self.put(shape, place, point, true, &[], &[]),
            shape => self.put(shape, &quote!((*#place)), point, true, &[], &[]),
        }
    }

    /// The same for a place that the function itself may have made longer.
    pub fn overwrite(&mut self, shape: &Shape, place: &TokenStream, point: &TokenStream) -> TokenStream {
        match shape {
            Shape::Array(Sequence::Vec, _) => self.put(shape, &quote!((*#place)), point, false, &[], &[]),
            shape => self.write(shape, place, point),
        }
    }

    /// `borrowed` says that the place belongs to somebody else, so that its length stays what it is.
    fn put(
        &mut self,
        shape: &Shape,
        place: &TokenStream,
        point: &TokenStream,
        borrowed: bool,
        lengths: &[syn::Ident],
        indices: &[syn::Ident],
    ) -> TokenStream {
        match shape {
            Shape::Float(_) | Shape::Int(..) | Shape::Bool | Shape::Enum(..) | Shape::Option(_) => {
                let value = self.at(shape, Some(point), lengths, indices);
                quote!(#place = #value;)
            }
            Shape::Tuple(parts) => {
                let written = parts.iter().enumerate().map(|(at, part)| {
                    let at = syn::Index::from(at);
                    self.put(part, &quote!(#place.#at), &quote!(#point.#at), false, lengths, indices)
                });
                let written: Vec<_> = written.collect();
                quote!(#(#written)*)
            }
            Shape::Struct(of, _) => {
                let written = of.fields.iter().map(|(member, part)| {
                    self.put(part, &quote!(#place.#member), &quote!(#point.#member), false, lengths, indices)
                });
                let written: Vec<_> = written.collect();
                quote!(#(#written)*)
            }
            Shape::Array(sequence, element) => {
                let first = self.next;
                let whole = self.at(shape, Some(point), lengths, indices);
                let behind = std::mem::replace(&mut self.next, first);
                let length = self.take();
                let index = format_ident!("__i{}", indices.len());
                let (mut inner_lengths, mut inner_indices) = (lengths.to_vec(), indices.to_vec());
                inner_lengths.push(length.clone());
                inner_indices.push(index.clone());
                let written = match (indices.is_empty(), flat_depth(element)) {
                    (true, Some(depth)) => {
                        (0..depth).for_each(|_| {
                            self.take();
                        });
                        let slot = self.take();
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
                self.next = behind;
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
    pub fn scaled(&mut self, shape: &Shape, factor: &TokenStream, in_array: bool) -> TokenStream {
        match shape {
            Shape::Float(precision) => {
                let slot = self.take();
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
            Shape::Int(..) | Shape::Bool | Shape::Enum(..) => quote!(),
            Shape::Option(inner) => self.scaled(inner, factor, in_array),
            Shape::Array(_, element) => {
                self.take();
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

/// The position of an element in arrays row by row.
fn position(lengths: &[syn::Ident], indices: &[syn::Ident]) -> TokenStream {
    let mut position = quote!(0usize);
    for (length, index) in lengths.iter().zip(indices) {
        position = quote!((#position) * (#length as usize) + #index);
    }
    position
}
