//! Types of values.
//!
//! One enum serves inference and the finished core. Inference alone uses [`Type::Number`], [`Type::Unknown`],
//! [`Type::Variable`] and [`Type::Error`]; the verifier rejects them in a finished program.

use crate::size::{Atom, Size};
use crate::term::Var;
use riesz_syntax::tree::Name;
use std::sync::Arc;

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `R`
    Real,
    /// `Int`
    Int,
    /// `Bool`
    Bool,
    /// `[n]T`
    Array(Size, Arc<Type>),
    /// `(A, B, ...)` and `()`, never of one
    Tuple(Arc<[Type]>),
    /// `{x: A, y: B}`
    Record(Record),
    /// `A -> B`
    Function(Arc<(Type, Type)>),
    /// `A -o B`
    Linear(Arc<(Type, Type)>),
    /// What values of a vector space are added to; only in derivatives.
    Accumulator(Arc<Type>),
    /// What a recursive function keeps for its derivative; only in derivatives.
    Kept,
    /// `Int` or `R`, not yet known which.
    Number(u32),
    /// Not yet known.
    Unknown(u32),
    /// A type variable of a signature, by position.
    Variable(u32),
    /// The type of an expression that has been complained about; fits everywhere.
    Error,
}

/// The fields of a record, sorted by name, so that the order in which they are written matters only where they are printed
/// and counted.
#[derive(Clone, Debug)]
pub struct Record {
    /// Names and types, sorted by name.
    pub fields: Arc<[(Name, Type)]>,
    /// The order in which they are declared, printed and counted: positions in `fields`.
    pub shown: Arc<[u32]>,
}

impl PartialEq for Record {
    fn eq(&self, other: &Record) -> bool {
        self.fields == other.fields
    }
}

impl Eq for Record {}

impl std::hash::Hash for Record {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.fields.hash(state);
    }
}

impl Record {
    /// A record from its fields in the order to print them. The names must differ.
    pub fn new(written: Vec<(Name, Type)>) -> Record {
        let mut order: Vec<u32> = (0..written.len() as u32).collect();
        order.sort_by(|&a, &b| written[a as usize].0.cmp(&written[b as usize].0));
        let mut shown = vec![0; written.len()];
        for (sorted, &original) in order.iter().enumerate() {
            shown[original as usize] = sorted as u32;
        }
        let fields = order.iter().map(|&original| written[original as usize].clone()).collect();
        Record { fields, shown: shown.into() }
    }

    /// The entries of a matrix: their rows, their columns and their values.
    pub fn entries() -> Record {
        let of = |element: Type| Type::array(Size::Hole, element);
        let fields = [("rows", of(Type::Int)), ("cols", of(Type::Int)), ("vals", of(Type::Real))];
        Record::new(fields.map(|(name, ty)| (name.into(), ty)).into())
    }

    /// The position of a field.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.fields.binary_search_by(|(field, _)| (**field).cmp(name)).ok()
    }
}

impl Type {
    /// The type of a matrix with its two outermost axes exchanged.
    pub fn transposed(&self) -> Type {
        match self {
            Type::Array(m, row) => match &**row {
                Type::Array(n, element) => Type::array(n.clone(), Type::array(m.clone(), (**element).clone())),
                _ => self.clone(),
            },
            _ => self.clone(),
        }
    }

    /// `()`
    pub fn unit() -> Type {
        Type::Tuple(Arc::new([]))
    }

    /// `[size]element`
    pub fn array(size: Size, element: Type) -> Type {
        Type::Array(size, Arc::new(element))
    }

    /// One type stands for itself, several for their tuple.
    pub fn tuple(mut parts: Vec<Type>) -> Type {
        if parts.len() == 1 { parts.remove(0) } else { Type::Tuple(parts.into()) }
    }

    /// `from -> to`
    pub fn function(from: Type, to: Type) -> Type {
        Type::Function(Arc::new((from, to)))
    }

    /// The tangent space: `R` for `R`, `()` for what does not vary, component by component for arrays, tuples and
    /// records; linear maps and accumulators are vectors themselves.
    pub fn tangent(&self) -> Type {
        if !self.any(&mut |part| matches!(part, Type::Int | Type::Bool | Type::Function(_))) {
            return self.clone();
        }
        match self {
            Type::Array(size, element) => Type::array(size.clone(), element.tangent()),
            Type::Tuple(_) | Type::Record(_) => {
                self.with_components(self.components().unwrap_or_default().iter().map(Type::tangent).collect())
            }
            Type::Accumulator(inner) => Type::Accumulator(Arc::new(inner.tangent())),
            Type::Int | Type::Bool | Type::Function(_) => Type::unit(),
            other => other.clone(),
        }
    }

