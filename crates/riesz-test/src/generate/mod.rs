//! Random programs of the language, well typed by construction: every expression is generated for a given type.
//!
//! A program is an entry `fun f(x: S): T` and the items that it needs. Arguments of functions stay inside their
//! domains, and the values of loops stay bounded, so that most programs have a value and a derivative at most points.
//! The same seed and size give the same program.

mod alias;
mod array;
mod chosen;
mod control;
mod derivative;
mod discrete;
mod function;
mod lane;
mod maps;
pub mod random;
mod recursion;
mod scalar;
pub mod shrink;
mod structure;
pub mod types;

use random::Random;
use riesz_core::evaluate::Value;
use std::collections::BTreeSet;
use types::{Size, Type, Types, array};

/// A program with an entry `f`.
#[derive(Clone)]
pub struct Program {
    pub items: Vec<Item>,
    pub domain: Type,
    pub codomain: Type,
    /// The constructs it was made with.
    pub covered: BTreeSet<&'static str>,
}

/// A definition: text around expressions.
#[derive(Clone)]
pub struct Item {
    /// With `$` where the expressions stand.
    template: String,
    bodies: Vec<Node>,
}

/// An expression: text around expressions.
#[derive(Clone)]
pub struct Node {
    ty: Type,
    /// With `$` where the parts stand.
    template: String,
    parts: Vec<Node>,
}

impl Program {
    pub fn text(&self) -> String {
        self.items.iter().map(|item| filled(&item.template, &item.bodies) + "\n").collect()
    }

    /// A point, a cotangent and a tangent there.
    pub fn arguments(&self, seed: u64) -> [Value<f64>; 3] {
        let mut random = Random::new(seed ^ 0x5EED);
        let int = random.below(4) as i64;
        let point = self.domain.value(&mut || random.between(-1.5, 1.5), int);
        let mut tangent = |ty: &Type| ty.tangent_value(&mut || random.between(-1.0, 1.0));
        [point, tangent(&self.codomain), tangent(&self.domain)]
    }
}

impl Node {
    fn text(&self) -> String {
        filled(&self.template, &self.parts)
    }
}

fn filled(template: &str, parts: &[Node]) -> String {
    let mut text = String::new();
    let mut parts = parts.iter();
    for piece in template.split_inclusive('$') {
        match piece.strip_suffix('$') {
            Some(before) => {
                text += before;
                text += &parts.next().expect("a part for each place").text();
            }
            None => text += piece,
        }
    }
    text
}

/// Makes an expression of a type from an amount of fuel, where it can.
type Production = fn(&mut Writer, &Type, usize) -> Option<Node>;

/// Everything that expressions are made with, and how often each is tried.
type Productions = &'static [&'static [(&'static str, usize, Production)]];

const PRODUCTIONS: Productions =
    &[scalar::ALL, structure::ALL, array::ALL, control::ALL, function::ALL, derivative::ALL];

/// The additional productions of programs with functions that are known only when they run, and with linear maps as
/// values.
const CHOSEN: Productions = &[chosen::ALL, maps::ALL];

/// The additional productions of programs that test lanes and writes in place.
const MOVING: Productions = &[lane::ALL, alias::ALL];

/// The names of everything that a [`program`] is made with.
pub fn constructs() -> BTreeSet<&'static str> {
    names(PRODUCTIONS).chain(scalar::functions().map(|primitive| primitive.name)).collect()
}

/// The names of what makes linear maps values.
pub fn map_constructs() -> impl Iterator<Item = &'static str> {
    maps::ALL.iter().map(|(name, ..)| *name)
}

/// The names of what a [`choosing_program`] is made with besides.
pub fn choosing_constructs() -> BTreeSet<&'static str> {
    names(CHOSEN).collect()
}

/// The names of what a [`moving_program`] is made with besides.
pub fn moving_constructs() -> BTreeSet<&'static str> {
    names(MOVING).collect()
}

fn names(productions: Productions) -> impl Iterator<Item = &'static str> {
    productions.iter().flat_map(|group| group.iter()).map(|(name, ..)| *name)
}

/// The program of a seed, of about a number of nodes, whose functions are known before it runs.
pub fn program(seed: u64, size: usize) -> Program {
    program_of(seed, size, &[], false)
}

