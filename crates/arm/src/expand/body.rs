//! The bodies of resources: everything that is sent to the provider.

use std::rc::Rc;

use smol_str::SmolStr;

use super::head::Head;
use super::{Deployment, Expansion, MAX_RESOURCES, Planned, PlannedDeployment, gaps_of, placed};
use crate::error::Error;
use crate::evaluate::Place;
use crate::messages;
use crate::template::Resource;
use crate::value::{Object, Value};

impl Deployment<'_> {
    /// Evaluates all resources. Those whose condition is false are left out.
    pub(super) fn plan_resources(&self, expansion: &mut Expansion) {
        for at in 0..self.setup.template.resources.len() {
            if let Err(error) = self.heads(at) {
                let stop = error.is_overrun();
                expansion.errors.push(error);
                if stop {
                    return;
                }
            }
        }
        if !expansion.errors.is_empty() {
            return;
        }
        let index = match self.index() {
            Ok(index) => index,
            Err(error) => return expansion.errors.push(error),
        };
        if index.all.len() > MAX_RESOURCES {
            let error = messages::too_many("resources", index.all.len(), MAX_RESOURCES);
            return expansion.errors.push(error.within("resources").at(self.setup.template.range));
        }
        self.note_open_loops(expansion);
        for head in index.all.iter().filter(|head| !head.is_left_out()) {
            let Some(resource) = self.setup.template.resources.get(head.resource) else { continue };
            let place = |error| placed(error, &resource.path, resource.range);
            match self.noting(|| self.plan(head, resource, expansion), place) {
                Ok(planned) => expansion.resources.push(planned),
                Err(error) => {
                    let stop = error.is_overrun();
                    expansion.errors.push(place(error));
                    if stop {
                        return;
                    }
                }
            }
        }
    }

    fn note_open_loops(&self, expansion: &mut Expansion) {
        for (at, resource) in self.setup.template.resources.iter().enumerate() {
            if let Ok(list) = self.heads(at)
                && let Some(count) = &list.open_count
            {
                gaps_of(count, &resource.path, "copy.count", &mut expansion.gaps);
            }
        }
    }

    fn plan(
        &self,
        head: &Rc<Head>,
        resource: &Resource,
        expansion: &mut Expansion,
    ) -> Result<Planned, Error> {
        let scope = head.names.at(Place::ResourceBody);
        let evaluator = self.evaluator();
        self.noted.take();
        let mut members: Vec<(SmolStr, Value)> = Vec::with_capacity(resource.body.len());
        for (name, term) in &resource.body {
            let value = evaluator.term(term, &scope).map_err(|error| error.within(name.clone()))?;
            members.push((name.clone(), value));
        }
        let own = self.noted.take();
        self.note_for(head, own);
        let options = resource.options.as_ref().map(|term| evaluator.term(term, &scope)).transpose()?;
        let deployment = match &resource.deployment {
            Some(nested) => Some(self.nested_deployment(head, nested)?),
            None => None,
        };
        let body = Value::from(members.into_iter().collect::<Object>());
        gaps_of(&body, &resource.path, "", &mut expansion.gaps);
        gaps_of(&head.condition, &resource.path, "condition", &mut expansion.gaps);
        for (part, value) in [("name", &head.name), ("id", &head.id)] {
            if let Some(value) = value {
                gaps_of(value, &resource.path, part, &mut expansion.gaps);
            }
        }
        if let Some(inner) = deployment.as_ref().and_then(|planned| planned.expansion.as_ref()) {
            self.adopt(inner, resource, expansion);
        }
        Ok(Planned {
            resource: head.resource,
            path: resource.path.clone(),
            range: resource.range,
            symbol: resource.symbol.clone(),
            batch: head.batch.clone(),
            existing: resource.existing,
            extension: resource.extension.clone(),
            condition: head.condition.clone(),
            resource_type: head.resource_type.clone(),
            api_version: head.api_version.clone(),
            name: head.name.clone(),
            id: head.id.clone(),
            scope: head.scope.clone(),
            body,
            options,
            depends_on: Vec::new(),
            deployment: deployment.map(|planned| PlannedDeployment {
                context: planned.context.clone(),
                parameters: planned.parameters.clone(),
                expansion: planned.expansion.clone(),
            }),
        })
    }

    /// Errors and open checks of a deployment inside are those of the template around it, at another place.
    fn adopt(&self, inner: &Expansion, resource: &Resource, expansion: &mut Expansion) {
        let place = |error: &Error| {
            let error = error.clone().reopened().within("template").within("properties");
            placed(error, &resource.path, resource.range).rooted()
        };
        expansion.errors.extend(inner.errors.iter().map(place));
        self.open.borrow_mut().extend(inner.open.iter().map(place));
    }
}
