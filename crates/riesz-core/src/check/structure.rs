//! Tuples, records and arrays: construction, access to components, and patterns.

use super::arithmetic::Typed;
use super::draft::Draft;
use super::scope::Entry;
use super::suggest::nearest;
use crate::size::Size;
use crate::term::{Atom, Op};
use crate::types::{Record, Type};
use riesz_syntax::tree::{
    ExprId, ExprKind, Field, Ident, Integer, LetBinding, Name, Pattern, PatternKind, UnaryOperator,
};
use riesz_syntax::{Diagnostic, Span};
use rustc_hash::FxHashSet;

impl Draft<'_> {
    pub(super) fn tuple(&mut self, parts: &[ExprId], hint: Option<&Type>, span: Span) -> Typed {
        let hints = match hint.map(|hint| self.resolve(hint)) {
            Some(Type::Tuple(hints)) if hints.len() == parts.len() => hints.to_vec(),
            _ => Vec::new(),
        };
        let (mut atoms, mut types) = (Vec::with_capacity(parts.len()), Vec::with_capacity(parts.len()));
        for (at, &part) in parts.iter().enumerate() {
            let (atom, ty) = self.expr(part, hints.get(at));
            atoms.push(atom);
            types.push(ty);
        }
        let ty = Type::Tuple(types.into());
        (self.bind(Op::Tuple(atoms), ty.clone(), span), ty)
    }

    pub(super) fn record(&mut self, fields: &[(Ident, ExprId)], hint: Option<&Type>, span: Span) -> Typed {
        let hints = match hint.map(|hint| self.resolve(hint)) {
            Some(Type::Record(record)) => Some(record),
            _ => None,
        };
        let mut seen: Vec<(&Ident, Typed)> = Vec::with_capacity(fields.len());
        let mut names = FxHashSet::default();
        for (name, value) in fields {
            let hint = hints.as_ref().and_then(|record| Some(&record.fields[record.position(&name.name)?].1));
            let value = self.expr(*value, hint);
            if !names.insert(&name.name) {
                self.report(Diagnostic::error(
                    "duplicate-name",
                    name.span,
                    format!("the field `{}` is given twice", name.name),
                ));
                continue;
            }
            seen.push((name, value));
        }
        let record = Record::new(seen.iter().map(|(name, (_, ty))| (name.name.clone(), ty.clone())).collect());
        seen.sort_by(|a, b| a.0.name.cmp(&b.0.name));
        let atoms = seen.iter().map(|(_, (atom, _))| *atom).collect();
        let ty = Type::Record(record);
        (self.bind(Op::Tuple(atoms), ty.clone(), span), ty)
    }

    pub(super) fn array(&mut self, elements: &[ExprId], hint: Option<&Type>, span: Span) -> Typed {
        let element_hint = match hint.map(|hint| self.resolve(hint)) {
            Some(Type::Array(_, element)) => Some((*element).clone()),
            _ => None,
        };
        let tree = self.tree();
        if let Some(literals) = elements.iter().map(|&element| literal(&tree, element)).collect::<Option<Vec<_>>>()
            && !literals.is_empty()
        {
            return self.array_of_literals(literals, element_hint, span);
        }
        let mut joined = None;
        let mut values = Vec::with_capacity(elements.len());
        for &element in elements {
            let mut value = self.expr(element, element_hint.as_ref());
            let place = tree.expr(element).span;
            joined = Some(match joined {
                None => value.1.clone(),
                Some(joined) => match self.join(&joined, &value.1, place) {
                    Ok(joined) => joined,
                    Err(mismatch) => {
                        let first = tree.expr(elements[0]).span;
                        let shown = self.show(&joined);
                        let diagnostic = self
                            .mismatch(mismatch.swapped(), &value.1, &joined, place)
                            .label(first, format!("the elements before are {shown}"))
                            .help("all elements of an array have one type and one size");
                        self.report(diagnostic);
                        value.1 = Type::Error;
                        joined
                    }
                },
            });
            values.push((value, place));
        }
        let element = match joined {
            Some(joined) => joined,
            None => element_hint.unwrap_or_else(|| self.unknowns.ty()),
        };
        let atoms: Vec<Atom> =
            (values.into_iter()).map(|((atom, ty), place)| self.flow(atom, &ty, &element, place)).collect();
        let ty = Type::array(Size::Constant(atoms.len() as i64), element);
        (self.bind(Op::Array(atoms), ty.clone(), span), ty)
    }

    /// Tables of numbers can be long: their elements need no variables.
    pub(super) fn array_of_literals(&mut self, mut literals: Vec<Atom>, hint: Option<Type>, span: Span) -> Typed {
        let real = literals.iter().any(|literal| matches!(literal, Atom::Real(_)));
        let element = match hint.map(|hint| self.resolve(&hint)) {
            _ if real => Type::Real,
            Some(Type::Real) => Type::Real,
            _ => self.unknowns.number(),
        };
        if element == Type::Real {
            literals.iter_mut().for_each(make_real);
        }
        let ty = Type::array(Size::Constant(literals.len() as i64), element);
        (self.bind(Op::Array(literals), ty.clone(), span), ty)
    }

    pub(super) fn index(&mut self, (array, ty): Typed, index: ExprId, array_span: Span, span: Span) -> Typed {
        let (_, element) =
            self.array_type(&ty, array_span, "only arrays are indexed with `[ ]`; fields are taken with `.`");
        let place = self.tree().expr(index).span;
        let (at, index_ty) = self.expr(index, Some(&Type::Int));
        let at = self.flow_or(at, &index_ty, &Type::Int, place, |draft, mismatch| {
            draft.mismatch(mismatch, &index_ty, &Type::Int, place).help("an index is an `Int`")
        });
        if element == Type::Error {
            return (Atom::Int(0), Type::Error);
        }
        (self.bind(Op::Index(array, at), element.clone(), span), element)
    }

    pub(super) fn field(&mut self, (value, ty): Typed, field: &Field, span: Span) -> Typed {
        if matches!(self.resolve(&ty), Type::Unknown(_)) {
            self.force_postponed();
        }
        let ty = self.resolve(&ty);
        let mut meant = None;
        let position = match (&ty, field) {
            (Type::Error, _) => return (Atom::Int(0), Type::Error),
            (Type::Tuple(parts), Field::Position(at)) if (*at as usize) < parts.len() => Ok(*at as usize),
            (Type::Tuple(parts), Field::Position(_)) => Err(match parts.len() {
                0 => "`()` has no fields".to_string(),
                fields => format!("the fields of this tuple are .0 to .{}", fields - 1),
            }),
            (Type::Record(record), Field::Name(name)) => record.position(name).ok_or_else(|| {
                let names: Vec<&str> = record.shown.iter().map(|&at| &*record.fields[at as usize].0).collect();
                meant = nearest(name, names.iter().copied()).map(str::to_string);
                format!("its fields are {}", names.join(", "))
            }),
            (Type::Record(_), Field::Position(_)) => Err("the fields of a record are taken by name".to_string()),
            (Type::Array(..), Field::Position(at)) => Err(format!("elements of an array are taken with `[{at}]`")),
            (Type::Unknown(_), _) => {
                Err("its type is not known here: write it, as in `let x: (R, R) = ...`".to_string())
            }
            _ => Err("only tuples and records have fields".to_string()),
        };
        match position {
            Ok(at) => {
                let part = match &ty {
                    Type::Record(record) => record.fields[at].1.clone(),
                    Type::Tuple(parts) => parts[at].clone(),
                    _ => Type::Error,
                };
                (self.bind(Op::Project(value, at), part.clone(), span), part)
            }
            Err(help) => {
                let field = match field {
                    Field::Position(at) => at.to_string(),
                    Field::Name(name) => name.to_string(),
                };
                let message = format!("{} has no field `{field}`", self.show(&ty));
                let diagnostic = Diagnostic::error("unknown-field", span, message);
                self.fail(match meant {
                    Some(meant) => diagnostic.did_you_mean(span, meant),
                    None => diagnostic.help(help),
                })
            }
        }
    }

    pub(super) fn let_binding(&mut self, binding: &LetBinding) {
        let annotation = binding.annotation.as_ref().map(|ty| self.annotation(ty));
        if let (PatternKind::Name(name), None) = (&binding.pattern.kind, &annotation)
            && let Some(callable) = self.callable(binding.value)
        {
            self.check_names(binding.value);
            self.scope.bind(name.clone(), Entry::Callable(callable));
            return;
        }
        let value = match annotation {
            Some(ty) => (self.expr_of(binding.value, &ty), ty),
            None => self.expr(binding.value, None),
        };
        self.bind_pattern(&binding.pattern, value);
    }

    /// Binds the names of a pattern to the parts of a value.
    pub fn bind_pattern(&mut self, pattern: &Pattern, value: Typed) {
        self.bind_parts(pattern, value, &mut FxHashSet::default());
    }

    pub(super) fn bind_parts<'p>(&mut self, pattern: &'p Pattern, (atom, ty): Typed, seen: &mut FxHashSet<&'p Name>) {
        match &pattern.kind {
            PatternKind::Name(name) => {
                if !seen.insert(name) {
                    let message = format!("`{name}` is bound twice in one pattern");
                    self.report(Diagnostic::error("duplicate-name", pattern.span, message));
                }
                if let Atom::Var(var) = atom {
                    self.vars[var.0 as usize].name.get_or_insert_with(|| name.clone());
                }
                self.scope.bind(name.clone(), Entry::Value(atom, ty));
            }
            PatternKind::Wildcard | PatternKind::Error => {}
            PatternKind::Tuple(parts) => {
                if matches!(self.resolve(&ty), Type::Unknown(_)) {
                    self.force_postponed();
                }
                if let unknown @ Type::Unknown(_) = self.resolve(&ty) {
                    let tuple = Type::Tuple(parts.iter().map(|_| self.unknowns.ty()).collect());
                    let _ = self.unify(&unknown, &tuple, pattern.span);
                }
                let values = match self.resolve(&ty) {
                    Type::Tuple(types) if types.len() == parts.len() => self.parts((atom, ty), pattern.span),
                    Type::Error => parts.iter().map(|_| (Atom::Int(0), Type::Error)).collect(),
                    other => {
                        let shown = self.show(&other);
                        let message = format!("a pattern of {} parts cannot match {shown}", parts.len());
                        let diagnostic = Diagnostic::error("pattern-mismatch", pattern.span, message)
                            .here(format!("the value is {shown}"));
                        self.report(match other {
                            Type::Array(..) => {
                                diagnostic.help("only tuples are taken apart; elements are `v[0]`, `v[1]`")
                            }
                            Type::Record(_) => diagnostic.help("only tuples are taken apart; fields are `r.x`, `r.y`"),
                            Type::Tuple(_) => diagnostic.help("write `_` for parts that are not needed"),
                            _ => diagnostic.help("only tuples are taken apart"),
                        });
                        parts.iter().map(|_| (Atom::Int(0), Type::Error)).collect()
                    }
                };
                for (part, value) in parts.iter().zip(values) {
                    self.bind_parts(part, value, seen);
                }
            }
        }
    }
}

/// The number that an expression is by its form.
fn literal(tree: &riesz_syntax::Tree, id: ExprId) -> Option<Atom> {
    let number = |id: ExprId| match tree.expr(id).kind {
        ExprKind::Integer(Integer { value: Some(value), .. }) => i64::try_from(value).ok().map(Atom::Int),
        ExprKind::Real(value) => Some(Atom::Real(value)),
        _ => None,
    };
    match tree.expr(id).kind {
        ExprKind::Unary { operator: UnaryOperator::Negate, operand } => match number(operand)? {
            Atom::Int(0) => None,
            Atom::Int(value) => Some(Atom::Int(-value)),
            Atom::Real(value) => Some(Atom::Real(-value)),
            _ => None,
        },
        _ => number(id),
    }
}

/// An integer where a real number is needed.
pub(super) fn make_real(atom: &mut Atom) {
    if let Atom::Int(value) = *atom {
        *atom = Atom::Real(value as f64);
    }
}