    /// The type with a type in the place of every `R`: that of a matrix, if one is the domain and the other the codomain.
    pub fn with_each_real(&self, other: &Type) -> Type {
        self.rebuild(&mut Clone::clone, &mut |part| match part {
            Type::Real => Some(other.clone()),
            _ => None,
        })
    }

    /// The type with the matrix in the place of every linear map: a map `A -o B` is the space `B` with a copy of `A` for
    /// every `R`, and so are the maps in `A` and `B`.
    pub fn with_matrices(&self) -> Type {
        self.rebuild(&mut Clone::clone, &mut |part| match part {
            Type::Linear(arrow) => Some(arrow.1.with_matrices().with_each_real(&arrow.0.with_matrices())),
            Type::Function(_) => Some(part.clone()),
            _ => None,
        })
    }

    /// Whether values of the type have linear maps in them, but for those that a function captured.
    pub fn holds_maps(&self) -> bool {
        match self {
            Type::Linear(_) => true,
            Type::Array(_, inner) | Type::Accumulator(inner) => inner.holds_maps(),
            Type::Tuple(parts) => parts.iter().any(Type::holds_maps),
            Type::Record(record) => record.fields.iter().any(|(_, ty)| ty.holds_maps()),
            _ => false,
        }
    }

    /// Whether values of the type vary: whether its tangent space is more than a point.
    pub fn varies(&self) -> bool {
        match self {
            Type::Real | Type::Number(_) | Type::Linear(_) | Type::Kept | Type::Unknown(_) | Type::Variable(_) => true,
            Type::Array(_, inner) | Type::Accumulator(inner) => inner.varies(),
            Type::Tuple(parts) => parts.iter().any(Type::varies),
            Type::Record(record) => record.fields.iter().any(|(_, ty)| ty.varies()),
            _ => false,
        }
    }

    /// The components of a tuple or record, in the order of their values.
    pub fn components(&self) -> Option<Vec<Type>> {
        match self {
            Type::Tuple(parts) => Some(parts.to_vec()),
            Type::Record(record) => Some(record.fields.iter().map(|(_, ty)| ty.clone()).collect()),
            _ => None,
        }
    }

    /// The positions of the components in the order in which they are declared.
    pub fn declared(&self) -> Option<Vec<usize>> {
        match self {
            Type::Tuple(parts) => Some((0..parts.len()).collect()),
            Type::Record(record) => Some(record.shown.iter().map(|at| *at as usize).collect()),
            _ => None,
        }
    }

    /// The type with the fields of its records in the order in which another declares them.
    pub fn declared_as(&self, other: &Type) -> Type {
        match (self, other) {
            (Type::Array(size, element), Type::Array(_, other)) => {
                Type::array(size.clone(), element.declared_as(other))
            }
            (Type::Tuple(parts), Type::Tuple(others)) => {
                Type::Tuple(parts.iter().zip(others.iter()).map(|(part, other)| part.declared_as(other)).collect())
            }
            (Type::Record(record), Type::Record(other)) => {
                let fields = record.fields.iter().zip(other.fields.iter());
                let fields = fields.map(|((name, part), (_, other))| (name.clone(), part.declared_as(other))).collect();
                Type::Record(Record { fields, shown: other.shown.clone() })
            }
            _ => self.clone(),
        }
    }

    /// A component of a tuple or record.
    pub fn component(&self, at: usize) -> Option<&Type> {
        match self {
            Type::Tuple(parts) => parts.get(at),
            Type::Record(record) => record.fields.get(at).map(|(_, ty)| ty),
            _ => None,
        }
    }

    /// The same tuple or record around other components; any other type is returned as it is.
    pub fn with_components(&self, parts: Vec<Type>) -> Type {
        match self {
            Type::Tuple(_) => Type::Tuple(parts.into()),
            Type::Record(record) => {
                let fields = record.fields.iter().map(|(name, _)| name.clone()).zip(parts).collect();
                Type::Record(Record { fields, shown: record.shown.clone() })
            }
            _ => self.clone(),
        }
    }

    /// Rebuilds the type with every size replaced.
    pub fn map_sizes(&self, f: &mut dyn FnMut(&Size) -> Size) -> Type {
        self.rebuild(f, &mut |_| None)
    }

