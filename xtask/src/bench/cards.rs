//! Cards at the size of a large project: 500 cards, 2,000 files of code, 10,000 entities.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::TestRepo;

use super::latency::WarmServer;
use super::{BenchContext, Comparison, median, print_row};
use crate::run::XtaskResult;

pub(super) const CARDS: usize = 500;
pub(super) const FILES: usize = 2_000;

/// Entities in each file.
const ENTITIES: usize = 5;

/// How often a file is changed and the index rebuilt.
const ROUNDS: usize = 15;

/// Measures the questions about cards on a warm server, and how the index follows.
pub(super) fn run(site: &BenchContext) -> XtaskResult<()> {
    let repo = TestRepo::new(&fixture());
    let mut warm = WarmServer::start(site, &repo.root())?;
    let ms = Duration::from_millis;
    let cards: Vec<usize> = (0..CARDS).step_by(7).collect();
    let of = |field: &str| -> Vec<Value> {
        cards.iter().map(|n| json!({field: format!("spec::area{}/card{n}", n % 20)})).collect()
    };
    warm.measure_and_print("context", &of("targets"), ms(2))?;
    let words = ["payment", "session 12", "결제", "card4", "handler7", "O"];
    let queries: Vec<Value> = words.iter().map(|query| json!({"query": query})).collect();
    warm.measure_and_print("search", &queries, ms(3))?;
    warm.measure_and_print("subgraph", &of("center"), ms(5))?;
    warm.measure_and_print("impact", &of("target"), ms(5))?;
    let mut round = 0;
    let changed = median(ROUNDS, || {
        round += 1;
        repo.write("src/m0/f0.ts", code(0).replace("Handles", &format!("Handles {round}")));
        time_call(|| warm.call("card_list", json!({"limit": 1})))
    })?;
    print_row("one changed file, until the answer", changed, &Comparison::limit(ms(30)));
    let rebuilt = median(5, || time_call(|| warm.call("sync", json!({"full": true}))))?;
    print_row("full rebuild", rebuilt, &Comparison::limit(ms(1_000)));
    Ok(())
}

fn time_call(once: impl FnOnce() -> XtaskResult<String>) -> XtaskResult<Duration> {
    let begin = Instant::now();
    once().map(|_| begin.elapsed())
}

pub(super) fn fixture() -> String {
    let mut text = String::new();
    for n in 0..CARDS {
        let _ = write!(text, "//- .cairn/cards/area{}/card{n}.card.md\n{}", n % 20, card(n));
    }
    for n in 0..FILES {
        let _ = write!(text, "//- {}\n{}", path(n), code(n));
    }
    text
}

fn card(n: usize) -> String {
    let other = |by: usize| format!("spec::area{}/card{}", (n + by) % CARDS % 20, (n + by) % CARDS);
    format!(
        "---\nkey: spec::area{}/card{n}\nsummary: Payment session {n}\ntype: spec\nstatus: implemented\n\
         tags:\n  - pay\nrelations:\n  - {{ type: depends_on, target: {} }}\n  - {{ type: related, target: {} }}\n\
         ---\n\nThe payment of session {n} is settled once. 결제 시스템 {n}\n",
        n % 20,
        other(20),
        other(1),
    )
}

/// Where a file of code is.
pub(super) fn path(n: usize) -> String {
    format!("src/m{}/f{n}.ts", n % 40)
}

pub(super) fn code(n: usize) -> String {
    let next = (n + 40) % FILES;
    let see = n % CARDS;
    let mut text = format!("import {{ handler{next}_0 }} from './f{next}';\n");
    for entity in 0..ENTITIES {
        let link = if entity == 0 {
            format!("\n * @see spec::area{}/card{see}", see % 20)
        } else {
            String::new()
        };
        let _ = write!(
            text,
            "/** Handles payment {n}.{link}\n */\nexport function handler{n}_{entity}(id: string): string {{\n  \
             return handler{next}_0(id);\n}}\n"
        );
    }
    text
}
