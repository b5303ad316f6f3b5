//! The format of `bicepconfig.json` as a table: every key, what it takes and what it is for.

use crate::shape::{Field, Shape, TextKind};

const TEXT: Shape = Shape::Text(TextKind::Any);
const NAME: Shape = Shape::Text(TextKind::NonEmpty);
const GLOBS: Shape = Shape::List(&NAME);

/// The whole file.
pub(crate) static ROOT: &[Field] = &[
    Field::new("$schema", TEXT, "The JSON schema of this file, for editors."),
    Field::new("extends", TEXT, "Another configuration file that this one builds on, as a relative path."),
    Field::new("cloud", Shape::Record(CLOUD), "Which cloud to talk to, and with which credentials."),
    Field::new("moduleAliases", Shape::Record(MODULE_ALIASES), "Short names for places that hold modules."),
    Field::new(
        "moduleAliasesMock",
        Shape::Record(MODULE_MOCKS),
        "Folders that stand in for registry aliases while modules are developed.",
    ),
    Field::new(
        "extensionAliases",
        Shape::Record(EXTENSION_ALIASES),
        "Short names for places that hold extension packages. A module alias of the same name is used when there is none here.",
    ),
    Field::new("providerAliases", Shape::Record(EXTENSION_ALIASES), "Another name of `extensionAliases`.")
        .same_as("extensionAliases"),
    Field::new(
        "extensions",
        Shape::Providers,
        "The extensions that source files may name, and where each comes from: `builtin:`, `br:HOST/PATH:TAG`, `br/ALIAS:PATH:TAG`, or the path of a local package relative to this file.",
    ),
    Field::new("providers", Shape::Providers, "Another name of `extensions`.").same_as("extensions"),
    Field::new(
        "implicitExtensions",
        Shape::List(&NAME),
        "The extensions that every source file has without naming them. Replaces the default list.",
    ),
    Field::new("implicitProviders", Shape::List(&NAME), "Another name of `implicitExtensions`.")
        .same_as("implicitExtensions"),
    Field::new("analyzers", Shape::Record(ANALYZERS), "The linter."),
    Field::new(
        "cacheRootDirectory",
        TEXT,
        "Where restored artifacts are kept. A leading `~` is the home folder; a relative path starts at this file.",
    ),
    Field::new(
        "experimentalFeaturesWarning",
        Shape::Flag,
        "Whether to say which experimental features are switched on.",
    ),
    Field::new("experimentalFeaturesEnabled", Shape::Features, "Features that may still change."),
    Field::new("formatting", Shape::Record(FORMATTING), "How source files are laid out."),
    Field::new("documentation", Shape::Record(DOCUMENTATION), "How documentation of modules is generated."),
];

static CLOUD: &[Field] = &[
    Field::new("currentProfile", TEXT, "The profile in use."),
    Field::new("profiles", Shape::Map(&Shape::Record(CLOUD_PROFILE)), "The clouds that can be chosen."),
    Field::new(
        "credentialPrecedence",
        Shape::List(&Shape::Choice(CREDENTIALS)),
        "Where credentials are looked for, in this order.",
    ),
    Field::new("credentialOptions", Shape::Record(CREDENTIAL_OPTIONS), "Details of credentials."),
];

static CLOUD_PROFILE: &[Field] = &[
    Field::new("resourceManagerEndpoint", TEXT, "The address of the resource manager.").required(),
    Field::new("activeDirectoryAuthority", TEXT, "The address that issues tokens.").required(),
];

/// The sources of credentials, in the spelling of the file.
pub(crate) static CREDENTIALS: &[&str] =
    &["Environment", "ManagedIdentity", "VisualStudio", "VisualStudioCode", "AzureCLI", "AzurePowerShell"];

static CREDENTIAL_OPTIONS: &[Field] =
    &[Field::new("managedIdentity", Shape::Record(MANAGED_IDENTITY), "Which managed identity to use.")];

static MANAGED_IDENTITY: &[Field] = &[
    Field::new("type", Shape::Choice(&["SystemAssigned", "UserAssigned"]), "Whose identity it is."),
    Field::new("clientId", Shape::Text(TextKind::Uuid), "The client of a user-assigned identity."),
    Field::new("resourceId", TEXT, "The resource of a user-assigned identity."),
];

