//! Patterns: the names that `let`, parameters and loops bind, and the conditions of `match`.

use super::{Kind, Lower, Value, Whereabouts, components};
use crate::term::Term;
use crate::types::{Integer, Ty, show};

/// Calls `visit` on each name that a pattern binds.
pub(super) fn names(pattern: &syn::Pat, visit: &mut dyn FnMut(&str)) {
    match pattern {
        syn::Pat::Ident(ident) => {
            visit(&ident.ident.to_string());
            if let Some((_, inner)) = &ident.subpat {
                names(inner, visit);
            }
        }
        syn::Pat::Tuple(tuple) => tuple.elems.iter().for_each(|part| names(part, visit)),
        syn::Pat::Slice(slice) => slice.elems.iter().for_each(|part| names(part, visit)),
        syn::Pat::Reference(inner) => names(&inner.pat, visit),
        syn::Pat::Paren(inner) => names(&inner.pat, visit),
        syn::Pat::Type(inner) => names(&inner.pat, visit),
        syn::Pat::Struct(inner) => inner.fields.iter().for_each(|field| names(&field.pat, visit)),
        syn::Pat::TupleStruct(inner) => inner.elems.iter().for_each(|part| names(part, visit)),
        _ => {}
    }
}

/// `ref mut x`, which is a `&mut` to the value.
fn is_ref_mut(pattern: &syn::PatIdent) -> bool {
    pattern.by_ref.is_some() && pattern.mutability.is_some()
}

