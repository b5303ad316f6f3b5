//! The shape of the JSON. All kinds of entries are read into one struct of optional fields, so that no part of the file
//! has to be held back until its kind is known.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::def::Text;

/// An entry of a types file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object with \"$type\"")]
pub(super) struct RawEntry<'a> {
    #[serde(rename = "$type", borrow)]
    pub kind: Str<'a>,
    #[serde(borrow)]
    pub name: Option<Str<'a>>,
    #[serde(borrow)]
    pub value: Option<Str<'a>>,
    #[serde(borrow)]
    pub pattern: Option<Str<'a>>,
    pub sensitive: Option<bool>,
    pub min_length: Option<i64>,
    pub max_length: Option<i64>,
    pub min_value: Option<i64>,
    pub max_value: Option<i64>,
    #[serde(borrow)]
    pub item_type: Option<RawRef<'a>>,
    #[serde(borrow)]
    pub elements: Option<Elements<'a>>,
    #[serde(borrow)]
    pub properties: Option<Pairs<'a, RawProperty<'a>>>,
    #[serde(borrow)]
    pub base_properties: Option<Pairs<'a, RawProperty<'a>>>,
    #[serde(borrow)]
    pub additional_properties: Option<RawRef<'a>>,
    #[serde(borrow)]
    pub discriminator: Option<Str<'a>>,
    #[serde(borrow)]
    pub body: Option<RawRef<'a>>,
    pub readable_scopes: Option<i64>,
    pub writable_scopes: Option<i64>,
    pub scope_type: Option<i64>,
    pub read_only_scopes: Option<i64>,
    pub flags: Option<i64>,
    #[serde(borrow)]
    pub functions: Option<Pairs<'a, RawMethod<'a>>>,
    #[serde(borrow)]
    pub resource_type: Option<Str<'a>>,
    #[serde(borrow)]
    pub api_version: Option<Str<'a>>,
    #[serde(borrow)]
    pub output: Option<RawRef<'a>>,
    #[serde(borrow)]
    pub output_type: Option<RawRef<'a>>,
    #[serde(borrow)]
    pub input: Option<RawRef<'a>>,
    #[serde(borrow)]
    pub parameters: Option<Vec<RawParameter<'a>>>,
    #[serde(borrow)]
    pub description: Option<Str<'a>>,
    #[serde(borrow)]
    pub evaluated_language_expression: Option<Str<'a>>,
    pub visible_in_file_kind: Option<i64>,
    #[serde(rename = "kind")]
    pub built_in_kind: Option<u64>,
}

#[derive(Deserialize)]
#[serde(expecting = "a property")]
pub(super) struct RawProperty<'a> {
    #[serde(rename = "type", borrow)]
    pub ty: RawRef<'a>,
    #[serde(default)]
    pub flags: i64,
    #[serde(borrow)]
    pub description: Option<Str<'a>>,
}

#[derive(Deserialize)]
#[serde(expecting = "a function")]
pub(super) struct RawMethod<'a> {
    #[serde(rename = "type", borrow)]
    pub ty: RawRef<'a>,
    #[serde(borrow)]
    pub description: Option<Str<'a>>,
}

#[derive(Deserialize)]
#[serde(expecting = "a parameter")]
pub(super) struct RawParameter<'a> {
    #[serde(borrow)]
    pub name: Str<'a>,
    #[serde(rename = "type", borrow)]
    pub ty: RawRef<'a>,
    #[serde(default)]
    pub flags: i64,
    #[serde(borrow)]
    pub description: Option<Str<'a>>,
}

/// `{"$ref": "#/12"}` or `{"$ref": "path/types.json#/12"}`.
#[derive(Deserialize)]
#[serde(expecting = "an object with \"$ref\"")]
pub(super) struct RawRef<'a> {
    #[serde(rename = "$ref", borrow)]
    pub target: Str<'a>,
}

/// The index file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object with resources")]
pub(super) struct RawIndex<'a> {
    #[serde(borrow, default)]
    pub resources: Pairs<'a, RawRef<'a>>,
    #[serde(borrow, default)]
    pub resource_functions: Pairs<'a, Pairs<'a, Vec<RawRef<'a>>>>,
    #[serde(borrow, default)]
    pub namespace_functions: Vec<RawRef<'a>>,
    #[serde(borrow)]
    pub settings: Option<RawSettings<'a>>,
    #[serde(borrow)]
    pub fallback_resource_type: Option<RawRef<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object of settings")]
pub(super) struct RawSettings<'a> {
    #[serde(borrow)]
    pub name: Str<'a>,
    #[serde(borrow)]
    pub version: Str<'a>,
    #[serde(default)]
    pub is_singleton: bool,
    pub is_preview: Option<bool>,
    pub is_deprecated: Option<bool>,
    #[serde(borrow)]
    pub configuration_type: Option<RawRef<'a>>,
}

/// The alternatives of a union are a list, those of a discriminated object have names.
pub(super) enum Elements<'a> {
    List(Vec<RawRef<'a>>),
    Named(Vec<(Str<'a>, RawRef<'a>)>),
}

/// Members of a JSON object in the order of the file.
pub(super) struct Pairs<'a, T>(pub Vec<(Str<'a>, T)>);

impl<T> Default for Pairs<'_, T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// A string, borrowed from the file unless it has escapes.
pub(super) struct Str<'a>(pub Text<'a>);

impl<'de: 'a, 'a> Deserialize<'de> for Str<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StrVisitor;
        impl<'de> Visitor<'de> for StrVisitor {
            type Value = Str<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Str(Text::Borrowed(text)))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Str(Text::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(StrVisitor)
    }
}

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for Pairs<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for PairsVisitor<T> {
            type Value = Pairs<'de, T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                read_pairs(map).map(Pairs)
            }
        }
        deserializer.deserialize_map(PairsVisitor(std::marker::PhantomData))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Elements<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ElementsVisitor;
        impl<'de> Visitor<'de> for ElementsVisitor {
            type Value = Elements<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array or an object of references")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                read_pairs(map).map(Elements::Named)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = seq.next_element()? {
                    list.push(item);
                }
                Ok(Elements::List(list))
            }
        }
        deserializer.deserialize_any(ElementsVisitor)
    }
}

fn read_pairs<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
    mut map: A,
) -> Result<Vec<(Str<'de>, T)>, A::Error> {
    let mut pairs = Vec::new();
    while let Some(pair) = map.next_entry()? {
        pairs.push(pair);
    }
    Ok(pairs)
}
