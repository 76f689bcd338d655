//! Types of generated expressions, and values of them.

use super::random::Random;
use riesz_core::evaluate::Value;
use riesz_primitive::Number;

#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    Real,
    Int,
    Bool,
    Array(Size, Box<Type>),
    Tuple(Vec<Type>),
    /// Sorted by name.
    Record(Vec<(&'static str, Type)>),
    Function(Box<Type>, Box<Type>),
}

/// A number, or a name for a size that is at least some number.
#[derive(Clone, Debug)]
pub struct Size {
    pub name: Option<String>,
    pub least: usize,
}

impl PartialEq for Size {
    fn eq(&self, other: &Size) -> bool {
        self.name == other.name && (self.name.is_some() || self.least == other.least)
    }
}

impl Size {
    pub fn constant(size: usize) -> Size {
        Size { name: None, least: size }
    }

    /// The size, left open by a type.
    pub fn open(&self) -> Size {
        Size { name: Some("_".to_string()), least: self.least }
    }

    /// The size as an expression.
    pub fn show(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.least.to_string())
    }
}

pub fn array(size: Size, element: Type) -> Type {
    Type::Array(size, Box::new(element))
}

pub fn function(from: Type, to: Type) -> Type {
    Type::Function(Box::new(from), Box::new(to))
}

impl Type {
    /// The type as a program has it.
    pub fn show(&self) -> String {
        self.written(&|size| size.show(), false)
    }

    /// The type with numbers for its sizes.
    pub fn concrete(&self) -> String {
        self.written(&|size| size.least.to_string(), false)
    }

    /// The tangent space, with numbers for its sizes.
    pub fn tangent(&self) -> String {
        self.written(&|size| size.least.to_string(), true)
    }

    fn written(&self, size: &dyn Fn(&Size) -> String, tangent: bool) -> String {
        let inner = |ty: &Type| ty.written(size, tangent);
        match self {
            Type::Real => "R".to_string(),
            Type::Int | Type::Bool | Type::Function(..) if tangent => "()".to_string(),
            Type::Int => "Int".to_string(),
            Type::Bool => "Bool".to_string(),
            Type::Array(n, element) => format!("[{}]{}", size(n), inner(element)),
            Type::Tuple(parts) => format!("({})", parts.iter().map(inner).collect::<Vec<_>>().join(", ")),
            Type::Record(fields) => {
                let fields: Vec<String> = fields.iter().map(|(name, ty)| format!("{name}: {}", inner(ty))).collect();
                format!("{{{}}}", fields.join(", "))
            }
            Type::Function(from, to) => format!("({} -> {})", inner(from), inner(to)),
        }
    }

