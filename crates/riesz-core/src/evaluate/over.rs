//! Machines over another algebra, which go on with the steps and the depth that are left here.

use super::{Closure, Differentiate, Fault, Machine, Value};
use crate::term::Program;
use riesz_primitive::Number;
use riesz_syntax::Span;
use std::rc::Rc;

impl<'p, S: Number> Machine<'p, S> {
    /// The value of a function of what it captures and an argument, over another algebra, in which the numbers known here
    /// are constants. Linear maps in it are tables of all their entries.
    ///
    /// # Errors
    /// Where the function has no value.
    pub fn call_over<T: Number>(
        &mut self,
        closure: &Closure<S>,
        argument: Value<T>,
        span: Span,
    ) -> Result<Value<T>, Fault> {
        self.call_through(closure, argument, &mut |x| T::constant(x.decided()), span)
    }

    /// The same where derivatives inside of the function are not compiled, but found while it runs. A function without any
    /// runs as it is compiled.
    ///
    /// # Errors
    /// Where the function has no value.
    pub fn call_differentiating<T: Number>(
        &mut self,
        closure: &Closure<S>,
        argument: Value<T>,
        differentiate: Rc<dyn Differentiate<T> + 'p>,
        span: Span,
    ) -> Result<Value<T>, Fault> {
        // A stated derivative is taken once while the program runs: those inside are compiled.
        if !self.program.derives(closure.function) || self.program.has_rules(closure.function) {
            return self.call_over(closure, argument, span);
        }
        let number = &mut |x: &S| T::constant(x.decided());
        let mut machine = self.lend(number);
        machine.program = self.program;
        machine.differentiate = Some(differentiate);
        self.call_in(machine, closure, argument, number, span)
    }

    /// The same over an algebra that the numbers known here are numbers of.
    pub(super) fn call_through<T: Number>(
        &mut self,
        closure: &Closure<S>,
        argument: Value<T>,
        number: &mut dyn FnMut(&S) -> T,
        span: Span,
    ) -> Result<Value<T>, Fault> {
        let machine = self.lend(number);
        self.call_in(machine, closure, argument, number, span)
    }

    /// Calls a function in a machine that was lent.
    fn call_in<T: Number>(
        &mut self,
        mut machine: Machine<'p, T>,
        closure: &Closure<S>,
        argument: Value<T>,
        number: &mut dyn FnMut(&S) -> T,
        span: Span,
    ) -> Result<Value<T>, Fault> {
        let captured: Vec<Value<T>> = closure.captured().iter().map(|value| value.over(number)).collect();
        let missing = machine.needed(closure.function);
        let value = machine
            .compute(missing)
            .and_then(|()| machine.call(closure.function, &mut captured.into_iter().chain([argument]), span))
            .and_then(|value| machine.with_tables(value, span));
        self.take_back(machine);
        value
    }

    /// Whether the derivative of something in a function is stated.
    pub fn has_rules(&self, closure: &Closure<S>) -> bool {
        self.program.has_rules(closure.function)
    }

    /// Calls a function of this machine's algebra.
    ///
    /// # Errors
    /// Where the function has no value.
    pub fn call_closure(&mut self, closure: &Closure<S>, argument: Value<S>, span: Span) -> Result<Value<S>, Fault> {
        let value = self.call(closure.function, &mut closure.captured().iter().cloned().chain([argument]), span)?;
        self.with_tables(value, span)
    }

    /// Works with a machine over another algebra, in which the numbers known here are constants.
    pub fn over<T: Number, R>(&mut self, work: impl FnOnce(&mut Machine<'p, T>) -> R) -> R {
        let mut machine = self.lend(&mut |x: &S| T::constant(x.decided()));
        let result = work(&mut machine);
        self.take_back(machine);
        result
    }

    /// A machine over another algebra, which goes on with the steps and the depth that are left.
    pub(super) fn lend<T: Number>(&mut self, constant: &mut dyn FnMut(&S) -> T) -> Machine<'p, T> {
        let globals = self.globals.iter().map(|(global, value)| (*global, value.over(constant))).collect();
        let mut machine = Machine::with_globals(self.compiled, self.limits.clone(), globals);
        std::mem::swap(&mut machine.fuel, &mut self.fuel);
        (machine.depth, machine.coefficients) = (self.depth, self.coefficients);
        machine
    }

    /// Works with a machine for a program that has all that this one has, and more.
    pub fn within<R>(&mut self, program: &Program, work: impl FnOnce(&mut Machine<S>) -> R) -> R {
        let mut machine = Machine::with_globals(program, self.limits.clone(), self.globals.clone());
        std::mem::swap(&mut machine.fuel, &mut self.fuel);
        machine.depth = self.depth;
        let result = work(&mut machine);
        std::mem::swap(&mut machine.fuel, &mut self.fuel);
        result
    }

    pub(super) fn take_back<T: Number>(&mut self, mut machine: Machine<'p, T>) {
        std::mem::swap(&mut machine.fuel, &mut self.fuel);
    }
}
