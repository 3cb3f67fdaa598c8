//! Near matches: what somebody probably meant.

/// Names at least this similar are worth suggesting (Jaro-Winkler, 0 to 1).
const CLOSE_ENOUGH: f64 = 0.7;

/// The names nearest to `wanted`, best first, at most `most`.
pub fn nearest<'a>(
    wanted: &str,
    names: impl IntoIterator<Item = &'a str>,
    most: usize,
) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase();
    let close = |name: &str| strsim::jaro_winkler(&wanted, &name.to_lowercase());
    let mut scored: Vec<(f64, &str)> = names.into_iter().map(|name| (close(name), name)).collect();
    scored.retain(|(score, _)| *score >= CLOSE_ENOUGH);
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.into_iter().take(most).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_name_and_nonsense_finds_nothing() {
        let names = ["history.list", "history.show", "sync"];
        assert_eq!(nearest("histroy.list", names, 1), ["history.list"]);
        assert!(nearest("qqqq", names, 3).is_empty());
    }
}
