//! Functions: of the program, with type variables, recursive, as values and as arguments.

use super::types::{FIELDS, Size, Type, array, function};
use super::{Item, Node, Production, Signature, Writer};

pub const ALL: &[(&str, usize, Production)] = &[
    ("fun", 8, Writer::new_fun),
    ("fun called again", 6, Writer::fun_again),
    ("recursion", 3, Writer::recursion),
    ("recursion in the last place", 2, Writer::tail_recursion),
    ("mutual recursion", 2, Writer::mutual_recursion),
    ("type variable", 4, Writer::generic),
    ("higher-order fun of the library", 4, Writer::higher_order_library),
    ("higher-order fun", 3, Writer::higher_order),
    ("closure", 4, Writer::closure),
    ("lambda", 2, Writer::applied_lambda),
    ("hole", 3, Writer::hole),
    ("function that gives a function", 3, Writer::giving_function),
    ("function in a record", 2, Writer::function_in_record),
    ("call of a function variable", 12, Writer::function_variable),
    ("fun from R to R on an array", 3, Writer::elementwise_fun),
    ("top-level let", 2, Writer::global),
    ("type", 1, Writer::named_type),
];

/// Functions with type variables, and matrices that are far from singular.
const LIBRARY: &[(&str, &str)] = &[
    ("same", "fun same(x: t): t = x"),
    ("swap", "fun swap(x: s, y: t): (t, s) = (y, x)"),
    ("choose", "fun choose(c: Bool, x: t, y: t): t = if c then x else y"),
    ("first", "fun first(v: [n]t): t = v[0]"),
    ("rotate", "fun rotate(v: [n]t): [n]t = [v[mod(i + 1, n)] | i < n]"),
    ("doubled", "fun doubled(v: [n]t): [2 * n]t = concat(v, v)"),
    ("front", "fun front(v: [n]t): [_]t = slice(v, 0, div(n + 1, 2))"),
    ("tail", "fun tail(v: [n + 1]t): [n]t = [v[i + 1] | i < n]"),
    ("crossed", "fun crossed(a: [n]t, b: [n]t): [n]t = [if mod(i, 2) == 0 then a[i] else b[n - 1 - i] | i < n]"),
    (
        "walked",
        "fun walked(a: [n]t, b: [n]t, k: Int): [n]t = \
         if k <= 0 then a else walked(update(b, mod(k, n), a[mod(k * 3 + 1, n)]), a, k - 1)",
    ),
    ("twice", "fun twice(g: t -> t, x: t): t = g(g(x))"),
    ("after", "fun after(g: b -> c, h: a -> b): a -> c = \\x -> g(h(x))"),
    ("iterate", "fun iterate(g: t -> t, x: t, k: Int): t = if k <= 0 then x else iterate(g, g(x), k - 1)"),
    ("over", "fun over(g: s -> t, v: [n]s): [n]t = [g(x) | x in v]"),
    ("reduce", "fun reduce(g: (t, t) -> t, v: [n]t): t = loop s = v[0] for i < n - 1 do g(s, v[i + 1])"),
    ("wave", "fun wave(x: R): R = sin(x) derivative \\dx -> cos(x) * dx"),
    ("swirl", "fun swirl(v: [n]R): [n]R = [sin(x) * n | x in v] derivative D(\\u -> [sin(x) * n | x in u], v)"),
    ("settled", "fun settled(x: R, k: R): R = root(\\y -> 2 * y + 0.9 * sin(y + k) - x, x)"),
    (
        "eased",
        "fun eased(v: [n]R): [n]R = (loop y = v for step < 60 do 0.4 * sin(y + v)) implicit \\y -> y - 0.4 * sin(y + v)",
    ),
    ("partial", "fun partial(g: (s, t) -> u, x: s): t -> u = \\y -> g(x, y)"),
    (
        "positive_definite",
        "fun positive_definite(a: [n][n]R): [n][n]R = \
         dot(transpose(a), a) + [[if i == j then 1.0 else 0.0 | j < n] | i < n]",
    ),
    (
        "dominant",
        "fun dominant(a: [n][n]R): [n][n]R = [[sin(a[i, j]) + (if i == j then n + 1.5 else 0.0) | j < n] | i < n]",
    ),
];

impl Writer {
    /// A call of a function of the library, which the program then has.
    pub fn library(&mut self, call: &str) -> String {
        let called = &call[..call.find('(').expect("a call")];
        let (name, text) = LIBRARY.iter().find(|(name, _)| *name == called).expect("the library has it");
        if self.library.insert(name) {
            self.items.push(Item { template: text.to_string(), bodies: Vec::new() });
        }
        call.to_string()
    }

