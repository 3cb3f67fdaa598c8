//! Every operation, one file each, and the table that doors walk.
//!
//! Modules are declared plainly: rustfmt does not follow modules that a macro declares.

mod backup;
mod baseline;
mod card;
mod changelog;
mod code;
mod confirm;
mod context;
mod deps;
mod doctor;
mod explain;
mod fix;
mod help;
mod history;
mod hook;
mod impact;
mod init;
pub(crate) mod install;
mod kb;
pub(crate) mod knowledge;
mod link;
mod matrix;
mod merge_file;
mod overview;
mod reach;
mod redo;
mod relation;
mod restore;
mod review;
mod search;
mod share;
mod status;
mod subgraph;
mod sync;
mod team;
mod trace;
mod trust;
pub mod typed;
mod undo;
mod uninstall;
mod untrust;
mod verify;
mod version;
mod work;

use base::similarity::did_you_mean_one_of;
use base::{NextCall, Problem, Result};

use engine::OLDER_AREAS;
use engine::contract::schema::JsonObject;
use engine::contract::spec::OpSpec;

/// Every operation, in the order that help and tool lists show them.
pub const ALL: &[OpSpec] = &[
    OpSpec::query::<context::Context>(),
    OpSpec::query::<search::Search>(),
    OpSpec::query::<impact::Impact>(),
    OpSpec::query::<deps::Deps>(),
    OpSpec::query::<trace::Trace>(),
    OpSpec::query::<subgraph::Subgraph>(),
    OpSpec::query::<review::Review>(),
    OpSpec::query::<explain::Explain>(),
    OpSpec::query::<verify::Verify>(),
    OpSpec::action::<fix::Fix>(),
    OpSpec::query::<code::show::Show>(),
    OpSpec::query::<code::zoom::Zoom>(),
    OpSpec::query::<code::find::Find>(),
    OpSpec::query::<code::imports::Imports>(),
    OpSpec::query::<code::importers::Importers>(),
    OpSpec::query::<code::unused::Unused>(),
    OpSpec::query::<code::list::List>(),
    OpSpec::query::<code::grep::Grep>(),
    OpSpec::mutation::<code::edit::Edit>(),
    OpSpec::mutation::<code::replace::Replace>(),
    OpSpec::mutation::<code::insert_before::InsertBefore>(),
    OpSpec::mutation::<code::insert_after::InsertAfter>(),
    OpSpec::mutation::<code::delete::Delete>(),
    OpSpec::mutation::<code::rename::Rename>(),
    OpSpec::mutation::<code::r#move::Move>(),
    OpSpec::query::<code::references::References>(),
    OpSpec::query::<code::definition::Definition>(),
    OpSpec::query::<code::type_definition::TypeDefinition>(),
    OpSpec::query::<code::implementation::Implementation>(),
    OpSpec::query::<code::symbols::Symbols>(),
    OpSpec::query::<code::hints::Hints>(),
    OpSpec::query::<code::actions::Actions>(),
    OpSpec::mutation::<code::apply::Apply>(),
    OpSpec::query::<code::expand_macro::ExpandMacro>(),
    OpSpec::query::<code::diagnostics::Diagnostics>(),
    OpSpec::action::<code::restart::Restart>(),
    OpSpec::query::<card::list::List>(),
    OpSpec::query::<card::show::Show>(),
    OpSpec::mutation::<card::create::Create>(),
    OpSpec::mutation::<card::update::Update>(),
    OpSpec::mutation::<card::status::Status>(),
    OpSpec::mutation::<card::rename::Rename>(),
    OpSpec::mutation::<card::delete::Delete>(),
    OpSpec::query::<card::diff::Diff>(),
    OpSpec::mutation::<card::draft::Draft>(),
    OpSpec::query::<card::relations::Relations>(),
    OpSpec::query::<card::coverage::Coverage>(),
    OpSpec::query::<card::unlinked::Unlinked>(),
    OpSpec::mutation::<link::add::Add>(),
    OpSpec::mutation::<link::remove::Remove>(),
    OpSpec::mutation::<confirm::Confirm>(),
    OpSpec::query::<matrix::Matrix>(),
    OpSpec::mutation::<relation::add::Add>(),
    OpSpec::mutation::<relation::remove::Remove>(),
    OpSpec::query::<kb::query::KbQuery>(),
    OpSpec::query::<kb::schema::KbSchema>(),
    OpSpec::mutation::<kb::upsert::KbUpsert>(),
    OpSpec::mutation::<kb::delete::KbDelete>(),
    OpSpec::query::<kb::check::KbCheck>(),
    OpSpec::query::<kb::log::KbLog>(),
    OpSpec::mutation::<kb::rollback::KbRollback>(),
    OpSpec::action::<kb::promote::KbPromote>(),
    OpSpec::mutation::<kb::import::KbImport>(),
    OpSpec::mutation::<kb::adopt::KbAdopt>(),
    OpSpec::query::<kb::branches::KbBranches>(),
    OpSpec::mutation::<kb::merge::KbMerge>(),
    OpSpec::action::<kb::gc::KbGc>(),
    OpSpec::action::<kb::compact::KbCompact>(),
    OpSpec::query::<history::list::List>(),
    OpSpec::query::<history::show::Show>(),
    OpSpec::query::<history::provenance::Provenance>(),
    OpSpec::query::<history::tags::Tags>(),
    OpSpec::query::<history::cochange::Cochange>(),
    OpSpec::query::<history::hotspots::Hotspots>(),
    OpSpec::query::<history::owners::Owners>(),
    OpSpec::query::<history::notes::Notes>(),
    OpSpec::action::<history::snapshot::TakeSnapshot>(),
    OpSpec::query::<history::snapshots::Snapshots>(),
    OpSpec::action::<history::restore::RestoreSnapshot>(),
    OpSpec::mutation::<work::start::Start>(),
    OpSpec::mutation::<work::done::Done>(),
    OpSpec::query::<work::next::Next>(),
    OpSpec::query::<work::board::Board>(),
    OpSpec::mutation::<work::plan::Plan>(),
    OpSpec::mutation::<work::claim::Claim>(),
    OpSpec::mutation::<work::comment::Comment>(),
    OpSpec::query::<work::show::Show>(),
    OpSpec::query::<work::search::Search>(),
    OpSpec::query::<work::overview::Overview>(),
    OpSpec::query::<work::blocked::Blocked>(),
    OpSpec::query::<work::state::State>(),
    OpSpec::mutation::<work::create::Create>(),
    OpSpec::mutation::<work::update::Update>(),
    OpSpec::mutation::<work::delete::Delete>(),
    OpSpec::mutation::<work::advance::Advance>(),
    OpSpec::mutation::<work::revert::Revert>(),
    OpSpec::mutation::<work::terminate::Terminate>(),
    OpSpec::mutation::<work::block::Block>(),
    OpSpec::mutation::<work::unblock::Unblock>(),
    OpSpec::query::<work::dependencies::Dependencies>(),
    OpSpec::mutation::<work::depend::Depend>(),
    OpSpec::mutation::<work::undepend::Undepend>(),
    OpSpec::query::<work::sections::Sections>(),
    OpSpec::mutation::<work::section_edit::SectionEdit>(),
    OpSpec::query::<work::templates::Templates>(),
    OpSpec::mutation::<work::template_edit::TemplateEdit>(),
    OpSpec::mutation::<work::template_apply::TemplateApply>(),
    OpSpec::query::<work::tags::Tags>(),
    OpSpec::mutation::<work::tag_rename::TagRename>(),
    OpSpec::query::<work::export::Export>(),
    OpSpec::mutation::<work::import::Import>(),
    OpSpec::query::<knowledge::context::Context>(),
    OpSpec::query::<knowledge::show::Show>(),
    OpSpec::query::<knowledge::search::Search>(),
    OpSpec::query::<knowledge::drift::Drift>(),
    OpSpec::mutation::<knowledge::create::Create>(),
    OpSpec::mutation::<knowledge::update::Update>(),
    OpSpec::mutation::<knowledge::delete::Delete>(),
    OpSpec::query::<changelog::search::Search>(),
    OpSpec::mutation::<changelog::append::Append>(),
    OpSpec::query::<team::status::TeamStatus>(),
    OpSpec::query::<team::log::TeamLog>(),
    OpSpec::action::<team::join::TeamJoin>(),
    OpSpec::action::<team::push::TeamPush>(),
    OpSpec::action::<team::leave::TeamLeave>(),
    OpSpec::query::<overview::Overview>(),
    OpSpec::query::<status::Status>(),
    OpSpec::query::<help::Help>(),
    OpSpec::query::<version::Version>(),
    OpSpec::action::<doctor::Doctor>(),
    OpSpec::action::<sync::Sync>(),
    OpSpec::action::<backup::TakeBackup>(),
    OpSpec::action::<share::Share>(),
    OpSpec::mutation::<baseline::Accept>(),
    OpSpec::mutation::<undo::Undo>(),
    OpSpec::mutation::<redo::Redo>(),
    OpSpec::action::<trust::Trust>(),
    OpSpec::action::<untrust::Untrust>(),
    OpSpec::action::<init::Init>(),
    OpSpec::action::<uninstall::Uninstall>(),
    OpSpec::action::<restore::Restore>(),
    OpSpec::action::<hook::Hook>(),
    OpSpec::action::<merge_file::MergeFile>(),
];

