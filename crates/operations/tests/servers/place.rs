//! A repository with servers installed, and one workspace that keeps them running.

use std::path::PathBuf;

use base::Problem;
use engine::{AREAS, JsonObject, Workspace, WorkspaceMode};
use operations::ops;
use serde_json::{Value, json};
use testkit::{TestRepo, call_by};
use tree::DiskWriter;

/// How often a question is asked again while a server loads.
const MOST_WAITS: usize = 40;

pub(crate) struct Place {
    pub(crate) repo: TestRepo,
    workspace: Workspace,
}

impl Place {
    /// A trusted repository with the npm packages of a version.
    pub(crate) fn new(fixture: &str, packages: Option<&str>) -> Self {
        let repo = TestRepo::new(fixture);
        repo.write(".gitignore", "node_modules\ntarget\n");
        repo.commit("ignore");
        if let Some(version) = packages {
            let from = servers().join(version).join("node_modules");
            std::os::unix::fs::symlink(from, repo.root().join("node_modules")).unwrap();
        }
        let workspace = repo.open(WorkspaceMode::Once, DiskWriter::default(), AREAS);
        let place = Self { repo, workspace };
        place.data("trust", json!({}));
        place
    }

    /// Asks until the server has loaded the project: each call waits for it as long as a caller
    /// would, which is not enough on a busy machine.
    pub(crate) fn ask(&self, name: &str, args: Value) -> Result<Value, Problem> {
        let is_loading = |answer: &Result<Value, Problem>| {
            let text = match answer {
                Ok(answer) => answer.to_string(),
                Err(problem) => problem.to_string(),
            };
            text.contains("is still loading the project")
        };
        let mut answer = self.ask_once(name, args.clone());
        for _ in 0..MOST_WAITS {
            if !is_loading(&answer) {
                break;
            }
            answer = self.ask_once(name, args.clone());
        }
        answer
    }

    fn ask_once(&self, name: &str, args: Value) -> Result<Value, Problem> {
        let args: JsonObject = serde_json::from_value(args).unwrap();
        let (op, args) = ops::resolve(name, args)?;
        op.call(&self.workspace, call_by("tester"), args)
            .map(|answer| operations::CallFormat::CommandLine.json(&Ok(answer)))
    }

    pub(crate) fn data(&self, name: &str, args: Value) -> Value {
        match self.ask(name, args) {
            Ok(answer) => answer["data"].clone(),
            Err(problem) => panic!("{name}: {problem} {:?}", problem.hints),
        }
    }

    /// The places that an operation names, each as `path:line:column in symbol`.
    pub(crate) fn places(&self, operation: &str, target: &str) -> Vec<String> {
        let found = self.data(operation, json!({"target": target}));
        assert_eq!(found["by"]["source"], "server", "{operation}: {}", found["by"]);
        let places = found["places"].as_array().unwrap().iter();
        let shown = |one: &Value| {
            let text = |key: &str| one[key].as_str().unwrap().to_owned();
            format!("{}:{}:{} in {}", text("path"), one["line"], one["column"], text("node"))
        };
        places.map(shown).collect()
    }

    /// The nodes that a precise impact reaches by calls.
    pub(crate) fn callers(&self, target: &str) -> Vec<String> {
        let args = json!({"target": target, "precise": true, "edges": ["calls"]});
        let found = self.data("impact", args);
        assert_eq!(found["by"]["source"], "server", "{}", found["by"]);
        let rows = found["rows"].as_array().unwrap().iter();
        rows.map(|row| row["node"].as_str().unwrap().to_owned()).collect()
    }
}

#[expect(clippy::disallowed_methods, reason = "the tests are the door")]
fn servers() -> PathBuf {
    std::env::var_os("CAIRN_SERVERS").expect("`cargo xtask test servers` sets it").into()
}
