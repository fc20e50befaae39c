//! What a file means, whichever way its directives are written: every block with its own style, every run with all of its
//! properties, and no anchors, since a new heading has none yet.

use mcp_workspace::mebdf::{
    self, Block, Content, Mark, Marks, Property, PropertyValue, Run, RunContent, Tree, normalize_runs, print_block,
    sort_properties, states,
};

const TEXT: [&str; 10] =
    ["font", "weight", "size", "mono", "underline", "color", "highlight", "sup", "sub", "smallcaps"];

fn is_text(property: &Property) -> bool {
    TEXT.contains(&property.name.as_str())
}

/// Returns the meaning of a file, a line or more for each block.
pub(crate) fn meaning(text: &str) -> String {
    let tree: Tree = mebdf::parse(text).tree;
    let mut meaning = String::new();
    for (block, state) in tree.blocks.iter().zip(states(&tree.blocks)) {
        let outer: Vec<Property> = state.properties.iter().filter(|property| is_text(property)).cloned().collect();
        let mut style: Vec<String> = state.style.iter().filter(|style| *style != "Normal text").cloned().collect();
        let said =
            state.properties.iter().filter(|property| !is_text(property) && property.value != PropertyValue::Off);
        let reaches = |property: &&Property| property.name != "list" || reaches_list(property, &block.content);
        style.extend(said.filter(reaches).map(|property| format!("{}:{:?}", property.name, property.value)));
        if style.iter().any(|said| said.starts_with("dir:Text(\"rtl")) {
            // The right is where such a line begins anyway.
            style.retain(|said| !said.starts_with("align:Text(\"right"));
        }
        let mut block = block.clone();
        match &mut block.content {
            Content::Directive { .. } => continue,
            Content::Heading { anchor, runs, .. } => {
                *anchor = None;
                whole(runs, &[], true);
                style.clear();
            }
            Content::Paragraph { runs } | Content::Item { runs, .. } => {
                whole(runs, &outer, false);
                if runs.is_empty() {
                    style.clear();
                }
            }
            Content::Table { rows, .. } => {
                rows.iter_mut().flatten().flatten().for_each(|runs| whole(runs, &outer, true));
                style.clear();
            }
            Content::Footnote { paragraphs, .. } => {
                paragraphs.iter_mut().for_each(|runs| whole(runs, &[], false));
                style.clear();
            }
            Content::ItemParagraph { .. } | Content::Code { .. } | Content::Rule => style.clear(),
        }
        let Block { content, .. } = block;
        meaning.push_str(&format!("{style:?} {}\n", print_block(&content)));
    }
    meaning
}

/// Tells whether the glyphs that a directive names are of the kind that the item's mark is.
fn reaches_list(property: &Property, content: &Content) -> bool {
    let Content::Item { mark, .. } = content else { return false };
    let PropertyValue::Text(name) = &property.value else { return false };
    let number = ["decimal", "upper-", "zero-", "alpha", "roman"].iter().any(|start| name.starts_with(start));
    match mark {
        Mark::Bullet => !number,
        Mark::Number => number,
        Mark::Task { .. } => false,
    }
}

fn whole(runs: &mut Vec<Run>, outer: &[Property], one_line: bool) {
    for run in runs.iter_mut() {
        if !matches!(run.content, RunContent::Text(_)) {
            run.marks = Marks::default();
            continue;
        }
        let marks = &mut run.marks;
        let has = |name: &str| marks.properties.iter().any(|property| property.name == name);
        let on = |name: &str| marks.properties.iter().any(|p| p.name == name && p.value != PropertyValue::Off);
        let rival = |name: &str| on(mebdf::rival(name));
        let of_code = |name: &str| marks.code && ["font", "weight", "mono", "color"].contains(&name);
        let of_link = |name: &str| marks.link.is_some() && ["underline", "color"].contains(&name);
        let reaches = |p: &&Property| !has(&p.name) && !rival(&p.name) && !of_code(&p.name) && !of_link(&p.name);
        let reaching: Vec<Property> = outer.iter().filter(reaches).cloned().collect();
        marks.properties.extend(reaching);
        marks.properties.retain(|property| property.value != PropertyValue::Off || marks.link.is_some());
        let named = |name: &str| marks.properties.iter().any(|property| property.name == name);
        if marks.link.is_some() && named("mono") && !named("color") && !named("weight") {
            // A link in a monospace font is a code span: both have the link's colour.
            marks.code = true;
            marks.properties.retain(|property| property.name != "mono");
        }
        sort_properties(&mut marks.properties);
    }
    *runs = normalize_runs(std::mem::take(runs), one_line);
}
