//! Programs that are mostly right: expressions made from the type they are to have.

use crate::random::Random;
use std::fmt::{self, Display, Formatter};

/// Functions with type variables and sizes, for the rest of a program to use.
const LIBRARY: &str = "\
fun same(x: t): t = x
fun pair(x: s, y: t): (s, t) = (x, y)
fun twice(f: t -> t, x: t): t = f(f(x))
fun after(g: b -> c, f: a -> b): a -> c = \\x -> g(f(x))
fun choose(c: Bool, x: t, y: t): t = if c then x else y
fun first(v: [n]t): t = v[0]
fun tail(v: [n + 1]t): [n]t = [v[i + 1] | i < n]
fun double(v: [n]t): [2 * n]t = concat(v, v)
fun front(v: [n]t): [_]t = slice(v, 0, div(n + 1, 2))
fun repeat(n: Int, x: t): [n]t = [x | i < n]
fun count(n: Int): Int = if n > 0 then 1 + count(n - 1) else 0
fun even(n: Int): Bool = if n == 0 then true else odd(n - 1)
fun odd(n: Int) = if n == 0 then false else even(n - 1)
";

/// A program.
pub fn program(random: &mut Random) -> String {
    let mut text = String::new();
    if random.percent(80) {
        text += LIBRARY;
    }
    let items = 1 + random.below(6);
    let mut writer = Writer { random, scope: Vec::new(), functions: Vec::new(), names: 0, sizes: Vec::new() };
    for _ in 0..items {
        text += &writer.item();
        text.push('\n');
    }
    text
}

#[derive(Clone, PartialEq)]
enum Type {
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
struct Size {
    factor: usize,
    name: Option<String>,
    constant: usize,
}

impl Size {
    fn constant(constant: usize) -> Size {
        Size { factor: 0, name: None, constant }
    }

