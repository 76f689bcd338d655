//! The positions of variables in the tuple that is the argument of a combinator.

use crate::combinator::Combinator;
use riesz_core::term::Var;
use std::collections::HashMap;
use std::rc::Rc;

/// The argument of a combinator, as places of variables.
#[derive(Clone)]
pub(super) struct Environment(Rc<Frame>);

enum Frame {
    /// Variables with their places.
    Places { places: HashMap<Var, Vec<usize>>, order: Option<Vec<Var>> },
    /// The enclosing environment, if it is needed, and the values of some bindings of a body as a balanced tree.
    Range { outside: Option<Environment>, body: usize, from: usize, to: usize },
}

impl Environment {
    /// One variable as it is, several as their tuple.
    pub fn of(vars: &[Var]) -> Environment {
        let place = |at: usize| if vars.len() == 1 { Vec::new() } else { vec![at] };
        let places = vars.iter().enumerate().map(|(at, var)| (*var, place(at))).collect();
        Environment(Rc::new(Frame::Places { places, order: Some(vars.to_vec()) }))
    }

    /// A tuple of variables, the part at `at` being the tuple of some more.
    pub fn around(single: &[(usize, Var)], at: usize, vars: &[Var]) -> Environment {
        let mut places: HashMap<Var, Vec<usize>> = single.iter().map(|(at, var)| (*var, vec![*at])).collect();
        for (part, var) in vars.iter().enumerate() {
            places.insert(*var, if vars.len() == 1 { vec![at] } else { vec![at, part] });
        }
        Environment(Rc::new(Frame::Places { places, order: None }))
    }

    /// The pair of this and the values of bindings, or those alone.
    pub fn with_range(&self, body: usize, (from, to): (usize, usize), outside: bool) -> Environment {
        Environment(Rc::new(Frame::Range { outside: outside.then(|| self.clone()), body, from, to }))
    }

    /// Whether it is a pair with something around.
    pub fn has_outside(&self) -> bool {
        matches!(&*self.0, Frame::Range { outside: Some(_), .. })
    }

    /// The values of bindings that were added last.
    pub fn range_itself(&self) -> Combinator {
        if self.has_outside() { Combinator::Project(vec![1]) } else { Combinator::Identity }
    }

    /// Whether it is exactly these variables, in this order.
    pub fn is(&self, vars: &[Var]) -> bool {
        matches!(&*self.0, Frame::Places { order: Some(order), .. } if order == vars)
    }

    /// Where a variable stands.
    pub fn path(&self, var: Var, positions: &HashMap<Var, (usize, usize)>) -> Option<Vec<usize>> {
        let mut path = Vec::new();
        let mut here = self;
        loop {
            match &*here.0 {
                Frame::Places { places, .. } => {
                    path.extend(places.get(&var)?);
                    return Some(path);
                }
                Frame::Range { outside, body, from, to } => {
                    if let Some((number, at)) = positions.get(&var)
                        && number == body
                        && (*from..*to).contains(at)
                    {
                        path.extend(outside.is_some().then_some(1));
                        halve(*from, *to, *at, &mut path);
                        return Some(path);
                    }
                    path.push(0);
                    here = outside.as_ref()?;
                }
            }
        }
    }
}

/// The way to a binding in the tree of a range.
fn halve(mut from: usize, mut to: usize, at: usize, path: &mut Vec<usize>) {
    while to - from > 1 {
        let middle = from + (to - from) / 2;
        if at < middle {
            path.push(0);
            to = middle;
        } else {
            path.push(1);
            from = middle;
        }
    }
}
