//! The macro behind every message type: known fields typed, unknown fields kept.

use std::collections::BTreeMap;

/// Tells whether a field would be left out of the JSON, as proto3 JSON leaves out defaults.
pub(crate) trait Absent {
    /// Returns true when the field is not written.
    fn is_absent(&self) -> bool;
}

impl<T> Absent for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T> Absent for Vec<T> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<T> Absent for BTreeMap<String, T> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl Absent for String {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

/// Defines a message whose unknown fields survive in `rest`.
///
/// `#[serde(flatten)]` would say the same, but it buffers every value of the message before it is typed,
/// which triples the cost of reading a long document. A known field that is `null` reads as absent.
macro_rules! open_message {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $( $(#[$field_meta:meta])* $field:ident : $ty:ty = $key:literal ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct $name {
            $( $(#[$field_meta])* pub $field: $ty, )*
            /// Fields that this model does not know, unchanged.
            pub rest: serde_json::Map<String, serde_json::Value>,
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap as _;
                #[allow(unused_imports, reason = "a message may have no typed field")]
                use $crate::gdocs::message::Absent as _;
                let mut map = serializer.serialize_map(None)?;
                $( if !self.$field.is_absent() { map.serialize_entry($key, &self.$field)?; } )*
                for (key, value) in &self.rest {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl<'de> serde::de::Visitor<'de> for Visitor {
                    type Value = $name;
                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        formatter.write_str(concat!("a ", stringify!($name), " object"))
                    }
                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                        let mut message = $name::default();
                        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
                            match &*key {
                                $( $key => {
                                    message.$field = map.next_value::<Option<$ty>>()?.unwrap_or_default();
                                } )*
                                _ => {
                                    let value = map.next_value()?;
                                    message.rest.insert(key.into_owned(), value);
                                }
                            }
                        }
                        Ok(message)
                    }
                }
                deserializer.deserialize_map(Visitor)
            }
        }
    };
}

pub(crate) use open_message;