    /// The sizes in the type, in the order in which it is written.
    pub fn sizes(&self) -> Vec<Size> {
        let mut found = Vec::new();
        self.map_sizes(&mut |size| {
            found.push(size.clone());
            size.clone()
        });
        found
    }

    /// Rebuilds the type bottom-up: sizes by `size`, and wherever `leaf` answers, that in place of the part it was shown.
    pub fn rebuild(&self, size: &mut dyn FnMut(&Size) -> Size, leaf: &mut dyn FnMut(&Type) -> Option<Type>) -> Type {
        riesz_limit::poll();
        if let Some(replaced) = leaf(self) {
            return replaced;
        }
        match self {
            Type::Array(n, element) => {
                let n = size(n);
                Type::array(n, element.rebuild(size, leaf))
            }
            Type::Tuple(parts) => Type::Tuple(parts.iter().map(|part| part.rebuild(size, leaf)).collect()),
            Type::Record(record) => Type::Record(Record {
                fields: record.fields.iter().map(|(name, ty)| (name.clone(), ty.rebuild(size, leaf))).collect(),
                shown: record.shown.clone(),
            }),
            Type::Accumulator(inner) => Type::Accumulator(Arc::new(inner.rebuild(size, leaf))),
            Type::Function(arrow) => {
                Type::Function(Arc::new((arrow.0.rebuild(size, leaf), arrow.1.rebuild(size, leaf))))
            }
            Type::Linear(arrow) => Type::Linear(Arc::new((arrow.0.rebuild(size, leaf), arrow.1.rebuild(size, leaf)))),
            _ => self.clone(),
        }
    }

    /// Calls `f` on every size in the type.
    pub fn visit_sizes(&self, f: &mut dyn FnMut(&Size)) {
        self.any(&mut |part| {
            if let Type::Array(size, _) = part {
                f(size);
            }
            false
        });
    }

    /// Calls `f` on every variable that a size in the type names.
    pub fn visit_variables(&self, f: &mut dyn FnMut(Var)) {
        self.visit_sizes(&mut |size| {
            if matches!(size, Size::Constant(_) | Size::Hole) {
                return;
            }
            for atom in size.atoms() {
                if let Atom::Var(var) = atom {
                    f(var);
                }
            }
        });
    }

    /// Whether `test` holds of the type or of any part of it.
    pub fn any(&self, test: &mut dyn FnMut(&Type) -> bool) -> bool {
        test(self)
            || match self {
                Type::Array(_, inner) | Type::Accumulator(inner) => inner.any(test),
                Type::Tuple(parts) => parts.iter().any(|part| part.any(test)),
                Type::Record(record) => record.fields.iter().any(|(_, ty)| ty.any(test)),
                Type::Function(arrow) | Type::Linear(arrow) => arrow.0.any(test) || arrow.1.any(test),
                _ => false,
            }
    }

    /// The type as a user would write it.
    pub fn show(&self, name: &dyn Fn(Atom) -> String, variable: &dyn Fn(u32) -> String) -> String {
        let inner = |ty: &Type| ty.show(name, variable);
        match self {
            Type::Real => "R".into(),
            Type::Int => "Int".into(),
            Type::Bool => "Bool".into(),
            Type::Number(_) => "Int".into(),
            Type::Unknown(_) | Type::Error => "_".into(),
            Type::Kept => "kept".into(),
            Type::Accumulator(ty) => format!("accumulator {}", inner(ty)),
            Type::Variable(index) => variable(*index),
            Type::Array(size, element) => {
                let element = match **element {
                    Type::Function(_) | Type::Linear(_) => format!("({})", inner(element)),
                    _ => inner(element),
                };
                format!("[{}]{element}", size.show(name))
            }
            Type::Tuple(parts) => format!("({})", parts.iter().map(inner).collect::<Vec<_>>().join(", ")),
            Type::Record(record) => {
                let fields: Vec<String> = (record.shown.iter())
                    .map(|&at| &record.fields[at as usize])
                    .map(|(field, ty)| format!("{field}: {}", inner(ty)))
                    .collect();
                format!("{{{}}}", fields.join(", "))
            }
            Type::Function(arrow) | Type::Linear(arrow) => {
                let from = match arrow.0 {
                    Type::Function(_) | Type::Linear(_) => format!("({})", inner(&arrow.0)),
                    _ => inner(&arrow.0),
                };
                let sign = if matches!(self, Type::Function(_)) { "->" } else { "-o" };
                format!("{from} {sign} {}", inner(&arrow.1))
            }
        }
    }
}
