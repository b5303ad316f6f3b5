//! What may start when: resources wait for those they depend on.

use arm::expand::Planned;

/// The order of the resources of one deployment.
pub(super) struct Graph {
    /// How many each one waits for.
    waiting: Vec<usize>,
    /// Who waits for each one.
    dependents: Vec<Vec<usize>>,
    ready: Vec<usize>,
}

impl Graph {
    pub fn new(resources: &[Planned]) -> Self {
        let mut dependents = vec![Vec::new(); resources.len()];
        let mut waiting = Vec::with_capacity(resources.len());
        for (at, planned) in resources.iter().enumerate() {
            waiting.push(planned.depends_on.len());
            for before in &planned.depends_on {
                if let Some(list) = dependents.get_mut(*before) {
                    list.push(at);
                }
            }
        }
        // Taken from the end: the first of the template comes first.
        let ready = (0..waiting.len()).rev().filter(|at| waiting.get(*at) == Some(&0)).collect();
        Self { waiting, dependents, ready }
    }

    /// The next resource that waits for nothing.
    pub fn next(&mut self) -> Option<usize> {
        self.ready.pop()
    }

    /// A resource is there: those that waited for it alone may start.
    pub fn done(&mut self, at: usize) {
        let dependents = self.dependents.get_mut(at).map(std::mem::take).unwrap_or_default();
        for dependent in dependents.into_iter().rev() {
            let Some(waiting) = self.waiting.get_mut(dependent) else { continue };
            *waiting = waiting.saturating_sub(1);
            if *waiting == 0 {
                self.ready.push(dependent);
            }
        }
    }
}
