//! The order of items: strongly connected groups, each after the groups that it depends on.
//!
//! This is Tarjan's algorithm, without recursion, since a chain of items can be as long as the file.

/// Groups of nodes `0 .. edges.len()`, where `edges[a]` lists what `a` needs.
pub(crate) fn groups(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut search = Search { number: vec![UNSEEN; edges.len()], low: vec![0; edges.len()], ..Search::default() };
    search.open = vec![false; edges.len()];
    for start in 0..edges.len() {
        if search.number[start] != UNSEEN {
            continue;
        }
        search.enter(start);
        let mut path = vec![(start, 0)];
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            if let Some(&target) = edges[node].get(*next) {
                *next += 1;
                if search.number[target] == UNSEEN {
                    search.enter(target);
                    path.push((target, 0));
                } else if search.open[target] {
                    search.low[node] = search.low[node].min(search.number[target]);
                }
            } else {
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    search.low[parent] = search.low[parent].min(search.low[node]);
                }
                search.leave(node);
            }
        }
    }
    search.groups
}

#[derive(Default)]
struct Search {
    number: Vec<usize>,
    low: Vec<usize>,
    open: Vec<bool>,
    stack: Vec<usize>,
    seen: usize,
    groups: Vec<Vec<usize>>,
}

impl Search {
    fn enter(&mut self, node: usize) {
        self.number[node] = self.seen;
        self.low[node] = self.seen;
        self.seen += 1;
        self.stack.push(node);
        self.open[node] = true;
    }

    fn leave(&mut self, node: usize) {
        if self.low[node] != self.number[node] {
            return;
        }
        let mut group = Vec::new();
        while let Some(member) = self.stack.pop() {
            self.open[member] = false;
            group.push(member);
            if member == node {
                break;
            }
        }
        group.sort_unstable();
        self.groups.push(group);
    }
}

#[cfg(test)]
mod tests {
    use super::groups;

    #[test]
    fn a_group_comes_after_what_it_needs() {
        // 0 needs 1, 1 and 2 need each other, 2 needs 3.
        assert_eq!(groups(&[vec![1], vec![2], vec![1, 3], vec![]]), vec![vec![3], vec![1, 2], vec![0]]);
    }

    #[test]
    fn long_chains_do_not_recurse() {
        let edges: Vec<Vec<usize>> = (0..200_000).map(|node| if node > 0 { vec![node - 1] } else { vec![] }).collect();
        assert_eq!(groups(&edges).len(), 200_000);
    }
}
