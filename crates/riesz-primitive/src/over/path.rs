//! Every path of a program whose comparisons have several answers.
//!
//! A run answers the questions it meets by a list of choices. The next run takes the next list, as an odometer counts, until
//! all lists have been taken.

use std::cell::RefCell;

/// The choices of one run: how many answers each question has, and which one is taken.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    taken: Vec<(u8, u8)>,
    next: usize,
}

impl Answers {
    /// The lists of choices that follow, none after the last.
    fn advance(mut self) -> Option<Answers> {
        while let Some((answer, of)) = self.taken.pop() {
            if answer + 1 < of {
                self.taken.push((answer + 1, of));
                return Some(Answers { taken: self.taken, next: 0 });
            }
        }
        None
    }
}

thread_local! {
    static ANSWERS: RefCell<Option<Answers>> = const { RefCell::new(None) };
}

/// Runs a computation once for every path, as long as `run` says to go on.
pub fn explore(mut run: impl FnMut() -> bool) {
    let mut answers = Some(Answers::default());
    while let Some(list) = answers.take() {
        ANSWERS.set(Some(list));
        let goes_on = run();
        answers = ANSWERS.take().filter(|_| goes_on).and_then(Answers::advance);
    }
}

/// One of some answers, if paths are explored.
pub(super) fn choose(of: u8) -> Option<u8> {
    ANSWERS.with_borrow_mut(|answers| {
        let answers = answers.as_mut()?;
        if answers.next == answers.taken.len() {
            answers.taken.push((0, of));
        }
        answers.next += 1;
        Some(answers.taken[answers.next - 1].0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_is_taken_once() {
        let mut seen = Vec::new();
        explore(|| {
            let first = choose(3).unwrap();
            // Only one answer leads to another question.
            let second = if first == 1 { choose(2) } else { None };
            seen.push((first, second));
            true
        });
        assert_eq!(seen, [(0, None), (1, Some(0)), (1, Some(1)), (2, None)]);
        assert_eq!(choose(2), None);
    }
}
