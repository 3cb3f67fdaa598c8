//! Compares what a file declares before and after an edit.

use std::collections::HashMap;
use std::ops::Range;

use base::entity::plain_name;

use super::{EditRefusal, first_new_error};
use crate::Language;
use crate::model::{FileFacts, Symbol, SymbolKind};

/// Paths without what tells namesakes apart, with how often each occurs.
type SymbolCounts = HashMap<(String, SymbolKind), usize>;

/// Whether an edit left alone everything that it is not about.
///
/// `gone` are the symbols that the edit was to remove, and `came` is the range of the new text.
/// What is declared there has to be a member of `parent`, the symbol around it.
pub(super) fn check_outline_change(
    language: Language,
    before: &FileFacts,
    after: &FileFacts,
    gone: impl Fn(&Symbol) -> bool,
    came: &Range<usize>,
    parent: Option<&str>,
) -> Result<(), EditRefusal> {
    if let Some(error) = first_new_error(before, after) {
        return Err(EditRefusal::NewSyntaxError(error.clone()));
    }
    let kept = count_symbols(before.symbols.iter().filter(|symbol| !gone(symbol)));
    let now = count_symbols(after.symbols.iter());
    let lost = kept.iter().any(|(key, count)| now.get(key).is_none_or(|now| now < count));
    if lost {
        return Err(EditRefusal::NotPossible("another symbol would no longer be declared"));
    }
    if language.descriptor().layout.has_members_outside_type
        || is_member_of_parent(after, came, parent)
    {
        Ok(())
    } else {
        Err(EditRefusal::NotPossible("the new symbol would belong to another one there"))
    }
}

/// Whether the declarations in a range are members of `parent`.
fn is_member_of_parent(after: &FileFacts, came: &Range<usize>, parent: Option<&str>) -> bool {
    let is_in = |symbol: &Symbol| {
        let at = symbol.declaration.range();
        came.start <= at.start && at.end <= came.end
    };
    after.symbols.iter().filter(|symbol| is_in(symbol)).all(|symbol| {
        let around = symbol.parent.map(|parent| &after.symbols[parent as usize]);
        let is_there = || around.map(|one| plain_name(&one.path)) == parent.map(plain_name);
        around.is_some_and(is_in) || is_there()
    })
}

fn count_symbols<'s>(symbols: impl Iterator<Item = &'s Symbol>) -> SymbolCounts {
    let mut outline = SymbolCounts::new();
    for symbol in symbols {
        // Another of the name may have come or gone, which changes what tells them apart.
        let path = plain_name(&symbol.path);
        if !path.contains('<') {
            *outline.entry((path.into_owned(), symbol.kind)).or_default() += 1;
        }
    }
    outline
}
