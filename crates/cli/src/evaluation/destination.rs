//! Where a deployment goes, as options say it.

use arm::{Context, TargetScope};
use smol_str::SmolStr;

use crate::failure::Failure;

/// The options about the place of a deployment. What is not given stays unknown.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Deployment scope")]
pub(crate) struct DestinationArgs {
    /// The tenant
    #[arg(long, value_name = "ID")]
    tenant_id: Option<String>,

    /// The management group
    #[arg(long, value_name = "ID")]
    management_group_id: Option<String>,

    /// The subscription
    #[arg(long, value_name = "ID")]
    subscription_id: Option<String>,

    /// The resource group
    #[arg(long, value_name = "NAME")]
    resource_group: Option<String>,

    /// The region of the resource group, or of the deployment in other scopes
    #[arg(long, value_name = "REGION")]
    location: Option<String>,

    /// The name of the deployment
    #[arg(long, value_name = "NAME")]
    deployment_name: Option<String>,
}

impl DestinationArgs {
    /// The place.
    pub(crate) fn context(&self) -> Context {
        let text = |text: &Option<String>| text.as_ref().map(SmolStr::new);
        Context {
            tenant_id: text(&self.tenant_id),
            management_group: text(&self.management_group_id),
            subscription_id: text(&self.subscription_id),
            resource_group: text(&self.resource_group),
            location: text(&self.location),
            deployment_name: text(&self.deployment_name),
            ..Context::default()
        }
    }

    /// Refuses what a template of this scope has no use for: it is a mistake, and would change nothing.
    pub(crate) fn check(&self, scope: TargetScope) -> Result<(), Failure> {
        let in_subscription = matches!(scope, TargetScope::Subscription | TargetScope::ResourceGroup);
        for (option, is_given, is_fitting) in [
            ("--subscription-id", self.subscription_id.is_some(), in_subscription),
            (
                "--management-group-id",
                self.management_group_id.is_some(),
                scope == TargetScope::ManagementGroup,
            ),
            ("--resource-group", self.resource_group.is_some(), scope == TargetScope::ResourceGroup),
        ] {
            if is_given && !is_fitting {
                return Err(Failure::not_of_this_scope(option, name(scope)));
            }
        }
        Ok(())
    }
}

fn name(scope: TargetScope) -> &'static str {
    match scope {
        TargetScope::Tenant => "tenant",
        TargetScope::ManagementGroup => "managementGroup",
        TargetScope::Subscription => "subscription",
        TargetScope::ResourceGroup => "resourceGroup",
    }
}
