//! The namespace `sys`: the functions that every file has. One row a way to call a function.

use std::sync::{Arc, LazyLock};

use bicep_types::ty::{
    FunctionFlags, ObjectType, Overload, PropertyFlags, StringShape, Type, TypeFlags, union,
};
use config::Feature;

use super::Audience;
use super::notation::{Row, overloads};

const PLAIN: FunctionFlags = FunctionFlags::PURE;
const DEFAULTS: FunctionFlags = FunctionFlags::PARAM_DEFAULTS_ONLY;
const LOADED: FunctionFlags = FunctionFlags::PURE.union(FunctionFlags::INTERMEDIATE_VARIABLE_ALWAYS);
const LOADED_TEXT: FunctionFlags =
    FunctionFlags::PURE.union(FunctionFlags::INTERMEDIATE_VARIABLE_ON_INDIRECT_ASSIGNMENT);
const EXTERNAL: FunctionFlags = FunctionFlags::REQUIRES_EXTERNAL_INPUT;
use Audience::{All, ParamsWith, ParamsWithout};

#[rustfmt::skip]
const ROWS: &[Row] = &[
    (All, "any(value: any): any", PLAIN, "The value, taken for a value of any type."),
    (All, "concat(...1 arg: array): array", PLAIN, "The items of all arrays in one."),
    (All, "cidrSubnet(network: string, cidr: int, subnetIndex: int): string", PLAIN, "One of the subnets that an address range is split into."),
    (All, "cidrHost(network: string, hostIndex: int): string", PLAIN, "The address of one host in an address range."),
    (All, "parseCidr(network: string): Cidr", PLAIN, "The parts of an address range."),
    (All, "buildUri(components: Uri): string", PLAIN, "A URI made of its parts."),
    (All, "parseUri(baseUrl: string): Uri", PLAIN, "The parts of a URI."),
    (All, "concat(...1 arg: string|int|bool): string", PLAIN, "The texts of all values in one."),
    (All, "format(formatString: string, ...0 arg: any): string", PLAIN, "A text with values in its numbered places."),
    (All, "base64(inputString: string): string", PLAIN, "The text in base64."),
    (All, "padLeft(valueToPad: string|int, totalLength: int, paddingCharacter?: string): string", PLAIN, "The text, filled up on the left."),
    (All, "replace(originalString: string, oldString: string, newString: string): string", PLAIN, "The text with every occurrence of one text replaced by another."),
    (All, "toLower(stringToChange: string): string", PLAIN, "The text in lower case."),
    (All, "toUpper(stringToChange: string): string", PLAIN, "The text in upper case."),
    (All, "length(arg: string|object): int", PLAIN, "The number of characters or properties."),
    (All, "length(arg: array): int", PLAIN, "The number of items."),
    (All, "split(inputString: string, delimiter: string|array): string[]", PLAIN, "The parts of a text between delimiters."),
    (All, "join(inputArray: Texts, delimiter: string): string", PLAIN, "The items in one text, with a delimiter between them."),
    (All, "string(valueToConvert: any): string", PLAIN, "The value as text."),
    (All, "int(valueToConvert: string|int): int", PLAIN, "The value as an integer."),
    (All, "uniqueString(...1 arg: string): Hash", PLAIN, "Thirteen characters that depend on the values alone."),
    (All, "guid(...1 arg: string): Guid", PLAIN, "A GUID that depends on the values alone."),
    (All, "trim(stringToTrim: string): string", PLAIN, "The text without white space around it."),
    (All, "uri(baseUri: string, relativeUri: string): string", PLAIN, "A URI relative to another."),
    (All, "substring(stringToParse: string, startIndex: natural, length?: natural): string", PLAIN, "A part of a text."),
    (All, "take(originalValue: array, numberToTake: int): array", PLAIN, "The first items."),
    (All, "take(originalValue: string, numberToTake: int): string", PLAIN, "The first characters."),
    (All, "skip(originalValue: array, numberToSkip: int): array", PLAIN, "All but the first items."),
    (All, "skip(originalValue: string, numberToSkip: int): string", PLAIN, "All but the first characters."),
    (All, "empty(itemToTest: null|object|array|string): bool", PLAIN, "Whether there is nothing in the value."),
    (All, "contains(object: object, propertyName: string): bool", PLAIN, "Whether the object has a property, in any case."),
    (All, "contains(array: array, itemToFind: any): bool", PLAIN, "Whether the array has an item."),
    (All, "contains(string: string, itemToFind: string): bool", PLAIN, "Whether the text contains another."),
    (All, "intersection(...2 object: object): object", PLAIN, "What all objects have in common."),
    (All, "intersection(...2 array: array): array", PLAIN, "What all arrays have in common."),
    (All, "union(...2 object: object): object", PLAIN, "The properties of all objects, merged in depth."),
    (All, "union(...2 object: array): array", PLAIN, "The items of all arrays, each once."),
    (All, "shallowMerge(entries: object[]): object", PLAIN, "The properties of all objects; the last of a name wins."),
    (All, "first(array: array): any", PLAIN, "The first item."),
    (All, "first(string: string): string", PLAIN, "The first character."),
    (All, "last(array: array): any", PLAIN, "The last item."),
    (All, "last(string: string): string", PLAIN, "The last character."),
    (All, "indexOf(stringToSearch: string, stringToFind: string): int", PLAIN, "The first place of a text in another, or -1."),
    (All, "indexOf(array: array, itemToFind: any): int", PLAIN, "The first place of an item, or -1."),
    (All, "lastIndexOf(stringToSearch: string, stringToFind: string): int", PLAIN, "The last place of a text in another, or -1."),
    (All, "lastIndexOf(array: array, itemToFind: any): int", PLAIN, "The last place of an item, or -1."),
    (All, "startsWith(stringToSearch: string, stringToFind: string): bool", PLAIN, "Whether a text starts with another, in any case."),
    (All, "endsWith(stringToSearch: string, stringToFind: string): bool", PLAIN, "Whether a text ends with another, in any case."),
    (All, "distinct(array: array): array", PLAIN, "The items, each once, in their order."),
    (All, "like(input: string, pattern: string): bool", PLAIN, "Whether a text is like a pattern in which `*` stands for anything."),
    (All, "min(...1 int: int): int", PLAIN, "The smallest of the numbers."),
    (All, "min(intArray: int[]): int", PLAIN, "The smallest item."),
    (All, "max(...1 int: int): int", PLAIN, "The largest of the numbers."),
    (All, "max(intArray: int[]): int", PLAIN, "The largest item."),
    (All, "range(startIndex: int, count: int): int[]", PLAIN, "Consecutive integers."),
    (All, "base64ToString(base64Value: string): string", PLAIN, "The text that is written in base64."),
    (All, "base64ToJson(base64Value: string): any", PLAIN, "The JSON value that is written in base64."),
    (All, "uriComponentToString(uriEncodedString: string): string", PLAIN, "The text that is written with URI escapes."),
    (All, "uriComponent(stringToEncode: string): string", PLAIN, "The text with URI escapes."),
    (All, "dataUriToString(dataUriToConvert: string): string", PLAIN, "The text in a data URI."),
    (All, "dataUri(valueToConvert: any): string", PLAIN, "The value as a data URI."),
    (All, "array(valueToConvert: any): array", PLAIN, "The value as an array."),
    (All, "bool(value: any): bool", PLAIN, "The value as a boolean."),
    (All, "json(json: string): any", PLAIN, "The value that is written in JSON."),
    (All, "dateTimeAdd(base: string, duration: string, format?: string): string", PLAIN, "A time, moved by a duration."),
    (All, "dateTimeToEpoch(dateTime?: string): int", PLAIN, "A time in seconds since 1970."),
    (All, "dateTimeFromEpoch(epochTime?: int): string", PLAIN, "The time of seconds since 1970."),
    (All, "utcNow(format?: string): string", DEFAULTS, "The time of the deployment. Only in the default of a parameter."),
    (All, "newGuid(): Guid", DEFAULTS, "A new GUID for each deployment. Only in the default of a parameter."),
    (All, "loadTextContent(filePath: FilePath, encoding?: Encoding): string", LOADED_TEXT, "The text of a file, read by the compiler."),
    (All, "loadFileAsBase64(filePath: FilePath): string", LOADED_TEXT, "The bytes of a file in base64, read by the compiler."),
    (All, "loadJsonContent(filePath: JsonPath, jsonPath?: string, encoding?: Encoding): any", LOADED, "The value of a JSON file, read by the compiler."),
    (All, "loadYamlContent(filePath: YamlPath, pathFilter?: string, encoding?: Encoding): any", LOADED, "The value of a YAML file, read by the compiler."),
    (All, "items(object: object): Items", PLAIN, "Names and values of the properties, sorted by name."),
    (All, "objectKeys(object: object): string[]", PLAIN, "The names of the properties, sorted."),
    (All, "flatten(array: array[]): array", PLAIN, "The items of all inner arrays in one."),
    (All, "filter(array: array, predicate: (any, [int]) => bool): array", PLAIN, "The items for which the function says true."),
    (All, "map(array: array, predicate: (any, [int]) => any): array", PLAIN, "What the function makes of each item."),
    (All, "mapValues(object: object, predicate: (any) => any): array", PLAIN, "The object with what the function makes of each value."),
    (All, "sort(array: array, predicate: (any, any) => bool): array", PLAIN, "The items in the order that the function defines."),
    (All, "reduce(array: array, initialValue: any, predicate: (any, any, [int]) => any): any", PLAIN, "What the function makes of all items, one after the other."),
    (All, "toObject(array: array, keyPredicate: (any) => string, valuePredicate?: (any) => any): object", PLAIN, "An object with a property for each item."),
    (All, "groupBy(array: array, keyPredicate: (any) => string, valuePredicate?: (any) => any): object", PLAIN, "The items by the key that the function gives."),
    (All, "nameof(symbol: any): string", PLAIN.union(FunctionFlags::ARGUMENT_VALUE_INDEPENDENT), "The name of a declaration or property."),
    (All, "fail(message: string): never", FunctionFlags::empty(), "Ends the deployment with a message."),
    (All, "loadDirectoryFileInfo(directoryPath: FolderPath, searchPattern?: string): any", LOADED, "The names of the files in a folder, read by the compiler."),
    (ParamsWithout(Feature::DeployCommands), "readEnvironmentVariable(variableName: string, default?: string): string", FunctionFlags::INTERMEDIATE_VARIABLE_ALWAYS, "An environment variable, read by the compiler."),
    (ParamsWith(Feature::DeployCommands), "readEnvVar(const variableName: string): string", EXTERNAL, "An environment variable, read when the file is deployed."),
    (ParamsWith(Feature::DeployCommands), "readCliArg(const argumentName: string): string", EXTERNAL, "An argument of the command that deploys the file."),
    (Audience::Params, "externalInput(const name: string, const config?: any): any", EXTERNAL, "A value that an external tool supplies."),
];

/// All functions with who sees them.
pub(super) fn functions() -> &'static [(Audience, Arc<Overload>)] {
    static FUNCTIONS: LazyLock<Vec<(Audience, Arc<Overload>)>> = LazyLock::new(|| overloads(ROWS, named));
    &FUNCTIONS
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
