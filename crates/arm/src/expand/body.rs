//! The bodies of resources: everything that is sent to the provider.

use std::rc::Rc;

use smol_str::SmolStr;

use super::head::Head;
use super::{Deployment, Expansion, Planned, PlannedDeployment, gaps_of, placed};
use crate::error::Error;
use crate::evaluate::ExpressionSite;
use crate::limits::MAX_RESOURCES;
use crate::messages;
use crate::template::Resource;
use crate::value::{Object, Value};

impl Deployment<'_> {
    /// Evaluates all resources. Those that their condition keeps out are left out.
    pub(super) fn plan_resources(&self, expansion: &mut Expansion) {
        if !self.collects() {
            expansion.errors.extend(self.head_errors());
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
        for head in index.all.iter().filter(|head| !head.left_out) {
            let Some(resource) = self.setup.template.resources.get(head.resource) else { continue };
            let place = |error| placed(error, &resource.path, resource.range);
            let plan = || self.noting(|| self.plan(head, resource, expansion), place);
            match self.collecting(resource, plan) {
                Ok(mut planned) => {
                    let mut positions = self.positions.borrow_mut();
                    planned.parent = head.parent.and_then(|parent| positions.get(&parent).copied());
                    positions.insert(head.key, expansion.resources.len());
                    expansion.resources.push(planned);
                }
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

    /// What is wrong with the heads of resources.
    fn head_errors(&self) -> Vec<Error> {
        let mut errors = Vec::new();
        for at in 0..self.setup.template.resources.len() {
            errors.extend(self.heads(at).err());
            if errors.last().is_some_and(Error::is_overrun) {
                break;
            }
        }
        errors
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
        let scope = head.names.at(ExpressionSite::ResourceBody);
        self.noted.take();
        let mut members: Vec<(SmolStr, Value)> = Vec::with_capacity(resource.body.len());
        for (name, term) in &resource.body {
            let value = self.value(term, &scope).map_err(|error| error.within(name.clone()))?;
            members.push((name.clone(), value));
        }
        let own = self.noted.take();
        self.note_for(head, own);
        let options = resource.options.as_ref().map(|term| self.value(term, &scope)).transpose()?;
        let deployment = match &resource.deployment {
            Some(nested) => match self.nested_deployment(head, nested) {
                Ok(planned) => Some(planned),
                Err(error) if self.collects() => {
                    self.collect(error);
                    None
                }
                Err(error) => return Err(error),
            },
            None => None,
        };
        let mut own = head.own.clone();
        if self.collects() {
            // Nobody else evaluates it: a deployment has it evaluated when all resources are there.
            let depends_on =
                resource.depends_on.as_ref().map(|term| self.value(term, &head.names)).transpose()?;
            own.extend(depends_on.map(|value| ("dependsOn", value)));
        }
        let body = Value::from(members.into_iter().collect::<Object>());
        gaps_of(&body, &resource.path, "", &mut expansion.gaps);
        gaps_of(&head.condition, &resource.path, "condition", &mut expansion.gaps);
        for (part, value) in [("name", &head.name), ("id", &head.id)] {
            if let Some(value) = value {
                gaps_of(value, &resource.path, part, &mut expansion.gaps);
            }
        }
        if let Some(inner) = deployment.as_ref().and_then(|planned| planned.expansion.as_ref())
            && !self.collects()
        {
            self.adopt(inner, resource, expansion);
        }
        Ok(Planned {
            resource: head.resource,
            path: resource.path.clone(),
            range: resource.range,
            parent: None,
            symbol: resource.symbol.clone(),
            batch: head.batch.clone(),
            existing: resource.existing,
            extension: resource.extension.clone(),
            own,
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
