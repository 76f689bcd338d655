//! Activity analysis: the variables that depend on the inputs. All others have no tangent, and their derivative costs
//! nothing.

use riesz_core::Type;
use riesz_core::term::{Atom, Binding, Body, Function, Op, Recurrence, Var};
use rustc_hash::FxHashSet;

/// The variables of a function that vary when some of its parameters do.
pub(crate) struct Activity {
    /// The variables that can vary at all, by their types. An operation that adds a varying value to an accumulator
    /// varies too.
    pub active: FxHashSet<Var>,
    /// The variables that hold functions which may have captured a varying value. A function has no tangent of its own.
    pub carriers: FxHashSet<Var>,
}

/// The variables that vary with the chosen parameters.
pub(crate) fn active(function: &Function, parameters: &[bool]) -> Activity {
    let mut analysis = Analysis { function, active: FxHashSet::default(), carriers: FxHashSet::default() };
    for (at, active) in parameters.iter().enumerate() {
        if *active {
            analysis.mark(Var(at as u32));
        }
    }
    // What is added to an accumulator after it was passed on is seen in a later round.
    loop {
        let before = analysis.size();
        analysis.body(&function.body);
        if analysis.size() == before {
            let Analysis { active, carriers, .. } = analysis;
            return Activity { active, carriers };
        }
    }
}

struct Analysis<'f> {
    function: &'f Function,
    active: FxHashSet<Var>,
    carriers: FxHashSet<Var>,
}

impl Analysis<'_> {
    fn size(&self) -> usize {
        self.active.len() + self.carriers.len()
    }

    fn mark(&mut self, var: Var) {
        if self.function.var(var).ty.varies() {
            self.active.insert(var);
        }
    }

    fn carry(&mut self, var: Var) {
        if self.function.var(var).ty.any(&mut |part| matches!(part, Type::Function(_))) {
            self.carriers.insert(var);
        }
    }

    fn is_active(&self, atom: Atom) -> bool {
        matches!(atom, Atom::Var(var) if self.active.contains(&var))
    }

    fn is_carrier(&self, atom: Atom) -> bool {
        matches!(atom, Atom::Var(var) if self.carriers.contains(&var))
    }

    /// Whether anything in the body adds something that varies to an accumulator.
    fn body(&mut self, body: &Body) -> bool {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            let mut effect = false;
            for binding in &body.bindings {
                effect |= self.binding(binding);
            }
            effect
        })
    }

    fn binding(&mut self, Binding { var, op, .. }: &Binding) -> bool {
        let mut effect = false;
        let varies = match op {
            Op::Hold(_) => return false,
            Op::Compare(..) | Op::Same(..) | Op::Near(..) | Op::Zero(_) | Op::SizeOf(..) | Op::CheckSizes(..) => false,
            Op::Accumulator => return false,
            // A function has no tangent, but its captured values may: its callers must know.
            Op::Closure(_, captured) => {
                if captured.iter().any(|value| self.is_active(*value) || self.is_carrier(*value)) {
                    self.carry(*var);
                }
                return false;
            }
            Op::AddTo(accumulator, _, value) => {
                if self.is_active(*value)
                    && let Atom::Var(accumulator) = accumulator
                {
                    self.mark(*accumulator);
                }
                effect = self.is_active(*accumulator);
                false
            }
            Op::Call(_, arguments) => {
                let varies = arguments.iter().any(|argument| self.is_active(*argument) || self.is_carrier(*argument));
                if varies {
                    self.carry(*var);
                    for argument in arguments {
                        if let Atom::Var(var) = argument
                            && matches!(self.function.var(*var).ty, Type::Accumulator(_))
                        {
                            self.mark(*var);
                            effect = true;
                        }
                    }
                }
                varies
            }
            Op::Apply(..) | Op::Derive(..) | Op::Ruled(..) => {
                let mut varies = false;
                op.visit_atoms(&mut |atom| varies |= self.is_active(*atom) || self.is_carrier(*atom));
                if varies {
                    self.carry(*var);
                }
                varies
            }
            Op::Build(iteration) | Op::Builds(iteration) | Op::Reduce(_, iteration) | Op::For(iteration) => {
                effect = self.body(&iteration.body);
                self.is_active(iteration.body.result)
            }
            Op::If { yes, no, .. } => {
                let (a, b) = (self.body(yes), self.body(no));
                effect = a || b;
                self.is_active(yes.result) || self.is_active(no.result)
            }
            Op::Loop(recurrence) | Op::Scan(recurrence) | Op::Trace(recurrence) => {
                let Recurrence { state, start, body, .. } = recurrence;
                self.state(*state, *start, body, &mut effect)
            }
            Op::While { state, start, body, .. } | Op::TraceWhile { state, start, body, .. } => {
                self.state(*state, *start, body, &mut effect)
            }
            _ => {
                let mut varies = false;
                op.visit_atoms(&mut |atom| varies |= self.is_active(*atom));
                varies
            }
        };
        let mut carries = false;
        op.visit_atoms(&mut |atom| carries |= self.is_carrier(*atom));
        op.visit_bodies(&mut |body| carries |= self.is_carrier(body.result));
        if carries {
            self.carry(*var);
        }
        if varies {
            self.mark(*var);
        }
        if effect {
            self.active.insert(*var);
        }
        effect
    }

    fn state(&mut self, state: Var, start: Atom, body: &Body, effect: &mut bool) -> bool {
        if self.is_carrier(start) {
            self.carry(state);
        }
        if self.is_active(start) {
            self.mark(state);
        }
        loop {
            let before = self.size();
            *effect |= self.body(body);
            if self.is_active(body.result) {
                self.mark(state);
            }
            if self.is_carrier(body.result) {
                self.carry(state);
            }
            if self.size() == before {
                return self.is_active(body.result) || self.is_active(Atom::Var(state));
            }
        }
    }
}
