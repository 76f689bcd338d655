//! Derivatives and the steps between them as text.

use super::build::Derivative;
use super::count::{Count, count};
use super::scope::Scope;
use super::simplify::Rewriting;
use super::term::{Expr, Extra, Form, Item, Kind, Name, Term, map_children, substitute, visit_exprs, weight};
use super::{Derivations, Justification, Operations, Step, code};
use riesz_core::term::{Atom, Binding, Function, Op, Program, Var};
use riesz_core::{Size, size};
use riesz_linear::law::Law;

/// The equations of a derivative.
pub(crate) fn equations(scope: &Scope, function: &Function, Derivative { items, result }: &Derivative) -> String {
    let mut lines: Vec<String> = items.iter().flat_map(|item| scope.show_item(item)).collect();
    lines.extend(scope.show_equation(&format!("D {}", function.name), result));
    let mut word = "where ";
    for var in unnamed(scope, items, result) {
        for line in defined(scope, var, function) {
            lines.push(format!("{word}{line}"));
            word = "      ";
        }
    }
    lines.join("\n")
}

/// `(D f)ᵀ = m`, followed by an empty line, where the derivative is one equation.
pub(crate) fn adjoint_equation(scope: &Scope, name: &str, Derivative { items, result }: &Derivative) -> String {
    match items.is_empty() {
        true => scope.show_equation(&format!("({name})ᵀ"), &open(result).adjoint()).join("\n") + "\n\n",
        false => String::new(),
    }
}

/// The definition of a value that linearisation computed.
fn defined(scope: &Scope, var: Var, function: &Function) -> Vec<String> {
    match scope.definitions.get(&var) {
        Some(Op::Project(Atom::Var(all), 1)) if matches!(scope.definitions.get(all), Some(Op::TraceWhile { .. })) => {
            vec![format!("{} is the number of iterations of the loop", scope.name(var))]
        }
        Some(op) => bound(scope, var, op, function),
        // The state of a loop that the program does not have as one.
        None => scope.loop_of(var).map_or(Vec::new(), |(var, op)| bound(scope, var, op, function)),
    }
}

/// Values that linearisation computed and that have no expression, in the order of their variables.
fn unnamed(scope: &Scope, items: &[Item], result: &Term) -> Vec<Var> {
    let mut found: Vec<Var> = Vec::new();
    let mut see = |expr: &Expr| {
        expr.visit(&mut |var| {
            let fresh = (var.0 as usize) >= scope.own && !found.contains(&var);
            if fresh && (scope.definitions.contains_key(&var) || scope.loop_of(var).is_some()) {
                found.push(var);
            }
        });
    };
    for item in items {
        match item {
            Item::Map(_, map) => visit_exprs(map, &mut see),
            Item::Value(_, value) => see(value),
        }
    }
    visit_exprs(result, &mut see);
    found.sort();
    found
}

/// A binding of a stream.
fn bound(scope: &Scope, var: Var, op: &Op, function: &Function) -> Vec<String> {
    let binding = Binding { var, op: op.clone(), span: function.span };
    let streams = Function { vars: scope.vars.clone(), ..function.clone() };
    code::binding(scope.program, &streams, &scope.names, &binding)
}

fn justification(law: &'static Law, equation: String) -> Justification {
    Justification { name: law.name, equation, source: law.source }
}

/// A step of a simplification.
pub(crate) fn shown(scope: &Scope, step: &Rewriting) -> Step {
    let laws = step.law.map(|(law, case)| justification(law, case.to_string())).into_iter().collect();
    Step { before: scope.show_lines(&step.before), after: scope.show_lines(&step.after), laws }
}

/// The adjoint of each equation, from the end.
pub(crate) fn transposition(scope: &Scope, name: &str, Derivative { items, result }: &Derivative) -> Vec<Step> {
    let of = |name: &str, map: &Term| {
        let map = open(map);
        let laws = map.adjoint_laws().into_iter().map(|law| justification(law, law.equation.into())).collect();
        Step { before: format!("({name})ᵀ"), after: scope.show_lines(&map.adjoint()), laws }
    };
    let mut steps = vec![of(name, result)];
    for item in items.iter().rev() {
        if let Item::Map(var, map) = item {
            steps.push(of(&scope.derivative(*var), map));
        }
    }
    steps
}

/// How large a map may become when the derivatives that it binds are written out.
const LONGEST: usize = 2000;

/// A map without names for the derivatives that it binds, where that does not make it long.
pub(crate) fn open(map: &Term) -> Term {
    let map = map_children(map, &mut open);
    let Form::Extra(Extra { kind: Kind::Let(names), children }) = map.form() else { return map };
    let Some((result, maps)) = children.split_last() else { return map };
    let mut written = result.clone();
    for (name, bound) in names.iter().zip(maps).rev() {
        let Name::Map(var) = name else { return map };
        written = substitute(&written, *var, bound);
        if weight(&written) > LONGEST {
            return map;
        }
    }
    match names.len() == maps.len() {
        true => written,
        false => map,
    }
}

/// Names for a sentence.
pub(crate) fn listed(names: &[impl AsRef<str>]) -> String {
    names.iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}

/// The operations of a function.
pub(crate) fn measured(program: &Program, function: &Function, options: &Derivations) -> Option<Operations> {
    let Count { multiplications, additions, functions } = count(program, function, &options.sizes);
    let show = |size: &Size| match size {
        Size::Hole => "unknown".to_string(),
        size => size.show(&|atom| match atom {
            size::Atom::Var(var) => function.var(var).name.as_deref().unwrap_or("_").to_string(),
            size::Atom::Global(global) => program.global(global).name.to_string(),
            _ => "_".to_string(),
        }),
    };
    Some(Operations {
        multiplications: show(&multiplications),
        additions: show(&additions),
        functions: show(&functions),
    })
}