    /// The type as a signature has it: now and then a named one.
    pub fn annotation(&mut self, ty: &Type) -> String {
        match ty {
            Type::Record(_) if self.random.percent(25) => {
                let name = self.name("Named");
                let mut sizes = Vec::new();
                ty.sizes(&mut sizes);
                let names: Vec<String> = sizes.into_iter().filter_map(|size| size.name).collect();
                let parameters = if names.is_empty() { String::new() } else { format!("[{}]", names.join(", ")) };
                let template = format!("type {name}{parameters} = {}", ty.show());
                self.items.push(Item { template, bodies: Vec::new() });
                format!("{name}{parameters}")
            }
            _ => ty.show(),
        }
    }

    // ---- funs ----

    /// A `fun` with some parameters, whose body `body` makes in a scope of its own; sizes become names.
    pub(super) fn fun(
        &mut self,
        prefix: &str,
        parameters: &[Type],
        result: &Type,
        body: impl FnOnce(&mut Self, &str, &[String], &Type) -> Node,
    ) -> (Signature, Vec<Size>) {
        let name = self.name(prefix);
        let mut renamed: Vec<(Size, Size)> = Vec::new();
        let mut rename = |writer: &mut Self, ty: &Type| {
            ty.with_sizes(&mut |size| match renamed.iter().find(|(from, _)| from == size) {
                Some((_, known)) => known.clone(),
                None => {
                    let named = size.name.is_some() || writer.random.percent(40);
                    let new = match named {
                        true => Size { name: Some(writer.name("n")), least: size.least.min(1) },
                        false => size.clone(),
                    };
                    renamed.push((size.clone(), new.clone()));
                    new
                }
            })
        };
        let own: Vec<Type> = parameters.iter().map(|ty| rename(self, ty)).collect();
        let own_result = rename(self, result);
        // Sizes that no array has are parameters.
        let mut bound = Vec::new();
        own.iter().filter(|ty| !matches!(ty, Type::Function(..))).for_each(|ty| ty.sizes(&mut bound));
        let (mut given, mut passed) = (Vec::new(), Vec::new());
        for (from, size) in &renamed {
            if size.name.is_some() && !bound.contains(size) {
                given.push(size.clone());
                passed.push(from.clone());
            }
        }
        let mut written: Vec<String> = given.iter().map(|size| format!("{}: Int", size.show())).collect();
        let outside = (std::mem::take(&mut self.scope), std::mem::take(&mut self.sizes), self.derivatives);
        self.derivatives = self.derivatives.max(1);
        self.sizes = renamed.iter().map(|(_, size)| size.clone()).filter(|size| size.name.is_some()).collect();
        let mut names = Vec::new();
        for ty in &own {
            let parameter = self.name("p");
            written.push(format!("{parameter}: {}", self.annotation(ty)));
            self.bind(&parameter, ty.clone());
            names.push(parameter);
        }
        let body = body(self, &name, &names, &own_result);
        (self.scope, self.sizes, self.derivatives) = outside;
        let may_be_open = !self.perhaps_never && !own_result.is_perhaps_without_rows();
        let (shown, open) = match self.random.below(8) {
            0 if prefix == "h" && may_be_open => (String::new(), true),
            1 if may_be_open => (format!(": {}", own_result.with_sizes(&mut Size::open).show()), true),
            _ => (format!(": {}", own_result.show()), false),
        };
        self.items
            .push(Item { template: format!("fun {name}({}){shown} = $", written.join(", ")), bodies: vec![body] });
        (Signature { name, given, parameters: own, result: own_result, open }, passed)
    }

    pub(super) fn call(&mut self, ty: &Type, name: &str, given: &[Size], arguments: Vec<Node>) -> Node {
        let mut written: Vec<String> = given.iter().map(Size::show).collect();
        written.extend(arguments.iter().map(|_| "$".to_string()));
        self.node(ty, format!("{name}({})", written.join(", ")), arguments)
    }

    fn some_parameters(&mut self) -> Vec<Type> {
        (0..1 + self.random.below(3)).map(|_| self.types().data(1)).collect()
    }

    fn new_fun(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let parameters = self.some_parameters();
        let (signature, given) = self.fun("h", &parameters, ty, |writer, _, _, result| writer.expr(result, fuel / 2));
        let arguments = self.exprs(&parameters, fuel / 2);
        let call = self.call(ty, &signature.name, &given, arguments);
        self.functions.push(signature);
        Some(call)
    }

