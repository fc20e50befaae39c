//! Three notebooks to begin with: one's own with all kinds of sources, one in two scripts, and one that somebody shared.

use serde_json::json;

use super::Notebooks;
use super::chat::ask_for_seed;
use super::making::New;
use super::model::{Millis, Notebook, Plan, Role, WebPage};
use crate::emulator::DEMO_ACCOUNT;

/// Who shares a notebook with the demo account.
const COLLEAGUE: &str = "colleague@example.com";

/// The page that one of the sources is of.
const OFFERS_URL: &str = "https://balcony.example/offers/march";

/// The file of Drive that one of the sources is of.
pub(super) const MINUTES_FILE: &str = "1demoMinutesOfTheHouseMeeting";

const HOUR_MS: Millis = 3_600_000;

impl Notebooks {
    /// Puts the three notebooks in, unless they are there, and returns their ids.
    pub(in crate::emulator) fn seed(&mut self, now: Millis) -> Vec<String> {
        let titles = ["Balcony solar", "京都 Kyoto in November", "Sourdough, shared"];
        let known = |title: &&str| {
            let found = self.notebooks.values().find(|one| one.title == **title && one.place.is_none());
            found.map(|one| one.id.clone())
        };
        let there: Vec<String> = titles.iter().filter_map(known).collect();
        if there.len() == titles.len() {
            return there;
        }
        self.add_person(COLLEAGUE, "Colleague", Plan::FREE);
        let [solar, kyoto, bread] = titles;
        let notebooks = [
            self.solar(now - 72 * HOUR_MS, solar),
            self.kyoto(now - 240 * HOUR_MS, kyoto),
            self.bread(now - 500 * HOUR_MS, bread),
        ];
        let ids = notebooks.iter().map(|notebook| notebook.id.clone()).collect();
        for notebook in notebooks {
            self.notebooks.insert(notebook.id.clone(), notebook);
        }
        self.touch();
        ids
    }

    fn solar(&mut self, made: Millis, title: &str) -> Notebook {
        let offers = include_str!("seed/balcony-offers.md").to_owned();
        self.web.insert(OFFERS_URL.to_owned(), WebPage { title: "Three offers compared".into(), text: offers });
        let document = "application/vnd.google-apps.document";
        self.set_drive_file(MINUTES_FILE, "House meeting", document, include_str!("seed/balcony-minutes.md"));
        let mut notebook = self.new_notebook(made, DEMO_ACCOUNT, title);
        "☀️".clone_into(&mut notebook.emoji);
        let guide = include_str!("seed/balcony-guide.md").to_owned();
        self.put_seed(made, &mut notebook, New::Text("Guide to balcony solar".into(), guide));
        self.put_seed(made + HOUR_MS, &mut notebook, New::Url(OFFERS_URL.into()));
        let minutes = New::Drive(MINUTES_FILE.into(), String::new(), String::new());
        self.put_seed(made + 2 * HOUR_MS, &mut notebook, minutes);
        let map = json!({"name": "Balcony solar", "children": [
            {"name": "Law", "children": [{"name": "800 W"}, {"name": "Registration"}]}, {"name": "Offers"}]});
        for (title, text) in [
            ("To ask the landlord", "Ask about the **colour of the frames** and the hooks.\n\n- [ ] south side\n"),
            ("Mind map", map.to_string().as_str()),
            ("Thrown away", "Nothing."),
        ] {
            let note = self.new_note(made + 3 * HOUR_MS, DEMO_ACCOUNT, title, text);
            notebook.notes.push(note);
        }
        if let Some(last) = notebook.notes.last_mut() {
            last.deleted = true;
        }
        let turn = ask_for_seed(&mut self.chance, made + 4 * HOUR_MS, &notebook, "How many watts may be fed in?");
        notebook.conversation.turns.push(turn);
        notebook
    }

    fn kyoto(&mut self, made: Millis, title: &str) -> Notebook {
        let mut notebook = self.new_notebook(made, DEMO_ACCOUNT, title);
        "🍁".clone_into(&mut notebook.emoji);
        let plan = include_str!("seed/kyoto-plan.md").to_owned();
        self.put_seed(made, &mut notebook, New::Text("京都の五日間".into(), plan));
        let trains = include_str!("seed/kyoto-trains.md").to_owned();
        self.put_seed(made + HOUR_MS, &mut notebook, New::Text("Trains".into(), trains));
        self.put_seed(made + HOUR_MS, &mut notebook, New::Video("https://www.youtube.com/watch?v=kyoto2026aut".into()));
        notebook
    }

    fn bread(&mut self, made: Millis, title: &str) -> Notebook {
        let mut notebook = self.new_notebook(made, COLLEAGUE, title);
        "🍞".clone_into(&mut notebook.emoji);
        notebook.shares.insert(DEMO_ACCOUNT.to_owned(), Role::Viewer);
        notebook.viewed_ms.insert(DEMO_ACCOUNT.to_owned(), made + HOUR_MS);
        let notes = include_str!("seed/bread-notes.md").to_owned();
        self.put_seed(made, &mut notebook, New::Text("Sourdough in a cold kitchen".into(), notes));
        let microbes = include_str!("seed/bread-microbes.md").to_owned();
        self.put_seed(made, &mut notebook, New::Text("Who lives in the starter".into(), microbes));
        notebook
    }

    /// Puts a source in that was read at once, long ago.
    fn put_seed(&mut self, made: Millis, notebook: &mut Notebook, new: New) {
        if let Ok(mut source) = self.make_source(made, &Plan::PRO, new) {
            source.ready_ms = made;
            source.modified_ms = made;
            notebook.sources.push(source);
        }
    }
}
