//! Incremental loops: every iteration has its own update, and a sum is a tree of sums.

use super::{Change, Responsive, Started, Update};
use crate::combinator::Operation;
use crate::derivative::{Context, component, reduced};
use crate::interpret::Form;
use riesz_core::Type;
use riesz_core::evaluate::{Fault, Value};
use riesz_core::term::{Atom, Op, Reduction, Var};
use riesz_syntax::{Diagnostic, Span};
use std::rc::Rc;

pub(super) fn repeat(context: &Rc<Context>, form: Form, mut parts: Vec<Responsive>, span: Span) -> Responsive {
    let (body, condition) = (parts.pop(), parts.pop());
    let context = context.clone();
    let Some(body) = body else { return Responsive::direct(Value::clone, Change::clone) };
    let whole = Rc::new(Iterations { context, body, condition, span });
    Responsive::new(move |argument| match &form {
        Form::Build(element) => whole.clone().build(argument, element.clone()),
        Form::Reduce(reduction, ty) => whole.clone().reduce(argument, *reduction, ty.clone()),
        Form::Loop | Form::While => whole.clone().states(argument, None),
        Form::Scan(element) => whole.clone().states(argument, Some(element.clone())),
        Form::Builds(elements) => whole.clone().columns(argument, elements),
        Form::Trace(elements) | Form::TraceWhile(elements) => whole.clone().trace(argument, elements),
    })
}

struct Iterations {
    context: Rc<Context>,
    body: Responsive,
    condition: Option<Responsive>,
    span: Span,
}

impl Iterations {
    /// The values and the updates of the body for every index.
    fn elements(&self, argument: &Value<f64>) -> Result<(Vec<Value<f64>>, Vec<Update>), Fault> {
        let count = component(argument, 0).int();
        if count < 0 {
            let message = format!("an array cannot have {count} elements");
            return Err(Box::new(Diagnostic::error("negative-size", self.span, message)));
        }
        let environment = component(argument, 1);
        let (mut values, mut updates) = (Vec::new(), Vec::new());
        for index in 0..count {
            self.context.step(self.span)?;
            let (value, update) = self.body.start(Value::Tuple(Rc::new([environment.clone(), Value::Int(index)])))?;
            values.push(value);
            updates.push(update);
        }
        Ok((values, updates))
    }

    fn build(self: Rc<Self>, mut argument: Value<f64>, element: Type) -> Started {
        let (values, mut updates) = self.elements(&argument)?;
        let value = Value::array(&element, values);
        let update = move |change: &Change| {
            argument = change.apply(&argument);
            if !change.part(0).is_same() {
                let (values, anew) = self.elements(&argument)?;
                updates = anew;
                return Ok(Change::New(Value::array(&element, values)));
            }
            let inner = Change::of_parts([change.part(1)]);
            let changes = updates.iter_mut().map(|update| update(&inner)).collect::<Result<Vec<_>, Fault>>()?;
            Ok(Change::of_parts(changes))
        };
        Ok((value, Box::new(update)))
    }

    fn reduce(self: Rc<Self>, mut argument: Value<f64>, reduction: Reduction, ty: Type) -> Started {
        let (values, mut updates) = self.elements(&argument)?;
        let mut tree = Tree::new(&self, reduction, ty, values, &argument)?;
        let value = tree.total.clone();
        let update = move |change: &Change| {
            argument = change.apply(&argument);
            if !change.part(0).is_same() || !change.part(2).is_same() {
                let (values, anew) = self.elements(&argument)?;
                updates = anew;
                tree = Tree::new(&self, reduction, tree.ty.clone(), values, &argument)?;
                return Ok(Change::New(tree.total.clone()));
            }
            let inner = Change::of_parts([change.part(1)]);
            let mut changed = Vec::new();
            for (at, update) in updates.iter_mut().enumerate() {
                let change = update(&inner)?;
                if !change.is_same() {
                    tree.leaves[at] = change.apply(&tree.leaves[at]);
                    changed.push(at);
                }
            }
            if changed.is_empty() {
                return Ok(Change::Same);
            }
            tree.refresh(&self, &changed, &argument)?;
            Ok(Change::New(tree.total.clone()))
        };
        Ok((value, Box::new(update)))
    }

    /// States one after the other; all of them where an element type is given.
    fn states(self: Rc<Self>, mut argument: Value<f64>, kept: Option<Type>) -> Started {
        let (mut states, mut updates) = self.run(&argument)?;
        let shown = move |states: &[Value<f64>]| match &kept {
            Some(element) => Value::array(element, states[1..].to_vec()),
            None => states.last().cloned().unwrap_or(Value::Zero),
        };
        let value = shown(&states);
        let update = move |change: &Change| {
            if change.is_same() {
                return Ok(Change::Same);
            }
            argument = change.apply(&argument);
            // How often a body runs may hang on anything.
            if self.condition.is_some() || !change.part(1).is_same() {
                (states, updates) = self.run(&argument)?;
                return Ok(Change::New(shown(&states)));
            }
            let mut state = change.part(0);
            states[0] = state.apply(&states[0]);
            let mut any = !state.is_same();
            for (at, update) in updates.iter_mut().enumerate() {
                let around = change.part(2);
                state = update(&Change::of_parts([state, Change::Same, around]))?;
                if !state.is_same() {
                    states[at + 1] = state.apply(&states[at + 1]);
                    any = true;
                }
            }
            Ok(if any { Change::New(shown(&states)) } else { Change::Same })
        };
        Ok((value, Box::new(update)))
    }