    fn fun_again(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let mut fitting = Vec::new();
        for signature in self.functions.iter().filter(|signature| !(self.perhaps_never && signature.open)) {
            let mut sizes = Vec::new();
            if matches(&signature.result, ty, &mut sizes) {
                fitting.push((signature.clone(), sizes));
            }
        }
        if fitting.is_empty() {
            return None;
        }
        let (signature, mut sizes) = self.random.pick(&fitting).clone();
        let mut meaning = |writer: &mut Self, size: &Size| {
            if size.name.is_none() {
                return size.clone();
            }
            if let Some((_, known)) = sizes.iter().find(|(name, _)| name == size) {
                return known.clone();
            }
            let chosen = if size.least > 0 { writer.some_size() } else { writer.size() };
            sizes.push((size.clone(), chosen.clone()));
            chosen
        };
        let given: Vec<Size> = signature.given.iter().map(|size| meaning(self, size)).collect();
        let parameters: Vec<Type> =
            signature.parameters.iter().map(|ty| ty.with_sizes(&mut |size| meaning(self, size))).collect();
        let arguments = self.exprs(&parameters, fuel);
        Some(self.call(ty, &signature.name, &given, arguments))
    }

    fn elementwise_fun(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        if !ty.is_tensor() || *ty == Type::Real {
            return None;
        }
        let (signature, _) =
            self.fun("h", &[Type::Real], &Type::Real, |writer, _, _, result| writer.expr(result, fuel / 2));
        let argument = self.expr(ty, fuel / 2);
        let call = self.node(ty, format!("{}($)", signature.name), vec![argument]);
        self.functions.push(signature);
        Some(call)
    }

    // ---- type variables and functions as arguments ----

    fn generic(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let (call, types) = match self.random.below(7) {
            0 => ("same($)", vec![ty.clone()]),
            1 => ("choose($, $, $)", vec![Type::Bool, ty.clone(), ty.clone()]),
            2 => ("first($)", vec![array(self.some_size(), ty.clone())]),
            3 => match ty {
                Type::Array(size, _) if size.least > 0 => ("rotate($)", vec![ty.clone()]),
                _ => return None,
            },
            4 => match ty {
                Type::Array(size, element) if size.name.is_none() && size.least % 2 == 0 => {
                    ("doubled($)", vec![array(Size::constant(size.least / 2), (**element).clone())])
                }
                _ => return None,
            },
            5 => match ty {
                Type::Array(size, element) if size.name.is_none() => {
                    ("tail($)", vec![array(Size::constant(size.least + 1), (**element).clone())])
                }
                _ => return None,
            },
            _ => match ty {
                Type::Tuple(parts) if parts.len() == 2 => ("swap($, $)", vec![parts[1].clone(), parts[0].clone()]),
                _ => return None,
            },
        };
        let template = self.library(call);
        let parts = self.exprs(&types, fuel);
        Some(self.node(ty, template, parts))
    }

    fn higher_order_library(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let shares = self.split(fuel, 2);
        Some(match self.random.below(4) {
            0 => {
                let parts = vec![self.endomorphism(ty, shares[0]), self.expr(ty, shares[1])];
                let template = self.library("twice($, $)");
                self.node(ty, template, parts)
            }
            1 => {
                let parts = vec![self.endomorphism(ty, shares[0]), self.expr(ty, shares[1])];
                let iterations = self.random.below(4);
                let template = self.library(&format!("iterate($, $, {iterations})"));
                self.node(ty, template, parts)
            }
            2 => {
                let Type::Array(size, element) = ty else { return None };
                let from = self.types().data(1);
                let parts = vec![
                    self.for_each(size, |writer| writer.function_for(&from, element, shares[0])),
                    self.expr(&array(size.clone(), from), shares[1]),
                ];
                let template = self.library("over($, $)");
                self.node(ty, template, parts)
            }
            _ => {
                let (a, b) = (self.name("z"), self.name("z"));
                let step = self.within(&[(&a, ty), (&b, ty)], |writer| writer.tame(ty, shares[0]));
                let whole = array(self.some_size(), ty.clone());
                let parts = vec![step, self.expr(&whole, shares[1])];
                let template = self.library(&format!("reduce(\\{a} {b} -> $, $)"));
                self.node(ty, template, parts)
            }
        })
    }