/// Likewise, with functions that are known only when it runs, linear maps as values, and sizes from 0 to 3.
pub fn choosing_program(seed: u64, size: usize) -> Program {
    program_of(seed, size, CHOSEN, false)
}

/// Likewise, with loops that are long, integers that are counted in them, and arrays that have several names.
pub fn moving_program(seed: u64, size: usize) -> Program {
    program_of(seed, size, MOVING, true)
}

fn program_of(seed: u64, size: usize, more: Productions, counting: bool) -> Program {
    let mut random = Random::new(seed);
    let depth = if size < 8 { 0 } else { 1 + usize::from(size > 20) };
    let small = !more.is_empty() && !counting;
    let mut types = Types { random: &mut random, sizes: &[], small };
    let mixed = size > 8 && types.random.percent(8);
    let mut domain = if mixed { types.data(depth) } else { types.vector(depth) };
    let codomain = if mixed { types.data(depth) } else { types.vector(depth) };
    if domain.reals() > 12 {
        domain = array(Size::constant(3), Type::Real);
    }
    let mut writer = Writer {
        random,
        scope: Vec::new(),
        sizes: Vec::new(),
        names: 0,
        items: Vec::new(),
        functions: Vec::new(),
        library: BTreeSet::new(),
        covered: BTreeSet::new(),
        derivatives: 0,
        perhaps_never: false,
        more,
        counting,
    };
    let (domain, codomain) = writer.entry(&domain, &codomain, size);
    let (items, covered) = (writer.items, writer.covered);
    Program { items, domain, codomain, covered }
}

struct Variable {
    name: String,
    ty: Type,
    /// Of an integer: a size that it is below.
    below: Option<Size>,
}

/// A `fun` that can be called.
#[derive(Clone)]
struct Signature {
    name: String,
    /// Sizes that are given as integers, before the other parameters.
    given: Vec<Size>,
    parameters: Vec<Type>,
    result: Type,
    /// Whether it leaves sizes of its result to the value.
    open: bool,
}

struct Writer {
    random: Random,
    scope: Vec<Variable>,
    /// Sizes that have names here.
    sizes: Vec<Size>,
    names: usize,
    items: Vec<Item>,
    functions: Vec<Signature>,
    /// The functions of the library that are used.
    library: BTreeSet<&'static str>,
    covered: BTreeSet<&'static str>,
    /// How many derivatives stand around this place.
    derivatives: usize,
    /// Whether there may be no iteration at all for what stands here: no value tells its sizes then, and its type has to.
    perhaps_never: bool,
    /// The productions beside those of every program.
    more: Productions,
    /// Whether integers are counted in long loops now and then.
    counting: bool,
}

impl Writer {
    fn entry(&mut self, domain: &Type, codomain: &Type, fuel: usize) -> (Type, Type) {
        let named = self.random.percent(40);
        let mut sizes: Vec<(Size, Size)> = Vec::new();
        let mut rename = |writer: &mut Self, ty: &Type, bind: bool| {
            ty.with_sizes(&mut |size| {
                if let Some((_, known)) = sizes.iter().find(|(from, _)| from == size) {
                    return known.clone();
                }
                if !bind {
                    return size.clone();
                }
                let known = match named {
                    true => Size { name: Some(writer.name("n")), least: size.least },
                    false => size.clone(),
                };
                sizes.push((size.clone(), known.clone()));
                known
            })
        };
        let (domain, codomain) = (rename(self, domain, true), rename(self, codomain, false));
        self.sizes = sizes.into_iter().map(|(_, known)| known).filter(|size| size.name.is_some()).collect();
        let parameters = match &domain {
            Type::Tuple(parts) if self.random.percent(50) => parts.clone(),
            other => vec![other.clone()],
        };
        let mut written = Vec::new();
        for ty in parameters {
            let name = self.name("x");
            let shown = self.annotation(&ty);
            written.push(format!("{name}: {shown}"));
            self.bind(&name, ty);
        }
        let body = self.expr(&codomain, fuel);
        let result = match self.random.below(10) {
            0 => String::new(),
            _ => format!(": {}", codomain.show()),
        };
        let template = format!("fun f({}){result} = $", written.join(", "));
        self.items.push(Item { template, bodies: vec![body] });
        (domain, codomain)
    }

