//! The type algebra: display, unions, assignability, collapsing.

use bicep_types::Type;
use bicep_types::ty::{
    self, DiscriminatedType, FunctionName, Kind, LambdaType, ModuleType, ObjectType, Overload, Pattern,
    PropertyFlags, ResourceFlags, ResourceReference, ResourceType, Scopes, VariadicParameter,
};
use proptest::prelude::*;

use crate::notation::ty;

fn check_display(text: &str, expected: &str) {
    assert_eq!(ty(text).to_string(), expected, "{text}");
}

#[test]
fn types_are_shown_as_the_user_writes_them() {
    for text in [
        "any",
        "never",
        "null",
        "bool",
        "int",
        "string",
        "object",
        "array",
        "error",
        "true",
        "-3",
        "'a'",
        "'a' | 'b'",
        "string[]",
        "(int | string)[]",
        "[string, int]",
        "{ a: string, b: int }",
        "{ a: string, *: int }",
        "{ 'a-b': string, 'true': bool }",
        "{ nested: { a: 'x' | 'y' } }",
        "string[][]",
    ] {
        check_display(text, text);
    }
    check_display("[]", "<empty array>");
    check_display("string?", "null | string");
    check_display("(string?)[]", "(null | string)[]");
    check_display("{ }", "{ }");
    check_display("any[]", "array");
    check_display("int(5..5)", "5");
    check_display("string(0..0)", "''");
    check_display("array(0..0)", "<empty array>");
}

#[test]
fn strings_are_escaped() {
    let shown = |value: &str| Type::string_literal(value).to_string();
    assert_eq!(shown("it's"), r"'it\'s'");
    assert_eq!(shown("a\\b\n\t\r"), r"'a\\b\n\t\r'");
    assert_eq!(shown("${x} $ y"), r"'\${x} $ y'");
}

#[test]
fn scopes_lambdas_and_references_have_names() {
    assert_eq!(Type::scope(Scopes::TENANT | Scopes::SUBSCRIPTION).to_string(), "tenant | subscription");
    assert_eq!(Type::scope(Scopes::empty()).to_string(), "none");
    assert_eq!(
        Type::resource_or_collection_ref_array().to_string(),
        "(module[] | (resource | module) | resource[])[]"
    );
    let lambda = |arguments: &[&str], optional: &[&str], result: &str| {
        Type::from(LambdaType {
            arguments: arguments.iter().map(|text| ty(text)).collect(),
            optional: optional.iter().map(|text| ty(text)).collect(),
            result: ty(result),
        })
        .to_string()
    };
    assert_eq!(lambda(&[], &[], "any"), "() => any");
    assert_eq!(lambda(&["string"], &[], "int | bool"), "string => (bool | int)");
    assert_eq!(lambda(&["string", "int"], &[], "bool"), "(string, int) => bool");
    assert_eq!(lambda(&["string"], &["int"], "bool"), "(string[, int]) => bool");
    assert_eq!(lambda(&[], &["int"], "bool"), "([int]) => bool");
}

fn check_union(text: &str, expected: &str) {
    check_display(text, expected);
}

#[test]
fn unions_are_flat_distinct_and_ordered() {
    check_union("'b' | ('a' | 'b')", "'a' | 'b'");
    check_union("string | int | null | bool", "bool | int | null | string");
    check_union("string | any", "any");
    check_union("string | never", "string");
    check_union("never | never", "never");
    check_union("string[] | array | int[]", "array");
    check_union("array | [int]", "array");
    check_union("int(1..) | int(..3) | int(1..2)", "int | int | int");
    check_union("'B' | 'a'", "'B' | 'a'");
    check_union("string | ~string", "string | string");
}

#[test]
fn null_can_be_taken_away_and_added() {
    assert_eq!(ty("string?").remove_null().to_string(), "string");
    assert_eq!(ty("string | int | null").remove_null().to_string(), "int | string");
    assert!(ty("string").without_null().is_none());
    assert!(ty("null").without_null().is_none());
    assert_eq!(ty("int").make_nullable().to_string(), "int | null");
}

