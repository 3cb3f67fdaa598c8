//! `kb.query`: entities by their fields and relations.

use base::moment::to_the_second;
use base::words::counted;
use base::{NextCall, Problem, Result};
use clap::{Args, ValueEnum};
use kb::{EntityQuery, RelationPattern, TraversalDirection};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::vocabulary;
use engine::areas::kb::answer_rows::{EntityRow, RelationView, fill_relation_dates, one_line};
use engine::areas::kb::{kb_state, resolve_path};
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset, WalkDepth, Words, comma_list};
use engine::contract::op::{OpExample, Query};
use engine::contract::page::{Page, Render};
use engine::view::View;

/// The call that writes a first fact into an empty knowledge base.
fn first_fact() -> NextCall {
    let fact = json!({"id": "FACT-1", "type": "fact", "title": "…"});
    NextCall::new("kb.upsert").with("changeset", json!({"entities": [fact]}))
}

/// Find requirements, tests, decisions, facts
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KbQuery {
    /// Words that the id, title, text or tags contain
    #[serde(default)]
    pub text: Option<Words>,
    /// Only entities of these types
    #[arg(id = "type", long = "type", value_delimiter = ',')]
    #[serde(default, rename = "type", deserialize_with = "comma_list")]
    #[schemars(with = "Vec<kb::KbEntityKind>")]
    pub kind: Vec<String>,
    /// Only entities with these ids
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    pub id: Vec<String>,
    /// Only entities that have all of these tags
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    pub tags: Vec<String>,
    /// Only entities in one of these statuses
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    #[schemars(schema_with = "vocabulary::statuses")]
    pub status: Vec<String>,
    /// Only entities from this source: an actor, a file or a report
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub source: Option<String>,
    /// Only entities in or about this file or folder
    #[arg(long)]
    #[serde(default)]
    pub path: Option<NodeTarget>,
    /// Only entities that the entities with these ids have a relation to
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    #[schemars(extend("x-rare" = true))]
    pub from: Vec<String>,
    /// Only entities that have a relation to these ids
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    #[schemars(extend("x-rare" = true))]
    pub to: Vec<String>,
    /// Relation types to follow; all if left out
    #[arg(long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    #[schemars(schema_with = "vocabulary::relation_types", extend("x-rare" = true))]
    pub relation: Vec<String>,
    /// Direction to follow relations in
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub direction: RelationDirection,
    /// How many hops to follow
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub depth: Option<WalkDepth>,
    /// Rows to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Rows to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// Refuses a status that no type has and no document uses.
fn refuse_unknown(statuses: &[String], model: &kb::KnowledgeModel) -> Result<()> {
    let all = vocabulary::all_statuses();
    let is_written =
        |status: &String| model.facts().any(|fact| fact.entity.status.eq_ignore_ascii_case(status));
    let is_known = |status: &&String| {
        all.iter().any(|known| known.eq_ignore_ascii_case(status)) || is_written(status)
    };
    let Some(unknown) = statuses.iter().find(|status| !is_known(status)) else { return Ok(()) };
    let (unknown, all) = (unknown.escape_debug(), Vec::from_iter(all).join(", "));
    Err(Problem::invalid(format!("`{unknown}` is not a status: {all}")))
}

/// The direction in which relations are followed.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum RelationDirection {
    /// From start to end
    #[default]
    Out,
    /// From end to start
    In,
    /// Both directions
    Both,
}

impl From<RelationDirection> for TraversalDirection {
    fn from(heading: RelationDirection) -> Self {
        match heading {
            RelationDirection::Out => Self::Out,
            RelationDirection::In => Self::In,
            RelationDirection::Both => Self::Both,
        }
    }
}

/// Entities and relations that match
#[derive(Debug, Serialize, JsonSchema)]
pub struct KbQueryAnswer {
    /// The entities, by type and id
    pub entities: Vec<EntityRow>,
    /// The relations that were followed, or those of an entity asked for by id
    pub relations: Vec<RelationView>,
    /// Limits of the answer
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    #[serde(skip)]
    paging: Paging,
    #[serde(skip)]
    total_known: usize,
}

impl Query for KbQuery {
    const NAME: &'static str = "kb.query";
    // A relation in a document that is not committed was written by the caller.
    const NEEDS_ACTOR: bool = true;
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("kb.query").renaming(&[
        ("types", "type"),
        ("ids", "id"),
        ("sourceFile", "source"),
        ("rel", "relation"),
        ("relationship", "relation"),
        ("query", "text"),
    ])];
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "--type req --status open", shows: "requirements that are open" },
        OpExample { args: "--path src/auth --type adr", shows: "decisions about a folder's code" },
        OpExample { args: "--id REQ-001", shows: "one requirement with its text and relations" },
        OpExample {
            args: "--to REQ-001 --relation implements",
            shows: "the code that implements a requirement",
        },
    ];
    type Answer = KbQueryAnswer;

    fn run(self, view: &View) -> Result<KbQueryAnswer> {
        let known = kb_state(view)?;
        let wanted = self.wanted()?;
        refuse_unknown(&wanted.statuses, &known.model)?;
        let mut found = kb::query(&known.model, &wanted);
        if let Some(place) = resolve_path(view, self.path.as_ref())? {
            found.facts.retain(|fact| known.is_tied_to(fact, &place));
        }
        let by_id = !wanted.ids.is_empty();
        let mut relations: Vec<RelationView> =
            found.relations.iter().map(|known_relation| RelationView::of(known_relation)).collect();
        let rows: Vec<EntityRow> =
            found.facts.iter().map(|fact| EntityRow::of(fact, by_id)).collect();
        if by_id && wanted.pattern.is_none() {
            relations = relations_of(&known.model, &found.facts);
        }
        let count = known.model.facts().count();
        let (entities, paging) = Paging::cut(rows, self.offset, self.limit);
        relations.truncate(self.limit.get() * 4);
        fill_relation_dates(view, &mut relations)?;
        let notes = self.depth.and_then(WalkDepth::note).into_iter().collect();
        Ok(KbQueryAnswer { entities, relations, notes, paging, total_known: count })
    }
}

