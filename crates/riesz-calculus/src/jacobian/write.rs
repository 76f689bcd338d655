//! Code that the walk writes: bindings in scopes, each operation once, and integers as polynomials.

use super::graph::Node;
use super::known::{Built, Split};
use super::walk::Walk;
use riesz_core::Size;
use riesz_core::build::{fresh, size_of, type_of};
use riesz_core::size;
use riesz_core::term::{Atom, Binding, Op, Var};
use riesz_core::types::Type;
use riesz_primitive::{Primitive, scalar};
use riesz_syntax::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The code that has been written for a body.
#[derive(Default)]
pub(super) struct Scope<'a> {
    pub(super) bindings: Vec<Binding>,
    pub(super) bound: FxHashSet<Var>,
    /// Operations that are already bound.
    pub(super) shared: FxHashMap<String, Atom>,
    /// Elements that are already known.
    pub(super) elements: FxHashMap<(usize, String), (Rc<Built<'a>>, Split<'a>)>,
    pub(super) inputs: FxHashMap<String, Node>,
}

impl<'a> Walk<'a> {
    pub fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// The bindings written since the last `open`.
    pub fn close(&mut self) -> Vec<Binding> {
        self.scopes.pop().unwrap_or_default().bindings
    }

    /// Lays a scope aside.
    pub fn take_scope(&mut self) -> Scope<'a> {
        self.scopes.pop().unwrap_or_default()
    }

    /// Goes on with a scope that was laid aside.
    pub fn put_scope(&mut self, scope: Scope<'a>) {
        self.scopes.push(scope);
    }

    /// Lays all scopes aside but the outermost.
    pub fn take_scopes(&mut self) -> Vec<Scope<'a>> {
        self.scopes.split_off(1)
    }

    /// Goes on with scopes that were laid aside.
    pub fn put_scopes(&mut self, scopes: Vec<Scope<'a>>) {
        self.scopes.extend(scopes);
    }

    /// The scope that is written to.
    pub fn scope(&mut self) -> &mut Scope<'a> {
        self.scopes.last_mut().expect("the outermost scope is never closed by a walk")
    }

    /// Whether a variable was bound since the last `open`.
    pub fn is_local(&self, var: Var) -> bool {
        self.scopes.last().is_some_and(|scope| scope.bound.contains(&var))
    }

    pub fn var(&mut self, ty: Type) -> Var {
        fresh(self.vars, ty)
    }

    pub fn type_of(&self, atom: Atom) -> Type {
        type_of(atom, self.vars)
    }

    /// Binds an operation, unless it is bound already.
    pub fn bind(&mut self, op: Op, ty: Type) -> Atom {
        let key = key(&op);
        if let Some(key) = &key
            && let Some(atom) = self.scopes.iter().rev().find_map(|scope| scope.shared.get(key))
        {
            return *atom;
        }
        let form = if ty == Type::Int { self.form_of(&op) } else { None };
        if let Some(Size::Constant(value)) = form {
            return Atom::Int(value);
        }
        let var = self.var(ty);
        if let Some(form) = form {
            self.forms.insert(var, form);
        }
        let span = self.span;
        let scope = self.scope();
        scope.bindings.push(Binding { var, op, span });
        scope.bound.insert(var);
        if let Some(key) = key {
            scope.shared.insert(key, Atom::Var(var));
        }
        Atom::Var(var)
    }

    /// The integer that an operation gives, as a polynomial.
    fn form_of(&self, op: &Op) -> Option<Size> {
        match op {
            Op::Copy(a) => Some(self.form(*a)),
            Op::Scalar(primitive, operands) => {
                let of = |at: usize| self.form(operands[at]);
                let is = |other: &'static Primitive| std::ptr::eq(*primitive, other);
                match () {
                    () if is(&scalar::ADD) => of(0).add(&of(1)),
                    () if is(&scalar::SUB) => of(0).sub(&of(1)),
                    () if is(&scalar::MUL) => of(0).mul(&of(1)),
                    () => None,
                }
            }
            _ => None,
        }
    }

    /// An integer as a polynomial.
    pub fn form(&self, atom: Atom) -> Size {
        match atom {
            Atom::Var(var) => self.forms.get(&var).cloned().unwrap_or_else(|| Size::var(var)),
            atom => size_of(atom),
        }
    }

    pub fn set_form(&mut self, var: Var, form: Size) {
        self.forms.insert(var, form);
    }

    /// A size as a polynomial over what polynomials are of here.
    pub fn size_form(&self, size: &Size) -> Size {
        size.replace(&mut |atom| match atom {
            size::Atom::Var(var) => self.form(Atom::Var(var)),
            atom => Size::Atom(atom),
        })
    }

    /// Whether an index is known to be below a size, and not negative.
    pub fn in_range(&self, index: &Size, size: &Size) -> bool {
        if let (Size::Constant(index), Size::Constant(size)) = (index, size) {
            return 0 <= *index && index < size;
        }
        self.facts.iter().any(|(known, bound)| {
            let Some(Size::Constant(more)) = index.sub(known) else { return false };
            let room = size.sub(bound).and_then(|room| room.sub(&Size::Constant(more)));
            more >= 0 && matches!(room, Some(Size::Constant(0..)))
        })
    }

    /// A size as an operand.
    pub fn size(&mut self, size: &Size) -> Atom {
        let mut total = Atom::Int(0);
        for monomial in size.monomials() {
            let mut product = Atom::Int(monomial.coefficient());
            for factor in monomial.factors() {
                let factor = match factor {
                    size::Atom::Var(var) => Atom::Var(*var),
                    size::Atom::Global(global) => self.bind(Op::Global(*global), Type::Int),
                    _ => Atom::Int(0),
                };
                product = self.multiple(product, factor);
            }
            total = self.further(total, product);
        }
        total
    }

    /// `a + b`, of integers.
    pub fn further(&mut self, a: Atom, b: Atom) -> Atom {
        match (a, b) {
            (Atom::Int(0), other) | (other, Atom::Int(0)) => other,
            (a, b) => self.bind(Op::Scalar(&scalar::ADD, vec![a, b]), Type::Int),
        }
    }

    /// `a · b`, of integers.
    pub fn multiple(&mut self, a: Atom, b: Atom) -> Atom {
        match (a, b) {
            (Atom::Int(1), other) | (other, Atom::Int(1)) => other,
            (a, b) => self.bind(Op::Scalar(&scalar::MUL, vec![a, b]), Type::Int),
        }
    }
}

impl crate::coefficient::Write for Walk<'_> {
    fn bind(&mut self, op: Op, ty: Type, _: Span) -> Atom {
        Walk::bind(self, op, ty)
    }

    fn type_of(&self, atom: Atom) -> Type {
        Walk::type_of(self, atom)
    }

    fn open(&mut self) {
        Walk::open(self);
    }

    fn close(&mut self) -> Vec<Binding> {
        Walk::close(self)
    }
}

/// A key that is equal for operations with equal results.
fn key(op: &Op) -> Option<String> {
    Some(match op {
        Op::Scalar(primitive, operands) => format!("{} {operands:?}", primitive.name),
        Op::Index(a, b) => format!("index {a:?} {b:?}"),
        Op::Project(a, at) => format!("project {a:?} {at}"),
        Op::ToReal(a) => format!("real {a:?}"),
        Op::Compare(comparison, a, b) => format!("{comparison:?} {a:?} {b:?}"),
        Op::Same(a, b) => format!("same {a:?} {b:?}"),
        Op::Not(a) => format!("not {a:?}"),
        _ => return None,
    })
}
