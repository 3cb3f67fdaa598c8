//! Rule: an id is defined only once.

use super::{KbRuleViolation, RuleContext};
use crate::knowledge_model::{FactOrigin, KnowledgeModel, KnownEntity};

/// Ids that two files, or a file and the store, both define.
pub fn duplicate_ids(model: &KnowledgeModel, _: &RuleContext<'_>) -> Vec<KbRuleViolation> {
    let place = |fact: &KnownEntity| match &fact.origin {
        FactOrigin::Store => "the store".to_owned(),
        FactOrigin::File(path, _) => path.to_string(),
    };
    let breach = |(first, second): (&KnownEntity, &KnownEntity)| {
        let id = &first.entity.id;
        let message = format!("{id} is defined in both {} and {}", place(first), place(second));
        let fix = match second.origin {
            FactOrigin::Store => format!("move {id} to the file with `kb.promote`"),
            FactOrigin::File(..) => "give one of them another id".into(),
        };
        KbRuleViolation::for_entity(first, message, fix)
    };
    model.duplicates().map(breach).collect()
}