/// The types, statuses and relations that the knowledge base takes, as JSON.
pub(crate) fn kb_schema() -> serde_json::Value {
    serde_json::json!(kb::schema::KbSchemaAnswer::new())
}

/// The operation that `cairn` without arguments runs.
pub const DEFAULT_OPERATION: &str = "overview";

/// The operation with this name, as `group.verb`, `group_verb` or `group verb`.
pub fn find(name: &str) -> Result<&'static OpSpec> {
    let plain = with_current_area(name.trim().replace([' ', '-'], "_"));
    let named = |op: &&OpSpec| op.name == plain || op.tool_name() == plain;
    ALL.iter().find(named).ok_or_else(|| {
        let problem = Problem::not_found(format!("no operation is called `{name}`"));
        let aliases = ALL.iter().flat_map(|op| op.aliases.iter().map(|alias| alias.name));
        // A verb alone is likely meant as that of its group.
        let verb = |op: &&OpSpec| op.name.rsplit_once('.').is_some_and(|(_, verb)| verb == plain);
        let same_verb: Vec<&str> = ALL.iter().filter(verb).map(|op| op.name).collect();
        if !same_verb.is_empty() {
            return problem.hint(did_you_mean_one_of(&same_verb));
        }
        let names = ALL.iter().map(|op| op.name).chain(aliases);
        problem.hint_near(name, names).hint_call("all are listed by", NextCall::new("help"))
    })
}

