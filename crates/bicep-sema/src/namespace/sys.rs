//! The namespace `sys`: the functions that every file has. One row a way to call a function.

use std::sync::{Arc, LazyLock};

use bicep_types::ty::{
    FunctionFlags, ObjectType, Overload, PropertyFlags, StringShape, Type, TypeFlags, union,
};
use config::Feature;

use super::Audience;
use super::notation::{Declared, Row};
use super::overloads::Table;
use crate::check::{CallSite, Checker, result};

const PLAIN: FunctionFlags = FunctionFlags::PURE;
const DEFAULTS: FunctionFlags = FunctionFlags::PARAM_DEFAULTS_ONLY;
const LOADED: FunctionFlags = FunctionFlags::PURE.union(FunctionFlags::INTERMEDIATE_VARIABLE_ALWAYS);
const LOADED_TEXT: FunctionFlags =
    FunctionFlags::PURE.union(FunctionFlags::INTERMEDIATE_VARIABLE_ON_INDIRECT_ASSIGNMENT);
const EXTERNAL: FunctionFlags = FunctionFlags::REQUIRES_EXTERNAL_INPUT;
use Audience::{All, ParamsWith, ParamsWithout};

/// A function of the compiler: how it is called, what a call gives, and what becomes of it in a template. How it is
/// evaluated stands in `arm`, under the same name.
pub(crate) struct Function {
    row: Row,
    /// Whether a call whose arguments are literals is evaluated by the compiler.
    pub(crate) folds: bool,
    /// The type of a call, where that depends on its arguments.
    pub(crate) result: ResultType,
    emission: Emission,
}

/// How the type of a call is found.
#[derive(Clone, Copy)]
pub(crate) enum ResultType {
    /// As the signature says.
    Declared,
    /// From the types of the arguments; `None`: as the signature says.
    Typed(fn(&[Type]) -> Option<Type>),
    /// From the call itself: the compiler reads a file, or reports what is wrong with an argument.
    Checked(for<'a> fn(&mut Checker<'a>, CallSite<'a>, &[Type]) -> Type),
}

/// What stands in a template for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emission {
    /// A call of the function of the same name.
    Call,
    Argument,
    /// The value that the compiler has found.
    Constant,
    /// A reference to an external input.
    ExternalInput,
}

const fn row(
    audience: Audience,
    signature: &'static str,
    flags: FunctionFlags,
    description: &'static str,
) -> Function {
    let row = (audience, signature, flags, description);
    Function { row, folds: false, result: ResultType::Declared, emission: Emission::Call }
}

impl Function {
    const fn folds(mut self) -> Self {
        self.folds = true;
        self
    }

    const fn typed(mut self, rule: fn(&[Type]) -> Option<Type>) -> Self {
        self.result = ResultType::Typed(rule);
        self
    }

    const fn checked(mut self, rule: for<'a> fn(&mut Checker<'a>, CallSite<'a>, &[Type]) -> Type) -> Self {
        self.result = ResultType::Checked(rule);
        self
    }

    const fn emits(mut self, emission: Emission) -> Self {
        self.emission = emission;
        self
    }

    fn name(&self) -> &'static str {
        self.row.1.split('(').next().unwrap_or_default()
    }
}

/// The row that an overload of `sys` was read from.
pub(crate) fn function(overload: &Overload) -> Option<&'static Function> {
    ROWS.get(overload.row?)
}

/// What stands in a template for a call of a function of `sys`.
pub fn emission(name: &str) -> Emission {
    static OTHERS: LazyLock<Vec<&Function>> =
        LazyLock::new(|| ROWS.iter().filter(|row| row.emission != Emission::Call).collect());
    OTHERS.iter().find(|row| row.name() == name).map_or(Emission::Call, |row| row.emission)
}

