//! What the template's expressions refer to, answered by the deployment.

use std::rc::Rc;
use std::sync::Arc;

use base::Verdict;
use smol_str::SmolStr;
use uuid::Uuid;

use super::Deployment;
use super::head::{Head, turn_symbol};
use crate::error::Error;
use crate::evaluate::{ContextObject, Environment, ListCall, ReferenceCall};
use crate::expression::Expr;
use crate::messages;
use crate::state::{ListQuery, ResourceQuery};
use crate::template::{FunctionParameter, TargetScope, UserFunction};
use crate::value::{Origin, Unknown, Value};

impl Environment for Deployment<'_> {
    fn parameter(&self, name: &str) -> Result<Value, Error> {
        match self.around.outer {
            Some(outer) => outer.parameter(name),
            None => self.parameter_value(name),
        }
    }

    fn variable(&self, name: &str) -> Result<Value, Error> {
        match self.around.outer {
            Some(outer) => outer.variable(name),
            None => self.bound_variable(name),
        }
    }

    fn user_function(&self, namespace: &str, name: &str) -> Option<&UserFunction> {
        match self.around.outer {
            Some(outer) => outer.user_function(namespace, name),
            None => self.setup.template.functions.get(&format!("{namespace}.{name}")),
        }
    }

    fn check_argument(&self, function: &str, parameter: &FunctionParameter, value: &Value) -> Verdict<Error> {
        if let Some(outer) = self.around.outer {
            return outer.check_argument(function, parameter, value);
        }
        let Some(declared) = self.setup.template.functions.get(function) else { return Verdict::Pass };
        let Some(declared) = declared.parameters.iter().find(|known| known.name == parameter.name) else {
            return Verdict::Pass;
        };
        let checker = self.checker();
        // Compilers and readers check kinds; that alone is not worth a report for every call.
        if value.is_unknown() && !checker.is_refined(&declared.schema) {
            return Verdict::Pass;
        }
        checker.check(&format!("{function}.{}", declared.name), &declared.schema, value)
    }

    fn check_result(&self, function: &str, declared: &UserFunction, value: &Value) -> Verdict<Error> {
        if let Some(outer) = self.around.outer {
            return outer.check_result(function, declared, value);
        }
        let checker = self.checker();
        let own = self.setup.template.functions.get(function);
        if value.is_unknown() && own.is_some_and(|own| !checker.is_refined(&own.schema)) {
            return Verdict::Pass;
        }
        checker.check_result(function, declared, value)
    }

    fn note_unchecked(&self, open: Vec<Error>) {
        self.open.borrow_mut().extend(open);
    }

    fn target_scope(&self) -> TargetScope {
        self.around.outer.map_or(self.setup.template.scope, Environment::target_scope)
    }

    fn default_subscription(&self) -> Option<SmolStr> {
        match self.around.outer {
            Some(outer) => outer.default_subscription(),
            None => self.setup.context.default_subscription.clone(),
        }
    }

    fn subject(&self, subject: ContextObject) -> Result<Option<Value>, Error> {
        if let Some(outer) = self.around.outer {
            return outer.subject(subject);
        }
        let scope = self.setup.template.scope;
        let allowed = match subject {
            ContextObject::ResourceGroup => scope == TargetScope::ResourceGroup,
            ContextObject::Subscription => {
                matches!(scope, TargetScope::ResourceGroup | TargetScope::Subscription)
            }
            _ => true,
        };
        if !allowed {
            return Err(messages::function_not_expected_here(subject.function()));
        }
        let Some(cell) = self.subjects.get(subject as usize) else { return Ok(None) };
        let version = self.setup.template.content_version.as_deref();
        Ok(cell.get_or_init(|| self.setup.context.subject(subject, scope, version)).clone())
    }

    fn reference(&self, call: &ReferenceCall<'_>) -> Result<Option<Value>, Error> {
        let index = self.index()?;
        let found = index.find(call.target);
        let head = found.first().and_then(|at| index.all.get(*at)).filter(|_| found.len() == 1);
        let Some(head) = head else {
            if let Some(outer) = self.around.outer.filter(|_| found.is_empty()) {
                return outer.reference(call);
            }
            if call.target.starts_with('/') || index.open || found.len() > 1 {
                return Ok(self.ask(call, None));
            }
            return Err(messages::no_such_resource(call.target));
        };
        if !call.target.starts_with('/') {
            self.note(&found);
        }
        if let Some(value) = self.ask(call, Some(head)).or_else(|| self.written(head, index, call.full)) {
            return Ok(Some(value));
        }
        let call = ReferenceCall { api_version: call.api_version.or(version(head)), ..*call };
        if let Some(outputs) = self.speculative_outputs(head, &call)? {
            return Ok(Some(outputs));
        }
        Ok(self.portable_reference(&call, head))
    }

    fn references(&self, symbol: &str, full: bool) -> Result<Option<Value>, Error> {
        let index = self.index()?;
        let Some(&(start, count)) = index.symbols.get(&crate::value::fold(symbol)) else {
            return Err(messages::no_such_resource(symbol));
        };
        self.note(&(start..start + count).collect::<Vec<_>>());
        let mut all = Vec::with_capacity(count);
        for head in index.all.iter().skip(start).take(count) {
            let Some(turn) = self.symbol(head) else { return Ok(None) };
            let call = ReferenceCall { target: &turn, api_version: version(head), full };
            let Some(value) = self.reference(&call)? else { return Ok(None) };
            all.push(value);
        }
        Ok(Some(Value::array(all)))
    }

    fn list(&self, call: &ListCall<'_>) -> Result<Option<Value>, Error> {
        let index = self.index()?;
        let found = index.find(call.target);
        let head = found.first().and_then(|at| index.all.get(*at)).filter(|_| found.len() == 1);
        if !call.target.starts_with('/') && !found.is_empty() {
            self.note(&found);
        }
        let id = head.and_then(|head| head.id.as_ref()).and_then(Value::as_str).unwrap_or(call.target);
        let query = ListQuery {
            function: call.function.clone(),
            id,
            api_version: call.api_version.or(head.and_then(|head| version(head))),
            body: call.body,
        };
        if let Some(value) = self.setup.state.list(&query) {
            // Keys and tokens are what these functions are for.
            return Ok(Some(value.into_secure()));
        }
        // The name belongs to this template; the id is the same everywhere.
        let (Some(_), Some(version)) = (head, query.api_version) else { return Ok(None) };
        let mut args = vec![Expr::string(id), Expr::string(version)];
        args.extend(call.body.map(Expr::of_value));
        let expression = Expr::call(&call.function, args);
        Ok(Some(Value::unknown(Unknown::new(expression, Origin::List(id.into())))))
    }

    fn service(&self, name: &str, args: &[Value]) -> Result<Option<Value>, Error> {
        Ok(self.setup.state.service(name, args))
    }

    fn resource_info(&self, symbol: &str) -> Result<Value, Error> {
        let (name, turn) = match symbol.strip_suffix(']').and_then(|text| text.split_once('[')) {
            Some((name, turn)) => (name, turn.parse::<usize>().unwrap_or(usize::MAX)),
            None => (symbol, 0),
        };
        let resources = &self.setup.template.resources;
        let known = |symbol: &SmolStr| json::eq_ignore_case(symbol, name);
        let at = resources.iter().position(|resource| resource.symbol.as_ref().is_some_and(known));
        let list = self.heads(at.ok_or_else(|| messages::no_such_resource(symbol))?)?;
        let head = list.heads.get(turn).ok_or_else(|| messages::no_such_resource(symbol))?;
        let part = |value: Option<&Value>| value.cloned().unwrap_or(Value::NULL);
        Ok(Value::object([
            ("id", part(head.id.as_ref())),
            ("name", part(head.name.as_ref())),
            ("type", head.resource_type.clone()),
            ("apiVersion", part(head.api_version.as_ref())),
        ]))
    }

    fn external_input(&self, name: &str) -> Result<Option<Value>, Error> {
        let input = self.setup.inputs.external.get(name);
        input.map(|input| input.value.clone()).ok_or_else(|| messages::no_such_external_input(name))
    }

    fn now(&self) -> Option<i64> {
        self.setup.context.now
    }

    fn new_guid(&self) -> Option<Arc<str>> {
        let seed = self.setup.context.guid_seed.as_ref()?;
        let count = self.guids.replace(self.guids.get() + 1);
        let name = format!("{seed}-{}-{count}", self.around.nesting);
        Some(Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes()).hyphenated().to_string().into())
    }
}