    pub fn components(&self) -> Vec<Type> {
        match self {
            Type::Tuple(parts) => parts.clone(),
            Type::Record(fields) => fields.iter().map(|(_, ty)| ty.clone()).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether all of it is real.
    pub fn is_vector(&self) -> bool {
        match self {
            Type::Real => true,
            Type::Array(_, element) => element.is_vector(),
            Type::Tuple(_) | Type::Record(_) => self.components().iter().all(Type::is_vector),
            Type::Int | Type::Bool | Type::Function(..) => false,
        }
    }

    /// Whether it is a number, or an array of numbers of any rank.
    pub fn is_tensor(&self) -> bool {
        match self {
            Type::Real => true,
            Type::Array(_, element) => element.is_tensor(),
            _ => false,
        }
    }

    /// How many real numbers a value has, at the least sizes.
    pub fn reals(&self) -> usize {
        match self {
            Type::Real => 1,
            Type::Array(size, element) => size.least * element.reals(),
            _ => self.components().iter().map(Type::reals).sum(),
        }
    }

    /// Whether an array in it may have no elements, while its elements have sizes.
    pub fn is_perhaps_without_rows(&self) -> bool {
        match self {
            Type::Array(size, element) => {
                let mut sizes = Vec::new();
                element.sizes(&mut sizes);
                size.least == 0 && !sizes.is_empty() || element.is_perhaps_without_rows()
            }
            Type::Function(from, to) => from.is_perhaps_without_rows() || to.is_perhaps_without_rows(),
            _ => self.components().iter().any(Type::is_perhaps_without_rows),
        }
    }

    /// The sizes, each once.
    pub fn sizes(&self, found: &mut Vec<Size>) {
        match self {
            Type::Array(size, element) => {
                if !found.contains(size) {
                    found.push(size.clone());
                }
                element.sizes(found);
            }
            Type::Function(from, to) => {
                from.sizes(found);
                to.sizes(found);
            }
            _ => self.components().iter().for_each(|part| part.sizes(found)),
        }
    }

    /// The type with other sizes.
    pub fn with_sizes(&self, f: &mut dyn FnMut(&Size) -> Size) -> Type {
        match self {
            Type::Array(size, element) => array(f(size), element.with_sizes(f)),
            Type::Tuple(parts) => Type::Tuple(parts.iter().map(|part| part.with_sizes(f)).collect()),
            Type::Record(fields) => {
                Type::Record(fields.iter().map(|(name, part)| (*name, part.with_sizes(f))).collect())
            }
            Type::Function(from, to) => function(from.with_sizes(f), to.with_sizes(f)),
            other => other.clone(),
        }
    }

    /// A value, given what its numbers are.
    pub fn value<S: Number>(&self, reals: &mut dyn FnMut() -> S, int: i64) -> Value<S> {
        match self {
            Type::Real => Value::Real(reals()),
            Type::Int => Value::Int(int),
            Type::Bool => Value::Bool(int > 1),
            Type::Array(size, element) => match **element {
                Type::Real => Value::reals((0..size.least).map(|_| reals()).collect()),
                Type::Int => Value::ints(vec![int; size.least]),
                _ => Value::values((0..size.least).map(|_| element.value(reals, int)).collect()),
            },
            _ => Value::Tuple(self.kept().iter().map(|part| part.value(reals, int)).collect()),
        }
    }

    /// The components in the order in which values hold them: fields by their names.
    fn kept(&self) -> Vec<Type> {
        match self {
            Type::Record(fields) => {
                let mut fields = fields.clone();
                fields.sort_by_key(|(name, _)| *name);
                fields.into_iter().map(|(_, ty)| ty).collect()
            }
            _ => self.components(),
        }
    }

    /// A tangent, likewise.
    pub fn tangent_value<S: Number>(&self, reals: &mut dyn FnMut() -> S) -> Value<S> {
        match self {
            Type::Real => Value::Real(reals()),
            Type::Array(size, element) => match **element {
                Type::Real => Value::reals((0..size.least).map(|_| reals()).collect()),
                _ => Value::values((0..size.least).map(|_| element.tangent_value(reals)).collect()),
            },
            _ => Value::Tuple(self.kept().iter().map(|part| part.tangent_value(reals)).collect()),
        }
    }
}

/// Not in the order of their names, in which values keep them.
pub const FIELDS: [&str; 4] = ["b", "a", "d", "c"];

/// Types to compute with.
pub struct Types<'r> {
    pub random: &'r mut Random,
    /// The names of sizes that can be used.
    pub sizes: &'r [Size],
    /// Whether arrays are small, and often empty.
    pub small: bool,
}

impl Types<'_> {
    pub fn size(&mut self) -> Size {
        match self.random.below(12) {
            0..4 if !self.sizes.is_empty() => self.random.pick(self.sizes).clone(),
            _ if self.small => Size::constant(self.random.below(4)),
            11 => Size::constant(self.random.below(2)),
            _ => Size::constant(1 + self.random.below(4)),
        }
    }

    /// A vector space.
    pub fn vector(&mut self, depth: usize) -> Type {
        match if depth == 0 { self.random.below(8) } else { self.random.below(16) } {
            0..4 => Type::Real,
            4..7 => array(self.size(), Type::Real),
            7 | 8 => array(self.size(), array(self.size(), Type::Real)),
            9..12 => Type::Tuple((0..2 + self.random.below(2)).map(|_| self.vector(depth - 1)).collect()),
            12..15 => {
                let count = 1 + self.random.below(3);
                Type::Record(FIELDS[..count].iter().map(|name| (*name, self.vector(depth - 1))).collect())
            }
            _ => array(self.size(), self.vector(depth - 1)),
        }
    }

    /// Data: vectors, with an integer or a truth value among them now and then.
    pub fn data(&mut self, depth: usize) -> Type {
        if depth == 0 || self.random.percent(75) {
            return self.vector(depth);
        }
        let scalar = if self.random.percent(80) { Type::Int } else { Type::Bool };
        match self.random.below(4) {
            0 => Type::Tuple(vec![scalar, self.vector(depth - 1)]),
            1 => Type::Tuple(vec![self.vector(depth - 1), scalar]),
            2 => Type::Record(vec![("a", self.vector(depth - 1)), ("k", scalar)]),
            _ => array(self.size(), Type::Tuple(vec![self.vector(0), Type::Int])),
        }
    }
}
