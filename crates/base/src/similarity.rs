//! How similar two names are, and which known name a misspelt one probably means.
//!
//! All thresholds are here: the more a wrong guess costs, the higher the threshold.

/// The least similarity of a name that is suggested in a message.
pub const MIN_SUGGESTED: f64 = 0.8;

/// The least similarity of a name that a search returns although the query misspells it.
pub const MIN_SEARCHED: f64 = 0.86;

/// The least similarity of a word that replaces a misspelt word of a question.
pub const MIN_REPAIRED_WORD: f64 = 0.9;

/// The least similarity of a symbol whose name a text is assumed to misspell.
pub const MIN_REPAIRED_SYMBOL: f64 = 0.93;

/// Minimum length, in characters: shorter names are similar to too many others.
const MIN_NAME_LENGTH: usize = 3;

/// How similar two texts are, from 0 to 1 (Jaro-Winkler). Case counts.
pub fn score(a: &str, b: &str) -> f64 {
    strsim::jaro_winkler(a, b)
}

/// Whether one inserted, removed or replaced character makes one text the other.
pub fn is_one_edit_apart(a: &str, b: &str) -> bool {
    strsim::levenshtein(a, b) == 1
}

/// How similar a name is to the one that was wanted, from 0 to 1, whatever their case; `None` if
/// it is not worth suggesting.
pub fn similarity(wanted: &str, name: &str) -> Option<f64> {
    let (wanted, name) = (wanted.to_lowercase(), name.to_lowercase());
    if wanted == name {
        return Some(1.0);
    }
    let lengths = [wanted.chars().count(), name.chars().count()];
    let (short, long) = (lengths[0].min(lengths[1]), lengths[0].max(lengths[1]));
    // A common prefix scores high, however much longer one of the names is.
    if short < MIN_NAME_LENGTH || long > short * 2 {
        return None;
    }
    Some(score(&wanted, &name)).filter(|score| *score >= MIN_SUGGESTED)
}

/// The names most similar to `wanted`, best first, at most `limit`.
pub fn most_similar<'a>(
    wanted: &str,
    names: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> Vec<&'a str> {
    let scored = |name: &'a str| similarity(wanted, name).map(|score| (score, name));
    let mut scored: Vec<(f64, &str)> = names.into_iter().filter_map(scored).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.into_iter().take(limit).map(|(_, name)| name).collect()
}

/// The question after an unknown name: ``did you mean `x`?``
pub fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

/// The question after an unknown name that resembles several: ``did you mean `x`, `y` or `z`?``
pub fn did_you_mean_one_of(names: &[impl AsRef<str>]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => {
            format!("did you mean {} or {last}?", rest.join(", "))
        }
        _ => format!("did you mean {}?", quoted.concat()),
    }
}

/// The question after an unknown name; `None` if it resembles no known name.
pub fn near_name<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    most_similar(wanted, names, 1).first().map(|name| did_you_mean(name))
}

/// A hint after an unknown name: the most similar of the known names, or all of them. `nouns` is
/// the plural that they go by, such as `hooks`.
pub fn suggestion(wanted: &str, names: &[&str], nouns: &str) -> String {
    near_name(wanted, names.iter().copied())
        .unwrap_or_else(|| format!("the {nouns} are {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_name_and_nonsense_finds_nothing() {
        let names = ["history.list", "history.show", "sync"];
        assert_eq!(most_similar("histroy.list", names, 1), ["history.list"]);
        assert!(most_similar("qqqq", names, 3).is_empty());
        assert_eq!(suggestion("snyc", &names, "operations"), "did you mean `sync`?");
        let all = "the operations are history.list, history.show, sync";
        assert_eq!(suggestion("qqqq", &names, "operations"), all);
        assert_eq!(did_you_mean_one_of(&["a"]), "did you mean `a`?");
        assert_eq!(did_you_mean_one_of(&["a", "b", "c"]), "did you mean `a`, `b` or `c`?");
    }

    #[test]
    fn what_only_starts_the_same_is_not_suggested() {
        for (wanted, name) in [("ts", "t"), ("nope.ts", "n"), ("card", "cardinality_of_sets")] {
            assert_eq!(similarity(wanted, name), None, "{wanted} {name}");
        }
        assert_eq!(similarity("Login", "login"), Some(1.0));
    }

    #[test]
    fn one_edit_is_one_letter_more_less_or_other() {
        assert!(is_one_edit_apart("spec", "spc") && is_one_edit_apart("spec", "spek"));
        assert!(!is_one_edit_apart("spec", "spec") && !is_one_edit_apart("spec", "psec"));
    }
}
