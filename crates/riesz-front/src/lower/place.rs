//! Assignments: to variables, to elements and fields of them, and through `&mut`.

use super::expr::step;
use super::{Kind, Lower, Place, Step, Value, VarId, components, describe};
use crate::term::Term;
use crate::types::Ty;
use quote::ToTokens;

impl Lower<'_> {
    /// The place that an expression names, if it names one.
    pub(super) fn place_of(&mut self, expr: &syn::Expr) -> Option<Place> {
        match expr {
            syn::Expr::Paren(inner) => self.place_of(&inner.expr),
            syn::Expr::Group(inner) => self.place_of(&inner.expr),
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => self.place_of(expr),
            syn::Expr::Reference(inner) => self.place_of(&inner.expr),
            syn::Expr::Path(path) => {
                let id = self.lookup(&path.path.get_ident()?.to_string())?;
                match &self.vars[id.0].kind {
                    Kind::Value => Some(Place { root: id, path: Vec::new() }),
                    Kind::Alias(place) => Some(place.clone()),
                    _ => None,
                }
            }
            syn::Expr::Index(index) if matches!(super::expr::strip(&index.index), syn::Expr::Range(_)) => {
                let place = self.place_of(&index.expr)?;
                let Ty::Array(_, length) = self.type_at(&place) else { return None };
                let syn::Expr::Range(range) = super::expr::strip(&index.index) else { return None };
                let whole = self.read_place(&place, &index.expr);
                let whole = super::operator::unmarked(whole.term);
                let (from, to) = self.ends(&whole, &length, range);
                let to = self.name_it("to", to, range);
                Some(place.slice(from, to))
            }
            syn::Expr::Index(index) => {
                let mut place = self.place_of(&index.expr)?;
                match self.type_at(&place) {
                    Ty::Array(..) => {}
                    _ => return None,
                }
                let at = self.atom(&index.index);
                if !at.is_int() {
                    return None;
                }
                place.path.push(Step::Index(at.term));
                Some(place)
            }
            syn::Expr::Field(field) => {
                let mut place = self.place_of(&field.base)?;
                let ty = self.type_at(&place);
                components(&ty)?;
                let (at, _, alone) = self.field_of(&ty, &field.member, field)?;
                if !alone {
                    place.path.push(Step::Field(at));
                }
                Some(place)
            }
            _ => None,
        }
    }

    /// The place of an element at an index that is below the length.
    pub(super) fn element_place(&mut self, place: &Place, index: Term, at: &dyn ToTokens) -> Place {
        let mut place = place.clone();
        let index = match place.path.pop() {
            Some(Step::Slice(from, _)) => self.name_it("i", Term::binary("+", from, index), at),
            last => {
                place.path.extend(last);
                index
            }
        };
        place.path.push(Step::Index(index));
        place
    }

    /// The type of what lies in a place.
    pub(super) fn type_at(&self, place: &Place) -> Ty {
        let mut ty = self.vars[place.root.0].ty.clone();
        for step in &place.path {
            ty = match (ty, step) {
                (Ty::Array(element, _), Step::Index(_)) => *element,
                (Ty::Array(element, _), Step::Slice(from, to)) => {
                    let count = Term::binary("-", to.clone(), from.clone());
                    Ty::Array(element, Box::new(if count.is_atom() { count } else { Term::Unset }))
                }
                (ty, Step::Field(at)) => {
                    // A struct of one field is that field.
                    components(&ty).and_then(|parts| parts.get(*at).cloned()).unwrap_or(Ty::Error)
                }
                _ => Ty::Error,
            };
        }
        ty
    }

    /// The value in a place.
    pub(super) fn read_place(&mut self, place: &Place, at: &dyn ToTokens) -> Value {
        let variable = &self.vars[place.root.0];
        let ty = self.type_at(place);
        if variable.term == Term::Unset && !matches!(variable.ty, Ty::Error | Ty::Unknown | Ty::Option(_)) {
            let message = format!("`{}` may have no value here", variable.name);
            return self.refuse(at, message, "give it a value where it is declared");
        }
        let root = variable.term.clone();
        let term = place.path.iter().fold(root, step);
        let term = match place.path.is_empty() {
            true => term,
            false => Term::At(self.place(at), term.into()),
        };
        Value::new(term, ty)
    }

    pub(super) fn assign(&mut self, assign: &syn::ExprAssign) -> Value {
        // `(a, b) = (c, d)` and `_ = c`
        if let syn::Expr::Tuple(targets) = super::expr::strip(&assign.left) {
            let value = self.kept_value(&assign.right);
            let Some(parts) = components(&value.ty) else { return Value::error() };
            let whole = self.name_it("t", value.term, &assign.right);
            for (at, (target, ty)) in targets.elems.iter().zip(parts).enumerate() {
                let part = Value::new(Term::Field(whole.clone().into(), at), ty);
                self.assign_to(target, part, assign);
            }
            return Value::unit();
        }
        let value = self.kept_value(&assign.right);
        if !matches!(super::expr::strip(&assign.left), syn::Expr::Infer(_)) {
            self.assign_to(&assign.left, value, assign);
        }
        Value::unit()
    }

    fn assign_to(&mut self, target: &syn::Expr, value: Value, at: &dyn ToTokens) {
        if let syn::Expr::Path(path) = super::expr::strip(target)
            && let Some(id) = path.path.get_ident().and_then(|ident| self.lookup(&ident.to_string()))
            && matches!(self.vars[id.0].kind, Kind::Alias(_))
        {
            let help = "write `*` before it, or use another name for the other reference";
            self.refuse(target, "this changes the variable to which a `&mut` refers", help);
            return;
        }
        match self.place_of(target) {
            Some(place) => self.write_place(&place, value, at),
            None => {
                let help = "assign to a variable, to an element `v[i]`, or to a field";
                self.refuse(target, "this assignment cannot be differentiated", help);
            }
        }
    }

    /// Gives a place another value.
    pub(super) fn write_place(&mut self, place: &Place, value: Value, at: &dyn ToTokens) {
        let expected = self.type_at(place);
        if matches!(value.ty, Ty::Error) {
            self.vars[place.root.0].ty = Ty::Error;
            return;
        }
        if !self.agrees(&expected, &value.ty) {
            let message = format!("this place holds {}, and the value is {}", describe(&expected), describe(&value.ty));
            self.refuse(at, message, "the attribute needs to know the type of both");
            return;
        }
        if !self.vars[place.root.0].mutable {
            let message =
                format!("`{}` is a `&mut` to a variable that is not known here", self.vars[place.root.0].name);
            self.refuse(at, message, "assign to the variable by its own name");
            return;
        }
        let root = place.root;
        let variable = self.vars[root.0].clone();
        if place.path.is_empty() {
            let term = self.name_it(&variable.name, super::operator::unmarked(value.term), at);
            let variable = &mut self.vars[root.0];
            variable.term = term;
            // The length of the new array is what counts from here on.
            match (&variable.ty, value.ty) {
                (Ty::Unknown | Ty::Array(..), ty) => variable.ty = ty,
                (Ty::Option(_) | Ty::Int(_), ty) => variable.ty = super::control::join(&variable.ty, &ty),
                _ => {}
            }
            return;
        }
        let term = replaced(variable.term.clone(), &variable.ty, &place.path, super::operator::unmarked(value.term));
        let term = self.name_it(&variable.name, term, at);
        self.vars[root.0].term = term;
    }

    /// The variables' terms.
    pub(super) fn snapshot(&self) -> Vec<(Term, Ty)> {
        self.vars.iter().map(|variable| (variable.term.clone(), variable.ty.clone())).collect()
    }

    /// Puts back the variables' terms.
    pub(super) fn restore(&mut self, before: &[(Term, Ty)]) {
        for (variable, (term, ty)) in self.vars.iter_mut().zip(before) {
            (variable.term, variable.ty) = (term.clone(), ty.clone());
        }
    }

    /// The variables among the first of which the terms differ.
    pub(super) fn changed(&self, before: &[(Term, Ty)]) -> Vec<VarId> {
        let pairs = self.vars.iter().zip(before).enumerate();
        pairs.filter(|(_, (now, before))| now.term != before.0).map(|(at, _)| VarId(at)).collect()
    }
}

