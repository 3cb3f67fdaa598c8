//! Near matches: what somebody probably meant.

/// Names at least this similar are worth suggesting (Jaro-Winkler, 0 to 1).
const MIN_SIMILARITY: f64 = 0.8;

/// A shorter name is like too many others.
const MIN_NAME_LENGTH: usize = 3;

/// How similar a name is to the one that was wanted, from 0 to 1; nothing if it is not worth
/// suggesting. This is the one place that decides so.
pub fn similarity(wanted: &str, name: &str) -> Option<f64> {
    let (wanted, name) = (wanted.to_lowercase(), name.to_lowercase());
    if wanted == name {
        return Some(1.0);
    }
    let lengths = [wanted.chars().count(), name.chars().count()];
    let (short, long) = (lengths[0].min(lengths[1]), lengths[0].max(lengths[1]));
    // A name that starts the same scores high, however much longer it is.
    if short < MIN_NAME_LENGTH || long > short * 2 {
        return None;
    }
    let score = strsim::jaro_winkler(&wanted, &name);
    (score >= MIN_SIMILARITY).then_some(score)
}

/// The names nearest to `wanted`, best first, at most `most`.
pub fn most_similar<'a>(
    wanted: &str,
    names: impl IntoIterator<Item = &'a str>,
    most: usize,
) -> Vec<&'a str> {
    let scored = |name: &'a str| similarity(wanted, name).map(|score| (score, name));
    let mut scored: Vec<(f64, &str)> = names.into_iter().filter_map(scored).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.into_iter().take(most).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_name_and_nonsense_finds_nothing() {
        let names = ["history.list", "history.show", "sync"];
        assert_eq!(most_similar("histroy.list", names, 1), ["history.list"]);
        assert!(most_similar("qqqq", names, 3).is_empty());
    }

    #[test]
    fn what_only_starts_the_same_is_not_suggested() {
        for (wanted, name) in [("ts", "t"), ("nope.ts", "n"), ("card", "cardinality_of_sets")] {
            assert_eq!(similarity(wanted, name), None, "{wanted} {name}");
        }
        assert_eq!(similarity("Login", "login"), Some(1.0));
    }
}
