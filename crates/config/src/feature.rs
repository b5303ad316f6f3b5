//! The experimental features that `experimentalFeaturesEnabled` switches on.

/// A feature that may still change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// `assert` statements.
    Assertions,
    /// Configuration of the `az` extension.
    AzExtensionConfig,
    /// The `deploy`, `what-if` and `teardown` commands and what they need in parameter files.
    DeployCommands,
    /// Accepted, without effect.
    ExtendableParamFiles,
    /// The layout of the former formatter.
    LegacyFormatter,
    /// Deployment to extensions on this machine.
    LocalDeploy,
    /// Extension configuration per module.
    ModuleExtensionConfigs,
    /// Any OCI registry.
    OciEnabled,
    /// The `@patch()` decorator.
    Patch,
    /// `resourceInfo()` in emitted templates.
    ResourceInfoCodegen,
    /// Resource types as types of parameters and outputs.
    ResourceTypedParamsAndOutputs,
    /// Values known only at run time in `tags` and `sku`.
    RuntimeValuesInTagsAndSku,
    /// Source maps.
    SourceMapping,
    /// Symbolic names in every emitted template.
    SymbolicNameCodegen,
    /// `test` statements and the `test` command.
    TestFramework,
    /// The `@validate()` decorator.
    UserDefinedConstraints,
    /// The `@waitUntil()` decorator.
    WaitUntil,
}

impl Feature {
    /// Every feature with its name in the file and what it does, in the order of the names.
    pub const ALL: [(Self, &'static str, &'static str); 17] = [
        (Self::Assertions, "assertions", "Allow `assert` statements."),
        (Self::AzExtensionConfig, "azExtensionConfig", "Allow configuration of the `az` extension."),
        (
            Self::DeployCommands,
            "deployCommands",
            "Enable `deploy`, `what-if` and `teardown` of parameter files.",
        ),
        (Self::ExtendableParamFiles, "extendableParamFiles", "No effect: always on."),
        (Self::LegacyFormatter, "legacyFormatter", "Lay files out as the former formatter did."),
        (Self::LocalDeploy, "localDeploy", "Allow deployment to extensions on this machine."),
        (Self::ModuleExtensionConfigs, "moduleExtensionConfigs", "Allow extension configuration per module."),
        (Self::OciEnabled, "ociEnabled", "Allow any OCI registry."),
        (Self::Patch, "patch", "Allow the `@patch()` decorator."),
        (
            Self::ResourceInfoCodegen,
            "resourceInfoCodegen",
            "Emit `resourceInfo()` where it makes templates simpler.",
        ),
        (
            Self::ResourceTypedParamsAndOutputs,
            "resourceTypedParamsAndOutputs",
            "Allow resource types as types of parameters and outputs.",
        ),
        (
            Self::RuntimeValuesInTagsAndSku,
            "runtimeValuesInTagsAndSku",
            "Allow values known only at run time in `tags` and `sku`.",
        ),
        (Self::SourceMapping, "sourceMapping", "Keep source maps with emitted templates."),
        (Self::SymbolicNameCodegen, "symbolicNameCodegen", "Emit symbolic names always."),
        (Self::TestFramework, "testFramework", "Allow `test` statements and the `test` command."),
        (Self::UserDefinedConstraints, "userDefinedConstraints", "Allow the `@validate()` decorator."),
        (Self::WaitUntil, "waitUntil", "Allow the `@waitUntil()` decorator."),
    ];

    /// The name in the file.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(feature, ..)| *feature == self).map_or("", |(_, name, _)| name)
    }

    /// Whether what is made with it may not work tomorrow. The others are settled, or touch no template.
    pub const fn is_experimental(self) -> bool {
        !matches!(
            self,
            Self::ExtendableParamFiles
                | Self::LegacyFormatter
                | Self::SymbolicNameCodegen
                | Self::TestFramework
        )
    }

    /// The feature of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(feature, ..)| *feature)
    }
}

/// Names of features that were experimental once and are always on now, or have gone.
pub(crate) static SETTLED: &[&str] = &[
    "advancedListComprehension",
    "compileTimeImports",
    "dynamicTypeLoading",
    "dynamicTypeLoadingEnabled",
    "extensibility",
    "extensionRegistry",
    "externalInputFunction",
    "microsoftGraphPreview",
    "moduleIdentity",
    "nullabilityAssertions",
    "onlyIfNotExists",
    "optionalModuleNames",
    "paramsFiles",
    "prettyPrinting",
    "providerRegistry",
    "publishSource",
    "resourceDerivedTypes",
    "secureOutputs",
    "typedVariables",
    "userDefinedFunctions",
    "userDefinedTypes",
];
