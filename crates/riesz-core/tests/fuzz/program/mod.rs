//! Programs that are mostly correct: expressions generated for a given type.

mod numbers;
mod types;

use riesz_test::generate::random::Random;
use types::{Size, Type};

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
}

fn array(size: Size) -> Type {
    Type::Array(size, Box::new(Type::Real))
}