#[test]
fn literals_widen() {
    assert_eq!(ty("'a' | 'b' | null").widen_literal().to_string(), "null | string");
    assert_eq!(ty("1").widen_literal().to_string(), "int");
    assert!(ty("{ a: 'x', b: [1, true, null] }").is_literal());
    assert!(!ty("{ a: string }").is_literal());
    assert!(!ty("{ a: 'x', *: 'y' }").is_literal());
}

fn check_assignable(source: &str, target: &str, expected: bool) {
    assert_eq!(ty::assignable(&ty(source), &ty(target)), expected, "`{source}` to `{target}`");
}

#[test]
fn assignability_follows_the_reference() {
    for (source, target) in [
        ("any", "string"),
        ("string", "any"),
        ("any", "never"),
        ("never", "string"),
        ("'a'", "string"),
        ("'a'", "'a'"),
        ("1", "int"),
        ("true", "bool"),
        ("~string", "'a'"),
        ("~int", "1"),
        ("~bool", "true"),
        ("null", "null"),
        ("null", "string?"),
        ("'a' | 'b'", "'a' | 'b' | 'c'"),
        ("'a' | 1", "string | int"),
        // From outside, every object is an object, every array an array, every int an int.
        ("{ a: string }", "{ b: int }"),
        ("string[]", "int[]"),
        ("[string]", "int[]"),
        ("int[]", "[string]"),
        ("int(1..3)", "int(5..9)"),
        ("string(1..3)", "string(5..9)"),
    ] {
        check_assignable(source, target, true);
    }
    for (source, target) in [
        ("string", "int"),
        ("string", "'a'"),
        ("'a'", "'b'"),
        ("'a'", "'A'"),
        ("1", "2"),
        ("true", "false"),
        ("null", "string"),
        ("string", "null"),
        ("string?", "string"),
        ("'a' | 'd'", "'a' | 'b' | 'c'"),
        ("string | int", "string"),
        ("object", "array"),
        ("array", "object"),
        ("string", "never"),
        ("error", "any"),
        ("any", "error"),
        ("string", "error"),
    ] {
        check_assignable(source, target, false);
    }
    assert!(ty::assignable_if_not_null(&ty("string?"), &ty("string")).is_some());
    assert!(ty::assignable_if_not_null(&ty("string"), &ty("string")).is_none());
}

fn resource(reference: &str) -> Type {
    ResourceType {
        reference: ResourceReference::parse(reference).unwrap(),
        namespace: "az".into(),
        scopes: Scopes::RESOURCE_GROUP,
        read_only_scopes: Scopes::empty(),
        flags: ResourceFlags::empty(),
        body: ty("{ name: string }"),
        identifiers: vec!["name".into()],
    }
    .into()
}

#[test]
fn resources_and_modules_go_where_they_belong() {
    let account = resource("Microsoft.Storage/storageAccounts@2023-01-01");
    let module: Type =
        ModuleType { name: "m".into(), scopes: Scopes::TENANT, body: ty("{ outputs: object }") }.into();
    let parent_of = |child: &str| Type::new(Kind::ResourceParent(ResourceReference::parse(child).unwrap()));
    let parameter = |of: &str| Type::new(Kind::ResourceParameter(ResourceReference::parse(of).unwrap()));

    assert!(ty::assignable(
        &account,
        &parent_of("microsoft.storage/storageaccounts/blobServices@2020-01-01")
    ));
    assert!(!ty::assignable(&account, &parent_of("Microsoft.Storage/other/blobServices@2020-01-01")));
    assert!(ty::assignable(&account, &parameter("microsoft.storage/storageaccounts@1999-01-01")));
    assert!(ty::assignable(&account, &ty("object")));
    assert!(!ty::assignable(&account, &ty("string")));
    assert!(ty::assignable(&module, &ty("object")));
    assert!(ty::assignable(&account, &Type::scope(Scopes::TENANT)));
    let item = Type::resource_or_collection_ref();
    assert!(ty::assignable(&account, &item));
    assert!(ty::assignable(&module, &item));
    assert!(ty::assignable(&Type::array_of(account.clone()), &item));
    assert!(!ty::assignable(&ty("string"), &item));
    assert!(!ty::assignable(&ty("object"), &item));
    assert_eq!(account.to_string(), "Microsoft.Storage/storageAccounts@2023-01-01");
}

