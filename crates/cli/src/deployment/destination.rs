//! Which deployment, and where it goes. Everything has a default: a deployment on this machine needs no arguments.

use arm::TargetScope;
use camino::Utf8Path;
use deploy::{DeploymentId, Scope};

use crate::failure::Failure;

/// The options about the place of a deployment.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Deployment scope")]
pub(crate) struct DestinationArgs {
    /// The name of the deployment [default: that of the file]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// The resource group; created if missing
    #[arg(long, short = 'g', value_name = "NAME", default_value = "local")]
    resource_group: String,

    /// The subscription
    #[arg(long, value_name = "ID", default_value = "00000000-0000-0000-0000-000000000000")]
    subscription_id: String,

    /// The management group
    #[arg(long, value_name = "ID", default_value = "local")]
    management_group_id: String,

    /// The region of a new resource group, or of the deployment in other scopes
    #[arg(long, value_name = "REGION", default_value = "westeurope")]
    location: String,
}

/// A deployment in its place.
#[derive(Debug, Clone)]
pub(crate) struct Destination {
    pub(crate) id: DeploymentId,
    /// The region of the group or of the deployment.
    pub(crate) region: String,
}

impl DestinationArgs {
    /// The deployment of a file with this scope.
    pub(crate) fn place(&self, scope: TargetScope, file: &Utf8Path) -> Result<Destination, Failure> {
        let name = match &self.name {
            Some(name) => name.clone(),
            None => name_of(file),
        };
        let scope = match scope {
            TargetScope::Tenant => Scope::Tenant,
            TargetScope::ManagementGroup => {
                Scope::ManagementGroup { id: self.management_group_id.as_str().into() }
            }
            TargetScope::Subscription => Scope::Subscription { id: self.subscription_id.as_str().into() },
            TargetScope::ResourceGroup => Scope::ResourceGroup {
                subscription: self.subscription_id.as_str().into(),
                group: self.resource_group.as_str().into(),
            },
        };
        Ok(Destination { id: DeploymentId::new(scope, &name), region: self.location.clone() })
    }
}

impl Destination {
    /// The region of the deployment itself: groups have their own.
    pub(crate) fn location(&self) -> Option<&str> {
        (!matches!(self.id.scope, Scope::ResourceGroup { .. })).then_some(&self.region)
    }
}

/// A deployment's name from a file's: what deployments cannot be called is replaced.
fn name_of(file: &Utf8Path) -> String {
    let stem = file.file_stem().unwrap_or("main");
    let good = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_') { c } else { '-' };
    stem.chars().map(good).take(64).collect()
}