static MODULE_ALIASES: &[Field] = &[
    Field::new("ts", Shape::Map(&Shape::Record(TEMPLATE_SPEC_ALIAS)), "Aliases for `ts/ALIAS:NAME:VERSION`."),
    Field::new("br", Shape::Map(&Shape::Record(MODULE_ALIAS)), "Aliases for `br/ALIAS:PATH:TAG`."),
];

static TEMPLATE_SPEC_ALIAS: &[Field] = &[
    Field::new("subscription", Shape::Text(TextKind::Uuid), "The subscription of the template specs.")
        .required(),
    Field::new("resourceGroup", Shape::Text(TextKind::ResourceGroup), "Their resource group.").required(),
];

static MODULE_ALIAS: &[Field] = &[
    Field::new("registry", Shape::Text(TextKind::RegistryHost), "The registry.").required(),
    Field::new("modulePath", NAME, "The path in front of what a reference names."),
];

static MODULE_MOCKS: &[Field] =
    &[Field::new("br", Shape::Map(&Shape::Record(MODULE_MOCK)), "Folders for `br/ALIAS:PATH:TAG`.")];

static MODULE_MOCK: &[Field] =
    &[Field::new("mapToFilePath", NAME, "The folder with the modules as `.bicep` files.").required()];

static EXTENSION_ALIASES: &[Field] = &[Field::new(
    "br",
    Shape::Map(&Shape::Record(EXTENSION_ALIAS)),
    "Aliases for `br/ALIAS:PATH:TAG` in extension statements.",
)];

static EXTENSION_ALIAS: &[Field] = &[
    Field::new("registry", Shape::Text(TextKind::RegistryHost), "The registry.").required(),
    Field::new("extensionPath", NAME, "The path in front of what a reference names."),
    Field::new("providerPath", NAME, "Another name of `extensionPath`.").same_as("extensionPath"),
];

static ANALYZERS: &[Field] =
    &[Field::new("core", Shape::Record(CORE_ANALYZER), "The rules that come with the tool.")];

static CORE_ANALYZER: &[Field] = &[
    Field::new("enabled", Shape::Flag, "Whether lint rules run at all."),
    Field::new("verbose", Shape::Flag, "Whether to say which configuration file is used."),
    Field::new("rules", Shape::Rules, "Level and options of each rule."),
];

static FORMATTING: &[Field] = &[
    Field::new("indentKind", Shape::Choice(&["Space", "Tab"]), "What a line is indented with."),
    Field::new("newlineKind", Shape::Choice(&["LF", "CRLF", "CR"]), "What ends a line."),
    Field::new("indentSize", Shape::Integer { min: 0, max: 1000 }, "How many spaces indent one level."),
    Field::new(
        "width",
        Shape::Integer { min: 0, max: i32::MAX as i64 },
        "How long a line should be at most.",
    ),
    Field::new("insertFinalNewline", Shape::Flag, "Whether the file ends with a line end."),
];

static DOCUMENTATION: &[Field] = &[
    Field::new(
        "output",
        Shape::Record(&[Field::new("file", NAME, "The name of the generated file.")]),
        "What is written.",
    ),
    Field::new(
        "template",
        Shape::Record(&[
            Field::new("file", NAME, "The template that makes the text."),
            Field::new("includeRoot", NAME, "The folder in which the template finds its parts."),
            Field::new("values", Shape::Map(&TEXT), "Values that the template may use."),
        ]),
        "How the text is made.",
    ),
    Field::new(
        "examples",
        Shape::Record(&[
            Field::new(
                "sources",
                Shape::List(&Shape::Record(EXAMPLE_SOURCE)),
                "Where examples are looked for.",
            ),
            Field::new(
                "reassignments",
                Shape::List(&Shape::Record(EXAMPLE_REASSIGNMENT)),
                "Examples that belong to another module than the one they lie in.",
            ),
        ]),
        "The examples that are shown.",
    ),
];

static EXAMPLE_SOURCE: &[Field] = &[
    Field::new("path", NAME, "A folder relative to the module.").required(),
    Field::new("include", GLOBS, "Patterns of files to take."),
    Field::new("exclude", GLOBS, "Patterns of files to leave out."),
];

static EXAMPLE_REASSIGNMENT: &[Field] = &[
    Field::new(
        "from",
        Shape::Record(&[
            Field::new("include", GLOBS, "Patterns of examples to move.").required(),
            Field::new("exclude", GLOBS, "Patterns of examples to leave."),
        ]),
        "Which examples.",
    )
    .required(),
    Field::new("to", NAME, "The module they are shown with.").required(),
];
