//! All rules, in the order of their codes.

/// Declares the modules of the rules and the list of them.
macro_rules! rules {
    ($($name:ident)*) => {
        $(mod $name;)*

        /// Every rule. A test compares the list with the configuration's.
        pub static RULES: &[crate::Rule] = &[$($name::RULE),*];
    };
}

mod description;
mod limit;
mod unused;

rules! {
    adminusername_should_not_be_literal
    artifacts_parameters
    decompiler_cleanup
    explicit_values_for_loc_params
    max_asserts
    max_outputs
    max_params
    max_resources
    max_variables
    nested_deployment_template_scoping
    no_conflicting_metadata
    no_deployments_resources
    no_explicit_any
    no_hardcoded_env_urls
    no_hardcoded_location
    no_hardcoded_outputs
    no_loc_expr_outside_params
    no_module_name
    no_unnecessary_dependson
    no_unused_existing_resources
    no_unused_imports
    no_unused_params
    no_unused_types
    no_unused_vars
    outputs_should_not_contain_secrets
    prefer_interpolation
    prefer_unquoted_property_names
    protect_commandtoexecute_secrets
    secure_parameter_default
    secure_params_in_nested_deploy
    secure_params_in_parameters_file
    secure_secrets_in_params
    simplify_interpolation
    simplify_json_null
    stacks_extensibility_compat
    use_description_outputs
    use_description_params
    use_description_type_properties
    use_description_types
    use_description_vars
    use_parent_property
    use_recent_api_versions
    use_recent_az_powershell_version
    use_recent_module_versions
    use_recognized_resource_type
    use_resource_id_functions
    use_resource_symbol_reference
    use_safe_access
    use_secure_value_for_secure_inputs
    use_stable_resource_identifiers
    use_stable_vm_image
    use_user_defined_types
    what_if_short_circuiting
}

#[cfg(test)]
mod tests {
    use super::RULES;
    use crate::testing::check_files;

    #[test]
    fn the_rules_are_those_of_the_configuration() {
        let codes: Vec<_> = RULES.iter().map(|rule| rule.code).collect();
        let configured: Vec<_> = config::rules::RULES.iter().map(|rule| rule.code).collect();
        assert_eq!(codes, configured);
    }

    #[test]
    fn examples_have_the_findings_that_they_show() {
        for rule in RULES {
            let files = examples(rule.documentation);
            if !files.is_empty() {
                check_files(rule.code, &files);
            }
        }
    }

    /// The fenced files of a rule's documentation, the example itself first.
    fn examples(documentation: &str) -> Vec<(&str, &str)> {
        let mut files: Vec<(&str, &str)> = documentation
            .split("```")
            .skip(1)
            .step_by(2)
            .filter_map(|fence| fence.split_once('\n'))
            .map(|(info, text)| match info.split_once(' ') {
                Some((_, path)) => (path, text),
                None if info == "json" => ("bicepconfig.json", text),
                None => ("main.bicep", text),
            })
            .collect();
        files.sort_by_key(|(path, _)| !path.starts_with("main."));
        files
    }
}
