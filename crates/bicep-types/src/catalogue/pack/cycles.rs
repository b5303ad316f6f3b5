//! Types that contain each other: finding the groups, and finding the same group in another file again.

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

use super::intern::{Graph, Link, Shape};

/// Groups that are already in the graph, by their shapes in canonical order.
#[derive(Default)]
pub(super) struct KnownGroups(FxHashMap<Vec<Shape>, Vec<Link>>);

/// Larger groups are stored as they are, without looking for equal ones.
const MAX_GROUP: usize = 4096;

impl KnownGroups {
    /// Adds a group of types that contain each other. Links within the group are [`Link::Local`] indices into it; all
    /// others lead to the graph. Gives the place of each member in the graph.
    pub(super) fn add(&mut self, graph: &mut Graph, group: &[Shape]) -> Vec<Link> {
        if group.len() > MAX_GROUP {
            let order: Vec<u32> = (0..group.len() as u32).collect();
            return insert(graph, group, &order);
        }
        let classes = distinguish(group);
        let class_count = classes.iter().max().map_or(0, |max| *max as usize + 1);
        let mut merged: Vec<Option<Shape>> = vec![None; class_count];
        for (shape, class) in group.iter().zip(&classes) {
            if let Some(slot) = merged.get_mut(*class as usize) {
                slot.get_or_insert_with(|| within(shape, |local| get(&classes, local)));
            }
        }
        let merged: Vec<Shape> = merged.into_iter().flatten().collect();
        let order = canonical_order(&merged);
        let mut place = vec![0; merged.len()];
        for (at, class) in order.iter().enumerate() {
            if let Some(slot) = place.get_mut(*class as usize) {
                *slot = at as u32;
            }
        }
        let in_order =
            |class: &u32| merged.get(*class as usize).map(|s| within(s, |local| get(&place, local)));
        let key: Vec<Shape> = order.iter().filter_map(in_order).collect();
        let links = match self.0.get(&key) {
            Some(links) => links,
            None => {
                let identity: Vec<u32> = (0..key.len() as u32).collect();
                let links = insert(graph, &key, &identity);
                self.0.entry(key).or_insert(links)
            }
        };
        let link_of = |class: &u32| links.get(get(&place, *class) as usize).copied().unwrap_or(Link::Version);
        classes.iter().map(link_of).collect()
    }
}

fn get(map: &[u32], index: u32) -> u32 {
    map.get(index as usize).copied().unwrap_or(0)
}

/// Changes the links within the group.
fn within(shape: &Shape, change: impl Fn(u32) -> u32) -> Shape {
    shape.relink(|link| match link {
        Link::Local(local) => Link::Local(change(local)),
        other => other,
    })
}

/// Puts the members into the graph, in order, and gives the place of each.
fn insert(graph: &mut Graph, group: &[Shape], place: &[u32]) -> Vec<Link> {
    let first = graph.nodes.len() as u32;
    for shape in group {
        let shape = shape.relink(|link| match link {
            Link::Local(local) => Link::Node(first + get(place, local)),
            other => other,
        });
        graph.nodes.insert(shape);
    }
    (0..group.len() as u32).map(|at| Link::Node(first + at)).collect()
}

/// Numbers the members such that two have the same number when they cannot be told apart.
fn distinguish(group: &[Shape]) -> Vec<u32> {
    let mut known = FxHashMap::default();
    let mut classes: Vec<u32> = group
        .iter()
        .map(|shape| {
            let next = known.len() as u32;
            *known.entry(within(shape, |_| 0)).or_insert(next)
        })
        .collect();
    let mut count = known.len();
    loop {
        let mut known = FxHashMap::default();
        let refined: Vec<u32> = group
            .iter()
            .zip(&classes)
            .map(|(shape, class)| {
                let mut parts = vec![*class];
                shape.links(|link| {
                    if let Link::Local(local) = link {
                        parts.push(get(&classes, local));
                    }
                });
                let next = known.len() as u32;
                *known.entry(parts).or_insert(next)
            })
            .collect();
        classes = refined;
        if known.len() == count {
            return classes;
        }
        count = known.len();
    }
}

/// An order of the members that depends on nothing but their shapes: breadth first from the one with the least hash.
fn canonical_order(group: &[Shape]) -> Vec<u32> {
    let own: Vec<u64> = group.iter().map(|shape| hash_of(&within(shape, |_| 0))).collect();
    let mut hashes = own.clone();
    let mut distinct = 0;
    loop {
        let with_parts = |(shape, own): (&Shape, &u64)| {
            let mut parts = vec![*own];
            shape.links(|link| {
                if let Link::Local(local) = link {
                    parts.push(hashes.get(local as usize).copied().unwrap_or(0));
                }
            });
            hash_of(&parts)
        };
        hashes = group.iter().zip(&own).map(with_parts).collect();
        let mut sorted = hashes.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() <= distinct {
            break;
        }
        distinct = sorted.len();
    }
    let root = (0..group.len() as u32).min_by_key(|at| hashes.get(*at as usize).copied()).unwrap_or(0);
    let mut order = vec![root];
    let mut seen = vec![false; group.len()];
    let mut at = 0;
    if let Some(slot) = seen.get_mut(root as usize) {
        *slot = true;
    }
    while let Some(shape) = order.get(at).and_then(|node| group.get(*node as usize)) {
        at += 1;
        shape.links(|link| {
            if let Link::Local(local) = link
                && let Some(slot) = seen.get_mut(local as usize).filter(|seen| !**seen)
            {
                *slot = true;
                order.push(local);
            }
        });
    }
    order
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