    fn with(&self, name: &str, size: &Size) -> Size {
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
    fn with(&self, name: &str, size: &Size) -> Type {
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

struct Function {
    name: String,
    parameters: Vec<Type>,
    result: Type,
}

struct Writer<'r> {
    random: &'r mut Random,
    scope: Vec<(String, Type)>,
    functions: Vec<Function>,
    names: usize,
    /// The names of sizes that can be used here.
    sizes: Vec<String>,
}

const DEPTH: usize = 4;

impl Writer<'_> {
    fn name(&mut self) -> String {
        self.names += 1;
        match self.random.below(40) {
            0 => (*self.random.pick(&["sum", "max", "size", "e", "n", "sin", "x'"])).to_string(),
            _ => format!("x{}", self.names),
        }
    }

    fn item(&mut self) -> String {
        match self.random.below(4) {
            0 => self.fun(),
            1 => {
                let ty = self.ty(2);
                let name = self.name();
                let value = self.expr(&ty, DEPTH);
                let annotation = if self.random.percent(40) { format!(": {ty}") } else { String::new() };
                self.scope.push((name.clone(), ty));
                format!("let {name}{annotation} = {value}")
            }
            _ => {
                let ty = self.ty(2);
                let (left, right) = (self.expr(&ty, DEPTH), self.expr(&ty, DEPTH));
                match self.random.below(4) {
                    0 => format!("check {}", self.expr(&Type::Bool, DEPTH)),
                    1 => format!("check {left} == {right}"),
                    2 => format!("check \"label\" {left} ~= {right} within 0.5"),
                    _ => format!("check {left} ~= {right}"),
                }
            }
        }
    }

    fn fun(&mut self) -> String {
        let outside = self.scope.len();
        if self.random.percent(50) {
            self.sizes = vec!["n".to_string(), "m".to_string()];
        }
        let mut written: Vec<String> = self.sizes.iter().map(|size| format!("{size}_: [{size}]R")).collect();
        let mut parameters: Vec<Type> =
            self.sizes.iter().map(|size| array(Size { factor: 1, name: Some(size.clone()), constant: 0 })).collect();
        for size in self.sizes.clone() {
            self.scope.push((size.clone(), Type::Int));
            self.scope.push((format!("{size}_"), array(Size { factor: 1, name: Some(size), constant: 0 })));
        }
        for _ in 0..self.random.below(3) {
            let ty = self.ty(2);
            let name = self.name();
            written.push(format!("{name}: {ty}"));
            parameters.push(ty.clone());
            self.scope.push((name, ty));
        }
        let result = self.ty(2);
        let name = self.name();
        let body = self.expr(&result, DEPTH);
        let annotation = if self.random.percent(60) { format!(": {result}") } else { String::new() };
        self.scope.truncate(outside);
        self.sizes.clear();
        self.functions.push(Function { name: name.clone(), parameters, result });
        format!("fun {name}({}){annotation} = {body}", written.join(", "))
    }

    // ---- types ----

    fn size(&mut self) -> Size {
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

    fn ty(&mut self, depth: usize) -> Type {
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

    // ---- expressions ----

    fn expr(&mut self, ty: &Type, depth: usize) -> String {
        let ty = &match self.random.below(300) {
            0 => self.ty(2),
            _ => ty.clone(),
        };
        if let Some(name) = self.in_scope(ty) {
            return name;
        }
        if depth == 0 {
            return self.simple(ty);
        }
        match self.random.below(16) {
            0..=3 => self.simple_or_built(ty, depth),
            4 => format!(
                "(if {} then {} else {})",
                self.expr(&Type::Bool, depth - 1),
                self.expr(ty, depth - 1),
                self.expr(ty, depth - 1)
            ),
            5 => self.let_in(ty, depth),
            6 => self.applied(ty, depth),
            7 => self.looped(ty, depth),
            8 => self.projected(ty, depth),
            9 => self.indexed(ty, depth),
            10 => self.called(ty, depth),
            11 => self.library(ty, depth),
            12 => {
                let (state, element) = (ty.clone(), self.ty(1));
                let array = Type::Array(self.size(), Box::new(element.clone()));
                let start = self.expr(&state, depth - 1);
                let array = self.expr(&array, depth - 1);
                let (a, b) = (self.name(), self.name());
                let body = self.within(&[(&a, &state), (&b, &element)], |writer| writer.expr(&state, depth - 1));
                format!("fold(\\{a} {b} -> {body}, {start}, {array})")
            }
            _ => self.built(ty, depth),
        }
    }

    fn in_scope(&mut self, ty: &Type) -> Option<String> {
        if !self.random.percent(45) {
            return None;
        }
        let fitting: Vec<&String> = self.scope.iter().filter(|(_, other)| other == ty).map(|(name, _)| name).collect();
        if fitting.is_empty() { None } else { Some((*self.random.pick(&fitting)).clone()) }
    }

    fn within<T>(&mut self, bound: &[(&str, &Type)], write: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.scope.len();
        self.scope.extend(bound.iter().map(|(name, ty)| (name.to_string(), (*ty).clone())));
        let written = write(self);
        self.scope.truncate(outside);
        written
    }

    /// A value without much inside.
    fn simple(&mut self, ty: &Type) -> String {
        match ty {
            Type::Real => match self.random.below(8) {
                0 => (*self.random.pick(&["inf", "nan", "-inf", "pi", "e", "1e308", "-0.0", "5e-324"])).to_string(),
                1 | 2 => self.simple(&Type::Int),
                _ => (*self.random.pick(&["0.0", "1.0", "2.5", "-1.5", "0.1", "3.0", "100.0"])).to_string(),
            },
            Type::Int => match self.random.below(30) {
                0 => (*self.random.pick(&["9223372036854775807", "-9223372036854775808", "10^9", "-1"])).to_string(),
                _ => self.random.below(4).to_string(),
            },
            Type::Bool => (*self.random.pick(&["true", "false"])).to_string(),
            Type::Array(size, element) => match (&size.name, size.constant) {
                (None, length) if self.random.percent(70) => {
                    let elements: Vec<String> = (0..length).map(|_| self.simple(element)).collect();
                    format!("[{}]", elements.join(", "))
                }
                _ => format!("[{} | i < {size}]", self.simple(element)),
            },
            Type::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.simple(part)).collect();
                format!("({})", parts.join(", "))
            }
            Type::Record(fields) => {
                let mut fields: Vec<String> =
                    fields.iter().map(|(name, ty)| format!("{name} = {}", self.simple(ty))).collect();
                if self.random.percent(30) {
                    fields.reverse();
                }
                format!("{{{}}}", fields.join(", "))
            }
            Type::Function(_, to) => {
                let to = self.simple(to);
                format!("(\\_ -> {to})")
            }
        }
    }

    /// A value made of parts.
    fn simple_or_built(&mut self, ty: &Type, depth: usize) -> String {
        match ty {
            Type::Array(size, element) if size.name.is_none() => {
                let elements: Vec<String> = (0..size.constant).map(|_| self.expr(element, depth - 1)).collect();
                format!("[{}]", elements.join(", "))
            }
            Type::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.expr(part, depth - 1)).collect();
                format!("({})", parts.join(", "))
            }
            Type::Record(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, ty)| format!("{name} = {}", self.expr(ty, depth - 1))).collect();
                format!("{{{}}}", fields.join(", "))
            }
            _ => self.built(ty, depth),
        }
    }

    fn let_in(&mut self, ty: &Type, depth: usize) -> String {
        let bound = self.ty(2);
        let value = self.expr(&bound, depth - 1);
        if let (Type::Tuple(parts), true) = (&bound, self.random.percent(70))
            && parts.len() >= 2
        {
            let names: Vec<String> = parts.iter().map(|_| self.name()).collect();
            let entries: Vec<(&str, &Type)> = names.iter().map(String::as_str).zip(parts).collect();
            let body = self.within(&entries, |writer| writer.expr(ty, depth - 1));
            return format!("{{\n  let ({}) = {value}\n  {body}\n}}", names.join(", "));
        }
        let name = self.name();
        let body = self.within(&[(&name, &bound)], |writer| writer.expr(ty, depth - 1));
        let annotation = if self.random.percent(20) { format!(": {bound}") } else { String::new() };
        match self.random.below(3) {
            0 => format!("(let {name}{annotation} = {value} in {body})"),
            1 => format!("{{ let {name}{annotation} = {value}; {body} }}"),
            _ => format!("{{\n  let {name}{annotation} = {value}\n  {body}\n}}"),
        }
    }

    /// A function written and called at once, or named in between.
    fn applied(&mut self, ty: &Type, depth: usize) -> String {
        let from = self.ty(1);
        let argument = self.expr(&from, depth - 1);
        let (function, name) = (self.name(), self.name());
        let body = self.within(&[(&name, &from)], |writer| writer.expr(ty, depth - 1));
        match self.random.below(3) {
            0 => format!("(\\{name} -> {body})({argument})"),
            1 => format!("{{ let {function} = \\{name} -> {body}; {function}({argument}) }}"),
            _ => {
                let arrow = Type::Function(Box::new(from), Box::new(ty.clone()));
                format!("{}({argument})", self.expr(&arrow, depth - 1))
            }
        }
    }

    fn looped(&mut self, ty: &Type, depth: usize) -> String {
        let start = self.expr(ty, depth - 1);
        let (state, element) = (self.name(), self.name());
        match self.random.below(3) {
            0 => {
                let size = self.size();
                let body = self.within(&[(&state, ty), (&element, &Type::Int)], |writer| writer.expr(ty, depth - 1));
                format!("(loop {state} = {start} for {element} < {size} do {body})")
            }
            1 => {
                let inner = self.ty(1);
                let array = Type::Array(self.size(), Box::new(inner.clone()));
                let array = self.expr(&array, depth - 1);
                let body = self.within(&[(&state, ty), (&element, &inner)], |writer| writer.expr(ty, depth - 1));
                format!("(loop {state} = {start} for {element} in {array} do {body})")
            }
            _ => {
                let (condition, body) = self.within(&[(&state, ty), (&element, &Type::Int)], |writer| {
                    (writer.expr(&Type::Bool, depth - 1), writer.expr(ty, depth - 1))
                });
                format!(
                    "(loop ({state}, {element}) = ({start}, 0) while {element} < 3 and {condition} do ({body}, {element} + 1)).0"
                )
            }
        }
    }

    fn projected(&mut self, ty: &Type, depth: usize) -> String {
        let other = self.ty(1);
        match self.random.below(3) {
            0 => format!("{}.0", self.expr(&Type::Tuple(vec![ty.clone(), other]), depth - 1)),
            1 => format!("{}.1", self.expr(&Type::Tuple(vec![other, ty.clone()]), depth - 1)),
            _ => format!("{}.b", self.expr(&Type::Record(vec![("a", other), ("b", ty.clone())]), depth - 1)),
        }
    }

    fn indexed(&mut self, ty: &Type, depth: usize) -> String {
        let size = Size { constant: 1 + self.random.below(3), ..self.size() };
        let index = match self.random.below(8) {
            0 => self.expr(&Type::Int, depth - 1),
            _ => self.random.below(size.constant).to_string(),
        };
        format!("{}[{index}]", self.expr(&Type::Array(size, Box::new(ty.clone())), depth - 1))
    }

    fn called(&mut self, ty: &Type, depth: usize) -> String {
        let (n, m) = (self.size(), self.size());
        let fitting: Vec<usize> = (0..self.functions.len())
            .filter(|&at| self.functions[at].result.with("n", &n).with("m", &m) == *ty)
            .collect();
        if fitting.is_empty() {
            return self.built(ty, depth);
        }
        let function = &self.functions[*self.random.pick(&fitting)];
        let name = function.name.clone();
        let parameters: Vec<Type> =
            function.parameters.iter().map(|parameter| parameter.with("n", &n).with("m", &m)).collect();
        let arguments: Vec<String> = parameters.iter().map(|parameter| self.expr(parameter, depth - 1)).collect();
        match (arguments.len(), self.random.below(6)) {
            (2.., 0) => format!("{name}(({}))", arguments.join(", ")),
            (1.., 1) => {
                let mut holes = arguments.clone();
                let at = self.random.below(holes.len());
                let argument = std::mem::replace(&mut holes[at], "_".into());
                format!("{name}({})({argument})", holes.join(", "))
            }
            _ => format!("{name}({})", arguments.join(", ")),
        }
    }

    fn library(&mut self, ty: &Type, depth: usize) -> String {
        let element = |ty: &Type| Box::new(ty.clone());
        match self.random.below(8) {
            0 => format!("same({})", self.expr(ty, depth - 1)),
            1 => {
                let name = self.name();
                let body = self.within(&[(&name, ty)], |writer| writer.expr(ty, depth - 1));
                format!("twice(\\{name} -> {body}, {})", self.expr(ty, depth - 1))
            }
            2 => {
                let (from, between) = (self.ty(1), self.ty(1));
                let second = self.expr(&Type::Function(element(&between), element(ty)), depth - 1);
                let first = self.expr(&Type::Function(element(&from), element(&between)), depth - 1);
                format!("after({second}, {first})({})", self.expr(&from, depth - 1))
            }
            3 => format!(
                "choose({}, {}, {})",
                self.expr(&Type::Bool, depth - 1),
                self.expr(ty, depth - 1),
                self.expr(ty, depth - 1)
            ),
            4 => {
                let size = Size { constant: 1, ..self.size() };
                format!("first({})", self.expr(&Type::Array(size, element(ty)), depth - 1))
            }
            5 => format!("pair({}, {}).0", self.expr(ty, depth - 1), {
                let other = self.ty(1);
                self.expr(&other, depth - 1)
            }),
            _ => match ty {
                Type::Array(size, inner) => {
                    let longer = Size { constant: size.constant + 1, ..size.clone() };
                    match self.random.below(3) {
                        0 => format!("tail({})", self.expr(&Type::Array(longer, inner.clone()), depth - 1)),
                        1 => format!("repeat({size}, {})", self.expr(inner, depth - 1)),
                        _ => format!("front({})", self.expr(ty, depth - 1)),
                    }
                }
                Type::Int => format!("count({})", self.expr(&Type::Int, depth - 1)),
                Type::Bool => format!("{}({})", self.random.pick(&["even", "odd"]), self.expr(&Type::Int, depth - 1)),
                _ => self.built(ty, depth),
            },
        }
    }

    /// A value from operators and built-in functions.
    fn built(&mut self, ty: &Type, depth: usize) -> String {
        match ty {
            Type::Real => self.real(depth),
            Type::Int => self.integer(depth),
            Type::Bool => self.condition(depth),
            Type::Array(size, element) => self.array(size, element, depth),
            Type::Function(from, to) => {
                let name = self.name();
                let body = self.within(&[(&name, from)], |writer| writer.expr(to, depth - 1));
                format!("(\\{name} -> {body})")
            }
            Type::Tuple(parts) if parts.len() >= 2 && self.random.percent(40) => {
                let (left, right) = (self.expr(ty, depth - 1), self.expr(ty, depth - 1));
                format!("({left} {} {right})", self.random.pick(&["+", "-", "*"]))
            }
            _ => self.simple_or_simple(ty, depth),
        }
    }

    fn simple_or_simple(&mut self, ty: &Type, depth: usize) -> String {
        match ty {
            Type::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.expr(part, depth - 1)).collect();
                format!("({})", parts.join(", "))
            }
            _ => self.simple(ty),
        }
    }

    fn real(&mut self, depth: usize) -> String {
        let vector = |size: &Size| array(size.clone());
        let size = self.size();
        match self.random.below(14) {
            0..=3 => {
                let (left, right) = (self.expr(&Type::Real, depth - 1), self.expr(&Type::Real, depth - 1));
                format!("({left} {} {right})", self.random.pick(&["+", "-", "*", "/", "^"]))
            }
            4 => format!("(-{})", self.expr(&Type::Real, depth - 1)),
            5 => {
                let function = *self.random.pick(&[
                    "exp", "log", "sqrt", "sin", "atan", "tanh", "abs", "sign", "floor", "round", "erf", "lgamma",
                    "sigmoid", "softplus", "relu", "norm", "real", "digamma", "cbrt",
                ]);
                format!("{function}({})", self.expr(&Type::Real, depth - 1))
            }
            6 => {
                let function = *self.random.pick(&["max", "min", "pow", "atan2", "hypot", "inner"]);
                format!("{function}({}, {})", self.expr(&Type::Real, depth - 1), self.expr(&Type::Real, depth - 1))
            }
            7 | 8 => {
                let function = *self.random.pick(&["sum", "prod", "max", "min", "norm"]);
                format!("{function}({})", self.expr(&vector(&size), depth - 1))
            }
            9 => {
                let (i, j) = (self.name(), self.name());
                let body =
                    self.within(&[(&i, &Type::Int), (&j, &Type::Int)], |writer| writer.expr(&Type::Real, depth - 1));
                let bound = if self.random.percent(50) { i.clone() } else { self.size().to_string() };
                format!("sum({body} | {i} < {size}, {j} < {bound})")
            }
            10 => {
                let function = *self.random.pick(&["dot", "inner"]);
                format!(
                    "{function}({}, {})",
                    self.expr(&vector(&size), depth - 1),
                    self.expr(&vector(&size), depth - 1)
                )
            }
            11 => {
                let matrix = Type::Array(size.clone(), Box::new(vector(&size)));
                format!("{}({})", self.random.pick(&["det", "logdet", "norm"]), self.expr(&matrix, depth - 1))
            }
            12 => self.expr(&Type::Int, depth - 1),
            _ => self.simple(&Type::Real),
        }
    }

    fn integer(&mut self, depth: usize) -> String {
        let element = self.ty(1);
        let array = Type::Array(self.size(), Box::new(element));
        let integers = Type::Array(self.size(), Box::new(Type::Int));
        match self.random.below(9) {
            0..=2 => {
                let (left, right) = (self.expr(&Type::Int, depth - 1), self.expr(&Type::Int, depth - 1));
                format!("({left} {} {right})", self.random.pick(&["+", "-", "*"]))
            }
            3 => format!("({} ^ {})", self.expr(&Type::Int, depth - 1), self.random.below(4)),
            4 => {
                let function = *self.random.pick(&["div", "mod", "max", "min"]);
                format!("{function}({}, {})", self.expr(&Type::Int, depth - 1), self.expr(&Type::Int, depth - 1))
            }
            5 => format!("size({})", self.expr(&array, depth - 1)),
            6 => format!("trunc({})", self.expr(&Type::Real, depth - 1)),
            7 => {
                let function = *self.random.pick(&["sum", "prod", "max", "argmax", "argmin"]);
                format!("{function}({})", self.expr(&integers, depth - 1))
            }
            _ => format!("(-{})", self.expr(&Type::Int, depth - 1)),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let ty = self.ty(1);
        let number = if self.random.percent(50) { Type::Int } else { Type::Real };
        match self.random.below(6) {
            0 => format!("({} == {})", self.expr(&ty, depth - 1), self.expr(&ty, depth - 1)),
            1 => {
                let (left, right) = (self.expr(&number, depth - 1), self.expr(&number, depth - 1));
                format!("({left} {} {right})", self.random.pick(&["<", "<=", ">", ">=", "!=", "~="]))
            }
            2 => format!("(not {})", self.expr(&Type::Bool, depth - 1)),
            3 => {
                let (left, right) = (self.expr(&Type::Bool, depth - 1), self.expr(&Type::Bool, depth - 1));
                format!("({left} {} {right})", self.random.pick(&["and", "or"]))
            }
            4 => format!("is_nan({})", self.expr(&Type::Real, depth - 1)),
            _ => {
                let array = Type::Array(self.size(), Box::new(Type::Bool));
                format!("{}({})", self.random.pick(&["all", "any"]), self.expr(&array, depth - 1))
            }
        }
    }

    fn array(&mut self, size: &Size, element: &Type, depth: usize) -> String {
        let same = Type::Array(size.clone(), Box::new(element.clone()));
        let numbers = matches!(element, Type::Real | Type::Int);
        match self.random.below(14) {
            0..=2 => {
                let index = self.name();
                let body = self.within(&[(&index, &Type::Int)], |writer| writer.expr(element, depth - 1));
                format!("[{body} | {index} < {size}]")
            }
            3 => {
                let (name, inner) = (self.name(), self.ty(1));
                let from = self.expr(&Type::Array(size.clone(), Box::new(inner.clone())), depth - 1);
                let body = self.within(&[(&name, &inner)], |writer| writer.expr(element, depth - 1));
                match self.random.below(2) {
                    0 => format!("[{body} | {name} in {from}]"),
                    _ => format!("map(\\{name} -> {body}, {from})"),
                }
            }
            4 => format!("reverse({})", self.expr(&same, depth - 1)),
            5 => format!("replicate({size}, {})", self.expr(element, depth - 1)),
            6 => {
                let (before, after) = (self.random.below(2), self.random.below(2));
                let (start, end) = (before, format!("{size} + {before}"));
                let longer = Size { constant: size.constant + before + after, ..size.clone() };
                let array = self.expr(&Type::Array(longer, Box::new(element.clone())), depth - 1);
                format!("slice({array}, {start}, {end})")
            }
            7 if size.constant > 0 => {
                let shorter = Size { constant: size.constant - 1, ..size.clone() };
                let rest = self.expr(&Type::Array(shorter, Box::new(element.clone())), depth - 1);
                format!("concat([{}], {rest})", self.expr(element, depth - 1))
            }
            8 => format!(
                "update({}, {}, {})",
                self.expr(&same, depth - 1),
                self.random.below(2),
                self.expr(element, depth - 1)
            ),
            9 => {
                let (from, indices) = (Size { constant: 3, ..self.size() }, size.clone());
                let array = self.expr(&Type::Array(from, Box::new(element.clone())), depth - 1);
                let index = self.random.below(3);
                format!("gather({array}, [{index} | i < {indices}])")
            }
            10 => match element {
                Type::Array(inner, innermost) => {
                    let turned = Type::Array(inner.clone(), Box::new(Type::Array(size.clone(), innermost.clone())));
                    format!("transpose({})", self.expr(&turned, depth - 1))
                }
                Type::Real => {
                    let k = self.size();
                    let matrix = Type::Array(size.clone(), Box::new(array(k.clone())));
                    format!("dot({}, {})", self.expr(&matrix, depth - 1), self.expr(&array(k), depth - 1))
                }
                _ => self.expr(&same, depth - 1),
            },
            11 => {
                let (state, inner) = (element.clone(), self.ty(1));
                let from = self.expr(&Type::Array(size.clone(), Box::new(inner.clone())), depth - 1);
                let start = self.expr(&state, depth - 1);
                let (a, b) = (self.name(), self.name());
                let body = self.within(&[(&a, &state), (&b, &inner)], |writer| writer.expr(&state, depth - 1));
                format!("scan(\\{a} {b} -> {body}, {start}, {from})")
            }
            12 if numbers => {
                let (left, right) = (self.expr(&same, depth - 1), self.expr(&same, depth - 1));
                format!("({left} {} {right})", self.random.pick(&["+", "-", "*"]))
            }
            13 if numbers => {
                let (left, right) = (self.expr(&same, depth - 1), self.expr(element, depth - 1));
                format!("({left} {} {right})", self.random.pick(&["+", "-", "*"]))
            }
            _ => {
                let indices = Type::Array(Size::constant(2), Box::new(Type::Int));
                let values = Type::Array(Size::constant(2), Box::new(element.clone()));
                match element {
                    Type::Real | Type::Array(..) => format!(
                        "scatter_add({size}, {}, {})",
                        self.expr(&indices, depth - 1),
                        self.expr(&values, depth - 1)
                    ),
                    _ => self.simple(&same),
                }
            }
        }
    }
}

fn array(size: Size) -> Type {
    Type::Array(size, Box::new(Type::Real))
}
