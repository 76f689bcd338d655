//! Which variables a piece of Rust assigns, and how control can leave it, as far as the text shows.

use std::collections::HashSet;
use syn::visit::{self, Visit};

/// The names that a piece assigns, hands out by `&mut`, or mentions. A name that is bound again inside counts too.
#[derive(Default)]
pub(super) struct Assigned {
    pub names: HashSet<String>,
    /// All names that it reads: those of closures may assign what they see.
    pub mentioned: HashSet<String>,
}

/// The names that a piece assigns.
pub(super) fn assigned(visit: impl FnOnce(&mut dyn FnMut(&syn::Expr))) -> Assigned {
    let mut found = Assigned::default();
    visit(&mut |expr| found.visit_expr(expr));
    found
}

/// The methods that change what they are called on.
pub(super) const MUTATING: [&str; 22] = [
    "push",
    "iter_mut",
    "swap",
    "fill",
    "copy_from_slice",
    "clone_from_slice",
    "reverse",
    "pop",
    "insert",
    "remove",
    "extend",
    "extend_from_slice",
    "clear",
    "truncate",
    "resize",
    "sort",
    "sort_by",
    "rotate_left",
    "rotate_right",
    "chunks_mut",
    "chunks_exact_mut",
    "split_at_mut",
];

impl Assigned {
    fn root(&mut self, place: &syn::Expr) {
        match place {
            syn::Expr::Path(path) => self.names.extend(path.path.get_ident().map(|ident| ident.to_string())),
            syn::Expr::Index(index) => self.root(&index.expr),
            syn::Expr::Field(field) => self.root(&field.base),
            syn::Expr::Unary(unary) => self.root(&unary.expr),
            syn::Expr::Paren(inner) => self.root(&inner.expr),
            syn::Expr::Group(inner) => self.root(&inner.expr),
            syn::Expr::Reference(inner) => self.root(&inner.expr),
            syn::Expr::MethodCall(call) => self.root(&call.receiver),
            syn::Expr::Tuple(tuple) => tuple.elems.iter().for_each(|part| self.root(part)),
            _ => {}
        }
    }
}

impl<'a> Visit<'a> for Assigned {
    fn visit_expr_assign(&mut self, assign: &'a syn::ExprAssign) {
        self.root(&assign.left);
        visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_binary(&mut self, binary: &'a syn::ExprBinary) {
        if super::operator::compound(&binary.op).is_some() {
            self.root(&binary.left);
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_reference(&mut self, reference: &'a syn::ExprReference) {
        if reference.mutability.is_some() {
            self.root(&reference.expr);
        }
        visit::visit_expr_reference(self, reference);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        self.mentioned.extend(path.get_ident().map(|ident| ident.to_string()));
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        if super::statement::is_assertion(call) {
            self.names.insert(super::statement::OK.to_string());
        }
    }

    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        if MUTATING.contains(&call.method.to_string().as_str()) {
            self.root(&call.receiver);
        }
        visit::visit_expr_method_call(self, call);
    }
}

/// How control can leave a piece other than at its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Exits {
    pub returns: bool,
    /// The labels of the loops that are left; `None` is the innermost one around the piece.
    pub breaks: Vec<Option<String>>,
    /// The labels of the loops among them to which a `break` gives a value.
    pub values: Vec<Option<String>>,
    pub continues: Vec<Option<String>>,
}

impl Exits {
    pub fn of_expr(expr: &syn::Expr) -> Exits {
        let mut find = FindExits::default();
        find.visit_expr(expr);
        find.exits
    }

    pub fn of_block(block: &syn::Block) -> Exits {
        let mut find = FindExits::default();
        find.visit_block(block);
        find.exits
    }

    pub fn of_statement(statement: &syn::Stmt) -> Exits {
        let mut find = FindExits::default();
        find.visit_stmt(statement);
        find.exits
    }