impl Deployment<'_> {
    fn ask(&self, call: &ReferenceCall<'_>, head: Option<&Rc<Head>>) -> Option<Value> {
        let symbol = head.and_then(|head| self.symbol(head));
        let id = head.and_then(|head| head.id.as_ref()).and_then(Value::as_str).unwrap_or(call.target);
        let api_version = call.api_version.or(head.and_then(|head| version(head)));
        let query = ResourceQuery { id, symbol: symbol.as_deref(), api_version, full: call.full };
        self.setup.state.resource(&query)
    }

    /// A reference by symbolic name makes sense only inside its template; by id it does everywhere.
    fn portable_reference(&self, call: &ReferenceCall<'_>, head: &Head) -> Option<Value> {
        let id = head.id.as_ref()?;
        let mut args = vec![Expr::of_value(id), Expr::string(call.api_version?)];
        if call.full {
            args.push(Expr::string("full"));
        }
        let expression = Expr::call("reference", args);
        let origin = Origin::Resource(id.as_str().unwrap_or(call.target).into());
        Some(Value::unknown(Unknown::new(expression, origin)))
    }

    pub(super) fn symbol(&self, head: &Head) -> Option<SmolStr> {
        let resource = self.setup.template.resources.get(head.resource)?;
        Some(turn_symbol(resource.symbol.as_ref()?, head.batch.as_ref()))
    }
}

fn version(head: &Head) -> Option<&str> {
    head.api_version.as_ref().and_then(Value::as_str)
}
