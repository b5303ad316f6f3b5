//! How an expansion is done. A deployment is strict: conditions hold and the first stage with errors is the last. An
//! analysis looks at all that may be deployed and goes on where something cannot be evaluated.

/// How an expansion is done. The default is what a deployment wants.
#[derive(Debug, Clone, Copy, Default)]
pub struct Policy {
    /// What becomes of a required parameter without a value.
    pub missing: Missing,
    /// What references to something that the template itself deploys give.
    pub speculation: Speculation,
    /// What becomes of resources and outputs whose condition is false.
    pub conditions: Conditions,
    /// What becomes of a part that cannot be evaluated.
    pub errors: Errors,
    /// Where deployments inside the template are.
    pub nested: NestedContext,
    /// For analyses: whether variables and outputs are part of the result, with what is wrong with them.
    pub declarations: bool,
    /// For analyses: whether dependencies between resources are part of the result. A deployment always has them.
    pub dependencies: bool,
}

/// What becomes of a required parameter without a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    #[default]
    Error,
    /// It is unknown.
    Unknown,
    /// It gets a value that is made up, of the right type and length, and always the same.
    Placeholder,
}

/// What references to something that the template itself deploys give before it is deployed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Speculation {
    /// Nothing: an engine that runs the deployment waits for the real values.
    #[default]
    Nothing,
    /// The outputs of deployments inside the template, as far as they can be worked out.
    Outputs,
    /// Also what the template writes about its own resources. What it does not write is unknown, as the service may fill
    /// it in.
    Written,
}

/// What becomes of resources and outputs whose condition is false.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Conditions {
    /// They are left out.
    #[default]
    Applied,
    /// They are there like all others.
    Ignored,
}

/// What becomes of a part that cannot be evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Errors {
    /// The expansion ends with the stage that the part belongs to.
    #[default]
    Final,
    /// The part is unknown, its error is kept and all around it is evaluated. A loop of unknown length has one turn.
    /// Values are not held against the types that are declared for them.
    Collected,
}

/// The context in which deployments inside a template are expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NestedContext {
    /// That of the scope they are deployed to.
    #[default]
    Target,
    /// That of the template around them: when the place is made up, one is as good as another.
    Around,
}