    fn run(&self, argument: &Value<f64>) -> Result<(Vec<Value<f64>>, Vec<Update>), Fault> {
        let (mut states, mut updates) = (vec![component(argument, 0)], Vec::new());
        self.iterate(argument, |now| {
            let (state, update) = self.body.start(now)?;
            states.push(state.clone());
            updates.push(update);
            Ok(state)
        })?;
        Ok((states, updates))
    }

    /// Computes the state of each iteration from the argument of the body; gives the last state and the number of
    /// iterations.
    fn iterate(
        &self,
        argument: &Value<f64>,
        mut next: impl FnMut(Value<f64>) -> Result<Value<f64>, Fault>,
    ) -> Result<(Value<f64>, i64), Fault> {
        let limit = if self.condition.is_some() { i64::MAX } else { component(argument, 1).int() };
        let mut parts = argument.parts().to_vec();
        let mut index = 0;
        while index < limit {
            if self.condition.is_none() {
                parts[1] = Value::Int(index);
            }
            let now = Value::Tuple(parts.clone().into());
            if let Some(condition) = &self.condition
                && !condition.start(now.clone())?.0.bool()
            {
                break;
            }
            self.context.step(self.span)?;
            parts[0] = next(now)?;
            index += 1;
        }
        Ok((parts.swap_remove(0), index))
    }

    /// Several arrays; computed again if anything changes.
    fn columns(self: Rc<Self>, argument: Value<f64>, elements: &[Type]) -> Started {
        let elements = elements.to_vec();
        let all = Responsive::new(move |argument| {
            let (values, _) = self.elements(&argument)?;
            let column = |(at, element): (usize, &Type)| {
                Value::array(element, values.iter().map(|value| component(value, at)).collect())
            };
            let arrays: Vec<Value<f64>> = elements.iter().enumerate().map(column).collect();
            Ok((Value::Tuple(arrays.into()), Box::new(|_: &Change| Ok(Change::Same)) as Update))
        });
        all.anew().start(argument)
    }

    /// A loop that records values; computed again if anything changes.
    fn trace(self: Rc<Self>, argument: Value<f64>, elements: &[Type]) -> Started {
        let elements = elements.to_vec();
        let state = Responsive::new({
            let body = self.body.clone();
            move |argument| {
                let (given, _) = body.start(argument)?;
                Ok((given, Box::new(|_: &Change| Ok(Change::Same)) as Update))
            }
        });
        let all = Responsive::new(move |argument| {
            let mut columns: Vec<Vec<Value<f64>>> = vec![Vec::new(); elements.len()];
            let (last, count) = self.iterate(&argument, |now| {
                let (given, _) = state.start(now)?;
                columns.iter_mut().enumerate().for_each(|(at, column)| column.push(component(&given, at + 1)));
                Ok(component(&given, 0))
            })?;
            let mut values = vec![last];
            values.extend(self.condition.is_some().then_some(Value::Int(count)));
            values.extend(columns.into_iter().zip(&elements).map(|(column, element)| Value::array(element, column)));
            Ok((Value::Tuple(values.into()), Box::new(|_: &Change| Ok(Change::Same)) as Update))
        });
        all.anew().start(argument)
    }
}

/// A reduction, and of a sum the sums of halves, halves of halves and so on: a change reaches `log n` of them.
struct Tree {
    reduction: Reduction,
    ty: Type,
    leaves: Vec<Value<f64>>,
    /// Of a sum over `n` elements, `n` inner nodes: node `k` has the children `2k` and `2k + 1`, leaf `i` is `n + i`.
    sums: Vec<Value<f64>>,
    total: Value<f64>,
}

impl Tree {
    fn new(
        iterations: &Iterations,
        reduction: Reduction,
        ty: Type,
        leaves: Vec<Value<f64>>,
        argument: &Value<f64>,
    ) -> Result<Tree, Fault> {
        let sums = vec![Value::Zero; leaves.len()];
        let mut tree = Tree { reduction, ty, leaves, sums, total: Value::Zero };
        let all: Vec<usize> = (0..tree.leaves.len()).collect();
        tree.refresh(iterations, &all, argument)?;
        Ok(tree)
    }

    fn node(&self, at: usize) -> Value<f64> {
        let n = self.leaves.len();
        if at < n { self.sums[at].clone() } else { self.leaves[at - n].clone() }
    }

    /// Computes what depends on some leaves.
    fn refresh(&mut self, iterations: &Iterations, changed: &[usize], argument: &Value<f64>) -> Result<(), Fault> {
        let (n, limits) = (self.leaves.len(), &iterations.context.limits);
        if self.reduction != Reduction::Sum || n < 2 {
            let sizes = component(argument, 2);
            (0..n).for_each(|_| iterations.context.count());
            self.total = reduced(limits, &sizes, self.reduction, &self.ty, self.leaves.clone(), iterations.span)?;
            return Ok(());
        }
        let plus = Op::Plus(Atom::Var(Var(0)), Atom::Var(Var(1)));
        let plus = Operation::new(plus, 2, Type::unit(), iterations.span);
        let mut nodes: Vec<usize> = changed.iter().map(|leaf| (n + leaf) / 2).collect();
        while !nodes.is_empty() {
            nodes.sort_unstable();
            nodes.dedup();
            // The largest first: children before parents.
            let Some(node) = nodes.pop() else { break };
            let pair = Value::Tuple(Rc::new([self.node(2 * node), self.node(2 * node + 1)]));
            self.sums[node] = iterations.context.evaluate(&plus, &pair)?;
            if node > 1 {
                nodes.push(node / 2);
            }
        }
        self.total = self.sums[1].clone();
        Ok(())
    }
}
