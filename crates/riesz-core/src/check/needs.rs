//! The dependencies of an item: the other items that its text names.

use super::draft::Draft;
use super::rule::ItemFunction;
use super::scope::Scope;
use super::{Checker, ItemId, Resolved};
use riesz_syntax::tree::{
    Argument, ExprId, ExprKind, Generator, ItemKind, LoopHead, Name, Parameter, Pattern, PatternKind, Size, SizeKind,
    Type, TypeKind,
};
use riesz_syntax::{Span, Tree};

impl Checker {
    /// The items that an item names, counted from `first`; older ones are ready anyway. A name that something local
    /// bears is no item's: scopes are those in which the expressions are checked.
    pub(super) fn needs(&self, item: ItemId, first: usize) -> Vec<usize> {
        let entry = &self.items[item.0 as usize];
        let tree = self.tree(entry.unit);
        let mut free = Free::new(&tree);
        match &tree.items[entry.at].kind {
            ItemKind::Fun { parameters, result, body, rule, .. } => {
                let (header, inside) = scopes_of_fun(parameters);
                free.annotation(result.as_ref(), &header);
                match (rule, entry.part) {
                    (Some(rule), ItemFunction::Rule) => free.expr(rule.expr, &inside),
                    (None, _) | (Some(_), ItemFunction::Value) => free.expr(*body, &inside),
                    (Some(_), ItemFunction::Whole | ItemFunction::Tangent | ItemFunction::Single) => {}
                }
            }
            ItemKind::Let { annotation, value, .. } => {
                free.annotation(annotation.as_ref(), &Local::default());
                free.expr(*value, &Local::default());
            }
            _ => {}
        }
        let mut needs: Vec<usize> = (free.names.iter())
            .filter_map(|(name, _)| match self.find(entry.unit, name)? {
                Resolved::Item(item) => (item.0 as usize).checked_sub(first),
                _ => None,
            })
            .collect();
        if let Some((_, whole, part)) = self.rule_of(item) {
            needs.extend(part.calls().iter().map(|part| self.part(whole, *part).0 as usize - first));
        }
        needs.sort_unstable();
        needs.dedup();
        needs
    }
}

impl Draft<'_> {
    /// Reports the names in a function that are not defined here: it is checked where it is called, which may be nowhere.
    pub(super) fn check_names(&mut self, function: ExprId) {
        let tree = self.tree();
        let mut free = Free::new(&tree);
        free.expr(function, &Local::default());
        for (name, span) in free.names {
            if self.lookup(&name).is_none() {
                self.unknown_name(&name, span);
            }
        }
    }
}

/// The local names at a place.
type Local = Scope<()>;

/// The local names in the type of a `fun`'s result, and those in its body. A size in the result is one that the type of
/// a parameter names, or an `Int` parameter; the other parameters are not visible there.
fn scopes_of_fun(parameters: &[Parameter]) -> (Local, Local) {
    let (mut header, mut inside) = (Local::default(), Local::default());
    for Parameter { pattern, ty } in parameters {
        for size in size_names(ty) {
            header.bind(size.clone(), ());
            inside.bind(size, ());
        }
        if let (PatternKind::Name(name), TypeKind::Name(ty, _)) = (&pattern.kind, &ty.kind)
            && &**ty == "Int"
        {
            header.bind(name.clone(), ());
        }
        bind(pattern, &mut inside);
    }
    (header, inside)
}

fn bind(pattern: &Pattern, scope: &mut Local) {
    match &pattern.kind {
        PatternKind::Name(name) => scope.bind(name.clone(), ()),
        PatternKind::Tuple(parts) => parts.iter().for_each(|part| bind(part, scope)),
        PatternKind::Wildcard | PatternKind::Error => {}
    }
}

/// Finds the names in expressions that nothing local bears. Operators and `let`s in a row can be as many as the file
/// has room for, so that the expressions yet to be seen are a list, each with its scope.
struct Free<'t> {
    tree: &'t Tree,
    /// Each with its place.
    names: Vec<(Name, Span)>,
    work: Vec<(ExprId, Local)>,
}

