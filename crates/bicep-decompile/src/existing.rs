//! What a Bicep file has to say and a template does not: a resource that is only referred to is declared as `existing`, and every type has
//! a version that is written down.

use std::borrow::Cow;

use arm::expression::Expr;
use config::provider::{Builtin, ProviderSource};
use json::Node;

use crate::failure::Result;
use crate::strings;
use crate::syntax::{self, Property, Syntax};
use crate::template::Converter;
use crate::tree;

const VAULTS: &str = "Microsoft.KeyVault/vaults";

/// A key vault: its name, and its subscription and resource group as far as they are given.
struct Vault {
    name: Expr,
    scope: Vec<Expr>,
}

impl Vault {
    fn of(id: &Expr) -> Result<Option<Self>> {
        if let Some(args) = strings::call_of(id, "resourceId")
            && let [scope @ .., ty, name] = args
            && strings::literal(ty).is_some_and(|ty| ty.eq_ignore_ascii_case(VAULTS))
        {
            return Ok(Some(Self { name: name.clone(), scope: scope.to_vec() }));
        }
        let flat = strings::flatten(id)?;
        let parts = match strings::call_of(&flat, "concat") {
            Some(parts) => strings::path_segments(parts),
            None => strings::path_segments(std::slice::from_ref(&flat)),
        };
        Ok(match parts.as_slice() {
            [_, subscription, _, group, _, _, _, name] => {
                Some(Self { name: name.clone(), scope: vec![subscription.clone(), group.clone()] })
            }
            _ => None,
        })
    }
}

/// `copyIndex()` as the variable that Bicep has for it.
fn with_loop_variable(expr: &Expr) -> Expr {
    let replaced = strings::rewrite(expr, &mut |part| {
        let is_index = strings::call_of(&part, "copyIndex").is_some();
        Ok(if is_index { Expr::call("variables", vec![Expr::string("i")]) } else { part })
    });
    replaced.unwrap_or_else(|_| expr.clone())
}

/// Where not even the types know a version.
const SOME_VERSION: &str = "2021-01-01";

impl Converter<'_> {
    /// The symbol of a resource outside of the template that an id means; it is declared, for every turn of a loop around the place.
    pub(crate) fn existing_symbol(&mut self, expr: &Expr) -> Result<Option<String>> {
        let meant = self.meaning(expr, 0);
        let of_call = strings::resource_id(expr)?.or(strings::resource_id(&meant)?);
        let of_path = || strings::resource_path(expr).or_else(|| strings::resource_path(&meant));
        let Some(id) = of_call.or_else(of_path) else { return Ok(None) };
        let is_type = id.ty.split('/').count() >= 2 && id.ty.contains('.');
        if !is_type {
            return Ok(None);
        }
        // The index of a loop may stand in the name only by way of the loop's variable.
        let name = self.interpolated(&with_loop_variable(&id.name))?;
        let Some(symbol) = self.names.declare_resource(&id.ty, &id.name)? else { return Ok(None) };
        let version = self.newest_version(&id.ty).unwrap_or_else(|| SOME_VERSION.to_owned());
        let ty = syntax::quoted(&format!("{}@{version}", id.ty.trim_matches('/')));
        let body = Syntax::Object(vec![Property::new("name", name)]).print();
        match self.loop_count.clone().filter(|_| self.names.is_inside_loop()) {
            Some(count) => {
                self.existing
                    .push(format!("resource {symbol} {ty} existing = [for i in range(0,{count}):{body}]"));
                Ok(Some(format!("{symbol}[i]")))
            }
            None => {
                self.existing.push(format!("resource {symbol} {ty} existing = {body}"));
                Ok(Some(symbol))
            }
        }
    }

    /// A secret of a key vault as the value of a module's parameter: the vault is declared.
    pub(crate) fn vault_secret(&mut self, reference: &Node) -> Result<Option<Syntax>> {
        let text = |names: &[&str]| tree::nested(reference, names).map(tree::to_text);
        let (Some(id), Some(secret)) = (text(&["keyVault", "id"]), text(&["secretName"])) else {
            return Ok(None);
        };
        if self.names.is_inside_loop() {
            return Ok(None);
        }
        let expr = self.expressions.parse(&id)?;
        let Some(vault) = Vault::of(&expr)? else { return Ok(None) };
        let Some(symbol) = self.names.declare_resource(VAULTS, &vault.name)? else { return Ok(None) };
        let mut properties = vec![Property::new("name", self.interpolated(&vault.name)?)];
        if !vault.scope.is_empty() {
            let scope: Result<Vec<Syntax>> = vault.scope.iter().map(|part| self.interpolated(part)).collect();
            properties.push(Property::new("scope", syntax::call("az.resourceGroup", &scope?)));
        }
        let version = self.newest_version(VAULTS).unwrap_or_else(|| SOME_VERSION.to_owned());
        let body = Syntax::Object(properties).print();
        self.existing.push(format!("resource {symbol} '{VAULTS}@{version}' existing = {body}"));
        let mut arguments = vec![self.interpolated(&self.expressions.parse(&secret)?)?];
        if let Some(version) = text(&["secretVersion"]) {
            arguments.push(self.interpolated(&self.expressions.parse(&version)?)?);
        }
        Ok(Some(syntax::call(&format!("{symbol}.getSecret"), &arguments)))
    }

    /// The version that an expression most likely gives; else one that fits the type.
    pub(crate) fn best_version(&self, ty: &str, version: &str) -> String {
        let of_parameter = || {
            let expr = self.expressions.parse(version).ok()?;
            let expr = self.meaning(&expr, 0);
            let name = strings::call_of(&expr, "parameters")?.first().and_then(strings::literal)?;
            let default = tree::nested(self.template, &["parameters", &name, "defaultValue"])?.as_str()?;
            (!strings::is_expression(default)).then(|| default.to_owned())
        };
        let literal = || {
            let meant = self.meaning(&self.expressions.parse(version).ok()?, 0);
            strings::literal(&meant).map(Cow::into_owned)
        };
        of_parameter()
            .or_else(literal)
            .filter(|text| text.starts_with(|c: char| c.is_ascii_digit()))
            .or_else(|| self.newest_version(ty))
            .unwrap_or_else(|| SOME_VERSION.to_owned())
    }

    /// The newest stable version of a type, or of the types around it.
    fn newest_version(&self, ty: &str) -> Option<String> {
        let setup = self.hints?.setup;
        let types = setup.types().types(&ProviderSource::Builtin(Builtin::Az)).ok()?;
        let mut ty = ty.trim_matches('/');
        loop {
            let mut versions = types.versions(ty);
            versions.sort_unstable();
            let stable = versions.iter().rev().find(|version| version.len() == "2021-01-01".len());
            if let Some(version) = stable.or(versions.last()) {
                return Some(version.to_string());
            }
            ty = ty.rsplit_once('/')?.0;
        }
    }
}