    pub fn is_empty(&self) -> bool {
        *self == Exits::default()
    }
}

#[derive(Default)]
struct FindExits {
    exits: Exits,
    /// The labels of the loops and blocks inside of the piece, and whether they are loops.
    inner: Vec<(Option<String>, bool)>,
}

impl FindExits {
    fn leaves(&self, label: &Option<syn::Lifetime>) -> Option<Option<String>> {
        match label {
            None => (!self.inner.iter().any(|(_, is_loop)| *is_loop)).then_some(None),
            Some(label) => {
                let label = Some(label.ident.to_string());
                (!self.inner.iter().any(|(inner, _)| *inner == label)).then_some(label)
            }
        }
    }

    fn within(&mut self, label: &Option<syn::Label>, is_loop: bool, visit: impl FnOnce(&mut Self)) {
        self.inner.push((label.as_ref().map(|label| label.name.ident.to_string()), is_loop));
        visit(self);
        self.inner.pop();
    }
}

impl<'a> Visit<'a> for FindExits {
    fn visit_expr_return(&mut self, inner: &'a syn::ExprReturn) {
        self.exits.returns = true;
        visit::visit_expr_return(self, inner);
    }

    fn visit_expr_break(&mut self, inner: &'a syn::ExprBreak) {
        let label = self.leaves(&inner.label);
        self.exits.values.extend(label.clone().filter(|_| inner.expr.is_some()));
        self.exits.breaks.extend(label);
        visit::visit_expr_break(self, inner);
    }

    fn visit_expr_continue(&mut self, inner: &'a syn::ExprContinue) {
        self.exits.continues.extend(self.leaves(&inner.label));
    }

    fn visit_expr_for_loop(&mut self, inner: &'a syn::ExprForLoop) {
        self.visit_expr(&inner.expr);
        self.within(&inner.label, true, |find| find.visit_block(&inner.body));
    }

    fn visit_expr_block(&mut self, inner: &'a syn::ExprBlock) {
        match &inner.label {
            Some(_) => self.within(&inner.label, false, |find| find.visit_block(&inner.block)),
            None => self.visit_block(&inner.block),
        }
    }

    fn visit_expr_while(&mut self, inner: &'a syn::ExprWhile) {
        self.within(&inner.label, true, |find| {
            find.visit_expr(&inner.cond);
            find.visit_block(&inner.body);
        });
    }

    fn visit_expr_loop(&mut self, inner: &'a syn::ExprLoop) {
        self.within(&inner.label, true, |find| find.visit_block(&inner.body));
    }

    // A `return` in a closure or in an item leaves only that.
    fn visit_expr_closure(&mut self, _: &'a syn::ExprClosure) {}
    fn visit_item(&mut self, _: &'a syn::Item) {}
}

/// Whether control never reaches the end of a block.
pub(super) fn diverges(block: &syn::Block) -> bool {
    block.stmts.iter().any(|statement| match statement {
        syn::Stmt::Expr(expr, _) => expr_diverges(expr),
        syn::Stmt::Macro(inner) => is_panic(&inner.mac),
        _ => false,
    })
}

pub(super) fn expr_diverges(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Return(_) | syn::Expr::Break(_) | syn::Expr::Continue(_) => true,
        syn::Expr::Block(inner) => inner.label.is_none() && diverges(&inner.block),
        syn::Expr::If(inner) => {
            diverges(&inner.then_branch) && inner.else_branch.as_ref().is_some_and(|(_, no)| expr_diverges(no))
        }
        syn::Expr::Paren(inner) => expr_diverges(&inner.expr),
        syn::Expr::Macro(inner) => is_panic(&inner.mac),
        _ => false,
    }
}

pub(super) fn is_panic(call: &syn::Macro) -> bool {
    let name = call.path.segments.last().map(|segment| segment.ident.to_string());
    matches!(name.as_deref(), Some("panic" | "unreachable" | "todo" | "unimplemented"))
}