    /// A function from a type to itself whose values are not large.
    fn endomorphism(&mut self, ty: &Type, fuel: usize) -> Node {
        let name = self.name("z");
        let body = self.within(&[(&name, ty)], |writer| writer.tame(ty, fuel));
        self.node(&function(ty.clone(), ty.clone()), format!("(\\{name} -> $)"), vec![body])
    }

    /// A function as an argument: a lambda, a built-in, or a `fun`.
    pub fn function_for(&mut self, from: &Type, to: &Type, fuel: usize) -> Node {
        let ty = function(from.clone(), to.clone());
        if *from == Type::Real && *to == Type::Real && self.random.percent(30) {
            let name = *self.random.pick(&["sin", "cos", "tanh", "atan", "sigmoid", "softplus", "relu", "erf"]);
            return self.node(&ty, name, Vec::new());
        }
        if self.random.percent(25) {
            let (signature, given) =
                self.fun("h", std::slice::from_ref(from), to, |writer, _, _, result| writer.expr(result, fuel));
            if given.is_empty() {
                let node = self.node(&ty, signature.name.clone(), Vec::new());
                self.functions.push(signature);
                return node;
            }
            let mut written: Vec<String> = given.iter().map(Size::show).collect();
            written.push("_".to_string());
            return self.node(&ty, format!("{}({})", signature.name, written.join(", ")), Vec::new());
        }
        self.lambda(from, to, fuel)
    }

    fn higher_order(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let from = self.types().vector(1);
        let shares = self.split(fuel, 3);
        let parameters = [function(from.clone(), ty.clone()), self.types().vector(1)];
        let (signature, given) = self.fun("h", &parameters, ty, |writer, _, names, result| {
            // The function is called at least once.
            let Type::Function(from, _) = writer.scope[0].ty.clone() else { unreachable!("it is a function") };
            let argument = writer.expr(&from, shares[0] / 2);
            let name = writer.name("v");
            let body = writer.within(&[(&name, result)], |writer| writer.expr(result, shares[0] / 2));
            writer.node(result, format!("(let {name} = {}($) in $)", names[0]), vec![argument, body])
        });
        let arguments = vec![self.function_for(&from, ty, shares[1]), self.expr(&parameters[1], shares[2])];
        Some(self.call(ty, &signature.name, &given, arguments))
    }

    fn closure(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let from = self.types().vector(1);
        let shares = self.split(fuel, 2);
        let lambda = self.lambda(&from, ty, shares[0]);
        let name = self.name("g");
        let bound = function(from, ty.clone());
        let body = self.within(&[(&name, &bound)], |writer| writer.expr(ty, shares[1]));
        Some(self.node(ty, format!("(let {name} = $ in $)"), vec![lambda, body]))
    }

    fn function_variable(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let mut fitting = Vec::new();
        for variable in &self.scope {
            if let Type::Function(from, to) = &variable.ty
                && **to == *ty
            {
                fitting.push((variable.name.clone(), (**from).clone()));
            }
        }
        if fitting.is_empty() {
            return None;
        }
        let (name, from) = self.random.pick(&fitting).clone();
        let argument = self.expr(&from, fuel - 1);
        Some(self.node(ty, format!("{name}($)"), vec![argument]))
    }

    fn applied_lambda(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let from = self.types().data(1);
        let shares = self.split(fuel, 2);
        let parts = vec![self.lambda(&from, ty, shares[0]), self.expr(&from, shares[1])];
        Some(self.node(ty, "$($)", parts))
    }

    fn hole(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let parameters = [self.types().vector(1), self.types().vector(1)];
        let shares = self.split(fuel, 3);
        let (signature, given) = self.fun("h", &parameters, ty, |writer, _, _, result| writer.expr(result, shares[0]));
        let at = self.random.below(2);
        let (rest, last) = (self.expr(&parameters[1 - at], shares[1]), self.expr(&parameters[at], shares[2]));
        let mut written: Vec<String> = given.iter().map(Size::show).collect();
        written.extend(if at == 0 { ["_".to_string(), "$".to_string()] } else { ["$".to_string(), "_".to_string()] });
        let name = signature.name.clone();
        self.functions.push(signature);
        Some(self.node(ty, format!("{name}({})($)", written.join(", ")), vec![rest, last]))
    }

