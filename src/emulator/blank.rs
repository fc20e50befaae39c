use crate::gdocs::Document;
pub(super) fn new_document(id: &str, title: &str) -> Document {
    serde_json::from_value(serde_json::json!({"documentId": id, "title": title, "tabs": [{"tabProperties": {"tabId": "t.0", "title": "Tab 1", "index": 0},
        "documentTab": {"body": {"content": [
            {"endIndex": 1, "sectionBreak": {"sectionStyle": {}}},
            {"startIndex": 1, "endIndex": 2, "paragraph": {"elements": [{"startIndex": 1, "endIndex": 2, "textRun": {"content": "\n", "textStyle": {}}}], "paragraphStyle": {"namedStyleType": "NORMAL_TEXT", "direction": "LEFT_TO_RIGHT"}}}]}}}]})).unwrap_or_default()
}
pub(super) fn to_legacy(d: &Document) -> serde_json::Value {
    serde_json::to_value(d).unwrap_or_default()
}
