//! What an assistant should know before it writes Bicep.

/// Markdown.
pub(super) const TEXT: &str = "\
# Writing Bicep

## Names and parameters
- Name parameters, variables and resources in lowerCamelCase, after what they are for and not after their type.
- Give every parameter an explicit type and an `@description`. Use `@allowed`, `@minLength` and the like only for rules that do
  not change with the service.
- Mark secrets with `@secure()`. Never give them a default value, and never put them into an output that is not secure.
- Use user-defined types instead of `object` and `array`, and `resourceInput<'TYPE@VERSION'>` for values that a resource takes as
  they are. Export types that several files use and import them.
- Prefer `.bicepparam` files with `using` to parameter files in JSON.

## Resources
- Look a resource type up before you write it: versions with `list_azure_resource_types`, properties with
  `get_azure_resource_type_schema`. Do not guess either.
- Take the newest stable version of a type. Previews only for what no stable version has.
- Refer to resources by their symbols (`storage.id`, `storage.properties.primaryEndpoints.blob`), not by `resourceId` and
  `reference`. Dependencies follow from it; write `dependsOn` only for what no expression shows.
- Write children inside of their parent or with `parent:`, not with slashes in the name.
- Use `existing` for what is already there.
- Put the region into a parameter `location` that defaults to `resourceGroup().location`.

## Modules
- One purpose for each module. Leave the `name` of a module out: it is generated.
- Use published modules (`br/public:avm/…`) where they fit, with a fixed version.
- Outputs only for what callers need.

## Expressions
- Interpolate strings (`'${prefix}-web'`) instead of `concat`.
- Use `.?` and `??` where a value may be missing, and `!` only where it cannot be.
- Loops with `[for item in items: …]`; conditions with `if`.

## Before you are done
- Compile with `build_bicep` or `build_bicepparam` and fix all errors and warnings; `explain_code` says what a code means.
- Run `check_files` for best-practice rules and the layout, and `get_deployment_snapshot` to see what would be deployed.
";
