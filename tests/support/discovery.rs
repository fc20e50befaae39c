//! Google's discovery documents as a gate: an answer must not say what they do not know.

use std::path::PathBuf;

use serde_json::Value;

/// Finds the folder of recordings; without it the test prints that it is skipped.
pub(crate) fn shared(test: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let path = std::env::var_os("MCP_WORKSPACE_SHARED").map_or(beside, PathBuf::from);
    if path.is_dir() {
        return Some(path);
    }
    println!("SKIPPED {test}: ../shared is absent");
    None
}

/// The schemas of a service.
pub(crate) struct Schemas(Value);

impl Schemas {
    /// Reads those of a service such as `gmail.v1`.
    pub(crate) fn read(service: &str, test: &str) -> Option<Self> {
        let path = shared(test)?.join(format!("fixtures/discovery/{service}.json"));
        let mut document: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        Some(Self(document["schemas"].take()))
    }

    /// Fails with all that is wrong with a value.
    pub(crate) fn check(&self, schema: &str, value: &Value) {
        assert!(self.0.get(schema).is_some(), "no schema {schema}");
        let mut findings = Vec::new();
        self.walk(&self.0[schema], value, schema, &mut findings);
        assert!(findings.is_empty(), "{findings:#?}");
    }

    fn walk(&self, schema: &Value, value: &Value, path: &str, findings: &mut Vec<String>) {
        if let Some(name) = schema["$ref"].as_str() {
            return self.walk(&self.0[name], value, path, findings);
        }
        let mut wrong = |what: &str| findings.push(format!("{path}: {what}: {value}"));
        match schema["type"].as_str().unwrap_or_default() {
            "object" => {
                let Some(map) = value.as_object() else { return wrong("no object") };
                for (key, inner) in map {
                    let path = format!("{path}.{key}");
                    match (schema["properties"].get(key), schema.get("additionalProperties")) {
                        (Some(known), _) | (None, Some(known)) => self.walk(known, inner, &path, findings),
                        (None, None) => findings.push(format!("{path}: unknown")),
                    }
                }
            }
            "array" => {
                let Some(list) = value.as_array() else { return wrong("no list") };
                for (at, inner) in list.iter().enumerate() {
                    self.walk(&schema["items"], inner, &format!("{path}[{at}]"), findings);
                }
            }
            "string" => {
                let Some(text) = value.as_str() else { return wrong("no text") };
                let long = matches!(schema["format"].as_str(), Some("int64" | "uint64"));
                if long && text.parse::<i64>().is_err() {
                    wrong("no number in text");
                } else if schema["enum"].as_array().is_some_and(|all| !all.contains(value)) {
                    wrong("not one of its words");
                } else if schema["format"] == "byte"
                    && !text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_=".contains(&b))
                {
                    wrong("not base64 with the letters of URLs");
                }
            }
            "integer" if !value.is_i64() && !value.is_u64() => wrong("no whole number"),
            "number" if !value.is_number() => wrong("no number"),
            "boolean" if !value.is_boolean() => wrong("neither true nor false"),
            _ => {}
        }
    }
}
