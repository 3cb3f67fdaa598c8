//! How long a warm server takes to answer.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use testkit::McpClient;

use super::{BenchContext, Comparison, print_row};
use crate::run::XtaskResult;

/// How often each question is asked.
const CALLS: usize = 300;

/// A server that has answered once, so that it is warm.
pub(super) struct WarmServer {
    client: McpClient,
}

/// How long answers took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Latency {
    pub median: Duration,
    pub p99: Duration,
}

impl WarmServer {
    /// Starts a server in a repository with every tool listed, and waits for its index.
    pub(super) fn start(site: &BenchContext, repository: &Path) -> XtaskResult<Self> {
        let mut client = McpClient::start(&site.cairn, repository, &["--toolsets", "all"]);
        let (text, failed) = client.call("sync", serde_json::json!({}));
        if failed { Err(text) } else { Ok(Self { client }) }
    }

    /// The process of the server.
    pub(super) fn pid(&self) -> u32 {
        self.client.pid()
    }

    /// Calls a tool once; an error is a failure of the benchmark.
    pub(super) fn call(&mut self, tool: &str, args: Value) -> XtaskResult<String> {
        let (text, failed) = self.client.call(tool, args);
        if failed { Err(format!("{tool}: {text}")) } else { Ok(text) }
    }

    /// Asks the questions in turn.
    pub(super) fn measure(&mut self, tool: &str, questions: &[Value]) -> XtaskResult<Latency> {
        let mut times = Vec::with_capacity(CALLS);
        for question in questions.iter().cycle().take(CALLS) {
            let begin = Instant::now();
            self.call(tool, question.clone())?;
            times.push(begin.elapsed());
        }
        times.sort();
        Ok(Latency { median: times[CALLS / 2], p99: times[CALLS * 99 / 100] })
    }

    /// Measures and prints a row with the limit at the 99th percentile.
    pub(super) fn measure_and_print(
        &mut self,
        tool: &str,
        questions: &[Value],
        limit: Duration,
    ) -> XtaskResult<()> {
        let latency = self.measure(tool, questions)?;
        let what = format!("{tool}, p99 of {CALLS} (median {:.2?})", latency.median);
        print_row(&what, latency.p99, &Comparison::limit(limit));
        Ok(())
    }
}
