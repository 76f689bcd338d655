//! Items inside functions: constants, `use` declarations, and functions.

use super::Lower;
use syn::visit::Visit;

impl Lower<'_> {
    /// The items of a block, which are seen in all of it.
    pub(super) fn items(&mut self, statements: &[syn::Stmt]) {
        let (mut constants, mut functions) = (Vec::new(), Vec::new());
        for statement in statements {
            match statement {
                syn::Stmt::Item(syn::Item::Const(constant)) => constants.push(constant),
                syn::Stmt::Item(syn::Item::Use(inner)) => self.import(inner),
                syn::Stmt::Item(syn::Item::Fn(function)) => functions.push(function),
                syn::Stmt::Item(item) => {
                    let help = "put functions and types beside this one, into a module with `#[differentiable]`";
                    self.refuse(item, "an item inside the function cannot be differentiated", help);
                }
                _ => {}
            }
        }
        // Each behind those that it reads.
        while !constants.is_empty() {
            let names: Vec<&syn::Ident> = constants.iter().map(|constant| &constant.ident).collect();
            let ready = constants.iter().position(|constant| !reads_any(&constant.expr, &names));
            let constant = constants.remove(ready.unwrap_or(0));
            let name = constant.ident.to_string();
            let value = self.constant_here(&name, &constant.ty, &constant.expr, &constant.ident);
            let term = self.name_it(&name, value.term, &constant.ident);
            self.declare(&name, value.ty, term);
        }
        self.inner_functions(&functions);
    }

    /// A `use` inside of the function: of what is in the standard library.
    fn import(&mut self, inner: &syn::ItemUse) {
        let real = self.real();
        let mut foreign = false;
        imports(&inner.tree, &mut Vec::new(), &mut |path, name| match path {
            [library, rest @ ..] if matches!(library.as_str(), "std" | "core" | "alloc") => match rest {
                [of, consts, last] if of == real && consts == "consts" && last == "*" => {
                    let all = super::constant::CONSTANTS.iter().map(|(name, value)| (name.to_string(), Some(*value)));
                    self.imported.extend(all);
                }
                [of, consts, last] if of == real && consts == "consts" => {
                    self.imported.extend(super::constant::constant(last).map(|value| (name.to_string(), Some(value))));
                }
                [of, consts] if of == real && consts == "consts" && name == "consts" => {
                    self.imported.insert(name.to_string(), None);
                }
                _ => {}
            },
            _ => foreign = true,
        });
        if foreign {
            let help = "write the `use` outside the function";
            self.refuse(inner, "the item that this `use` names is not visible to `#[differentiable]`", help);
        }
    }
}

/// Calls `visit` with each path of a `use`, and the name that it gives it.
fn imports(tree: &syn::UseTree, path: &mut Vec<String>, visit: &mut dyn FnMut(&[String], &str)) {
    let mut leaf = |last: String, name: &str| {
        path.push(last);
        visit(path, name);
        path.pop();
    };
    match tree {
        syn::UseTree::Path(inner) => {
            path.push(inner.ident.to_string());
            imports(&inner.tree, path, visit);
            path.pop();
        }
        syn::UseTree::Name(name) if name.ident == "self" => {
            let last = path.last().cloned().unwrap_or_default();
            visit(path, &last);
        }
        syn::UseTree::Name(name) => leaf(name.ident.to_string(), &name.ident.to_string()),
        syn::UseTree::Rename(name) => leaf(name.ident.to_string(), &name.rename.to_string()),
        syn::UseTree::Glob(_) => leaf("*".to_string(), "*"),
        syn::UseTree::Group(group) => group.items.iter().for_each(|item| imports(item, path, visit)),
    }
}

/// Whether an expression reads one of some names.
fn reads_any(expr: &syn::Expr, names: &[&syn::Ident]) -> bool {
    struct Find<'n>(&'n [&'n syn::Ident], bool);
    impl<'a> Visit<'a> for Find<'_> {
        fn visit_path(&mut self, path: &'a syn::Path) {
            self.1 |= path.get_ident().is_some_and(|ident| self.0.contains(&ident));
        }
    }
    let mut find = Find(names, false);
    find.visit_expr(expr);
    find.1
}