/// The name of an operation with the present name of its group: groups have older names too.
fn with_current_area(name: String) -> String {
    let after = |(older, present): &(&str, &str)| {
        let rest = name.strip_prefix(older)?;
        rest.starts_with(['.', '_']).then(|| format!("{present}{rest}"))
    };
    OLDER_AREAS.iter().find_map(after).unwrap_or(name)
}

/// The operations with this name, or that an older tool of this name leads to.
pub fn find_all(name: &str) -> Result<Vec<&'static OpSpec>> {
    let plain = name.trim().replace([' ', '-'], "_");
    let leads = |op: &&OpSpec| op.aliases.iter().any(|alias| alias.name == plain);
    match find(name) {
        Ok(op) => Ok(vec![op]),
        Err(problem) => {
            let older: Vec<&OpSpec> = ALL.iter().filter(leads).collect();
            if older.is_empty() { Err(problem) } else { Ok(older) }
        }
    }
}

/// The operation with a present or older name, with its arguments under their present names.
pub fn resolve(name: &str, args: JsonObject) -> Result<(&'static OpSpec, JsonObject)> {
    let aliases = ALL.iter().flat_map(|op| op.aliases.iter().map(move |alias| (op, alias)));
    let named: Vec<_> = aliases.filter(|(_, alias)| alias.name == name).collect();
    if named.is_empty() {
        return Ok((find(name)?, args));
    }
    if let Some((op, alias)) = named.iter().find(|(_, alias)| alias.selects(&args)) {
        return Ok((op, alias.translate(args)));
    }
    let choices = named.iter().filter_map(|(_, alias)| alias.selector);
    let choices: Vec<String> = choices.map(|(key, value)| format!("{key}: \"{value}\"")).collect();
    Err(Problem::invalid(format!("`{name}` needs one of {}", choices.join(", "))))
}
