//! People at a machine: they edit files as editors save them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use mcp_workspace::model::{ItemId, Stamp};

use crate::around::Around;
use crate::disk::Disk;
use crate::file::File;
use crate::google::Edit;
use crate::ledger::{Ledger, tokens};
use crate::prose::Speech;

/// The fewest blocks of a text of which somebody removes one: what shrinks by more is held.
const BLOCKS_MIN: usize = 7;

/// So many words are known wherever they stand.
const TELLING_MIN: usize = 4;

/// Of how many saves one leaves the editor open.
const LEFT_OPEN: usize = 2;

/// A step of a save.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The file is opened and emptied, in place.
    Empty,
    /// A part of the text is written.
    Part,
    /// Its next paragraph is, and so on while there is more than one.
    Paragraph,
    /// The rest is, and the file is closed.
    Rest,
    /// The file is opened as it stands.
    Open,
    /// What is new is written behind its end, and the file is closed.
    Append,
    /// A new file is written beside the old one.
    Beside,
    /// It is given an old date, as a copy that keeps dates has.
    Date,
    /// It takes the place of the old one, if that is still the one that was read.
    Replace,
    /// The old file is renamed to its backup, if it is still the one that was read.
    Away,
    /// The backup is removed.
    Forget,
}

/// How editors save.
const EDITORS: [&[Step]; 5] = [
    &[Step::Empty, Step::Part, Step::Rest],
    &[Step::Empty, Step::Paragraph, Step::Rest],
    &[Step::Beside, Step::Replace],
    &[Step::Beside, Step::Date, Step::Replace],
    &[Step::Away, Step::Empty, Step::Part, Step::Rest, Step::Forget],
];

/// How programs write behind the end of a file.
const APPENDS: &[Step] = &[Step::Open, Step::Append];

/// How long such a program has a file open at most.
const OPEN_MAX_MS: u64 = 50_000;

/// Of how many saves one is such a program's.
const APPENDING: usize = 6;

/// A save that is under way.
#[derive(Debug)]
struct Save {
    text: String,
    seen: Stamp,
    steps: VecDeque<Step>,
    /// The file, while it is open.
    open: u64,
    /// When it was opened to write behind its end.
    opened: u64,
    /// How much of it is written first, in tenths.
    tenths: usize,
    /// How much of it is written, in bytes.
    written: usize,
}

impl Save {
    /// Goes on to a place of the text, in bytes, and returns what stands between.
    fn next(&mut self, to: usize) -> &str {
        let from = std::mem::replace(&mut self.written, to);
        &self.text[from..to]
    }
}

/// A person at a machine.
#[derive(Debug, Default)]
pub(crate) struct Person {
    saves: BTreeMap<File, Save>,
    /// Editors that were left open, with what they show: they do not look at the file before they save it again.
    open: BTreeMap<File, String>,
    /// Files that a power cut left with a part of a save, as they stand: nobody goes on from there.
    torn: BTreeMap<File, String>,
    /// What programs wrote behind the end of files.
    appended: BTreeSet<String>,
}

