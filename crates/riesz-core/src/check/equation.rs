//! Equations between sizes, as polynomials: an unknown that stands alone is solved for, a constant nonzero difference
//! is an error, and all other equations are compared at run time.

use super::draft::Draft;
use super::mismatch::Mismatch;
use crate::size::{self, Size};
use crate::term::{Atom, Op};
use crate::types::Type;
use riesz_syntax::{Diagnostic, Span};

impl Draft<'_> {
    /// Makes two sizes the same: by finding what is unknown, else by a check when the program runs.
    pub fn equate(&mut self, a: &Size, b: &Size, span: Span) -> Result<(), Mismatch> {
        let (a, b) = (self.resolve_size(a), self.resolve_size(b));
        if a == b || a == Size::Hole || b == Size::Hole {
            return Ok(());
        }
        // Where even the difference is too large to write down, only the program's run can tell.
        let difference = a.sub(&b).unwrap_or(Size::Hole);
        match difference {
            Size::Constant(0) => return Ok(()),
            Size::Constant(_) => return Err(Mismatch::Sizes(a, b)),
            _ => {}
        }
        let unknown = |atom: &size::Atom| matches!(atom, size::Atom::Unknown(_));
        let monomials = difference.monomials();
        // c · σ + rest = 0, where σ stands nowhere else: the unknown with the smallest coefficient is found.
        let solvable = (monomials.iter())
            .filter_map(|monomial| match monomial.factors() {
                [atom @ size::Atom::Unknown(index)] => Some((monomial.coefficient(), *atom, *index)),
                _ => None,
            })
            .filter(|(_, atom, _)| difference.atoms().iter().filter(|other| *other == atom).count() == 1)
            .min_by_key(|(coefficient, _, _)| coefficient.unsigned_abs());
        if let Some((coefficient, atom, index)) = solvable {
            let rest =
                difference.replace(&mut |other| if other == atom { Size::Constant(0) } else { Size::Atom(other) });
            if coefficient.unsigned_abs() == 1 {
                if let Some(found) = rest.mul(&Size::Constant(-coefficient)) {
                    self.unknowns.sizes[index as usize] = Some(found);
                    return Ok(());
                }
            } else if !rest.atoms().iter().any(unknown) {
                return self.divide(index, coefficient, &rest, &a, &b, span);
            }
        }
        let atoms = [a.atoms(), b.atoms()].concat();
        if atoms.iter().any(unknown) {
            // Nothing to be done now; most of these are found by another argument. What is left is looked at in the end.
            self.later.push((a, b, span));
            return Ok(());
        }
        if atoms.iter().any(|atom| matches!(atom, size::Atom::Var(var) if !self.in_scope(*var))) {
            self.report_unknown_sizes(&a, &b, span);
            return Ok(());
        }
        let (left, right) = (self.compute(&a, span), self.compute(&b, span));
        let var = self.var(Type::unit(), None);
        self.push(crate::term::Binding { var, op: Op::CheckSizes(left, right), span });
        Ok(())
    }

    /// Finds σ with `coefficient · σ + rest = 0` by division, which must come out even.
    pub(super) fn divide(
        &mut self,
        index: u32,
        coefficient: i64,
        rest: &Size,
        a: &Size,
        b: &Size,
        span: Span,
    ) -> Result<(), Mismatch> {
        if let Size::Constant(rest) = rest {
            if rest % coefficient != 0 {
                return Err(Mismatch::Sizes(a.clone(), b.clone()));
            }
            self.unknowns.sizes[index as usize] = Some(Size::Constant(-(rest / coefficient)));
            return Ok(());
        }
        let negated = rest.mul(&Size::Constant(-1)).unwrap_or(Size::Hole);
        let dividend = self.compute(&negated, span);
        let divide = riesz_primitive::find("div").expect("the table has div");
        let quotient = self.bind(Op::Scalar(divide, vec![dividend, Atom::Int(coefficient)]), Type::Int, span);
        self.unknowns.sizes[index as usize] = Some(self.size_of(quotient));
        self.equate(a, b, span)
    }

    /// Sizes whose equality could not be told when it was asked.
    pub fn equate_later(&mut self) {
        for _ in 0..2 {
            for (a, b, span) in std::mem::take(&mut self.later) {
                if let Err(mismatch) = self.equate(&a, &b, span) {
                    let diagnostic = self.mismatch(mismatch, &Type::Error, &Type::Error, span);
                    self.report(diagnostic);
                }
            }
        }
        for (a, b, span) in std::mem::take(&mut self.later) {
            self.report_unknown_sizes(&a, &b, span);
        }
    }

    /// Sizes that calls pass and that nothing tells, or that cannot be.
    pub fn reject_open_sizes(&mut self) {
        // Where something is wrong already, what would have told the size may be missing.
        if !self.diagnostics.is_empty() {
            return;
        }
        let mut problems = Vec::new();
        for call in &self.calls {
            for passed in &call.sizes {
                let size = self.resolve_size(passed);
                if let Some(size::Atom::Unknown(unknown)) =
                    size.atoms().into_iter().find(|atom| matches!(atom, size::Atom::Unknown(_)))
                {
                    let name = self.unknowns.size_names[unknown as usize].as_deref().unwrap_or("_");
                    problems.push(
                        Diagnostic::error("unknown-size", call.span, format!("the size `{name}` cannot be inferred here"))
                            .help("a size is inferred from an argument's type: from `[n]R` or `[2 * n + 1]R`, not from `[n + m]R` alone"),
                    );
                } else if let Size::Constant(negative @ ..0) = size {
                    let name = match passed {
                        Size::Atom(size::Atom::Unknown(unknown)) => {
                            self.unknowns.size_names[*unknown as usize].as_deref()
                        }
                        _ => None,
                    };
                    let message = format!("the size `{}` would be {negative} here", name.unwrap_or("_"));
                    let diagnostic = Diagnostic::error("negative-size", call.span, message);
                    problems.push(diagnostic.help("an argument is smaller than the type of its parameter says"));
                }
            }
        }
        problems.into_iter().for_each(|problem| self.report(problem));
    }

    pub(super) fn join_size(&mut self, m: &Size, n: &Size, span: Span, either: bool) -> Result<Size, Mismatch> {
        let (m, n) = (self.resolve_size(m), self.resolve_size(n));
        if either && m != n {
            let unknown = |size: &Size| size.atoms().iter().any(|atom| matches!(atom, size::Atom::Unknown(_)));
            let differ = matches!(m.sub(&n), Some(Size::Constant(difference)) if difference != 0);
            if !differ && !unknown(&m) && !unknown(&n) {
                return Ok(Size::Hole);
            }
        }
        self.equate(&m, &n, span)?;
        // The more definite size of the two.
        Ok(if m == Size::Hole { n } else { m })
    }
}