#[rustfmt::skip]
#[expect(clippy::redundant_closure_for_method_calls, reason = "a method of a type with a lifetime is not general enough")]
const ROWS: &[Function] = &[
    row(All, "any(value: any): any", PLAIN, "The value, taken for a value of any type.").emits(Emission::Argument),
    row(All, "concat(...1 arg: array): array", PLAIN, "The items of all arrays in one.").folds()
        .typed(|it| Some(result::concat(it))),
    row(All, "cidrSubnet(network: string, cidr: int, subnetIndex: int): string", PLAIN, "One of the subnets that an address range is split into."),
    row(All, "cidrHost(network: string, hostIndex: int): string", PLAIN, "The address of one host in an address range."),
    row(All, "parseCidr(network: string): Cidr", PLAIN, "The parts of an address range."),
    row(All, "buildUri(components: Uri): string", PLAIN, "A URI made of its parts."),
    row(All, "parseUri(baseUrl: string): Uri", PLAIN, "The parts of a URI."),
    row(All, "concat(...1 arg: string|int|bool): string", PLAIN, "The texts of all values in one."),
    row(All, "format(formatString: string, ...0 arg: any): string", PLAIN, "A text with values in its numbered places.").folds(),
    row(All, "base64(inputString: string): string", PLAIN, "The text in base64.").folds(),
    row(All, "padLeft(valueToPad: string|int, totalLength: int, paddingCharacter?: string): string", PLAIN, "The text, filled up on the left.").folds()
        .typed(|it| Some(result::pad_left(it.first()?, it.get(1)))),
    row(All, "replace(originalString: string, oldString: string, newString: string): string", PLAIN, "The text with every occurrence of one text replaced by another.").folds(),
    row(All, "toLower(stringToChange: string): string", PLAIN, "The text in lower case.").folds()
        .typed(result::other_case),
    row(All, "toUpper(stringToChange: string): string", PLAIN, "The text in upper case.").folds()
        .typed(result::other_case),
    row(All, "length(arg: string|object): int", PLAIN, "The number of characters or properties.").folds()
        .typed(|it| Some(result::length(it.first()?))),
    row(All, "length(arg: array): int", PLAIN, "The number of items.")
        .typed(|it| Some(result::length(it.first()?))),
    row(All, "split(inputString: string, delimiter: string|array): string[]", PLAIN, "The parts of a text between delimiters.").folds()
        .typed(|_| Some(result::split())),
    row(All, "join(inputArray: Texts, delimiter: string): string", PLAIN, "The items in one text, with a delimiter between them.").folds()
        .typed(|it| Some(result::join(it.first()?, it.get(1)))),
    row(All, "string(valueToConvert: any): string", PLAIN, "The value as text."),
    row(All, "int(valueToConvert: string|int): int", PLAIN, "The value as an integer."),
    row(All, "uniqueString(...1 arg: string): Hash", PLAIN, "Thirteen characters that depend on the values alone.").folds(),
    row(All, "guid(...1 arg: string): Guid", PLAIN, "A GUID that depends on the values alone.").folds(),
    row(All, "trim(stringToTrim: string): string", PLAIN, "The text without white space around it.").folds()
        .typed(result::trim),
    row(All, "uri(baseUri: string, relativeUri: string): string", PLAIN, "A URI relative to another.").folds(),
    row(All, "substring(stringToParse: string, startIndex: natural, length?: natural): string", PLAIN, "A part of a text.").folds()
        .typed(|it| Some(result::substring(it))),
    row(All, "take(originalValue: array, numberToTake: int): array", PLAIN, "The first items.").folds()
        .typed(|it| Some(result::take_items(it.first()?, it.get(1)))),
    row(All, "take(originalValue: string, numberToTake: int): string", PLAIN, "The first characters.").folds()
        .typed(|it| Some(result::take_text(it.first()?, it.get(1)))),
    row(All, "skip(originalValue: array, numberToSkip: int): array", PLAIN, "All but the first items.").folds()
        .typed(|it| Some(result::skip_items(it.first()?, it.get(1)))),
    row(All, "skip(originalValue: string, numberToSkip: int): string", PLAIN, "All but the first characters.").folds()
        .typed(|it| Some(result::skip_text(it.first()?, it.get(1)))),
    row(All, "empty(itemToTest: null|object|array|string): bool", PLAIN, "Whether there is nothing in the value.").folds(),
    row(All, "contains(object: object, propertyName: string): bool", PLAIN, "Whether the object has a property, in any case.").folds(),
    row(All, "contains(array: array, itemToFind: any): bool", PLAIN, "Whether the array has an item.").folds(),
    row(All, "contains(string: string, itemToFind: string): bool", PLAIN, "Whether the text contains another.").folds(),
    row(All, "intersection(...2 object: object): object", PLAIN, "What all objects have in common.").folds(),
    row(All, "intersection(...2 array: array): array", PLAIN, "What all arrays have in common.").folds(),
    row(All, "union(...2 object: object): object", PLAIN, "The properties of all objects, merged in depth.").folds(),
    row(All, "union(...2 object: array): array", PLAIN, "The items of all arrays, each once.").folds(),
    row(All, "shallowMerge(entries: object[]): object", PLAIN, "The properties of all objects; the last of a name wins.").folds(),
    row(All, "first(array: array): any", PLAIN, "The first item.")
        .typed(|it| Some(result::end_item(it.first()?, true))),
    row(All, "first(string: string): string", PLAIN, "The first character.").folds()
        .typed(result::end_character),
    row(All, "last(array: array): any", PLAIN, "The last item.")
        .typed(|it| Some(result::end_item(it.first()?, false))),
    row(All, "last(string: string): string", PLAIN, "The last character.").folds()
        .typed(result::end_character),
    row(All, "indexOf(stringToSearch: string, stringToFind: string): int", PLAIN, "The first place of a text in another, or -1.").folds(),
    row(All, "indexOf(array: array, itemToFind: any): int", PLAIN, "The first place of an item, or -1.").folds(),
    row(All, "lastIndexOf(stringToSearch: string, stringToFind: string): int", PLAIN, "The last place of a text in another, or -1.").folds(),
    row(All, "lastIndexOf(array: array, itemToFind: any): int", PLAIN, "The last place of an item, or -1.").folds(),
    row(All, "startsWith(stringToSearch: string, stringToFind: string): bool", PLAIN, "Whether a text starts with another, in any case.").folds(),
    row(All, "endsWith(stringToSearch: string, stringToFind: string): bool", PLAIN, "Whether a text ends with another, in any case.").folds(),
    row(All, "distinct(array: array): array", PLAIN, "The items, each once, in their order.").folds(),
    row(All, "like(input: string, pattern: string): bool", PLAIN, "Whether a text is like a pattern in which `*` stands for anything.").folds(),
    row(All, "min(...1 int: int): int", PLAIN, "The smallest of the numbers.").folds()
        .typed(|it| Some(result::extreme(it, false))),
    row(All, "min(intArray: int[]): int", PLAIN, "The smallest item.").folds()
        .typed(|it| Some(result::extreme(it, false))),
    row(All, "max(...1 int: int): int", PLAIN, "The largest of the numbers.").folds()
        .typed(|it| Some(result::extreme(it, true))),
    row(All, "max(intArray: int[]): int", PLAIN, "The largest item.").folds()
        .typed(|it| Some(result::extreme(it, true))),
    row(All, "range(startIndex: int, count: int): int[]", PLAIN, "Consecutive integers.")
        .typed(|it| Some(result::range(it.first()?, it.get(1)?))),
    row(All, "base64ToString(base64Value: string): string", PLAIN, "The text that is written in base64.").folds(),
    row(All, "base64ToJson(base64Value: string): any", PLAIN, "The JSON value that is written in base64."),
    row(All, "uriComponentToString(uriEncodedString: string): string", PLAIN, "The text that is written with URI escapes.").folds(),
    row(All, "uriComponent(stringToEncode: string): string", PLAIN, "The text with URI escapes.").folds(),
    row(All, "dataUriToString(dataUriToConvert: string): string", PLAIN, "The text in a data URI.").folds(),
    row(All, "dataUri(valueToConvert: any): string", PLAIN, "The value as a data URI.").folds(),
    row(All, "array(valueToConvert: any): array", PLAIN, "The value as an array."),
    row(All, "bool(value: any): bool", PLAIN, "The value as a boolean."),
    row(All, "json(json: string): any", PLAIN, "The value that is written in JSON.")
        .checked(|checker, site, it| checker.json_result(site, it)),
    row(All, "dateTimeAdd(base: string, duration: string, format?: string): string", PLAIN, "A time, moved by a duration."),
    row(All, "dateTimeToEpoch(dateTime?: string): int", PLAIN, "A time in seconds since 1970."),
    row(All, "dateTimeFromEpoch(epochTime?: int): string", PLAIN, "The time of seconds since 1970."),
    row(All, "utcNow(format?: string): string", DEFAULTS, "The time of the deployment. Only in the default of a parameter."),
    row(All, "newGuid(): Guid", DEFAULTS, "A new GUID for each deployment. Only in the default of a parameter."),
    row(All, "loadTextContent(filePath: FilePath, encoding?: Encoding): string", LOADED_TEXT, "The text of a file, read by the compiler.")
        .checked(|checker, site, it| checker.load_text(site, it)).emits(Emission::Constant),
    row(All, "loadFileAsBase64(filePath: FilePath): string", LOADED_TEXT, "The bytes of a file in base64, read by the compiler.")
        .checked(|checker, site, it| checker.load_base64(site, it)).emits(Emission::Constant),
    row(All, "loadJsonContent(filePath: JsonPath, jsonPath?: string, encoding?: Encoding): any", LOADED, "The value of a JSON file, read by the compiler.")
        .checked(|checker, site, it| checker.load_json(site, it)).emits(Emission::Constant),
    row(All, "loadYamlContent(filePath: YamlPath, pathFilter?: string, encoding?: Encoding): any", LOADED, "The value of a YAML file, read by the compiler.")
        .checked(|checker, site, it| checker.load_yaml(site, it)).emits(Emission::Constant),
    row(All, "items(object: object): Items", PLAIN, "Names and values of the properties, sorted by name.")
        .typed(|it| Some(result::items_of(it.first()?))),
    row(All, "objectKeys(object: object): string[]", PLAIN, "The names of the properties, sorted.")
        .typed(result::object_keys),
    row(All, "flatten(array: array[]): array", PLAIN, "The items of all inner arrays in one.")
        .checked(|checker, site, it| checker.flatten(site, it)),
    row(All, "filter(array: array, predicate: (any, [int]) => bool): array", PLAIN, "The items for which the function says true.")
        .typed(result::filter),
    row(All, "map(array: array, predicate: (any, [int]) => any): array", PLAIN, "What the function makes of each item.")
        .typed(|it| Some(result::lambda_result(it.get(1)).map_or_else(Type::any, Type::array_of))),
    row(All, "mapValues(object: object, predicate: (any) => any): array", PLAIN, "The object with what the function makes of each value.")
        .typed(|it| Some(result::lambda_result(it.get(1)).map_or_else(Type::any, result::dictionary))),
    row(All, "sort(array: array, predicate: (any, any) => bool): array", PLAIN, "The items in the order that the function defines.")
        .typed(result::sort),
    row(All, "reduce(array: array, initialValue: any, predicate: (any, any, [int]) => any): any", PLAIN, "What the function makes of all items, one after the other.")
        .typed(|it| Some(result::lambda_result(it.get(2)).unwrap_or_else(Type::any))),
    row(All, "toObject(array: array, keyPredicate: (any) => string, valuePredicate?: (any) => any): object", PLAIN, "An object with a property for each item.")
        .typed(result::to_object),
    row(All, "groupBy(array: array, keyPredicate: (any) => string, valuePredicate?: (any) => any): object", PLAIN, "The items by the key that the function gives.")
        .typed(result::group_by),
    row(All, "nameof(symbol: any): string", PLAIN.union(FunctionFlags::ARGUMENT_VALUE_INDEPENDENT), "The name of a declaration or property.")
        .checked(|checker, site, _| checker.name_of(site)).emits(Emission::Constant),
    row(All, "fail(message: string): never", FunctionFlags::empty(), "Ends the deployment with a message."),
    row(All, "loadDirectoryFileInfo(directoryPath: FolderPath, searchPattern?: string): any", LOADED, "The names of the files in a folder, read by the compiler.")
        .checked(|checker, site, it| checker.load_folder(site, it)).emits(Emission::Constant),
    row(ParamsWithout(Feature::DeployCommands), "readEnvironmentVariable(variableName: string, default?: string): string", FunctionFlags::INTERMEDIATE_VARIABLE_ALWAYS, "An environment variable, read by the compiler.")
        .checked(|checker, site, it| checker.read_environment(site, it)).emits(Emission::Constant),
    row(ParamsWith(Feature::DeployCommands), "readEnvVar(const variableName: string): string", EXTERNAL, "An environment variable, read when the file is deployed.").emits(Emission::ExternalInput),
    row(ParamsWith(Feature::DeployCommands), "readCliArg(const argumentName: string): string", EXTERNAL, "An argument of the command that deploys the file.").emits(Emission::ExternalInput),
    row(Audience::Params, "externalInput(const name: string, const config?: any): any", EXTERNAL, "A value that an external tool supplies.").emits(Emission::ExternalInput),
];

