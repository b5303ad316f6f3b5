//! Commands as tools for assistants: arguments as JSON come in, a command runs with its output kept, and what it says goes
//! out as JSON.

use std::ffi::OsString;

use lsp::{Tool, ToolAnswer};
use serde_json::{Map, Value, json};

use crate::args;
use crate::names::{Parsed, Refusal};
use crate::session::{Session, Status};

/// A tool: how clients list it, and the command that it is.
struct CommandTool {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    arguments: &'static [Argument],
    /// The command and its fixed options.
    command: &'static [&'static str],
    output: Output,
}

/// An argument of a tool.
struct Argument {
    name: &'static str,
    description: &'static str,
    kind: ArgumentKind,
    is_required: bool,
}

/// How an argument becomes part of a command line.
enum ArgumentKind {
    /// An option with a value.
    Option(&'static str),
    /// An option that may be given several times.
    Options(&'static str),
    /// One value without an option.
    Value,
    /// Values without an option.
    Values,
}

/// What a command writes to standard output.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Output {
    Text,
    Json,
    /// One JSON value a line.
    JsonLines,
}

const FILES: Argument = Argument {
    name: "paths",
    description: "Absolute paths of files or folders",
    kind: ArgumentKind::Values,
    is_required: true,
};

const PARAMETERS: Argument = Argument {
    name: "parameters",
    description: "Parameters: absolute paths of parameter files, or NAME=VALUE with a value in JSON",
    kind: ArgumentKind::Options("--parameters"),
    is_required: false,
};

const TOOLS: &[CommandTool] = &[
    CommandTool {
        name: "build_files",
        title: "Compile Bicep files",
        description: "Compiles one Bicep file and prints its ARM template. build_bicep does the same with diagnostics as data.",
        arguments: &[Argument {
            name: "filePath",
            description: "The absolute path of the .bicep file",
            kind: ArgumentKind::Value,
            is_required: true,
        }],
        command: &["build", "--stdout"],
        output: Output::Json,
    },
    CommandTool {
        name: "lint_files",
        title: "Lint Bicep files",
        description: "Reports what compiler and linter say about Bicep files and folders.",
        arguments: &[FILES],
        command: &["lint", "--diagnostics-format", "json"],
        output: Output::JsonLines,
    },
    CommandTool {
        name: "check_files",
        title: "Run all checks",
        description: "Compiles, lints, validates, runs best-practice rules over and checks the layout of Bicep files and templates.",
        arguments: &[FILES],
        command: &["check", "--diagnostics-format", "json"],
        output: Output::JsonLines,
    },
    CommandTool {
        name: "analyze_files",
        title: "Run best-practice rules",
        description: "Holds templates and Bicep files against best-practice rules. What could not be decided is told as such.",
        arguments: &[
            FILES,
            Argument {
                name: "minSeverity",
                description: "The least severe rules to run: low, medium or high",
                kind: ArgumentKind::Option("--min-severity"),
                is_required: false,
            },
        ],
        command: &["analyze", "--diagnostics-format", "json"],
        output: Output::JsonLines,
    },
    CommandTool {
        name: "explain_code",
        title: "Explain a code",
        description: "Says what codes in reports mean (BCP036, no-unused-params, TA-000004) and what to do about them.",
        arguments: &[Argument {
            name: "codes",
            description: "The codes",
            kind: ArgumentKind::Values,
            is_required: true,
        }],
        command: &["explain"],
        output: Output::Text,
    },
    CommandTool {
        name: "evaluate_expression",
        title: "Evaluate an expression",
        description: "Evaluates a Bicep expression or a template expression in brackets, alone or against a template. Without an \
                      expression, the whole template. What only a deployment knows stays an expression.",
        arguments: &[
            Argument {
                name: "expression",
                description: "The expression, such as uniqueString('a') or [variables('x')]",
                kind: ArgumentKind::Value,
                is_required: false,
            },
            Argument {
                name: "template",
                description: "The absolute path of a .bicep or .json file whose parameters, variables and resources it may use",
                kind: ArgumentKind::Option("--template"),
                is_required: false,
            },
            PARAMETERS,
        ],
        command: &["eval"],
        output: Output::Json,
    },
    #[cfg(feature = "deploy")]
    CommandTool {
        name: "what_if",
        title: "What would a deployment change?",
        description: "Says what a deployment of a Bicep, parameter or template file would change, against the resources that were \
                      deployed on this machine. Azure is not asked.",
        arguments: &[
            Argument {
                name: "filePath",
                description: "The absolute path of the file",
                kind: ArgumentKind::Value,
                is_required: true,
            },
            PARAMETERS,
            Argument {
                name: "resourceGroup",
                description: "The resource group",
                kind: ArgumentKind::Option("--resource-group"),
                is_required: false,
            },
        ],
        command: &["what-if", "--json"],
        output: Output::Json,
    },
    CommandTool {
        name: "search_resource_types",
        title: "Search resource types",
        description: "Finds resource types whose names contain all of some words, with their newest versions.",
        arguments: &[Argument {
            name: "words",
            description: "Words, such as storage and account",
            kind: ArgumentKind::Values,
            is_required: true,
        }],
        command: &["types", "search", "--json"],
        output: Output::JsonLines,
    },
    CommandTool {
        name: "show_resource_type",
        title: "Show a resource type",
        description: "Shows the properties of a resource type, or of one of its properties, a few levels deep: shorter than its schema.",
        arguments: &[
            Argument {
                name: "resourceType",
                description: "TYPE or TYPE@VERSION; without a version the newest one that is not a preview",
                kind: ArgumentKind::Value,
                is_required: true,
            },
            Argument {
                name: "property",
                description: "A property to start from, such as properties.networkAcls",
                kind: ArgumentKind::Value,
                is_required: false,
            },
            Argument {
                name: "depth",
                description: "How many levels, as a text; 2 if it is left out",
                kind: ArgumentKind::Option("--depth"),
                is_required: false,
            },
        ],
        command: &["types", "show", "--json"],
        output: Output::Json,
    },
    CommandTool {
        name: "decompile_template",
        title: "Decompile a template",
        description: "Turns an ARM template or parameters file in JSON into Bicep and says what is wrong with the result. Nothing is \
                      written.",
        arguments: &[Argument {
            name: "filePath",
            description: "The absolute path of the JSON file",
            kind: ArgumentKind::Value,
            is_required: true,
        }],
        command: &["decompile", "--stdout"],
        output: Output::Text,
    },
];

/// The tools, as clients list them.
pub(super) fn list() -> Vec<Tool> {
    TOOLS.iter().map(CommandTool::listed).collect()
}

/// Runs a tool.
pub(super) fn call(name: &str, arguments: &Map<String, Value>) -> Result<ToolAnswer, String> {
    let tool =
        TOOLS.iter().find(|tool| tool.name == name).ok_or_else(|| format!("There is no tool \"{name}\"."))?;
    let line = tool.command_line(arguments)?;
    let session = Session::capturing();
    let status = match args::parse(&line) {
        Ok(Parsed::Run(command, _)) => command.run(&session).map_err(|failure| failure.to_string()),
        Ok(Parsed::Print(text)) => {
            session.output.data(&text).map(|()| Status::Clean).map_err(|it| it.to_string())
        }
        Err(Refusal::Arguments(error)) => Err(error.to_string()),
        Err(Refusal::Failure(failure)) => Err(failure.to_string()),
    };
    let written = session.output.captured();
    let status = status.map_err(|message| format!("{}{message}", written.talk))?;
    let content = json!({
        "success": status == Status::Clean,
        "result": tool.result(&written.data),
        "messages": written.talk,
    });
    Ok(ToolAnswer { content, is_error: false })
}

impl CommandTool {
    fn listed(&self) -> Tool {
        let properties: Map<String, Value> = self.arguments.iter().map(Argument::schema).collect();
        let required: Vec<&str> =
            self.arguments.iter().filter(|it| it.is_required).map(|it| it.name).collect();
        let result = match self.output {
            Output::Text => json!({ "type": "string" }),
            Output::Json => json!({}),
            Output::JsonLines => json!({ "type": "array", "items": {} }),
        };
        Tool {
            name: self.name,
            title: self.title,
            description: self.description,
            input_schema: json!({ "type": "object", "properties": properties, "required": required }),
            output_schema: json!({
                "type": "object",
                "properties": {
                    "success": { "type": "boolean", "description": "Whether nothing is wrong" },
                    "result": result,
                    "messages": { "type": "string", "description": "What else was said" },
                },
                "required": ["success", "result", "messages"],
            }),
        }
    }

