//! Where the steps of a simplification happen.
//!
//! The simplifier works on shared parts once, wherever they stand, and forgets where a part came from. So its events are
//! run again on the equations as a whole: the left side of each step is looked up in the equation that was being
//! simplified. If it stands in several places, those with the same maps in memory are meant, or else the first; should
//! that not lead to what the equation became, the other choices are tried.

use super::super::build::Derivative;
use super::super::simplify::{Event, Rewriting, Simplifier};
use super::super::term::{Extra, Form, Item, Kind, Name, Term, extra, substitute};
use super::place::{Place, Span, map_at, occurrences, opened, replaced, spliced};
use riesz_core::term::Var;
use riesz_linear::law::{Case, Law};

/// A step of a certificate.
pub(super) enum Move {
    /// One side of a law in the place of the other.
    Rewrite { place: Place, before: Term, after: Term, law: &'static Law, case: &'static Case },
    /// A derivative in the place of its name.
    Put(Var, Option<Place>),
    /// Drops a derivative that nothing uses.
    Drop(Var, Option<Place>),
    /// A form that binds no names is the map in it.
    Unwrap(Place),
}

/// How often one step may be taken in different places.
const MOST_PLACES: usize = 100;

/// Which of several places a step is taken in.
#[derive(Clone, Copy)]
enum Choice {
    Same,
    First,
    All,
    Last,
}

/// The equations between two steps.
pub(super) struct Replay {
    pub state: Derivative,
    moves: Vec<Move>,
}

/// The equation, and the way to a form that binds names in it.
type Around = Option<(Option<Var>, Vec<usize>)>;

impl Replay {
    pub fn new(first: &Derivative) -> Replay {
        let item = |item: &Item| match item {
            Item::Map(var, map) => Item::Map(*var, opened(map)),
            item => item.clone(),
        };
        let items = first.items.iter().map(item).collect();
        Replay { state: Derivative { items, result: opened(&first.result) }, moves: Vec::new() }
    }

    /// Finds the places of all steps.
    pub fn run(&mut self, simplifier: &Simplifier) -> Result<Vec<Move>, String> {
        let events = &simplifier.events;
        // the forms that bind names around, and the equation in the innermost of them
        let mut around: Vec<Around> = vec![None];
        let mut equations: Vec<(Option<Var>, Vec<usize>)> = Vec::new();
        let mut at = 0;
        while let Some(event) = events.get(at) {
            at += 1;
            match event {
                Event::Begin(name) => {
                    let here = self.equation(around.last().cloned().flatten(), *name)?;
                    equations.push(here);
                }
                Event::End(becomes) => {
                    let (equation, path) = equations.pop().unwrap_or_default();
                    self.expect(equation, &path, &opened(becomes))?;
                }
                Event::Step(_) => {
                    let mut steps = Vec::new();
                    at -= 1;
                    while let Some(Event::Step(step)) = events.get(at) {
                        steps.push(&simplifier.steps[*step]);
                        at += 1;
                    }
                    let Some(Event::End(becomes)) = events.get(at) else { return Err("a step is out of place".into()) };
                    let (equation, path) = equations.last().cloned().unwrap_or_default();
                    self.steps(equation, &path, &steps, &opened(becomes))?;
                }
                Event::Open(names) => {
                    let (equation, path) = equations.last().cloned().unwrap_or_default();
                    let place = self.binding(equation, &path, names)?;
                    around.push(Some((equation, place)));
                }
                Event::Close => {
                    if let Some(Some((equation, path))) = around.pop() {
                        self.close(equation, path);
                    }
                }
                Event::Put(var) => self.put(*var, around.last().cloned().flatten())?,
                Event::Drop(var) => self.drop(*var, around.last().cloned().flatten())?,
            }
        }
        Ok(std::mem::take(&mut self.moves))
    }

    /// Whether the equations are those of a derivative.
    pub fn has_become(&self, last: &Derivative) -> bool {
        let same = |(own, other): (&Item, &Item)| match (own, other) {
            (Item::Map(x, f), Item::Map(y, g)) => x == y && *f == opened(g),
            (Item::Value(x, a), Item::Value(y, b)) => x == y && a == b,
            _ => false,
        };
        self.state.items.len() == last.items.len()
            && self.state.items.iter().zip(&last.items).all(same)
            && self.state.result == opened(&last.result)
    }

