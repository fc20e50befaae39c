//! The table of figures.

use std::time::{Duration, Instant};

/// One figure.
struct Row {
    what: String,
    measured: String,
    reference: String,
    target: String,
    met: Option<bool>,
}

/// All figures of a run.
#[derive(Default)]
pub(crate) struct Report {
    rows: Vec<Row>,
}

impl Report {
    /// Adds a figure; `met` is `None` for one that is only told.
    pub(crate) fn add(&mut self, what: &str, measured: String, reference: String, target: &str, met: Option<bool>) {
        println!("{what}: {measured} ({reference}; target {target})");
        self.rows.push(Row { what: what.into(), measured, reference, target: target.into(), met });
    }

    /// Prints the table.
    pub(crate) fn print(&self) {
        println!("\n| what | measured | reference | target | |");
        println!("|---|---|---|---|---|");
        for row in &self.rows {
            let verdict = match row.met {
                Some(true) => "met",
                Some(false) => "MISSED",
                None => "",
            };
            println!("| {} | {} | {} | {} | {verdict} |", row.what, row.measured, row.reference, row.target);
        }
    }

    /// Counts the targets that were missed.
    pub(crate) fn missed(&self) -> usize {
        self.rows.iter().filter(|row| row.met == Some(false)).count()
    }
}

/// What the figures depend on beside the code: how it was built, and what else the machine does.
pub(crate) fn circumstances() -> String {
    let built = if cfg!(debug_assertions) { "DEBUG, of which no target is told" } else { "release" };
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: Vec<&str> = load.split(' ').take(3).collect();
    format!("program and benchmark: {built}; {processors} processors; load before {}", load.join(" "))
}

/// The median time of `work` over `rounds` runs after one to warm up.
pub(crate) fn median<T>(rounds: usize, mut work: impl FnMut() -> T) -> Duration {
    std::hint::black_box(work());
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(work());
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[times.len() / 2]
}

/// A time in milliseconds.
pub(crate) fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