    /// The command line for some arguments.
    fn command_line(&self, given: &Map<String, Value>) -> Result<Vec<OsString>, String> {
        if let Some(unknown) = given.keys().find(|name| !self.arguments.iter().any(|it| it.name == **name)) {
            return Err(format!("The tool {} has no argument \"{unknown}\".", self.name));
        }
        let mut options: Vec<String> = self.command.iter().map(|word| (*word).to_owned()).collect();
        let mut values = Vec::new();
        for argument in self.arguments {
            let texts = argument.texts(given.get(argument.name))?;
            if texts.is_empty() && argument.is_required {
                return Err(format!("The argument \"{}\" is missing.", argument.name));
            }
            match argument.kind {
                ArgumentKind::Option(option) | ArgumentKind::Options(option) => {
                    options.extend(texts.iter().map(|text| format!("{option}={text}")));
                }
                ArgumentKind::Value | ArgumentKind::Values => values.extend(texts),
            }
        }
        // A value that starts with a dash is no option.
        let words = ["sinew".to_owned()].into_iter().chain(options).chain(["--".to_owned()]).chain(values);
        Ok(words.map(OsString::from).collect())
    }

    fn result(&self, data: &str) -> Value {
        let read = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
        match self.output {
            Output::Text => Value::String(data.to_owned()),
            Output::Json if data.trim().is_empty() => Value::Null,
            Output::Json => read(data),
            Output::JsonLines => data.lines().filter(|line| !line.trim().is_empty()).map(read).collect(),
        }
    }
}

impl Argument {
    fn schema(&self) -> (String, Value) {
        let schema = match self.kind {
            ArgumentKind::Option(_) | ArgumentKind::Value => {
                json!({ "type": "string", "description": self.description })
            }
            ArgumentKind::Options(_) | ArgumentKind::Values => {
                json!({ "type": "array", "items": { "type": "string" }, "description": self.description })
            }
        };
        (self.name.to_owned(), schema)
    }

    /// The texts of a given argument. One text may stand for a list of one.
    fn texts(&self, given: Option<&Value>) -> Result<Vec<String>, String> {
        let wrong = || format!("The argument \"{}\" has the wrong type.", self.name);
        let text = |value: &Value| match value {
            Value::String(text) => Ok(text.clone()),
            Value::Number(number) => Ok(number.to_string()),
            _ => Err(wrong()),
        };
        match given {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(items))
                if matches!(self.kind, ArgumentKind::Values | ArgumentKind::Options(_)) =>
            {
                items.iter().map(text).collect()
            }
            Some(value) => Ok(vec![text(value)?]),
        }
    }
}
