//! Properties of the formats that hold for every value.

use ::json::borrowed::{self, Value};
use generate::format::{Format, Layout, json, parse, write, yaml_write::Numbers};
use proptest::prelude::*;

fn any_node() -> impl Strategy<Value = Value<'static>> {
    let text = prop_oneof![
        "[ -~\n]{0,12}",
        "(yes|no|on|y|null|~|0x1F|1e3|\\.5|2001-01-01|12:30|- a|a: b|#|---|'|\"){1}",
        "\\PC{0,100}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(|n| Value::Number(n.to_string().into())),
        any::<f64>()
            .prop_filter("finite", |n| n.is_finite() && *n != 0.0)
            .prop_map(|n| Value::Number(generate::format::number::json(&format!("{n:e}")).into())),
        text.clone().prop_map(|t| Value::String(t.into())),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::btree_map(text.clone(), inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().map(|(k, v)| (k.into(), v)).collect())),
        ]
    })
}

fn compact(node: &Value<'_>) -> String {
    let mut out = String::new();
    json::write_compact(&mut out, node);
    out
}

proptest! {
    #[test]
    fn what_is_written_as_yaml_reads_back_as_the_same_value(node in any_node()) {
        let value = compact(&node);
        let layout = Layout { format: Format::Yaml, indent: 2, stream_numbers: Numbers::Exact };
        let text = write(&value, "x.yaml", layout).unwrap();
        let back = parse(&text, Format::Yaml).unwrap();
        prop_assert_eq!(compact(&borrowed::parse(&back).unwrap()), value, "{}", text);
    }

    #[test]
    fn readers_survive_every_text(text in "\\PC{0,60}|[\\[\\]{}:,&*!|>'\"%@`#\\- \n\ta-c0-9.]{0,80}") {
        for format in Format::ALL {
            let _ = parse(&text, format);
        }
    }
}