#[test]
fn lambdas_fit_by_number_and_type_of_arguments() {
    let lambda = |arguments: &[&str], result: &str| {
        Type::from(LambdaType {
            arguments: arguments.iter().map(|text| ty(text)).collect(),
            optional: Vec::new(),
            result: ty(result),
        })
    };
    let target = Type::from(LambdaType {
        arguments: vec![Type::any()],
        optional: vec![Type::int()],
        result: Type::bool(),
    });
    assert!(ty::assignable(&lambda(&["any"], "true"), &target));
    assert!(ty::assignable(&lambda(&["any", "int"], "bool"), &target));
    assert!(!ty::assignable(&lambda(&["any", "string"], "bool"), &target));
    assert!(!ty::assignable(&lambda(&[], "bool"), &target));
    assert!(!ty::assignable(&lambda(&["any"], "string"), &target));
    assert!(!ty::assignable(&lambda(&["any"], "bool"), &ty("string")));
}

fn check_conforms(source: &str, target: &str, expected: bool) {
    assert_eq!(ty::conforms(&ty(source), &ty(target)), expected, "`{source}` as `{target}`");
}

#[test]
fn conformance_looks_inside() {
    for (source, target) in [
        ("{ a: 'x' }", "{ a: string }"),
        ("{ a: string }", "{ a: string, b: int? }"),
        ("{ a: string }", "object"),
        ("object", "object"),
        ("[int, 'a']", "(int | string)[]"),
        ("int(2..3)", "int(1..9)"),
        ("7", "int(1..9)"),
        ("'abc'", "string(3..3)"),
        ("string[]", "array"),
        (
            "{ kind: 'success' } | { kind: 'failure', errorMessage: string }",
            "{ kind: 'success' } | { kind: 'failure', errorMessage: string }",
        ),
    ] {
        check_conforms(source, target, true);
    }
    for (source, target) in [
        ("{ a: int }", "{ a: string }"),
        ("{ }", "{ a: string }"),
        ("{ a: string? }", "{ a: string }"),
        ("[int, 'a']", "int[]"),
        ("int(0..3)", "int(1..9)"),
        ("0", "int(1..9)"),
        ("'ab'", "string(3..3)"),
        ("string[]", "int[]"),
        ("[int]", "[int, int]"),
        ("array(0..9)", "array(1..9)"),
        ("{ kind: 'failure' }", "{ kind: 'success' } | { kind: 'failure', errorMessage: string }"),
    ] {
        check_conforms(source, target, false);
    }
}

fn check_collapse(text: &str, expected: &str) {
    let collapsed = ty::collapse(&ty(text)).map_or_else(|| "-".to_owned(), |ty| ty.to_string());
    assert_eq!(collapsed, expected, "{text}");
}

#[test]
fn unions_collapse() {
    check_collapse("string", "string");
    check_collapse("any", "-");
    check_collapse("never", "-");
    check_collapse("string | int", "-");
    check_collapse("'a' | string", "string");
    check_collapse("'a' | string | null", "null | string");
    check_collapse("'a' | 'b'", "'a' | 'b'");
    check_collapse("'abcd' | string(..3)", "'abcd' | string");
    check_collapse("'abc' | string(..3)", "string");
    check_collapse("1 | 2 | 4", "4 | int");
    check_collapse("true | false", "bool");
    check_collapse("true | null", "null | true");
    check_collapse("string[] | int[]", "int[] | string[]");
    check_collapse("[string] | string[]", "string[]");
    check_collapse("[string, int] | string[]", "[string, int] | string[]");
    check_collapse("{ a: 'x', k: 'b' } | { k: 'c' }", "{ a: 'x', k: 'b' } | { k: 'c' }");
    check_collapse("{ a: string } | { a: int, b: bool }", "{ a: int | string, b: any }");
}