impl<'t> Free<'t> {
    fn new(tree: &'t Tree) -> Free<'t> {
        Free { tree, names: Vec::new(), work: Vec::new() }
    }

    fn name(&mut self, name: &Name, span: Span, scope: &Local) {
        if scope.find(name).is_none() {
            self.names.push((name.clone(), span));
        }
    }

    /// The sizes that a written type names.
    fn annotation(&mut self, ty: Option<&Type>, scope: &Local) {
        if let Some(ty) = ty {
            size_names(ty).iter().for_each(|name| self.name(name, ty.span, scope));
        }
    }

    fn expr(&mut self, root: ExprId, scope: &Local) {
        self.later([root], scope);
        while let Some((id, scope)) = self.work.pop() {
            self.parts(id, &scope);
        }
    }

    fn later(&mut self, exprs: impl IntoIterator<Item = ExprId>, scope: &Local) {
        self.work.extend(exprs.into_iter().map(|id| (id, scope.clone())));
    }

    fn parts(&mut self, id: ExprId, scope: &Local) {
        match &self.tree.expr(id).kind {
            ExprKind::Name(name) => self.name(name, self.tree.expr(id).span, scope),
            ExprKind::Integer(_) | ExprKind::Real(_) | ExprKind::Bool(_) | ExprKind::Error => {}
            ExprKind::Paren(inner) | ExprKind::Block(inner) => self.later([*inner], scope),
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => self.later(parts.iter().copied(), scope),
            ExprKind::Comprehension { body, generators } => {
                let inside = self.generators(generators, scope);
                self.later([*body], &inside);
            }
            ExprKind::Record(fields) => self.later(fields.iter().map(|(_, value)| *value), scope),
            ExprKind::Let { bindings, body } => {
                let mut inside = scope.inner();
                for binding in bindings {
                    self.annotation(binding.annotation.as_ref(), &inside);
                    self.later([binding.value], &inside);
                    bind(&binding.pattern, &mut inside);
                }
                self.later([*body], &inside);
            }
            ExprKind::Lambda { parameters, body } => {
                let mut inside = scope.inner();
                parameters.iter().for_each(|parameter| bind(parameter, &mut inside));
                self.later([*body], &inside);
            }
            ExprKind::If { condition, yes, no } => self.later([*condition, *yes, *no], scope),
            ExprKind::Loop { pattern, start, head, body } => {
                self.later([*start], scope);
                let mut inside = match head {
                    LoopHead::For(generator) => self.generators(std::slice::from_ref(generator), scope),
                    LoopHead::While(_) => scope.inner(),
                };
                bind(pattern, &mut inside);
                if let LoopHead::While(condition) = head {
                    self.later([*condition], &inside);
                }
                self.later([*body], &inside);
            }
            ExprKind::Unary { operand, .. } => self.later([*operand], scope),
            ExprKind::Binary { left, right, .. } => self.later([*left, *right], scope),
            ExprKind::Approximately { left, right, tolerance } => {
                self.later([*left, *right].into_iter().chain(*tolerance), scope);
            }
            ExprKind::Call { function, arguments, generators } => {
                self.later([*function], scope);
                let mut values: Vec<ExprId> = (arguments.iter())
                    .filter_map(|argument| match argument {
                        Argument::Value(value) => Some(*value),
                        Argument::Hole(_) => None,
                    })
                    .collect();
                if !generators.is_empty() {
                    // The generators build the last argument.
                    let element = values.pop();
                    let inside = self.generators(generators, scope);
                    self.later(element, &inside);
                }
                self.later(values, scope);
            }
            ExprKind::Index { array, indices } => {
                self.later([*array], scope);
                self.later(indices.iter().copied(), scope);
            }
            ExprKind::Field { of, .. } => self.later([*of], scope),
        }
    }

    /// The scope inside of generators, each of which sees those before it.
    fn generators(&mut self, generators: &[Generator], scope: &Local) -> Local {
        let mut inside = scope.inner();
        for generator in generators {
            match generator {
                Generator::Below { index, bound } => {
                    self.later([*bound], &inside);
                    inside.bind(index.name.clone(), ());
                }
                Generator::Each { pattern, array } => {
                    self.later([*array], &inside);
                    bind(pattern, &mut inside);
                }
            }
        }
        inside
    }
}

/// The names of sizes in a written type.
pub(super) fn size_names(ty: &Type) -> Vec<Name> {
    fn in_size(size: &Size, names: &mut Vec<Name>) {
        match &size.kind {
            SizeKind::Name(name) => names.push(name.clone()),
            SizeKind::Binary(_, left, right) => {
                in_size(left, names);
                in_size(right, names);
            }
            _ => {}
        }
    }
    fn in_type(ty: &Type, names: &mut Vec<Name>) {
        match &ty.kind {
            TypeKind::Name(_, sizes) => sizes.iter().for_each(|size| in_size(size, names)),
            TypeKind::Array(size, element) => {
                in_size(size, names);
                in_type(element, names);
            }
            TypeKind::Tuple(parts) => parts.iter().for_each(|part| in_type(part, names)),
            TypeKind::Record(fields) => fields.iter().for_each(|(_, ty)| in_type(ty, names)),
            TypeKind::Function(from, to) | TypeKind::Linear(from, to) => {
                in_type(from, names);
                in_type(to, names);
            }
            TypeKind::Error => {}
        }
    }
    let mut names = Vec::new();
    in_type(ty, &mut names);
    names
}
