//! Types and sizes.

use super::Writer;
use std::fmt::{self, Display, Formatter};

#[derive(Clone, PartialEq)]
pub(super) enum Type {
    Real,
    Int,
    Bool,
    Array(Size, Box<Type>),
    Tuple(Vec<Type>),
    Record(Vec<(&'static str, Type)>),
    Function(Box<Type>, Box<Type>),
}

/// `factor * name + constant`
#[derive(Clone, PartialEq)]
pub(super) struct Size {
    pub(super) factor: usize,
    pub(super) name: Option<String>,
    pub(super) constant: usize,
}

impl Size {
    pub(super) fn constant(constant: usize) -> Size {
        Size { factor: 0, name: None, constant }
    }

    pub(super) fn with(&self, name: &str, size: &Size) -> Size {
        if self.name.as_deref() != Some(name) {
            return self.clone();
        }
        Size {
            factor: self.factor * size.factor,
            name: size.name.clone(),
            constant: self.factor * size.constant + self.constant,
        }
    }
}

impl Type {
    /// The type with a size in place of a name.
    pub(super) fn with(&self, name: &str, size: &Size) -> Type {
        match self {
            Type::Array(n, element) => Type::Array(n.with(name, size), Box::new(element.with(name, size))),
            Type::Tuple(parts) => Type::Tuple(parts.iter().map(|part| part.with(name, size)).collect()),
            Type::Record(fields) => {
                Type::Record(fields.iter().map(|(field, ty)| (*field, ty.with(name, size))).collect())
            }
            Type::Function(from, to) => Type::Function(Box::new(from.with(name, size)), Box::new(to.with(name, size))),
            other => other.clone(),
        }
    }
}

impl Display for Size {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match (&self.name, self.factor, self.constant) {
            (None, _, constant) => write!(f, "{constant}"),
            (Some(name), 1, 0) => write!(f, "{name}"),
            (Some(name), factor, 0) => write!(f, "{factor} * {name}"),
            (Some(name), 1, constant) => write!(f, "{name} + {constant}"),
            (Some(name), factor, constant) => write!(f, "{factor} * {name} + {constant}"),
        }
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Type::Real => write!(f, "R"),
            Type::Int => write!(f, "Int"),
            Type::Bool => write!(f, "Bool"),
            Type::Array(size, element) => write!(f, "[{size}]{element}"),
            Type::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(Type::to_string).collect();
                write!(f, "({})", parts.join(", "))
            }
            Type::Record(fields) => {
                let fields: Vec<String> = fields.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
                write!(f, "{{{}}}", fields.join(", "))
            }
            Type::Function(from, to) => write!(f, "({from} -> {to})"),
        }
    }
}

impl Writer<'_> {
    pub(super) fn size(&mut self) -> Size {
        match self.random.below(6) {
            0 | 1 if !self.sizes.is_empty() => {
                let name = self.random.pick(&self.sizes).clone();
                let factor = 1 + self.random.below(8) / 7;
                let constant = self.random.below(8) / 6;
                Size { factor, name: Some(name), constant }
            }
            _ => Size::constant(self.random.below(4)),
        }
    }

    pub(super) fn ty(&mut self, depth: usize) -> Type {
        match self.random.below(if depth == 0 { 6 } else { 14 }) {
            0..=2 => Type::Real,
            3 | 4 => Type::Int,
            5 => Type::Bool,
            6..=9 => Type::Array(self.size(), Box::new(self.ty(depth - 1))),
            10 => Type::Tuple((0..2 + self.random.below(2)).map(|_| self.ty(depth - 1)).collect()),
            11 => Type::Tuple(Vec::new()),
            12 => Type::Record(vec![("a", self.ty(depth - 1)), ("b", self.ty(depth - 1))]),
            _ => Type::Function(Box::new(self.ty(depth - 1)), Box::new(self.ty(depth - 1))),
        }
    }
}