impl Lower<'_> {
    /// Binds the names of a pattern to the parts of a value.
    pub(super) fn bind(&mut self, pattern: &syn::Pat, value: Value) {
        match pattern {
            syn::Pat::Ident(ident) if ident.subpat.is_none() && !is_ref_mut(ident) => {
                let name = ident.ident.to_string();
                if value.parts.iter().any(Whereabouts::holds_place) {
                    let help = "bind its parts to names: `(a, b)`";
                    self.refuse(pattern, "a `&mut` inside a tuple cannot be differentiated", help);
                    return self.bind_errors(pattern);
                }
                if let Some(place) = value.place {
                    self.declare_kind(&name, value.ty, value.term, Kind::Alias(place));
                    return;
                }
                let ty = match value.ty {
                    Ty::Int(integer) if self.indices.contains(&name) => Ty::Int(integer.with(Integer::USIZE)),
                    ty => ty,
                };
                let term = self.name_it(&name, value.term, pattern);
                let var = self.declare(&name, ty, term);
                self.vars[var.0].mutable = ident.mutability.is_some();
            }
            syn::Pat::Wild(_) => {
                // The value may have an error to report, so that it is computed.
                self.name_it("t", value.term, pattern);
            }
            syn::Pat::Type(typed) => {
                let ty = match (Integer::named(&show(&typed.ty)), value.ty) {
                    (Some(integer), Ty::Int(_)) => Ty::Int(integer),
                    (_, ty) => ty,
                };
                self.bind(&typed.pat, Value { ty, ..value });
            }
            syn::Pat::Paren(inner) => self.bind(&inner.pat, value),
            syn::Pat::Reference(inner) => self.bind(&inner.pat, Value { place: None, parts: Vec::new(), ..value }),
            syn::Pat::Tuple(tuple) => match components(&value.ty) {
                Some(parts) if parts.len() == tuple.elems.len() => {
                    self.bind_parts(tuple.elems.iter(), value, parts);
                }
                _ if matches!(value.ty, Ty::Error) => self.bind_errors(pattern),
                _ => {
                    self.refuse(pattern, "this pattern needs a tuple of as many parts", "bind the value to a name");
                    self.bind_errors(pattern);
                }
            },
            syn::Pat::Slice(slice) => match value.ty.clone() {
                Ty::Array(..) => {
                    let term = self.name_it("t", value.term, pattern);
                    if self.fits_slice(slice, &Value::new(term, value.ty)).is_none() {
                        self.bind_errors(pattern);
                    }
                }
                Ty::Error => self.bind_errors(pattern),
                _ => {
                    self.refuse(pattern, "this pattern cannot be differentiated", "index the array");
                    self.bind_errors(pattern);
                }
            },
            syn::Pat::Struct(inner) => match value.ty.clone() {
                Ty::Struct(of) => {
                    let whole = self.name_it("t", value.term, pattern);
                    for field in &inner.fields {
                        if let Some((at, ty, alone)) = self.field_of(&Ty::Struct(of.clone()), &field.member, field) {
                            let term = if alone { whole.clone() } else { Term::Field(whole.clone().into(), at) };
                            self.bind(&field.pat, Value::new(term, ty));
                        }
                    }
                }
                Ty::Error => self.bind_errors(pattern),
                _ => {
                    self.refuse(pattern, "this pattern cannot be differentiated", "bind the value to a name");
                    self.bind_errors(pattern);
                }
            },
            _ => {
                let message = format!("the pattern `{}` cannot be differentiated", show(pattern));
                self.refuse(pattern, message, "bind names, `_`, and tuples, arrays and structs of them");
                self.bind_errors(pattern);
            }
        }
    }

    /// The condition under which an array has the elements of a pattern.
    fn fits_slice(&mut self, slice: &syn::PatSlice, value: &Value) -> Option<Term> {
        let Ty::Array(element, length) = value.ty.clone() else {
            if value.ty != Ty::Error {
                self.refuse(slice, "this pattern needs an array", "bind the value to a name");
            }
            return None;
        };
        let length = self.length(&value.term, &length);
        let parts: Vec<&syn::Pat> = slice.elems.iter().collect();
        let rest = parts.iter().position(|part| match part {
            syn::Pat::Rest(_) => true,
            syn::Pat::Ident(ident) => {
                ident.subpat.as_ref().is_some_and(|(_, inner)| matches!(**inner, syn::Pat::Rest(_)))
            }
            _ => false,
        });
        let named = parts.len() - usize::from(rest.is_some());
        let sign = if rest.is_some() { ">=" } else { "==" };
        let mut all = match length {
            Term::Int(known) if (rest.is_some() && known >= named as i64) || known == named as i64 => Term::Bool(true),
            _ => Term::binary(sign, length.clone(), Term::Int(named as i64)),
        };
        for (at, part) in parts.iter().enumerate() {
            let before_rest = rest.is_none_or(|rest| at < rest);
            if rest == Some(at) {
                if let syn::Pat::Ident(ident) = part {
                    let to = Term::binary("-", length.clone(), Term::Int((parts.len() - 1 - at) as i64));
                    let term = Term::call("slice", [value.term.clone(), Term::Int(at as i64), to]);
                    let ty = Ty::Array(element.clone(), Box::new(Term::Unset));
                    self.declare(&ident.ident.to_string(), ty, term);
                }
                continue;
            }
            let index = match before_rest {
                true => Term::Int(at as i64),
                false => Term::binary("-", length.clone(), Term::Int((parts.len() - at) as i64)),
            };
            let term = Term::Index(value.term.clone().into(), vec![index]);
            all = all.and(self.fits(part, &Value::new(term, (*element).clone()))?);
        }
        Some(all)
    }

    fn bind_parts<'p>(&mut self, patterns: impl Iterator<Item = &'p syn::Pat>, value: Value, parts: Vec<Ty>) {
        // A tuple that is written out is taken apart without being made.
        let terms: Vec<Term> = match value.term {
            Term::Tuple(terms) if terms.len() == parts.len() => terms,
            whole => {
                let whole = self.name_it("t", whole, &quote::quote!(_));
                (0..parts.len()).map(|at| Term::Field(whole.clone().into(), at)).collect()
            }
        };
        let mut whereabouts = value.parts.into_iter();
        for ((pattern, term), ty) in patterns.zip(terms).zip(parts) {
            let Whereabouts { place, parts } = whereabouts.next().unwrap_or_default();
            self.bind(pattern, Value { term, ty, place, parts });
        }
    }

    /// Binds the names of a pattern to values that cause no further errors.
    pub(super) fn bind_errors(&mut self, pattern: &syn::Pat) {
        let mut found = Vec::new();
        names(pattern, &mut |name| found.push(name.to_string()));
        for name in found {
            self.declare(&name, Ty::Error, Term::Unset);
        }
    }

    /// The condition under which a pattern of `match` fits a value; the names that it binds are declared.
    pub(super) fn fits(&mut self, pattern: &syn::Pat, value: &Value) -> Option<Term> {
        match pattern {
            syn::Pat::Wild(_) => Some(Term::Bool(true)),
            syn::Pat::Paren(inner) => self.fits(&inner.pat, value),
            syn::Pat::Reference(inner) => self.fits(&inner.pat, value),
            syn::Pat::Lit(literal) => {
                let found = self.value(&syn::Expr::Lit(literal.clone()));
                Some(Term::binary("==", value.term.clone(), found.term))
            }
            syn::Pat::Ident(ident) if ident.ident == "None" && matches!(value.ty, Ty::Option(_)) => {
                let (there, _) = self.option_parts(value.clone(), pattern);
                Some(there.not())
            }
            syn::Pat::TupleStruct(inner) if matches!(value.ty, Ty::Option(_)) && inner.elems.len() == 1 => {
                let (there, value) = self.option_parts(value.clone(), pattern);
                let value = match value.ty {
                    // Nothing of a type that is not known is there.
                    Ty::Unknown => Value::error(),
                    _ => value,
                };
                Some(there.and(self.fits(&inner.elems[0], &value)?))
            }
            syn::Pat::Struct(inner) => {
                let mut all = Term::Bool(true);
                for field in &inner.fields {
                    let (at, ty, alone) = self.field_of(&value.ty, &field.member, field)?;
                    let term = if alone { value.term.clone() } else { Term::Field(value.term.clone().into(), at) };
                    all = all.and(self.fits(&field.pat, &Value::new(term, ty))?);
                }
                Some(all)
            }
            syn::Pat::Slice(slice) => self.fits_slice(slice, value),
            syn::Pat::Ident(ident) if ident.subpat.is_some() && ident.by_ref.is_none() => {
                self.declare(&ident.ident.to_string(), value.ty.clone(), value.term.clone());
                let (_, inner) = ident.subpat.as_ref()?;
                self.fits(inner, value)
            }
            syn::Pat::Ident(ident) if ident.subpat.is_none() && !is_ref_mut(ident) => {
                let name = ident.ident.to_string();
                if let Some((ty, constant)) = self.world.constants.get(&name) {
                    let found = self.constant_item(&name, ty, constant, pattern);
                    return Some(Term::binary("==", value.term.clone(), found.term));
                }
                if name.starts_with(char::is_uppercase) {
                    let help = "write the number, or the path of the variant: `Kind::Name`";
                    self.refuse(pattern, format!("`{name}` is not visible to `#[differentiable]`"), help);
                    return None;
                }
                let var = self.declare(&name, value.ty.clone(), value.term.clone());
                self.vars[var.0].mutable = ident.mutability.is_some();
                Some(Term::Bool(true))
            }
            syn::Pat::Path(path) => {
                let found = self.value(&syn::Expr::Path(path.clone()));
                match found.ty {
                    Ty::Error => None,
                    _ => Some(Term::binary("==", value.term.clone(), found.term)),
                }
            }
            syn::Pat::Range(range) => {
                let mut condition = Term::Bool(true);
                if let Some(start) = &range.start {
                    let start = self.value(start);
                    condition = Term::binary(">=", value.term.clone(), start.term);
                }
                if let Some(end) = &range.end {
                    let closed = matches!(range.limits, syn::RangeLimits::Closed(_));
                    let end = self.value(end);
                    let below = Term::binary(if closed { "<=" } else { "<" }, value.term.clone(), end.term);
                    condition = condition.and(below);
                }
                Some(condition)
            }
            syn::Pat::Or(or) => {
                let mut binds = false;
                or.cases.iter().for_each(|case| names(case, &mut |name| binds |= name.starts_with(char::is_lowercase)));
                if binds {
                    let help = "write an arm for each case";
                    self.refuse(pattern, "alternatives that bind names cannot share an arm here", help);
                    return None;
                }
                let mut any: Option<Term> = None;
                for case in &or.cases {
                    let condition = self.fits(case, value)?;
                    any = Some(match any {
                        None => condition,
                        Some(before) => Term::Binary("or", before.into(), condition.into()),
                    });
                }
                any
            }
            syn::Pat::Tuple(tuple) => {
                let parts = components(&value.ty)?;
                let mut all = Term::Bool(true);
                for (at, (pattern, ty)) in tuple.elems.iter().zip(parts).enumerate() {
                    let term = match &value.term {
                        Term::Tuple(terms) => terms.get(at)?.clone(),
                        whole => Term::Field(whole.clone().into(), at),
                    };
                    let condition = self.fits(pattern, &Value::new(term, ty))?;
                    all = all.and(condition);
                }
                Some(all)
            }
            _ => {
                let message = format!("the pattern `{}` cannot be differentiated", show(pattern));
                self.refuse(pattern, message, "match on numbers, booleans, `Option`s, or enums without data");
                None
            }
        }
    }
}
