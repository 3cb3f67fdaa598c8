//! The sentences of the design of molecules and atoms, and of the task tools around them, one by one with their own tools
//! and parameters. `seed_sentences.json` has a row for each: what it says, the call, and what the answer must be.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use testkit::TestRepo;

/// A sentence and how it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SeedSentence {
    says: String,
    tool: String,
    args: Value,
    /// The code of the problem that the answer must be
    #[serde(default)]
    code: Option<String>,
    /// Values of the answer that later rows name as `$name`
    #[serde(default)]
    keep: BTreeMap<String, String>,
    /// Values that the answer must have
    #[serde(default, rename = "is")]
    values: BTreeMap<String, Value>,
    /// Texts that the answer must have
    #[serde(default, rename = "has")]
    texts: Vec<String>,
}

/// Puts kept values in place of their names, and long texts in place of `@c*count`.
fn fill(value: &Value, kept: &BTreeMap<String, String>) -> Value {
    match value {
        Value::String(text) => Value::String(fill_text(text, kept)),
        Value::Array(all) => all.iter().map(|one| fill(one, kept)).collect(),
        Value::Object(all) => {
            Value::Object(all.iter().map(|(key, one)| (key.clone(), fill(one, kept))).collect())
        }
        other => other.clone(),
    }
}

fn fill_text(text: &str, kept: &BTreeMap<String, String>) -> String {
    let long = text.strip_prefix('@').and_then(|text| text.split_once('*'));
    if let Some((part, count)) = long {
        return part.repeat(count.parse().unwrap());
    }
    // Longer names first: `$a` is the start of `$atom`.
    let mut names: Vec<&String> = kept.keys().collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let put = |text: String, name: &String| text.replace(&format!("${name}"), &kept[name]);
    names.into_iter().fold(text.to_owned(), put)
}

impl SeedSentence {
    /// How the answer differs from what the sentence says.
    fn differences(
        &self,
        repo: &TestRepo,
        second: i64,
        kept: &mut BTreeMap<String, String>,
    ) -> Vec<String> {
        let args = serde_json::from_value(fill(&self.args, kept)).unwrap();
        // Every call is a second after the one before it: some sentences are about the order of time.
        let mut call = testkit::call_by("tester");
        call.now += jiff::SignedDuration::from_secs(second);
        let answer = operations::ops::resolve(&self.tool, args)
            .and_then(|(op, args)| op.call(&repo.workspace(), call, args));
        let answer = match answer {
            Ok(answer) => (*answer.data).clone(),
            Err(problem) => {
                let code = serde_json::to_value(problem.code).unwrap();
                let told =
                    format!("{problem} {}", serde_json::to_string(&problem.details).unwrap());
                let is_expected = self.code.as_deref() == code.as_str()
                    && self.texts.iter().all(|text| told.contains(text));
                return if is_expected { Vec::new() } else { vec![format!("{code}: {told}")] };
            }
        };
        let mut differences = Vec::new();
        differences.extend(self.code.as_ref().map(|code| format!("no {code}: {answer}")));
        for (name, pointer) in &self.keep {
            match answer.pointer(pointer).and_then(Value::as_str) {
                Some(value) => drop(kept.insert(name.clone(), value.to_owned())),
                None => differences.push(format!("nothing at {pointer}: {answer}")),
            }
        }
        for (pointer, value) in &self.values {
            let found = answer.pointer(pointer).cloned().unwrap_or_default();
            if found != fill(value, kept) {
                differences.push(format!("{pointer} is {found}, not {value}"));
            }
        }
        let said = answer.to_string();
        let missing = self.texts.iter().filter(|text| !said.contains(&fill_text(text, kept)));
        differences.extend(missing.map(|text| format!("no `{text}` in {said}")));
        differences
    }
}

#[test]
fn every_sentence_of_the_design_holds() {
    let rows: Vec<SeedSentence> =
        serde_json::from_str(include_str!("seed_sentences.json")).unwrap();
    let repo = TestRepo::new("//- src/a.ts\nexport const a = 1;\n");
    let mut kept = BTreeMap::new();
    let mut wrong = Vec::new();
    for (second, row) in (0..).zip(&rows) {
        let differences = row.differences(&repo, second, &mut kept);
        wrong.extend(differences.iter().map(|one| format!("{} ({}): {one}", row.says, row.tool)));
    }
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), rows.len());
}