impl Person {
    /// Begins to save an edit of a file. `base` is what the daemon takes for agreed: without it nobody can tell an older text
    /// from an edit that is written where the file was away for a moment. `came` is what is agreed, too, once that is recorded.
    pub(crate) fn edit(
        &mut self,
        around: &mut Around,
        disk: &mut Disk,
        file: &File,
        (base, came): (Option<&str>, Option<&str>),
    ) {
        let name = file.name();
        let (Some(text), Some(seen)) = (disk.read(&name), disk.stamp(&name)) else { return };
        let is_torn = self.torn.get(file).is_some_and(|torn| torn == text);
        if self.saves.contains_key(file) || text.trim().is_empty() || text.contains('\0') || is_torn {
            return;
        }
        if around.dice.once_in(APPENDING) {
            let token = around.ledger.new_token('l');
            // It writes into the file that it has opened, whatever stands in its place by then.
            let text = format!("\n{}\n", around.speech.paragraph(&mut around.dice, &mut around.ledger, &token));
            self.appended.insert(token);
            around.trace(&("appends", file, &text));
            // What a person's own editor takes away again is nobody else's fault.
            self.open.remove(file);
            let save = Save {
                text,
                seen,
                steps: APPENDS.iter().copied().collect(),
                open: 0,
                opened: 0,
                tenths: 0,
                written: 0,
            };
            self.saves.insert(file.clone(), save);
            self.go_on(around, disk, file);
            return;
        }
        let shown = self.open.remove(file);
        if let Some(shown) = &shown {
            // It does not have what a program wrote behind the end of the file while a deposit was taken back.
            let lacks = tokens(text).filter(|token| self.appended.contains(*token) && !shown.contains(*token));
            lacks.for_each(|token| around.ledger.given_up_unless_kept(token));
        }
        let text = edited(around, shown.as_deref().unwrap_or(text), [Some(text), base, came]);
        if around.dice.once_in(LEFT_OPEN) {
            self.open.insert(file.clone(), text.clone());
        }
        let steps = around.dice.pick(&EDITORS);
        // Half of a text up to the end of a long paragraph, and one of which somebody deleted the rest, are the same bytes.
        let is_half = around.speech == Speech::Prose && steps.contains(&Step::Paragraph);
        let steps = if is_half { EDITORS[0] } else { steps };
        // Nor from an empty file that gets its text, and hours later the end of a save.
        let is_safe = base.is_some() || !steps.contains(&Step::Empty);
        let steps: VecDeque<Step> = if is_safe { steps } else { EDITORS[2] }.iter().copied().collect();
        around.trace(&("saves", file, &text, &steps));
        let tenths = 1 + around.dice.roll(9);
        self.saves.insert(file.clone(), Save { text, seen, steps, open: 0, opened: 0, tenths, written: 0 });
        // Between the look at what stands and the first step nothing comes: editors ask when the file has changed.
        self.go_on(around, disk, file);
    }

    /// Moves a file into the trash of the desktop, or brings it back from there as it was.
    pub(crate) fn mislay(&mut self, around: &mut Around, disk: &mut Disk, file: &File) {
        let (name, trash) = (file.name(), file.beside("trash"));
        let (text, thrown) = (disk.read(&name).map(str::to_owned), disk.read(&trash).is_some());
        if self.saves.contains_key(file) {
            return;
        }
        match text {
            None if thrown => {
                around.trace(&("brings back", file));
                disk.rename(&trash, &name);
            }
            Some(text) if !thrown && text.ends_with('\n') => {
                around.trace(&("throws away", file));
                // What the document says must stay there.
                tokens(&text).for_each(|token| around.ledger.given_up_unless_kept(token));
                self.open.remove(file);
                disk.rename(&name, &trash);
            }
            Some(_) | None => {}
        }
    }

    /// Tells whether an editor is open that shows what the file says.
    pub(crate) fn shows_newest(&self, disk: &Disk, file: &File) -> bool {
        self.open.get(file).is_some_and(|shown| disk.read(&file.name()) == Some(shown))
    }

    /// Tells whether a file has all that the document says, as its person sees who compares the two.
    pub(crate) fn has_all_of(&self, around: &Around, disk: &Disk, file: &File, main: Option<&str>) -> bool {
        let (said, text) = (around.google.text_of(file, main), disk.read(&file.name()).unwrap_or_default());
        tokens(&said).all(|token| text.contains(token) || !around.ledger.is_alive(token))
    }

    /// Means what a file says, which waits because something was taken away in the document that it still has; true when no save
    /// of it is under way.
    pub(crate) fn accept(&self, around: &mut Around, disk: &Disk, file: &File) -> bool {
        if self.saves.contains_key(file) {
            return false;
        }
        let says = disk.read(&file.name()).into_iter().chain(self.open.get(file).map(String::as_str));
        says.flat_map(tokens).for_each(|token| around.ledger.may_return(&file.item, token));
        true
    }

    /// Does the next step of some save; false when none is under way.
    pub(crate) fn work(&mut self, around: &mut Around, disk: &mut Disk) -> bool {
        let files: Vec<File> = self.saves.keys().cloned().collect();
        if files.is_empty() {
            return false;
        }
        let file = files[around.dice.roll(files.len())].clone();
        self.go_on(around, disk, &file);
        true
    }

    /// The machine was switched off, and its disk says what it says.
    pub(crate) fn leave(&mut self, disk: &Disk) {
        self.saves.clear();
        for file in disk.names().filter_map(|name| File::named(name)) {
            // All saves end with a newline; a save that was done may have been half on the disk, too.
            if let Some(text) = disk.read(&file.name()).filter(|text| !text.ends_with('\n')) {
                self.torn.insert(file.clone(), text.to_owned());
            }
        }
        self.open.clear();
    }