impl Place {
    /// The part of an array from an index to below another.
    pub(super) fn slice(&self, from: Term, to: Term) -> Place {
        let mut path = self.path.clone();
        path.push(Step::Slice(from, to));
        Place { root: self.root, path }
    }
}

/// A value with a part of it replaced.
fn replaced(whole: Term, ty: &Ty, path: &[Step], value: Term) -> Term {
    let indices: Vec<Term> = path
        .iter()
        .map_while(|step| match step {
            Step::Index(at) => Some(at.clone()),
            Step::Field(_) | Step::Slice(..) => None,
        })
        .collect();
    if !indices.is_empty() {
        let mut inner = ty.clone();
        for _ in &indices {
            inner = match inner {
                Ty::Array(element, _) => *element,
                other => other,
            };
        }
        let element = Term::Index(whole.clone().into(), indices.clone());
        let rest = &path[indices.len()..];
        let value = if rest.is_empty() { value } else { replaced(element, &inner, rest, value) };
        return Term::Update(whole.into(), indices, value.into());
    }
    if let Some((Step::Slice(from, to), rest)) = path.split_first() {
        let part = Term::call("slice", [whole.clone(), from.clone(), to.clone()]);
        // What takes its place has the same length.
        let count = Term::binary("-", to.clone(), from.clone());
        let value = match rest.is_empty() {
            true => Term::call("slice", [value, Term::Int(0), count]),
            false => replaced(part, ty, rest, value),
        };
        let before = Term::call("slice", [whole.clone(), Term::Int(0), from.clone()]);
        let behind = Term::call("slice", [whole.clone(), to.clone(), Term::call("size", [whole])]);
        return Term::call("concat", [before, value, behind]);
    }
    let Some((Step::Field(field), rest)) = path.split_first() else { return value };
    let parts = components(ty).unwrap_or_default();
    let terms = parts.iter().enumerate().map(|(at, part)| {
        let old = Term::Field(whole.clone().into(), at);
        if at == *field { replaced(old, part, rest, value.clone()) } else { old }
    });
    Term::Tuple(terms.collect())
}