    fn right_side(&self, equation: Option<Var>) -> Result<&Term, String> {
        match equation {
            None => Ok(&self.state.result),
            Some(var) => {
                let mut maps = self.state.items.iter().filter_map(Item::map);
                let found = maps.find(|(name, _)| *name == var).map(|(_, map)| map);
                found.ok_or_else(|| "an equation is missing".to_string())
            }
        }
    }

    fn change(&mut self, equation: Option<Var>, path: &[usize], f: &mut dyn FnMut(&Term) -> Term) {
        match equation {
            None => self.state.result = replaced(&self.state.result, path, f),
            Some(var) => {
                for item in &mut self.state.items {
                    if let Item::Map(name, map) = item
                        && *name == var
                    {
                        *map = replaced(map, path, f);
                    }
                }
            }
        }
    }

    /// An equation of the function, or of a form that binds names.
    fn equation(&self, around: Around, name: Option<Var>) -> Result<(Option<Var>, Vec<usize>), String> {
        let Some((equation, mut path)) = around else { return Ok((name, Vec::new())) };
        let map = map_at(self.right_side(equation)?, &path).ok_or("a place is missing")?;
        let (items, _) = names(map).ok_or("names are missing")?;
        let maps = || items.iter().filter_map(Item::map);
        path.push(match name {
            None => maps().count(),
            Some(var) => maps().position(|(name, _)| name == var).ok_or("a name is missing")?,
        });
        Ok((equation, path))
    }

    /// The first form that binds these names.
    fn binding(&self, equation: Option<Var>, path: &[usize], wanted: &[Name]) -> Result<Vec<usize>, String> {
        fn find(map: &Term, wanted: &[Name], path: &mut Vec<usize>) -> bool {
            if let Form::Extra(Extra { kind: Kind::Let(names), .. }) = map.form()
                && names == wanted
            {
                return true;
            }
            map.children().iter().enumerate().any(|(at, child)| {
                path.push(at);
                let found = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || find(child, wanted, path));
                if !found {
                    path.pop();
                }
                found
            })
        }
        let mut full = path.to_vec();
        let map = map_at(self.right_side(equation)?, path).ok_or("a place is missing")?;
        match find(map, wanted, &mut full) {
            true => Ok(full),
            false => Err("names are missing".into()),
        }
    }

    fn expect(&self, equation: Option<Var>, path: &[usize], becomes: &Term) -> Result<(), String> {
        match map_at(self.right_side(equation)?, path) {
            Some(map) if map == becomes => Ok(()),
            _ => Err("an equation is not what its steps lead to".into()),
        }
    }

    /// Takes the steps of one equation.
    fn steps(
        &mut self,
        equation: Option<Var>,
        path: &[usize],
        steps: &[&Rewriting],
        becomes: &Term,
    ) -> Result<(), String> {
        let map = map_at(self.right_side(equation)?, path).ok_or("a place is missing")?.clone();
        let tried = [Choice::Same, Choice::First, Choice::All, Choice::Last].into_iter();
        let found = tried.map(|choice| taken(&map, steps, choice)).find(|found| {
            let end = found.as_ref().map(|(end, _)| end);
            end.is_some_and(|end| end == becomes)
        });
        let Some(Some((end, moves))) = found else { return Err("the place of a step was not found".into()) };
        for (local, span, step) in moves {
            let Some((law, case)) = step.law else { continue };
            let place = Place { equation, path: [path, &local].concat(), span };
            let (before, after) = (opened(&step.before), opened(&step.after));
            self.moves.push(Move::Rewrite { place, before, after, law, case });
        }
        self.change(equation, path, &mut |_| end.clone());
        Ok(())
    }

    fn place(around: &Around) -> Option<Place> {
        let (equation, path) = around.clone()?;
        Some(Place { equation, path, span: Span::Whole })
    }

    fn put(&mut self, var: Var, around: Around) -> Result<(), String> {
        self.moves.push(Move::Put(var, Replay::place(&around)));
        self.without(var, around, true)
    }

    fn drop(&mut self, var: Var, around: Around) -> Result<(), String> {
        self.moves.push(Move::Drop(var, Replay::place(&around)));
        self.without(var, around, false)
    }

    /// Removes an equation, with its right side in place of its name or not.
    fn without(&mut self, var: Var, around: Around, put: bool) -> Result<(), String> {
        let reduce = |items: &mut Vec<Item>, result: &mut Term| {
            let at = items.iter().position(|item| item.map().is_some_and(|(name, _)| name == var))?;
            let Item::Map(_, map) = items.remove(at) else { return None };
            if put {
                for item in items.iter_mut() {
                    if let Item::Map(_, other) = item {
                        *other = opened(&substitute(other, var, &map));
                    }
                }
                *result = opened(&substitute(result, var, &map));
            }
            Some(())
        };
        const MISSING: &str = "a name is missing";
        match around {
            None => reduce(&mut self.state.items, &mut self.state.result).ok_or(MISSING.to_string()),
            Some((equation, path)) => {
                let map = map_at(self.right_side(equation)?, &path).ok_or(MISSING)?;
                let (mut items, mut result) = names(map).ok_or(MISSING)?;
                reduce(&mut items, &mut result).ok_or(MISSING)?;
                let bound = binding(items, result);
                self.change(equation, &path, &mut |_| bound.clone());
                Ok(())
            }
        }
    }

    /// Ends a form that binds no names any more.
    fn close(&mut self, equation: Option<Var>, path: Vec<usize>) {
        let Ok(Some(map)) = self.right_side(equation).map(|map| map_at(map, &path)) else { return };
        if let Some((items, result)) = names(map)
            && items.is_empty()
        {
            self.change(equation, &path, &mut |_| result.clone());
            self.moves.push(Move::Unwrap(Place { equation, path, span: Span::Whole }));
        }
    }
}

