//! The simplification of sums: every term meets the terms before it, pair by pair.

use super::{NEAR, Part, Simplifier, Task};
use crate::language::Language;
use crate::map::{Form, Map};
use crate::rules::RULES;

/// The terms of a sum. The last of `rest` is next, and takes the place that is noted.
pub(super) struct Sum<L: Language> {
    pub(super) done: Vec<Map<L>>,
    pub(super) rest: Vec<(Part<L>, Option<usize>)>,
    pub(super) waiting: Option<Option<usize>>,
}

impl<L: Language> Simplifier<'_, '_, L> {
    pub(super) fn sum(&mut self, mut sum: Sum<L>) {
        if let Some(place) = sum.waiting.take()
            && let Some(result) = self.results.pop()
        {
            sum.rest.push((Part::Simple(result), place));
        }
        while let Some((part, place)) = sum.rest.pop() {
            let term = match part {
                Part::Raw(map) => {
                    if let Form::Add(maps) = map.form()
                        && !self.is_shared(&map)
                    {
                        sum.rest.extend(in_place(maps, place).map(|(map, place)| (Part::Raw(map), place)));
                        continue;
                    }
                    sum.waiting = Some(place);
                    self.tasks.push(Task::Sum(sum));
                    self.tasks.push(Task::Enter(map));
                    return;
                }
                Part::Simple(map) => map,
            };
            if let Form::Add(maps) = term.form()
                && !self.is_shared(&term)
            {
                sum.rest.extend(in_place(maps, place).map(|(map, place)| (Part::Simple(map), place)));
                continue;
            }
            let near = (NEAR * NEAR / sum.done.len().max(1)).clamp(2, NEAR);
            let pairs: Vec<(usize, Map<L>)> = (sum.done.len().saturating_sub(near)..sum.done.len())
                .rev()
                .filter_map(|at| Some((at, Map::total(vec![sum.done[at].clone(), term.clone()])?)))
                .collect();
            // the first law that helps with any of them, then the first trial
            let found = RULES.sums.iter().find_map(|entry| {
                pairs.iter().find_map(|(at, pair)| Some((*at, *entry, self.smaller(entry, pair)?, pair.clone())))
            });
            if let Some((at, entry, after, before)) = found {
                self.steps.push(entry.step(before, after.clone()));
                sum.done.remove(at);
                sum.waiting = Some(Some(at));
                self.tasks.push(Task::Sum(sum));
                self.tasks.push(Task::Enter(after));
                return;
            }
            let tried = pairs.into_iter().find_map(|(at, pair)| {
                let key = (sum.done[at].address(), term.address());
                if !self.may_try(&key) {
                    return None;
                }
                let (entry, after) = self.trial(&pair)?;
                Some((at, key, entry, pair, after))
            });
            if let Some((at, key, entry, before, after)) = tried {
                self.begin_trial(key, sum.done[at].clone(), term);
                sum.done.remove(at);
                sum.waiting = Some(Some(at));
                self.tasks.push(Task::Sum(sum));
                self.tasks.push(Task::Judge { entry, before, after: after.clone(), steps: self.steps.len() });
                self.tasks.push(Task::Enter(after));
                return;
            }
            let place = place.unwrap_or(sum.done.len()).min(sum.done.len());
            sum.done.insert(place, term);
        }
        let Some(whole) = Map::total(sum.done) else { return };
        match whole.form() {
            Form::Add(_) => self.settle(whole),
            _ => {
                self.learn(whole.clone(), whole.clone());
                self.results.push(whole);
            }
        }
    }
}

/// The terms of a sum, the last first, with the places that they take in another.
fn in_place<L: Language>(maps: &[Map<L>], place: Option<usize>) -> impl Iterator<Item = (Map<L>, Option<usize>)> + '_ {
    maps.iter().enumerate().rev().map(move |(at, map)| (map.clone(), place.map(|place| place + at)))
}
