//! Pictures as SVG. Each says in its description what it shows, and stands beside a table.

pub(crate) mod bars;
pub(crate) mod heat;
pub(crate) mod layers;
pub(crate) mod timeline;
pub(crate) mod treemap;
pub(crate) mod weeks;

/// A label cut to what fits, with an ellipsis.
pub(crate) fn fitted(text: &str, width: f64, letter_width: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few letters")]
    let most = (width / letter_width).max(0.0) as usize;
    if text.chars().count() <= most {
        return text.to_owned();
    }
    if most < 3 {
        return String::new();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// The end of a label that is cut to what fits, with an ellipsis: the end of a path says more than
/// its beginning.
pub(crate) fn fitted_end(text: &str, width: f64, letter_width: f64) -> String {
    let backwards = |text: &str| text.chars().rev().collect::<String>();
    backwards(&fitted(&backwards(text), width, letter_width))
}

/// A coordinate with one digit after the point: more would only make the page longer.
pub(crate) fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    #[test]
    fn labels_are_cut_at_either_end() {
        assert_eq!(super::fitted("reverseproxy", 50.0, 10.0), "reve…");
        assert_eq!(super::fitted_end("modules/caddy", 60.0, 10.0), "…caddy");
        assert_eq!(super::fitted_end("caddy", 60.0, 10.0), "caddy");
        assert_eq!(super::fitted_end("caddy", 10.0, 10.0), "");
    }
}