/// All functions with who sees them.
pub(super) fn functions() -> &'static [Declared] {
    static FUNCTIONS: LazyLock<Vec<Declared>> = LazyLock::new(|| {
        let declared = |(position, function): (usize, &'static Function)| {
            Declared::new(&function.row, named).at(position)
        };
        ROWS.iter().enumerate().map(declared).collect()
    });
    &FUNCTIONS
}

/// The same, to be found by name.
pub(super) fn table() -> &'static Arc<Table> {
    static TABLE: LazyLock<Arc<Table>> = LazyLock::new(|| Table::of(functions()));
    &TABLE
}

/// The types that can be named in a declaration, and those that take a resource type.
pub(super) fn types() -> [(&'static str, Type); 6] {
    [
        ("any", Type::any()),
        ("array", Type::array()),
        ("bool", Type::bool()),
        ("int", Type::int()),
        ("object", Type::object()),
        ("string", Type::string()),
    ]
}

/// The names of the types that take a resource type as an argument.
pub const RESOURCE_DERIVED: [&str; 2] = ["resourceInput", "resourceOutput"];

/// Encodings of text files.
pub const ENCODINGS: [&str; 5] = ["us-ascii", "iso-8859-1", "utf-8", "utf-16BE", "utf-16"];

/// Functions of templates that the language has something better for: the operator, or nothing where the code of the
/// message says it all.
pub const BANNED: [(&str, &str); 19] = [
    ("variables", ""),
    ("parameters", ""),
    ("if", ""),
    ("createArray", ""),
    ("createObject", ""),
    ("add", "+"),
    ("sub", "-"),
    ("mul", "*"),
    ("div", "/"),
    ("mod", "%"),
    ("less", "<"),
    ("lessOrEquals", "<="),
    ("greater", ">"),
    ("greaterOrEquals", ">="),
    ("equals", "=="),
    ("not", "!"),
    ("and", "&&"),
    ("or", "||"),
    ("coalesce", "??"),
];

fn named(name: &str) -> Option<Type> {
    let flagged = |flags| Type::string().with_flags(flags);
    Some(match name {
        "Cidr" => cidr(),
        "Uri" => uri(),
        "Texts" => Type::array_of(union([Type::string(), Type::int(), Type::bool()])),
        "Hash" => exact_length(13),
        "Guid" => exact_length(36),
        "FilePath" => flagged(TypeFlags::FILE_PATH),
        "JsonPath" => flagged(TypeFlags::FILE_PATH | TypeFlags::JSON_FILE_PATH),
        "YamlPath" => flagged(TypeFlags::FILE_PATH | TypeFlags::YAML_FILE_PATH),
        "FolderPath" => flagged(TypeFlags::DIRECTORY_PATH),
        "Encoding" => union(ENCODINGS.map(Type::string_literal)),
        "Items" => items(Type::string(), Type::any()),
        _ => return None,
    })
}

/// A string of so many characters.
fn exact_length(length: i64) -> Type {
    let shape = StringShape { min_length: Some(length), max_length: Some(length), pattern: None };
    Type::string_shaped(shape, TypeFlags::empty())
}

/// The result of `items()`: an array of keys with values.
pub(crate) fn items(key: Type, value: Type) -> Type {
    let item = ObjectType::named("object").with_property("key", key, PropertyFlags::empty()).with_property(
        "value",
        value,
        PropertyFlags::empty(),
    );
    Type::array_of(item.into())
}

fn cidr() -> Type {
    let byte =
        Type::int_between(bicep_types::ty::IntRange { min: Some(0), max: Some(255) }, TypeFlags::empty());
    let names = ["network", "netmask", "broadcast", "firstUsable", "lastUsable"];
    names
        .into_iter()
        .fold(ObjectType::named("parseCidr"), |object, name| {
            object.with_property(name, Type::string(), PropertyFlags::empty())
        })
        .with_property("cidr", byte, PropertyFlags::empty())
        .into()
}

fn uri() -> Type {
    ObjectType::named("parseUri")
        .with_property("scheme", Type::string(), PropertyFlags::REQUIRED)
        .with_property("host", Type::string(), PropertyFlags::REQUIRED)
        .with_property("port", Type::int(), PropertyFlags::empty())
        .with_property("path", Type::string(), PropertyFlags::empty())
        .with_property("query", Type::string(), PropertyFlags::empty())
        .into()
}