    fn giving_function(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let shares = self.split(fuel, 3);
        let between = self.types().vector(1);
        let from = self.types().vector(1);
        Some(match self.random.below(3) {
            0 => {
                let parts = vec![
                    self.lambda(&between, ty, shares[0]),
                    self.lambda(&from, &between, shares[1]),
                    self.expr(&from, shares[2]),
                ];
                let template = self.library("after($, $)");
                self.node(ty, format!("{template}($)"), parts)
            }
            1 => {
                let pair = Type::Tuple(vec![between.clone(), from.clone()]);
                let parts = vec![
                    self.lambda(&pair, ty, shares[0]),
                    self.expr(&between, shares[1]),
                    self.expr(&from, shares[2]),
                ];
                let template = self.library("partial($, $)");
                self.node(ty, format!("{template}($)"), parts)
            }
            _ => {
                let result = function(from.clone(), ty.clone());
                let (signature, given) =
                    self.fun("r", std::slice::from_ref(&between), &result, |writer, _, _, result| {
                        let Type::Function(from, to) = result.clone() else { unreachable!("it is a function") };
                        writer.lambda(&from, &to, shares[0])
                    });
                let parts = vec![self.expr(&between, shares[1]), self.expr(&from, shares[2])];
                let mut written: Vec<String> = given.iter().map(Size::show).collect();
                written.push("$".to_string());
                self.node(ty, format!("{}({})($)", signature.name, written.join(", ")), parts)
            }
        })
    }

    fn function_in_record(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let from = self.types().vector(1);
        let shares = self.split(fuel, 3);
        let lambda = self.lambda(&from, ty, shares[0]);
        let (other, argument) = (self.expr(ty, shares[1]), self.expr(&from, shares[2]));
        let name = self.name("o");
        Some(match self.random.percent(50) {
            true => self.node(
                ty,
                format!("(let {name} = {{{} = $, {} = $}} in {name}.{}($))", FIELDS[0], FIELDS[1], FIELDS[0]),
                vec![lambda, other, argument],
            ),
            false => self.node(ty, format!("(let {name} = ($, $) in {name}.1($))"), vec![other, lambda, argument]),
        })
    }

    // ---- items ----

    fn global(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let mut sizes = Vec::new();
        ty.sizes(&mut sizes);
        if sizes.iter().any(|size| size.name.is_some()) {
            return None;
        }
        let outside = (std::mem::take(&mut self.scope), std::mem::take(&mut self.sizes));
        let value = self.tame(ty, fuel / 2);
        (self.scope, self.sizes) = outside;
        let name = self.name("c");
        self.items.push(Item { template: format!("let {name} = $"), bodies: vec![value] });
        if !ty.is_vector() {
            return Some(self.node(ty, name, Vec::new()));
        }
        let rest = self.expr(ty, fuel / 2);
        Some(self.node(ty, format!("({name} * $)"), vec![rest]))
    }

    fn named_type(&mut self, ty: &Type, fuel: usize) -> Option<Node> {
        let size = self.size();
        let record = Type::Record(vec![("a", ty.clone()), ("b", array(size, Type::Real))]);
        let mut sizes = Vec::new();
        record.sizes(&mut sizes);
        if sizes.iter().any(|size| size.name.as_ref().is_some_and(|name| name.contains('('))) {
            return None;
        }
        let alias = loop {
            let shown = self.annotation(&record);
            if shown.starts_with('N') {
                break shown;
            }
        };
        let name = self.name("v");
        let shares = self.split(fuel, 2);
        let value = self.expr(&record, shares[0]);
        let body = self.within(&[(&name, &record)], |writer| writer.expr(ty, shares[1]));
        Some(self.node(ty, format!("(let {name}: {alias} = $ in $)"), vec![value, body]))
    }
}

/// Whether a type with names for sizes can be another, and what the names then mean.
fn matches(pattern: &Type, ty: &Type, sizes: &mut Vec<(Size, Size)>) -> bool {
    match (pattern, ty) {
        (Type::Array(name, a), Type::Array(size, b)) => {
            let fits = match (&name.name, sizes.iter().find(|(known, _)| known == name)) {
                (None, _) => name == size,
                (Some(_), Some((_, known))) => known == size,
                (Some(_), None) => {
                    sizes.push((name.clone(), size.clone()));
                    name.least <= size.least
                }
            };
            fits && matches(a, b, sizes)
        }
        (Type::Tuple(_), Type::Tuple(_)) | (Type::Record(_), Type::Record(_)) => {
            let names = |ty: &Type| match ty {
                Type::Record(fields) => fields.iter().map(|(name, _)| *name).collect(),
                _ => Vec::new(),
            };
            let (a, b) = (pattern.components(), ty.components());
            a.len() == b.len() && names(pattern) == names(ty) && a.iter().zip(&b).all(|(a, b)| matches(a, b, sizes))
        }
        _ => pattern == ty,
    }
}