#[test]
fn objects_with_a_telling_property_become_a_discriminated_object() {
    let collapsed = ty::collapse(&ty("{ name: 'p', type: 'x' } | { name: 'q', type: 'y' }")).unwrap();
    let Kind::Discriminated(object) = collapsed.kind() else { panic!("{collapsed}") };
    assert_eq!(object.discriminator, "type");
    assert_eq!(object.discriminator_type().to_string(), "'x' | 'y'");
    assert!(DiscriminatedType::new("n", "kind", [ty("{ kind: string }")]).is_none());
    assert!(
        DiscriminatedType::new("n", "kind", [ty("{ kind: 'a' }"), ty("{ kind: 'a', b: int }")]).is_none()
    );
}

#[test]
fn a_template_knows_five_types() {
    let shown = |text: &str| ty(text).template_type().map(|ty| ty.to_string());
    assert_eq!(shown("'a' | 'b' | null").as_deref(), Some("string"));
    assert_eq!(shown("[int]").as_deref(), Some("array"));
    assert_eq!(shown("{ a: int } | { b: int }").as_deref(), Some("object"));
    assert_eq!(shown("'a' | 1"), None);
    assert_eq!(shown("null"), None);
}

#[test]
fn secrets_are_found_by_path() {
    let ty = ty("{ a: !string, b: { c: (!string)[] }, d: string, *: [int, !object] }");
    assert_eq!(ty.secure_paths(), [".*[1]", ".a", ".b.c[*]"]);
}

#[test]
fn secrets_of_a_shared_part_are_found_on_all_ways() {
    let part = ty("{ key: !string, name: string }");
    let whole: Type = ObjectType::structural()
        .with_property("a", part.clone(), PropertyFlags::REQUIRED)
        .with_property("b", part, PropertyFlags::REQUIRED)
        .into();
    assert_eq!(whole.secure_paths(), [".a.key", ".b.key"]);
}

#[test]
fn types_may_contain_themselves() {
    use std::sync::{Arc, OnceLock};
    let tie: Arc<OnceLock<Type>> = Arc::default();
    let knot = {
        let tie = Arc::clone(&tie);
        move || tie.get().cloned()
    };
    let tree: Type = ObjectType::structural()
        .with_property("value", Type::secure_string(), PropertyFlags::REQUIRED)
        .with_property("next", Type::defer_named("node?", knot), PropertyFlags::empty())
        .into();
    assert_eq!(tree.to_string(), "{ value: string, next: node? }");
    let name = tree.to_string();
    let tree = tree.called(name);
    tie.set(tree.clone()).unwrap();
    assert_eq!(tree.to_string(), "{ value: string, next: node? }");
    let next = &tree.as_object().unwrap().properties["next"].ty;
    assert!(next.same(&tree));
    assert!(ty::conforms(&tree, next));
    assert_eq!(tree.secure_paths(), [".value"]);
    assert!(
        tree.without_property_flags(PropertyFlags::REQUIRED).as_object().unwrap().properties["next"]
            .ty
            .as_object()
            .is_some()
    );
}

#[test]
fn a_type_that_needs_itself_to_be_known_is_any() {
    use std::sync::{Arc, OnceLock};
    let tie: Arc<OnceLock<Type>> = Arc::default();
    let knot = {
        let tie = Arc::clone(&tie);
        Type::defer(move || tie.get().map_or_else(Type::any, |ty| ty::union([ty.clone(), Type::string()])))
    };
    tie.set(knot.clone()).unwrap();
    assert_eq!(knot.to_string(), "any");
}

