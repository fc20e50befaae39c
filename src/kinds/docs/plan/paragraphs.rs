//! The edits of a block that became another: a pair that differs. Pure.

use std::rc::Rc;

use super::edit::{Expected, Group, Shape, What, as_it_is, edit_line, shape};
use super::planner::{Planner, text_of};
use super::restyle::begins_with_tab;
use super::tables;
use crate::kinds::docs::text::extract::Origin;
use crate::kinds::docs::text::flat::Look;
use crate::kinds::docs::text::line::{Line, Token, block_runs, tokens};
use crate::kinds::docs::text::lists::preset;
use crate::mebdf::{Block, Cell, Content, Mark, Marks, Run, plain};

/// Why a table does not get the rows and columns of the file, where nothing else is known of it.
pub(super) const TABLE_STAYS: &str = "the rows and columns of this table cannot be changed like this";

/// Plans what turns an old block into the new one it is paired with.
pub(super) fn pair(planner: &mut Planner<'_>, old: &Block, old_look: &Look, new: &Block, look: &Look, origin: &Origin) {
    let number = planner.line_number(new);
    match (&old.content, &new.content, origin) {
        (
            Content::Table { rows: old_rows, alignments: old_alignments },
            Content::Table { rows: new_rows, alignments },
            Origin::Table { element, cells, lock: None, .. },
        ) if shape(&old.content) == shape(&new.content) => {
            let aligned = tables::alignments(cells, old_alignments, alignments, planner.tab_id.as_deref());
            let old_cells: Vec<&Cell> = old_rows.iter().flatten().collect();
            let new_cells: Vec<&Cell> = new_rows.iter().flatten().collect();
            let lines: Vec<&Vec<Line>> = cells.iter().flatten().collect();
            let group = Group { elements: vec![*element], requests: aligned };
            let row = |(row, cells): (usize, &Vec<Cell>)| vec![planner.row_number(new, row); cells.len()];
            let numbers: Vec<u32> = new_rows.iter().enumerate().flat_map(row).collect();
            texts(planner, &old.content, &lines, (&old_cells, &new_cells), group, (number, &numbers));
        }
        (
            Content::Footnote { paragraphs: old_text, .. },
            Content::Footnote { paragraphs: new_text, .. },
            Origin::Footnote { lines },
        ) => {
            let group = Group { elements: Vec::new(), requests: Vec::new() };
            texts(planner, &old.content, &[lines], (&[old_text], &[new_text]), group, (number, &[]));
        }
        (_, _, Origin::Line { element, line }) => {
            let new_tokens = tokens(block_runs(&new.content));
            let kept = &old.content;
            let (old, new) = (shape(&old.content), shape(&new.content));
            let After { shape, named_style, look } =
                shape_after(planner, (&old, old_look), (&new, look), &new_tokens, number);
            let Some((requests, wanted)) = edit_line(planner, line, &new_tokens, number) else {
                planner.expected.push(Expected::kept(kept, origin));
                return;
            };
            planner.groups.push(Group { elements: vec![*element], requests });
            planner.expected.push(Expected {
                element: Some(*element),
                line: number,
                what: What::Edited { shape, lines: vec![wanted], named_style, fresh: None, look },
            });
        }
        (Content::Table { .. }, Content::Table { .. }, _) => {
            let number = planner.differing_row(old, new);
            planner.refuse("LOCKED", number, TABLE_STAYS);
            planner.unplaced(&text_of(&new.content), &text_of(&old.content));
            planner.expected.push(Expected::kept(&old.content, origin));
        }
        _ => {
            planner.refuse("LOCKED", number, "this block cannot be edited from here");
            planner.unplaced(&text_of(&new.content), &text_of(&old.content));
            planner.expected.push(Expected::kept(&old.content, origin));
        }
    }
}