    // ---- names ----

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn bind(&mut self, name: &str, ty: Type) {
        self.scope.push(Variable { name: name.to_string(), ty, below: None });
    }

    /// Runs `f` with more variables in scope.
    fn within<T>(&mut self, variables: &[(&str, &Type)], f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.scope.len();
        for (name, ty) in variables {
            self.bind(name, (*ty).clone());
        }
        let result = f(self);
        self.scope.truncate(outside);
        result
    }

    /// Runs `f` with an index below a size in scope.
    fn indexed<T>(&mut self, name: &str, below: &Size, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.scope.len();
        self.scope.push(Variable { name: name.to_string(), ty: Type::Int, below: Some(below.clone()) });
        let result = self.for_each(below, f);
        self.scope.truncate(outside);
        result
    }

    /// Runs `f` for what is computed as often as a size says.
    fn for_each<T>(&mut self, size: &Size, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.perhaps_never;
        self.perhaps_never |= size.least == 0;
        let result = f(self);
        self.perhaps_never = outside;
        result
    }

    // ---- choices ----

    fn node(&self, ty: &Type, template: impl Into<String>, parts: Vec<Node>) -> Node {
        Node { ty: ty.clone(), template: template.into(), parts }
    }

    fn cover(&mut self, name: &'static str) {
        self.covered.insert(name);
    }

