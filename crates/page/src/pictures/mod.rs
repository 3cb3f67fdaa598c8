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

/// A coordinate with one digit after the point: more would only make the page longer.
pub(crate) fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), ToOwned::to_owned)
}
