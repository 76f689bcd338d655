//! Methods that change the array that they are called on.

use super::expr::Any;
use super::iterator::Iter;
use super::{Lower, Value};
use crate::term::Term;
use crate::types::Ty;

impl Lower<'_> {
    /// Methods that change what they are called on.
    pub(super) fn mutating(&mut self, call: &syn::ExprMethodCall, name: &str) -> Any {
        // On an iterator `rev` and the like have other names, so that the receiver is a place.
        let Some(place) = self.place_of(&call.receiver) else {
            let message = format!("`{name}` changes something that is no variable");
            return Any::Value(self.refuse(call, message, "bind it to a variable first"));
        };
        let variable = &self.vars[place.root.0];
        if !variable.mutable && !matches!(variable.ty, Ty::Error) {
            let message = format!("`{}` is a `&mut` to a variable that is not known here", variable.name);
            return Any::Value(self.refuse(call, message, "assign to the variable by its own name"));
        }
        let ty = self.type_at(&place);
        let Ty::Array(element, length) = ty.clone() else {
            return Any::Value(match ty {
                Ty::Error => Value::error(),
                _ => self.refuse(call, format!("`{name}` is known for arrays alone"), "use an array"),
            });
        };
        match (name, call.args.len()) {
            ("iter_mut", 0) => Any::Iter(Iter::Places(place)),
            ("chunks_mut" | "chunks_exact_mut", 1) => {
                let width = self.count_atom(&call.args[0]);
                Any::Iter(Iter::PlaceChunks(place, width, name == "chunks_mut"))
            }
            ("split_at_mut", 1) => {
                let at = self.count_atom(&call.args[0]);
                let whole = self.count(&Iter::Places(place.clone()), call);
                let whole = self.name_it("n", whole, call);
                let parts = [(Term::Int(0), at.clone()), (at, whole)].map(|(from, to)| place.slice(from, to));
                let values = parts.map(|place| (self.read_place(&place, call), place));
                let (terms, types) = values.iter().map(|(value, _)| (value.term.clone(), value.ty.clone())).unzip();
                let mut both = Value::new(Term::Tuple(terms), Ty::Tuple(types));
                both.parts =
                    values.map(|(_, place)| super::Whereabouts { place: Some(place), parts: Vec::new() }).into();
                Any::Value(both)
            }
            ("push", 1) => {
                let value = self.kept_value(&call.args[0]);
                if matches!(value.ty, Ty::Error) {
                    return Any::Value(Value::error());
                }
                let before = self.read_place(&place, &call.receiver);
                let before_term = super::operator::unmarked(before.term);
                let more = match &*length {
                    Term::Int(n) => Term::Int(n + 1),
                    _ => Term::Unset,
                };
                let element = if matches!(*element, Ty::Unknown) { value.ty } else { *element };
                let ty = Ty::Array(Box::new(element), Box::new(more));
                let term = match &before_term {
                    Term::Name(name) if self.is_empty_array(name) => Term::Array(vec![value.term]),
                    _ => Term::Push(before_term.into(), value.term.into()),
                };
                if !place.path.is_empty() {
                    let help = "push to a variable, and put that into the array";
                    return Any::Value(self.refuse(
                        call,
                        "`push` to a part of a variable cannot be differentiated",
                        help,
                    ));
                }
                let name = self.vars[place.root.0].name.clone();
                let term = self.name_it(&name, term, call);
                self.vars[place.root.0].term = term;
                self.vars[place.root.0].ty = ty;
                Any::Value(Value::unit())
            }
            ("swap", 2) => {
                let (a, b) = (self.atom(&call.args[0]).term, self.atom(&call.args[1]).term);
                let whole = self.read_place(&place, &call.receiver);
                let whole = self.name_it("v", super::operator::unmarked(whole.term), call);
                let read = |at: &Term| Term::Index(whole.clone().into(), vec![at.clone()]);
                let first = Term::Update(whole.clone().into(), vec![a.clone()], read(&b).into());
                let first = self.name_it("v", first, call);
                let second = Term::Update(first.into(), vec![b], read(&a).into());
                self.write_place(&place, Value::new(second, ty), call);
                Any::Value(Value::unit())
            }
            ("fill", 1) => {
                let value = self.value(&call.args[0]);
                let whole = self.read_place(&place, &call.receiver);
                let length = self.length(&super::operator::unmarked(whole.term), &length);
                let term = Term::call("replicate", [length, value.term]);
                self.write_place(&place, Value::new(term, ty), call);
                Any::Value(Value::unit())
            }
            ("copy_from_slice" | "clone_from_slice", 1) => {
                let value = self.value(&call.args[0]);
                if matches!(value.ty, Ty::Error) {
                    return Any::Value(Value::error());
                }
                self.write_place(&place, Value::new(value.term, value.ty), call);
                Any::Value(Value::unit())
            }
            ("reverse", 0) => {
                let whole = self.read_place(&place, &call.receiver);
                let term = Term::call("reverse", [super::operator::unmarked(whole.term)]);
                self.write_place(&place, Value::new(term, ty), call);
                Any::Value(Value::unit())
            }
            ("extend_from_slice", 1) if place.path.is_empty() => {
                let value = self.value(&call.args[0]);
                let before = self.read_place(&place, &call.receiver);
                let ty = Ty::Array(element, Box::new(Term::Unset));
                let term = match &before.term {
                    Term::Name(name) if self.is_empty_array(name) => value.term,
                    _ => Term::call("concat", [before.term, value.term]),
                };
                let term = self.name_it("v", term, call);
                self.vars[place.root.0].term = term;
                self.vars[place.root.0].ty = ty;
                Any::Value(Value::unit())
            }
            _ => Any::Value(self.refuse(
                &call.method,
                format!("`{name}` changes an array in a way that cannot be differentiated"),
                "assign its elements in a loop",
            )),
        }
    }

    /// Whether a name is bound to an empty array, in a block that is being written.
    pub(crate) fn is_empty_array(&self, name: &str) -> bool {
        self.blocks.iter().flatten().any(|binding| {
            binding.names.len() == 1 && *binding.names[0] == *name && binding.value == Term::Array(Vec::new())
        })
    }
}