    /// The clock has jumped, and with it the time for which the file was open.
    pub(crate) fn wake_up(&mut self) {
        self.saves.values_mut().for_each(|save| save.opened = 0);
    }

    fn go_on(&mut self, around: &mut Around, disk: &mut Disk, file: &File) {
        let Some(save) = self.saves.get_mut(file) else { return };
        let (name, beside, backup) = (file.name(), file.beside("tmp"), format!("{}~", file.name()));
        match save.steps.pop_front() {
            Some(Step::Empty) => save.open = disk.open_empty(&name),
            Some(Step::Part) => {
                let letters = save.text.chars().count() * save.tenths / 10;
                let part = save.text.char_indices().nth(letters).map_or(0, |(at, _)| at);
                // A save that ended right behind a line and one that deletes the rest are the same bytes.
                disk.append(save.open, save.next(save.text[..part].trim_end_matches('\n').len()));
            }
            Some(Step::Paragraph) => {
                let end_of_next = |at: usize| {
                    let left = save.text[at..].trim_start_matches('\n');
                    left.find("\n\n").map(|end| save.text.len() - left.len() + end)
                };
                let end = end_of_next(save.written);
                if end.and_then(end_of_next).is_some() {
                    save.steps.push_front(Step::Paragraph);
                }
                disk.append(save.open, save.next(end.unwrap_or(save.written)));
            }
            Some(Step::Rest) => {
                disk.append(save.open, save.next(save.text.len()));
                disk.close(save.open);
            }
            Some(Step::Open) => match disk.open_end(&name) {
                Some(open) => (save.open, save.opened) = (open, around.now),
                None => save.steps.clear(),
            },
            Some(Step::Append) => {
                // A file that was replaced is not kept for ever: who has a file open for that long opens it anew, and writes
                // nothing where it is gone by then.
                if around.now.saturating_sub(save.opened) >= OPEN_MAX_MS {
                    let Some(open) = disk.open_end(&name) else {
                        tokens(&save.text).for_each(|token| around.ledger.given_up(token));
                        self.saves.remove(file);
                        return;
                    };
                    save.open = open;
                }
                disk.append(save.open, &save.text);
                disk.close(save.open);
            }
            Some(Step::Beside) => {
                let open = disk.open_empty(&beside);
                disk.append(open, &save.text);
                disk.close(open);
            }
            Some(Step::Date) => disk.date(&beside),
            Some(Step::Replace | Step::Away) if disk.stamp(&name) != Some(save.seen) => {
                // The editor asks, and the person reads again; nothing of this edit was saved.
                self.open.remove(file);
                tokens(&save.text).for_each(|token| around.ledger.given_up_unless_kept(token));
                disk.remove(&beside);
                save.steps.clear();
            }
            Some(Step::Replace) => disk.rename(&beside, &name),
            Some(Step::Away) => disk.rename(&name, &backup),
            Some(Step::Forget) => disk.remove(&backup),
            None => {}
        }
        if save.steps.is_empty() {
            self.saves.remove(file);
        }
    }
}

/// Writes a word to a paragraph of a file, writes a new one before it, or removes it; nothing happens where it has none at that
/// place.
pub(crate) fn edit_at(disk: &mut Disk, item: &ItemId, (what, at): (Edit, usize), ledger: &mut Ledger) {
    let file = File::main(item);
    let Some(text) = disk.read(&file.name()) else { return };
    let head = text.find("\n---\n").map_or(0, |at| at + 5);
    let (head, body) = text.split_at(head);
    let mut blocks: Vec<String> = body.split("\n\n").map(|block| block.trim().to_owned()).collect();
    blocks.retain(|block| !block.is_empty());
    if at >= blocks.len() {
        return;
    }
    match what {
        Edit::Write => blocks[at] = format!("{} {}", blocks[at], ledger.new_token('l')),
        Edit::Add => blocks.insert(at, ledger.new_token('l')),
        Edit::Remove => tokens(&blocks.remove(at)).for_each(|token| ledger.given_up(token)),
    }
    let text = format!("{head}\n{}\n", blocks.join("\n\n"));
    let beside = file.beside("tmp");
    let open = disk.open_empty(&beside);
    disk.append(open, &text);
    disk.close(open);
    disk.rename(&beside, &file.name());
}

