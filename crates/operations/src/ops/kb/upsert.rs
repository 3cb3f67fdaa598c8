//! `kb.upsert`: a changeset of entities and relations, checked whole, applied at once.

use base::{Problem, Result};
use clap::Args;
use kb::Changeset;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::vocabulary;
use engine::areas::kb::answer_rows::KbChangeAnswer;
use engine::areas::kb::{ChangeLabel, ParsedChangeset, plan_changeset};
use engine::contract::alias::OpAlias;
use engine::contract::args::Objects;
use engine::contract::op::{Effect, Mutation, OpExample};
use engine::plan::Plan;
use engine::view::View;

/// Write entities and relations: checked as a whole, applied at once, logged, reversible
///
/// Fields that are left out stay, null clears. Statuses and ends of relations: `help kb.upsert`.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KbUpsert {
    /// Everything in one object: `{id, entities, relations, delete}`
    #[arg(value_name = "JSON")]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub changeset: Option<Objects>,
    /// Entities to write: `[{id, type, title, status, …}]`
    #[arg(long, value_name = "JSON")]
    #[serde(default)]
    #[schemars(schema_with = "vocabulary::entities")]
    pub entities: Option<Objects>,
    /// Relations to write: `[{type, from, to, …}]`
    #[arg(long, value_name = "JSON")]
    #[serde(default)]
    #[schemars(schema_with = "vocabulary::relations")]
    pub relations: Option<Objects>,
    /// Ids of entities, or relations, to delete
    #[arg(long, value_name = "JSON")]
    #[serde(default)]
    #[schemars(extend("items" = {"minLength": 1}, "x-rare" = true))]
    pub delete: Option<Objects>,
    /// Id of the changeset, chosen by you; the same id again changes nothing
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub id: Option<String>,
    /// Where the facts come from, such as a file or tool
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub source: Option<String>,
}

impl Mutation for KbUpsert {
    const NAME: &'static str = "kb.upsert";
    const EFFECT: Effect = Effect::OVERWRITES;
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("kb.upsert")
        .renaming(&[("edges", "relations"), ("relationships", "relations")])];
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "@changeset.json", shows: "a changeset from a file, as JSON" },
        OpExample { args: "- --source design-review", shows: "a changeset from standard input" },
    ];
    type Answer = KbChangeAnswer;

    fn plan(self, view: &View) -> Result<Plan<KbChangeAnswer>> {
        let parts = self.parts()?;
        let (mut set, faults) = Changeset::parse(&parts.entities, &parts.relations, &parts.delete);
        (set.id, set.source) = (parts.id, parts.source);
        if faults.is_empty()
            && set.entities.is_empty()
            && set.relations.is_empty()
            && set.delete.is_empty()
        {
            return Err(Problem::invalid("the changeset is empty")
                .hint("give entities or relations, for example  kb upsert @changeset.json"));
        }
        let label = ChangeLabel { action: "upsert", verb: "wrote" };
        plan_changeset(view, ParsedChangeset { set, faults }, label)
    }
}

#[derive(Default)]
struct ChangesetParts {
    id: Option<String>,
    source: Option<String>,
    entities: Vec<Value>,
    relations: Vec<Value>,
    delete: Vec<Value>,
}

impl KbUpsert {
    /// The parts of the changeset, given as one object or as separate arguments.
    fn parts(&self) -> Result<ChangesetParts> {
        let list =
            |objects: &Option<Objects>| objects.iter().flat_map(Objects::get).cloned().collect();
        let mut parts = ChangesetParts {
            id: self.id.clone(),
            source: self.source.clone(),
            entities: list(&self.entities),
            relations: list(&self.relations),
            delete: list(&self.delete),
        };
        for value in self.changeset.iter().flat_map(Objects::get) {
            let Value::Object(fields) = value else {
                return Err(Problem::invalid(format!(
                    "a changeset must be an object, not {value}"
                )));
            };
            for (key, value) in fields {
                let items = || match value {
                    Value::Array(items) => items.clone(),
                    one => vec![one.clone()],
                };
                let text = || value.as_str().map(ToOwned::to_owned);
                match key.as_str() {
                    "id" => parts.id = text().or(parts.id),
                    "source" => parts.source = text().or(parts.source),
                    "entities" => parts.entities.extend(items()),
                    "relations" | "edges" | "relationships" => parts.relations.extend(items()),
                    "delete" => parts.delete.extend(items()),
                    other => {
                        let known = ["id", "source", "entities", "relations", "delete"];
                        let problem =
                            Problem::invalid(format!("unknown changeset field `{other}`"));
                        return Err(problem.hint_near(other, known));
                    }
                }
            }
        }
        Ok(parts)
    }
}