    fn types(&mut self) -> Types<'_> {
        Types { random: &mut self.random, sizes: &self.sizes, small: !self.more.is_empty() && !self.counting }
    }

    fn size(&mut self) -> Size {
        self.types().size()
    }

    /// A size of at least one.
    fn some_size(&mut self) -> Size {
        loop {
            let size = self.size();
            if size.least > 0 {
                return size;
            }
        }
    }

    /// Shares of fuel for some parts.
    fn split(&mut self, fuel: usize, parts: usize) -> Vec<usize> {
        let weights: Vec<usize> = (0..parts).map(|_| 1 + self.random.below(4)).collect();
        let total: usize = weights.iter().sum();
        weights.into_iter().map(|weight| fuel.saturating_sub(1) * weight / total).collect()
    }

    // ---- expressions ----

    fn expr(&mut self, ty: &Type, fuel: usize) -> Node {
        match ty {
            Type::Int => return self.int(),
            Type::Bool => return self.condition(fuel),
            Type::Function(from, to) => return self.lambda(from, to, fuel),
            _ => {}
        }
        if fuel > 1 {
            for _ in 0..30 {
                let (name, production) = self.production();
                if let Some(node) = production(self, ty, fuel) {
                    self.cover(name);
                    return node;
                }
            }
        }
        self.leaf(ty)
    }

    fn production(&mut self) -> (&'static str, Production) {
        let productions = PRODUCTIONS.iter().chain(self.more).flat_map(|group| group.iter());
        let total: usize = productions.clone().map(|(_, weight, _)| weight).sum();
        let mut chosen = self.random.below(total);
        for (name, weight, production) in productions {
            match chosen.checked_sub(*weight) {
                Some(rest) => chosen = rest,
                None => return (name, *production),
            }
        }
        unreachable!("the choice is below the total")
    }

    /// The expressions for several types.
    fn exprs(&mut self, types: &[Type], fuel: usize) -> Vec<Node> {
        let shares = self.split(fuel, types.len().max(1));
        types.iter().zip(shares).map(|(ty, fuel)| self.expr(ty, fuel)).collect()
    }

    /// An expression whose numbers are not large.
    fn tame(&mut self, ty: &Type, fuel: usize) -> Node {
        match ty {
            _ if ty.is_tensor() => {
                let inner = self.expr(ty, fuel.saturating_sub(1));
                let template = *self.random.pick(&["sin($)", "tanh($)", "cos($)", "(0.5 * sin($))"]);
                self.node(ty, template, vec![inner])
            }
            Type::Tuple(parts) => {
                let shares = self.split(fuel, parts.len());
                let nodes: Vec<Node> = parts.iter().zip(shares).map(|(part, fuel)| self.tame(part, fuel)).collect();
                let places = vec!["$"; parts.len()].join(", ");
                self.node(ty, format!("({places})"), nodes)
            }
            Type::Record(fields) => {
                let shares = self.split(fuel, fields.len());
                let nodes = fields.iter().zip(shares).map(|((_, part), fuel)| self.tame(part, fuel)).collect();
                let places: Vec<String> = fields.iter().map(|(name, _)| format!("{name} = $")).collect();
                self.node(ty, format!("{{{}}}", places.join(", ")), nodes)
            }
            Type::Array(size, element) => {
                let index = self.name("i");
                let element = self.indexed(&index, size, |writer| writer.tame(element, fuel.saturating_sub(1)));
                self.node(ty, format!("[$ | {index} < {}]", size.show()), vec![element])
            }
            _ => self.expr(ty, fuel),
        }
    }

    /// A variable, a part of one, or a constant.
    fn leaf(&mut self, ty: &Type) -> Node {
        if self.random.percent(85) {
            for _ in 0..8 {
                if let Some(node) = self.part_of_variable(ty) {
                    return node;
                }
            }
        }
        match ty {
            Type::Real => {
                let number = (self.random.below(400) as f64 - 200.0) / 100.0;
                let text = if number < 0.0 { format!("({number:?})") } else { format!("{number:?}") };
                self.node(ty, text, Vec::new())
            }
            Type::Int => self.int(),
            Type::Bool => {
                let text = *self.random.pick(&["true", "false"]);
                self.node(ty, text, Vec::new())
            }
            Type::Array(size, element) if size.name.is_none() && size.least > 0 && self.random.percent(60) => {
                let elements = (0..size.least).map(|_| self.leaf(element)).collect();
                self.node(ty, format!("[{}]", vec!["$"; size.least].join(", ")), elements)
            }
            Type::Array(size, element) => {
                let index = self.name("i");
                let element = self.indexed(&index, size, |writer| writer.leaf(element));
                self.node(ty, format!("[$ | {index} < {}]", size.show()), vec![element])
            }
            Type::Tuple(parts) => {
                let leaves = parts.iter().map(|part| self.leaf(part)).collect();
                self.node(ty, format!("({})", vec!["$"; parts.len()].join(", ")), leaves)
            }
            Type::Record(fields) => {
                let leaves = fields.iter().map(|(_, part)| self.leaf(part)).collect();
                let places: Vec<String> = fields.iter().map(|(name, _)| format!("{name} = $")).collect();
                self.node(ty, format!("{{{}}}", places.join(", ")), leaves)
            }
            Type::Function(from, to) => self.lambda(from, to, 0),
        }
    }

    /// Follows components and elements from some variable; none where that leads to no value of the type.
    fn part_of_variable(&mut self, wanted: &Type) -> Option<Node> {
        if self.scope.is_empty() {
            return None;
        }
        let at = self.random.below(self.scope.len());
        let (mut text, mut ty) = (self.scope[at].name.clone(), self.scope[at].ty.clone());
        while ty != *wanted {
            ty = match ty {
                Type::Array(size, element) => {
                    let index = self.index(&size)?;
                    text = format!("{text}[{index}]");
                    *element
                }
                Type::Tuple(parts) if !parts.is_empty() => {
                    let at = self.random.below(parts.len());
                    text = format!("{text}.{at}");
                    parts[at].clone()
                }
                Type::Record(fields) => {
                    let (name, part) = self.random.pick(&fields).clone();
                    text = format!("{text}.{name}");
                    part
                }
                _ => return None,
            };
        }
        Some(self.node(wanted, text, Vec::new()))
    }

    fn lambda(&mut self, from: &Type, to: &Type, fuel: usize) -> Node {
        let name = self.name("z");
        let ty = types::function(from.clone(), to.clone());
        if let Type::Tuple(parts) = from
            && parts.len() > 1
            && self.random.percent(40)
        {
            let names: Vec<String> = parts.iter().map(|_| self.name("z")).collect();
            let bound: Vec<(&str, &Type)> = names.iter().map(String::as_str).zip(parts).collect();
            let body = self.within(&bound, |writer| writer.expr(to, fuel));
            let pattern = match self.random.percent(50) {
                true => names.join(" "),
                false => format!("({})", names.join(", ")),
            };
            return self.node(&ty, format!("(\\{pattern} -> $)"), vec![body]);
        }
        let body = self.within(&[(&name, from)], |writer| writer.expr(to, fuel));
        self.node(&ty, format!("(\\{name} -> $)"), vec![body])
    }
}