/// Plans the text of several paragraphs that stay where they are: cells of a table, or a footnote. `group` holds what
/// comes before the text is touched, `numbers` the lines of the cells where they are not that of the block.
fn texts(
    planner: &mut Planner<'_>,
    content: &Content,
    lines: &[&Vec<Line>],
    (old, new): (&[&Cell], &[&Cell]),
    mut group: Group,
    (line, numbers): (u32, &[u32]),
) {
    let (element, first) = (group.elements.first().copied(), group.requests.len());
    let mut all = Vec::new();
    for (cell, ((lines, old), new)) in lines.iter().zip(old).zip(new).enumerate() {
        let number = numbers.get(cell).copied().unwrap_or(line);
        let same_count = lines.len() == new.len();
        if !same_count {
            planner.refuse("LOCKED", number, "paragraphs cannot be added to or removed from a cell or a footnote yet");
            planner.unplaced(&cell_text(new), &cell_text(old));
        }
        for (at, line) in lines.iter().enumerate() {
            let runs: &[Run] = if same_count { &new[at] } else { old.get(at).map_or(&[], Vec::as_slice) };
            let edited = edit_line(planner, line, &tokens(runs), number);
            let (requests, wanted) = edited.unwrap_or_else(|| (Vec::new(), as_it_is(line)));
            group.requests.splice(first..first, requests);
            all.push(wanted);
        }
    }
    planner.groups.push(group);
    let what = What::Edited { shape: shape(content), lines: all, named_style: None, fresh: None, look: None };
    planner.expected.push(Expected { element, line, what });
}

fn cell_text(cell: &Cell) -> String {
    cell.iter().map(|runs| plain(runs)).collect::<Vec<_>>().join(" ")
}

/// What a paragraph becomes.
struct After {
    shape: Shape,
    named_style: Option<String>,
    look: Option<Look>,
}

/// Decides what kind of block a pair becomes; what cannot be changed stays and is told.
fn shape_after(
    planner: &mut Planner<'_>,
    (was, old_look): (&Shape, &Look),
    (wanted, look): (&Shape, &Look),
    tokens: &[(Token, Rc<Marks>)],
    number: u32,
) -> After {
    let mut wanted = wanted.clone();
    if let Shape::Item(_, Mark::Task { checked }) = &mut wanted {
        let ticked = matches!(was, Shape::Item(_, Mark::Task { checked: true }));
        if *checked != ticked {
            planner.refuse("TICK", number, "the API cannot tick or untick a box");
            *checked = ticked;
        }
    }
    let keep = |look: &Look| After { shape: was.clone(), named_style: None, look: Some(look.clone()) };
    match &wanted {
        Shape::Heading(level) => After { named_style: Some(format!("HEADING_{level}")), look: None, shape: wanted },
        Shape::Paragraph => {
            After { named_style: Some(look.named_style().into()), look: Some(look.clone()), shape: wanted }
        }
        Shape::Item(_, mark) => {
            let remade = *was != wanted || old_look.list != look.list;
            if remade && let Some(reason) = locked_list(*mark, look, tokens) {
                planner.refuse("LIST_LOCKED", number, reason);
                return match was {
                    Shape::Item(..) => keep(&Look { list: old_look.list.clone(), ..look.clone() }),
                    Shape::Paragraph => keep(&Look { list: None, ..look.clone() }),
                    Shape::Heading(_) | Shape::Table(_) | Shape::Footnote(_) | Shape::Other => {
                        After { shape: was.clone(), named_style: None, look: None }
                    }
                };
            }
            After { named_style: Some(look.named_style().into()), look: Some(look.clone()), shape: wanted }
        }
        Shape::Table(_) | Shape::Footnote(_) | Shape::Other => {
            if *was != wanted {
                planner.refuse("LOCKED", number, "a paragraph cannot become this from here");
            }
            After { shape: was.clone(), named_style: None, look: None }
        }
    }
}

/// Why a paragraph cannot become such an item.
pub(super) fn locked_list(mark: Mark, look: &Look, tokens: &[(Token, Rc<Marks>)]) -> Option<String> {
    if preset(mark, look.list.as_deref()).is_none() {
        let list = look.list.as_deref().unwrap_or_default();
        return Some(format!("the API cannot make a list of the kind `{list}`"));
    }
    begins_with_tab(tokens).then(|| "a text that begins with a tab cannot become a list item".to_owned())
}