/// The relations of some entities, by all their names.
fn relations_of(model: &kb::KnowledgeModel, facts: &[&kb::KnownEntity]) -> Vec<RelationView> {
    let mut relations = Vec::new();
    for fact in facts {
        let node = fact.code.clone().or_else(|| model.node_of(&fact.entity.id));
        for name in node.iter().flat_map(|node| model.names_of(node)) {
            let both = model.relations_from(&name).chain(model.relations_to(&name));
            relations.extend(both.map(RelationView::of));
        }
    }
    relations
}

impl KbQuery {
    fn wanted(&self) -> Result<EntityQuery> {
        let parse = |text: &String| text.to_lowercase().parse().map_err(Problem::invalid);
        let relation = |text: &String| text.trim_start_matches("kb.").parse();
        let end = |text: &String| {
            kb::KbEndpoint::parse(text).map(|end| end.canonical_text()).map_err(Problem::invalid)
        };
        let ids = self.id.iter().map(end).collect::<Result<_>>()?;
        let pattern = RelationPattern {
            from: self.from.iter().map(end).collect::<Result<_>>()?,
            to: self.to.iter().map(end).collect::<Result<_>>()?,
            relates: self
                .relation
                .iter()
                .map(|text| relation(text).map_err(Problem::invalid))
                .collect::<Result<_>>()?,
            direction: self.direction.into(),
            depth: self.depth.map_or(1, WalkDepth::clamped),
        };
        let is_tied = !pattern.from.is_empty() || !pattern.to.is_empty();
        let is_tied = is_tied || !pattern.relates.is_empty();
        Ok(EntityQuery {
            kinds: self.kind.iter().map(parse).collect::<Result<_>>()?,
            ids,
            tags: self.tags.clone(),
            statuses: self.status.clone(),
            source: self.source.clone(),
            text: self.text.as_ref().map(ToString::to_string),
            pattern: is_tied.then_some(pattern),
        })
    }
}

impl Render for KbQueryAnswer {
    fn render(&self, page: &mut Page) {
        match (self.entities.as_slice(), self.paging.total) {
            ([], _) if self.total_known == 0 => {
                page.answer("The knowledge base is empty: no document, manifest or changeset yet");
                page.say_call("To write the first fact", first_fact());
                page.say("Or write a document such as docs/requirements/REQ-001.md, with id, title and status in its frontmatter");
            }
            ([], _) => page
                .answer(format!("No matching entity ({} in the knowledge base)", self.total_known)),
            ([only], 1) => render_one(page, only),
            (rows, total) => {
                page.answer(counted(total, "entity"));
                page.table(0, rows.iter().map(EntityRow::cells).collect());
                self.paging.render_rest(page, rows.len());
            }
        }
        if !self.relations.is_empty() {
            page.heading(counted(self.relations.len(), "relation"));
            page.table(2, self.relations.iter().map(RelationView::cells).collect());
        }
        self.notes.iter().for_each(|note| page.say(note));
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}

/// When and on which commit a test last ran.
fn ran(more: &kb::EntityDetails) -> Option<String> {
    let commit = more.commit.as_ref().map(|commit| commit.chars().take(12).collect::<String>());
    match (more.ran_at.as_deref().map(to_the_second), commit) {
        (Some(at), Some(commit)) => Some(format!("{at} on {commit}")),
        (Some(at), None) => Some(at),
        (None, commit) => commit,
    }
}

fn render_one(page: &mut Page, row: &EntityRow) {
    let entity = &row.entity;
    page.answer(format!("{}: {}", entity.id, one_line(&entity.title, 200)));
    page.table(2, vec![row.cells()]);
    let more = &entity.more;
    let rows = [
        ("tags", Some(more.tags.join(", ")).filter(|tags| !tags.is_empty())),
        ("kind", more.kind.clone()),
        ("owner", more.owner.clone()),
        ("severity", more.severity.clone()),
        ("links", Some(more.links.join(", ")).filter(|links| !links.is_empty())),
        ("code", row.symbol.clone().or_else(|| more.code.clone())),
        ("ran", ran(more)),
        ("written in", row.file.clone()),
        ("text in", more.text_ref.clone().filter(|text| *text != entity.source)),
        ("by", Some(entity.author.clone()).filter(|author| !author.is_empty())),
        ("created", Some(to_the_second(&entity.created_at)).filter(|at| !at.is_empty())),
        ("updated", Some(to_the_second(&entity.updated_at)).filter(|at| !at.is_empty())),
        ("version", (entity.version > 0).then(|| entity.version.to_string())),
    ];
    for (key, value) in rows {
        if let Some(value) = value {
            page.item(key, value);
        }
    }
    if let Some(text) = &more.text {
        let is_told = entity.author.is_empty() || entity.author == entity.source;
        let by = if is_told { String::new() } else { format!(", by {}", entity.author) };
        page.quoted(text, format!("{}{by}", entity.source));
    }
}