#[test]
fn references_are_read_and_compared() {
    let read = ResourceReference::parse;
    let account = read("Microsoft.Storage/storageAccounts@2023-01-01").unwrap();
    assert_eq!(account, read("microsoft.storage/STORAGEACCOUNTS@2023-01-01").unwrap());
    assert_ne!(account, read("Microsoft.Storage/storageAccounts").unwrap());
    assert_eq!(
        account.nested(&read("blobServices").unwrap()).to_string(),
        "Microsoft.Storage/storageAccounts/blobServices@2023-01-01"
    );
    assert_eq!(
        account.nested(&read("blobServices@1").unwrap_or_else(|| read("b@11").unwrap())).version().unwrap(),
        "11"
    );
    for bad in ["", "@2023-01-01", "a//b@2023", "a/b@", "a b@2023", "a/b@2", "-a/b", "a@b@c"] {
        assert!(read(bad).is_none(), "{bad}");
    }
}

#[test]
fn overloads_match_by_number_and_type() {
    let pad = Overload::new("padLeft", Type::string())
        .required("value", ty("string | int"), "")
        .required("length", Type::int(), "")
        .optional("with", Type::string(), "");
    assert_eq!(pad.signature(), "(value: int | string, length: int, [with: string]): string");
    assert!(
        pad.arity().allows(2) && pad.arity().allows(3) && !pad.arity().allows(1) && !pad.arity().allows(4)
    );
    assert_eq!(pad.first_mismatch(&[ty("'a'"), ty("3")]), None);
    assert_eq!(pad.first_mismatch(&[ty("'a'"), ty("'b'")]), Some(1));
    let concat = Overload::new("concat", Type::array()).rest(VariadicParameter {
        prefix: "arg".into(),
        ty: Type::array(),
        min_count: 1,
        flags: ty::ParameterFlags::empty(),
        description: "".into(),
    });
    assert_eq!(concat.signature(), "(... : array): array");
    assert!(!concat.arity().allows(0) && concat.arity().allows(50));
    let list = FunctionName::Prefix("list".into());
    assert!(
        list.matches("listKeys") && list.matches("list") && !list.matches("list2") && !list.matches("get")
    );
}

#[test]
fn patterns_are_those_of_the_reference() {
    let check = |pattern: &str, value: &str, expected: Option<bool>| {
        assert_eq!(Pattern::new(pattern).matches(value), expected, "/{pattern}/ on {value:?}");
    };
    check("^[a-z0-9]{3,24}$", "account", Some(true));
    check("^[a-z0-9]{3,24}$", "account\n", Some(true));
    check("^[a-z0-9]{3,24}$", "ac", Some(false));
    check("b", "abc", Some(true));
    check(r"^[\w\.\-\_]+$", "a.b-c_d", Some(true));
    check("^[^<>%&:\\\\?/]{1,260}$", "a b", Some(true));
    check("^{[a]}$", "{a}", Some(true));
    check("^[a[b]+$", "a[b", Some(true));
    check(r"\p{L}", "é", Some(true));
    check("(?=a)b", "b", None);
    check("(?<!a)b", "b", None);
    check(r"(a)\1", "aa", None);
    check("(", "x", None);
    check("(?<name>a)", "a", Some(true));
    check("[a-z-[aeiou]]", "b", None);
}

proptest! {
    #[test]
    fn no_pattern_is_too_much(pattern in any::<String>(), value in any::<String>()) {
        let _ = Pattern::new(pattern).matches(&value);
    }

    #[test]
    fn union_does_not_depend_on_order(mut members in proptest::collection::vec(
        prop_oneof![
            any::<i64>().prop_map(Type::int_literal),
            "[a-c]{0,2}".prop_map(Type::string_literal),
            Just(Type::string()), Just(Type::null()), Just(Type::string_array()), Just(Type::array()),
        ], 0..8)) {
        let forward = ty::union(members.clone()).to_string();
        members.reverse();
        prop_assert_eq!(forward, ty::union(members).to_string());
    }
}
