//! Dependencies between resources: what `dependsOn` says, what references imply, and the order of batches.

use std::collections::HashMap;

use super::head::{Head, HeadKey, Index};
use super::{Deployment, Expansion, Planned, gaps_of, placed};
use crate::error::Error;
use crate::messages;
use crate::value::Gap;

/// The resources that a resource refers to, by their positions in the index.
pub(super) type Edge = (HeadKey, Vec<usize>);

impl Deployment<'_> {
    /// Evaluation came across a reference to these heads.
    pub(super) fn note(&self, positions: &[usize]) {
        self.noted.borrow_mut().extend_from_slice(positions);
    }

    /// Keeps what a resource refers to until all resources are there.
    pub(super) fn note_for(&self, head: &Head, positions: Vec<usize>) {
        if !positions.is_empty() {
            self.edges.borrow_mut().push((head.key, positions));
        }
    }

    /// Fills in the dependencies of all planned resources and looks for cycles.
    pub(super) fn connect(&self, expansion: &mut Expansion) {
        let index = match self.index() {
            Ok(index) => index,
            Err(error) => return expansion.errors.push(error),
        };
        // What is left out, or cannot be evaluated, is not planned.
        let positions = self.positions.borrow();
        let planned_at = |at: &usize| index.all.get(*at).and_then(|head| positions.get(&head.key)).copied();
        let mut edges: Vec<Vec<usize>> = vec![Vec::new(); expansion.resources.len()];
        for (at, head) in index.all.iter().enumerate() {
            let Some(edges) = planned_at(&at).and_then(|planned| edges.get_mut(planned)) else { continue };
            match self.explicit(head, index, &mut expansion.gaps) {
                Ok(targets) => edges.extend(targets.iter().filter_map(planned_at)),
                Err(error) => expansion.errors.push(error),
            }
        }
        for (key, targets) in self.edges.borrow().iter() {
            let source = positions.get(key);
            if let Some(edges) = source.and_then(|source| edges.get_mut(*source)) {
                edges.extend(targets.iter().filter_map(planned_at));
            }
        }
        add_batches(&expansion.resources, &mut edges);
        for (at, (planned, mut targets)) in expansion.resources.iter_mut().zip(edges).enumerate() {
            targets.sort_unstable();
            targets.dedup();
            targets.retain(|target| *target != at || planned.batch.is_none());
            planned.depends_on = targets;
        }
        let resources = &expansion.resources;
        let dependencies =
            |at: usize| resources.get(at).map(|it| it.depends_on.as_slice()).unwrap_or_default();
        if let Some(cycle) = base::graph::find_cycle(resources.len(), dependencies) {
            expansion.errors.push(self.cycle_error(&cycle, &expansion.resources));
        }
    }

    /// What `dependsOn` names. What is unknown in it is a gap.
    fn explicit(&self, head: &Head, index: &Index, gaps: &mut Vec<Gap>) -> Result<Vec<usize>, Error> {
        let Some(resource) = self.setup.template.resources.get(head.resource) else { return Ok(Vec::new()) };
        let Some(term) = &resource.depends_on else { return Ok(Vec::new()) };
        let place =
            |error: Error| placed(error.at(term.range).within("dependsOn"), &resource.path, resource.range);
        let value = match self.collects() {
            true => self.silently(|| self.value(term, &head.names)),
            false => self.evaluator().term(term, &head.names),
        };
        let value = value.map_err(place)?;
        gaps_of(&value, &resource.path, "dependsOn", gaps);
        let single = std::slice::from_ref(&value);
        let mut targets = Vec::new();
        for item in value.as_array().unwrap_or(single) {
            let Some(text) = item.as_str() else {
                targets.extend(index.find_unknown(item));
                continue;
            };
            let found = index.find(text);
            if found.is_empty() && !index.open && !self.collects() && !self.is_empty_loop(text) {
                return Err(place(messages::no_such_dependency(text)));
            }
            targets.extend(found);
        }
        Ok(targets)
    }

    /// A loop without turns is there, although there is nothing to wait for.
    fn is_empty_loop(&self, text: &str) -> bool {
        self.setup.template.resources.iter().any(|resource| {
            let looped = resource.copy.as_ref().is_some_and(|copy| json::eq_ignore_case(&copy.name, text));
            let symbol = text.split('[').next().unwrap_or(text);
            looped || resource.symbol.as_ref().is_some_and(|known| json::eq_ignore_case(known, symbol))
        })
    }

    fn cycle_error(&self, cycle: &[usize], planned: &[Planned]) -> Error {
        let names: Vec<String> = cycle
            .iter()
            .filter_map(|at| planned.get(*at))
            .map(|planned| match (&planned.symbol, &planned.name) {
                (Some(symbol), _) => super::head::turn_symbol(symbol, planned.batch.as_ref()).to_string(),
                (None, Some(name)) => name.as_str().unwrap_or("?").to_owned(),
                (None, None) => "?".to_owned(),
            })
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let error = messages::cycle("resource", &names);
        match cycle.first().and_then(|at| planned.get(*at)) {
            Some(first) => placed(error, &first.path, first.range),
            None => error,
        }
    }
}

/// A batch waits for all of the batch before it.
fn add_batches(resources: &[Planned], edges: &mut [Vec<usize>]) {
    let mut batches: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
    for (at, planned) in resources.iter().enumerate() {
        if let Some(number) = planned.batch.as_ref().and_then(|batch| batch.number) {
            batches.entry((planned.resource, number)).or_default().push(at);
        }
    }
    for (planned, edges) in resources.iter().zip(edges) {
        let number =
            planned.batch.as_ref().and_then(|batch| batch.number).and_then(|number| number.checked_sub(1));
        if let Some(before) = number.and_then(|number| batches.get(&(planned.resource, number))) {
            edges.extend_from_slice(before);
        }
    }
}
