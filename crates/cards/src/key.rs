//! Keys of cards, and the paths of their files.

use base::RepoPath;
use base::entity::CardKey;

/// The folder that holds all cards.
pub const CARDS_FOLDER: &str = ".cairn/cards";

/// The end of the file name of a card.
const CARD_FILE_SUFFIX: &str = ".card.md";

/// Whether a file is a card.
pub fn is_card_path(path: &RepoPath) -> bool {
    let bytes = path.as_bytes();
    let inside =
        bytes.strip_prefix(CARDS_FOLDER.as_bytes()).is_some_and(|rest| rest.starts_with(b"/"));
    inside && bytes.ends_with(CARD_FILE_SUFFIX.as_bytes())
}

/// The type in a key: `spec` of `spec::auth/login`.
pub fn key_kind(key: &CardKey) -> &str {
    key.as_str().split_once("::").map_or("", |(kind, _)| kind)
}

/// The rest of a key: `auth/login` of `spec::auth/login`.
pub fn key_slug(key: &CardKey) -> &str {
    key.as_str().split_once("::").map_or("", |(_, slug)| slug)
}

/// The form in which keys are compared for clashes.
pub fn fold_case(key: &str) -> String {
    key.to_lowercase()
}

/// Why a slug is invalid, if it is: it must be a relative path without `..`.
pub fn slug_error(slug: &str) -> Option<&'static str> {
    let odd = |c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/'));
    let part = |part: &str| part.is_empty() || part.starts_with('.') || part.ends_with('.');
    if slug.split('/').any(|part| matches!(part, "." | "..")) {
        Some("would leave the cards folder")
    } else if slug.contains(odd) {
        Some("contains a character other than letters, digits, `.`, `_`, `-` and `/`")
    } else if slug.split('/').any(part) {
        Some("has a part that is empty or starts or ends with a dot")
    } else {
        None
    }
}

/// Checks the key of a new card. It must be a valid file name on every system, which is stricter than
/// what is accepted in existing cards.
pub fn parse_new_key(text: &str, kind_if_bare: Option<&str>) -> Result<CardKey, String> {
    let text = text.trim();
    let (kind, slug) = match (text.split_once("::"), kind_if_bare) {
        (Some((kind, slug)), None) => (kind, slug),
        (Some((kind, slug)), Some(wanted)) if kind == wanted => (kind, slug),
        (Some((kind, _)), Some(wanted)) => {
            return Err(format!("the key says `{kind}`, the type is `{wanted}`"));
        }
        (None, Some(kind)) => (kind, text),
        (None, None) => {
            return Err(format!(
                "`{}` is not a key such as `spec::auth/login`",
                text.escape_debug()
            ));
        }
    };
    let key: CardKey = format!("{kind}::{slug}").parse()?;
    if let Some(why) = slug_error(slug) {
        return Err(format!("the key `{key}` {why}"));
    }
    let first = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let inner = |c: char| first(c) || matches!(c, '.' | '_' | '-');
    let good = |part: &str| part.starts_with(first) && part.chars().all(inner);
    if !slug.split('/').all(good) {
        return Err(format!(
            "invalid slug `{slug}`: use lowercase letters, digits, `.`, `_`, `-`, and `/` between parts"
        ));
    }
    Ok(key)
}

/// The path of the card with this key.
pub fn path_for_key(key: &CardKey) -> Option<RepoPath> {
    card_path(key_slug(key))
}

/// The path of a card with this slug; `auth/login.spec` gives `auth/login.spec.card.md`.
pub fn card_path(slug: &str) -> Option<RepoPath> {
    RepoPath::from_bytes(format!("{CARDS_FOLDER}/{slug}{CARD_FILE_SUFFIX}").into_bytes()).ok()
}