/// The names that a map binds, and the map that they are for.
fn names(map: &Term) -> Option<(Vec<Item>, Term)> {
    let Form::Extra(extra) = map.form() else { return None };
    extra.items().map(|(items, result)| (items, result.clone()))
}

/// A form that binds names, perhaps none.
fn binding(items: Vec<Item>, result: Term) -> Term {
    match items.is_empty() {
        true => extra(&result.domain().clone(), &result.codomain().clone(), Kind::Let(Vec::new()), vec![result]),
        false => super::super::term::bound(items, result),
    }
}

/// A step with the place where it is taken.
type Taken<'r> = (Vec<usize>, Span, &'r Rewriting);

/// The map after some steps, and the place of each step; `None` if a step has no place.
fn taken<'r>(map: &Term, steps: &[&'r Rewriting], choice: Choice) -> Option<(Term, Vec<Taken<'r>>)> {
    let mut map = map.clone();
    let mut moves: Vec<Taken<'r>> = Vec::new();
    for step in steps {
        let (before, after) = (opened(&step.before), opened(&step.after));
        let known = |moves: &[Taken]| {
            moves.iter().any(|(_, _, other)| other.before == step.before && other.after == step.after)
        };
        let mut found = Vec::new();
        occurrences(&map, &before, &mut Vec::new(), &mut found);
        if found.is_empty() {
            match known(&moves) {
                true => continue,
                false => return None,
            }
        }
        let same = found.iter().filter(|(_, _, same)| *same).count();
        let (times, only_same) = match choice {
            Choice::Same if same > 0 => (same, true),
            Choice::All => (MOST_PLACES, false),
            _ => (1, false),
        };
        for _ in 0..times {
            let mut found = Vec::new();
            occurrences(&map, &before, &mut Vec::new(), &mut found);
            found.retain(|(_, _, same)| *same || !only_same);
            let at = if matches!(choice, Choice::Last) { found.len().checked_sub(1) } else { Some(0) };
            let Some((path, span, _)) = at.and_then(|at| found.get(at).cloned()) else { break };
            map = replaced(&map, &path, &mut |part| spliced(part, span, &after));
            moves.push((path, span, step));
        }
    }
    Some((map, moves))
}