/// Edits a text as a person does: a new paragraph, a word added to one, a paragraph moved, seldom one removed. `now` is what
/// the file says by then, and what is agreed on: words that were written over others at the very place where somebody else wrote
/// may be of who has read those, so nobody edits there a paragraph that has changed since.
fn edited(around: &mut Around, text: &str, now: [Option<&str>; 3]) -> String {
    let (speech, token) = (around.speech, around.ledger.new_token('l'));
    let paragraph = |around: &mut Around| speech.paragraph(&mut around.dice, &mut around.ledger, &token);
    let head = text.find("\n---\n").map_or(0, |at| at + 5);
    let (head, body) = text.split_at(head);
    let mut blocks: Vec<String> =
        body.split("\n\n").map(|block| block.trim().to_owned()).filter(|block| !block.is_empty()).collect();
    let says = |now: &str, block: &str| now.split("\n\n").any(|said| said.trim() == block);
    let stands = |at: &usize| now.iter().flatten().all(|now| says(now, &blocks[*at]));
    let unchanged: Vec<usize> = (0..blocks.len()).filter(stands).collect();
    if unchanged.is_empty() {
        return format!("{head}\n{}\n\n{}\n", paragraph(around), blocks.join("\n\n"));
    }
    let at = unchanged[around.dice.roll(unchanged.len())];
    // What came and was not recorded yet, somebody may move and edit at once: then it may stand twice. So may a few words, which
    // others may write, too.
    let is_telling = blocks[at].split(' ').count() >= TELLING_MIN;
    let may_move = speech == Speech::Tokens || now[1].is_some() && is_telling;
    match around.dice.roll(9) {
        0 if blocks.len() >= BLOCKS_MIN && !blocks[at].starts_with(['#', '|']) => {
            let gone = blocks.remove(at);
            tokens(&gone).for_each(|token| around.ledger.given_up(token));
            blocks.push(paragraph(around));
        }
        1 => blocks.insert(at, format!("# {}", paragraph(around))),
        2 if may_move && blocks.len() > 2 && !blocks[at].starts_with(['#', '|']) => {
            let moved = blocks.remove(at);
            let to = around.dice.roll(blocks.len());
            let said = speech.words(&mut around.dice, &mut around.ledger, &token);
            blocks.insert(to, format!("{moved} {said}"));
        }
        3..=5 => blocks.insert(at, paragraph(around)),
        _ if blocks.is_empty() || blocks[at].starts_with('#') => blocks.insert(at, paragraph(around)),
        _ if blocks[at].starts_with('|') && blocks[at].lines().count() > 3 && around.dice.once_in(3) => {
            let said = speech.words(&mut around.dice, &mut around.ledger, &token);
            let mut rows: Vec<String> = blocks[at].lines().map(str::to_owned).collect();
            let mut moved = rows.remove(2 + around.dice.roll(rows.len() - 2));
            let end = moved.find(" |").unwrap();
            moved.insert_str(end, &format!(" {said}"));
            rows.insert(2 + around.dice.roll(rows.len() - 1), moved);
            blocks[at] = rows.join("\n");
        }
        _ if blocks[at].starts_with('|') => {
            // At the end of any cell of any row but the line of the marks.
            let said = speech.words(&mut around.dice, &mut around.ledger, &token);
            let ends: Vec<usize> = blocks[at].match_indices(" |").map(|(end, _)| end).collect();
            let is_cell = |end: &usize| !blocks[at][..*end].ends_with(['-', ':']);
            let ends: Vec<usize> = ends.into_iter().filter(is_cell).collect();
            let end = ends[around.dice.roll(ends.len())];
            blocks[at].insert_str(end, &format!(" {said}"));
        }
        _ => {
            let said = speech.words(&mut around.dice, &mut around.ledger, &token);
            let mut words: Vec<&str> = blocks[at].split(' ').collect();
            // One that is taken away has been read.
            let gone = around.dice.roll(words.len() * 3);
            if words.len() > 1 && words.get(gone).is_some_and(|word| tokens(word).next().is_some()) {
                // A word at the end of an item of a list has the next one's marker behind it.
                tokens(words.remove(gone)).for_each(|token| around.ledger.given_up(token));
            }
            words.insert(around.dice.roll(words.len() + 1), &said);
            blocks[at] = words.join(" ");
        }
    }
    // People do not write as the printer does.
    let gap = if around.dice.once_in(3) { "\n\n\n" } else { "\n\n" };
    format!("{head}\n{}\n", blocks.join(gap))
}
