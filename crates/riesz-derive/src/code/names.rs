//! Names for the variables of a function: those of its author; `i`, `j`, … for indices; `t1`, `t2`, … for all others.

use riesz_core::Type;
use riesz_core::size;
use riesz_core::term::{Atom, Binding, Function, Op, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether a parameter is a size that the types of others mention, which is not written.
pub(crate) fn is_size(function: &Function, var: Var) -> bool {
    let mentions = |ty: &Type| {
        let mut found = false;
        ty.map_sizes(&mut |size| {
            found |= size.atoms().contains(&size::Atom::Var(var));
            size.clone()
        });
        found
    };
    function.var(var).ty == Type::Int && function.vars[..function.parameters].iter().any(|info| mentions(&info.ty))
}

/// A name for every variable of a function, no two the same, numbered in the order in which they are read.
/// `more` are bindings over further variables.
pub(crate) fn readable(function: &Function, more: &[&[Binding]]) -> Vec<String> {
    let mut used: FxHashSet<String> = FxHashSet::default();
    let named = |info: &riesz_core::term::VarInfo| info.name.as_deref().map(|name| unique(name, &mut used));
    let mut names: Vec<Option<String>> = function.vars.iter().map(named).collect();
    let mut next = 0;
    let bindings: Vec<&[Binding]> = [&function.body.bindings[..]].into_iter().chain(more.iter().copied()).collect();
    visit_all(&bindings, &mut |Binding { var, op, .. }| {
        names[var.0 as usize].get_or_insert_with(|| temporary(&mut next, &mut used));
        op.visit_bound(&mut |bound| {
            names[bound.0 as usize].get_or_insert_with(|| match function.var(*bound).ty {
                Type::Int => index(&mut used),
                _ => temporary(&mut next, &mut used),
            });
        });
    });
    names.into_iter().map(|name| name.unwrap_or_else(|| temporary(&mut next, &mut used))).collect()
}

/// The names of variables while a function is written.
pub(super) struct Names {
    /// The names that are known.
    known: Vec<Option<String>>,
    /// The names that no other variable may have.
    used: FxHashSet<String>,
}

/// Around the number of a variable whose name is not decided yet.
const MARKS: [char; 2] = ['\u{1}', '\u{2}'];

impl Names {
    /// All names are known.
    pub fn given(function: &Function, names: &[String]) -> Names {
        let known = (0..function.vars.len()).map(|at| names.get(at).cloned()).collect();
        Names { known, used: names.iter().cloned().collect() }
    }

    /// Variables without a name get one if they are seen.
    pub fn lazily(function: &Function) -> Names {
        let mut wanted: Vec<Option<&str>> = function.vars.iter().map(|info| info.name.as_deref()).collect();
        // What a named value is a copy of has its name, and so have arguments of the user's before all else.
        visit(&function.body.bindings, &mut |Binding { var, op, .. }| {
            if let Op::Copy(Atom::Var(source)) = op
                && source.0 as usize >= function.parameters
                && wanted[source.0 as usize].is_none()
                && let Some(name) = wanted[var.0 as usize].take()
            {
                wanted[source.0 as usize] = Some(name);
            }
        });
        let mut used = FxHashSet::default();
        let known = wanted.into_iter().map(|name| name.map(|name| unique(name, &mut used))).collect();
        Names { known, used }
    }

    /// Whether a variable has a name worth a line.
    pub fn is_named(&self, var: Var) -> bool {
        self.known[var.0 as usize].is_some()
    }

    pub fn of(&self, var: Var) -> String {
        match &self.known[var.0 as usize] {
            Some(name) => name.clone(),
            None => format!("{}{}{}", MARKS[0], var.0, MARKS[1]),
        }
    }

    /// Names an index for its body.
    pub fn open(&mut self, index_var: Var) -> String {
        let at = index_var.0 as usize;
        if self.known[at].is_none() {
            self.known[at] = Some(index(&mut self.used));
        }
        self.of(index_var)
    }

    /// The name of an index is free again.
    pub fn close(&mut self, index: Var, name: &str) {
        self.used.remove(name);
        self.known[index.0 as usize] = None;
    }

    /// The text with names for the variables that are seen in it, in their order.
    pub fn resolved(mut self, text: &str) -> String {
        let mut resolved = String::with_capacity(text.len());
        let mut chosen: FxHashMap<&str, String> = FxHashMap::default();
        let mut next = 0;
        for (at, piece) in text.split(MARKS).enumerate() {
            match at % 2 {
                0 => resolved += piece,
                _ => {
                    let name = chosen.entry(piece).or_insert_with(|| temporary(&mut next, &mut self.used));
                    resolved += name;
                }
            }
        }
        resolved.push('\n');
        resolved
    }
}

fn unique(wanted: &str, used: &mut FxHashSet<String>) -> String {
    let mut name = wanted.to_string();
    let mut count = 1;
    while !used.insert(name.clone()) {
        count += 1;
        name = format!("{wanted}{count}");
    }
    name
}

fn index(used: &mut FxHashSet<String>) -> String {
    let letters = ["i", "j", "k", "l", "p", "q"];
    for round in 0.. {
        for letter in letters {
            let name = if round == 0 { letter.to_string() } else { format!("{letter}{round}") };
            if used.insert(name.clone()) {
                return name;
            }
        }
    }
    unreachable!("there are more names than variables")
}

fn temporary(next: &mut usize, used: &mut FxHashSet<String>) -> String {
    loop {
        *next += 1;
        let name = format!("t{next}");
        if used.insert(name.clone()) {
            return name;
        }
    }
}

fn visit_all<'b>(lists: &[&'b [Binding]], f: &mut dyn FnMut(&'b Binding)) {
    lists.iter().for_each(|bindings| visit(bindings, f));
}

fn visit<'b>(bindings: &'b [Binding], f: &mut dyn FnMut(&'b Binding)) {
    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
        for binding in bindings {
            f(binding);
            binding.op.visit_bodies(&mut |body| visit(&body.bindings, f));
        }
    });
}
