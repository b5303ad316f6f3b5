//! Directed graphs: which nodes reach each other, and an order in which every node comes after those it leads to.

/// The strongly connected components of a graph, each after all that it leads to (Tarjan's algorithm, without
/// recursion). `edges` has for each node the nodes that it leads to.
pub fn strongly_connected(edges: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut search = Search {
        edges,
        order: vec![UNSEEN; edges.len()],
        low: vec![0; edges.len()],
        open: vec![false; edges.len()],
        ..Search::default()
    };
    for root in 0..edges.len() as u32 {
        if search.order.get(root as usize) == Some(&UNSEEN) {
            search.from(root);
        }
    }
    search.found
}

/// The first cycle in the order of the nodes, as a path that ends where it starts. `edges` gives for each node those that
/// it leads to.
pub fn find_cycle<'e>(nodes: usize, edges: impl Fn(usize) -> &'e [usize]) -> Option<Vec<usize>> {
    let mut states = vec![Visit::New; nodes];
    for start in 0..nodes {
        if states.get(start) != Some(&Visit::New) {
            continue;
        }
        // Each entry: a node and how many of its edges were followed.
        let mut path = vec![(start, 0)];
        while let Some((at, followed)) = path.last_mut() {
            let (here, next) = (*at, edges(*at).get(*followed).copied());
            *followed += 1;
            if let Some(state) = states.get_mut(here) {
                *state = if next.is_some() { Visit::OnPath } else { Visit::Finished };
            }
            let Some(next) = next else {
                path.pop();
                continue;
            };
            match states.get(next) {
                Some(Visit::New) => path.push((next, 0)),
                Some(Visit::OnPath) => {
                    let from = path.iter().position(|(known, _)| *known == next)?;
                    let cycle = path.iter().skip(from).map(|(known, _)| *known);
                    return Some(cycle.chain([next]).collect());
                }
                Some(Visit::Finished) | None => {}
            }
        }
    }
    None
}

/// How far a depth-first search has come with a node.
#[derive(Clone, Copy, PartialEq)]
enum Visit {
    New,
    OnPath,
    Finished,
}

const UNSEEN: u32 = u32::MAX;

#[derive(Default)]
struct Search<'a> {
    edges: &'a [Vec<u32>],
    order: Vec<u32>,
    low: Vec<u32>,
    open: Vec<bool>,
    stack: Vec<u32>,
    next: u32,
    found: Vec<Vec<u32>>,
}

#[expect(
    clippy::indexing_slicing,
    reason = "all vectors are as long as `edges`, and edges lead to its indices"
)]
impl Search<'_> {
    fn from(&mut self, root: u32) {
        self.enter(root);
        let mut path: Vec<(u32, usize)> = vec![(root, 0)];
        while let Some((node, at)) = path.last_mut() {
            let from = *node as usize;
            if let Some(&to) = self.edges[from].get(*at) {
                *at += 1;
                if self.order[to as usize] == UNSEEN {
                    self.enter(to);
                    path.push((to, 0));
                } else if self.open[to as usize] {
                    self.low[from] = self.low[from].min(self.order[to as usize]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                let parent = *parent as usize;
                self.low[parent] = self.low[parent].min(self.low[from]);
            }
            if self.low[from] == self.order[from] {
                self.close(from as u32);
            }
        }
    }

    fn enter(&mut self, node: u32) {
        self.order[node as usize] = self.next;
        self.low[node as usize] = self.next;
        self.next += 1;
        self.open[node as usize] = true;
        self.stack.push(node);
    }

    fn close(&mut self, root: u32) {
        let mut component = Vec::new();
        while let Some(node) = self.stack.pop() {
            self.open[node as usize] = false;
            component.push(node);
            if node == root {
                break;
            }
        }
        self.found.push(component);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_after_those_they_lead_to() {
        let sorted = |edges: &[Vec<u32>]| -> Vec<Vec<u32>> {
            let mut found = strongly_connected(edges);
            found.iter_mut().for_each(|component| component.sort_unstable());
            found
        };
        assert_eq!(sorted(&[vec![1], vec![2], vec![]]), [[2], [1], [0]]);
        assert_eq!(sorted(&[vec![1], vec![2], vec![1]]), [vec![1, 2], vec![0]]);
        assert_eq!(sorted(&[vec![0]]), [[0]]);
        assert_eq!(sorted(&[]), Vec::<Vec<u32>>::new());
    }

    #[test]
    fn the_first_cycle_is_found() {
        let find = |edges: &[&[usize]]| find_cycle(edges.len(), |node| edges[node]);
        assert_eq!(find(&[&[1], &[2], &[]]), None);
        assert_eq!(find(&[&[1], &[2], &[1]]), Some(vec![1, 2, 1]));
        assert_eq!(find(&[&[0]]), Some(vec![0, 0]));
        assert_eq!(find(&[&[1, 2], &[2], &[], &[4], &[3]]), Some(vec![3, 4, 3]));
        assert_eq!(find(&[&[7]]), None);
    }
}
