//! `demo`: an embedded Google, a demo account, a workspace and a daemon, all on this machine.

use super::Answer;
use super::arguments::DemoArguments;
use super::home::Home;
use crate::tools::ErrorAnswer;

pub(crate) async fn run(home: Home, arguments: DemoArguments, json: bool) -> Answer<()> {
    let _ = (home.demo_dir(), home.run_dir(), arguments, json);
    Err(ErrorAnswer::invalid("not built yet", "Wait."))
}
