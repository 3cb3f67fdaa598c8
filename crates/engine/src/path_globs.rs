//! Globs as every part of cairn reads them: `*` stays within one folder, `**` crosses.

use base::{Problem, RepoPath, Result};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Globs compiled into one matcher.
#[derive(Debug, Clone)]
pub struct PathGlobs {
    included: GlobSet,
    excluded: GlobSet,
}

impl PathGlobs {
    /// Compiles globs; one that starts with `!` excludes paths that others match.
    pub fn new<'a>(globs: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let (mut wanted, mut unwanted) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        let mut only_takes_away = true;
        for glob in globs {
            let taken_away = glob.strip_prefix('!');
            only_takes_away &= taken_away.is_some();
            let set = if taken_away.is_some() { &mut unwanted } else { &mut wanted };
            let text = taken_away.unwrap_or(glob);
            let text = text.trim_start_matches("./").replace('\\', "/");
            // A name without a folder matches in any folder, as in a .gitignore.
            let text = if text.contains('/') { text } else { format!("**/{text}") };
            set.add(GlobBuilder::new(&text).literal_separator(true).build().map_err(|error| {
                Problem::invalid(format!("`{glob}` is not a glob"))
                    .hint("for example  src/**/*.rs")
                    .with_source(error)
            })?);
        }
        if only_takes_away {
            wanted.add(GlobBuilder::new("**").build().expect("the glob is plain"));
        }
        let build = |set: GlobSetBuilder| {
            set.build().map_err(|error| Problem::invalid("globs too large").with_source(error))
        };
        Ok(Self { included: build(wanted)?, excluded: build(unwanted)? })
    }

    /// Whether a path matches, relative to the root or to any folder above it.
    pub fn match_below(&self, path: &RepoPath, folder: &RepoPath) -> bool {
        let whole = path.to_relative();
        let below = whole.strip_prefix(folder.to_relative()).unwrap_or(&whole);
        let fits = |set: &GlobSet| set.is_match(below) || set.is_match(&whole);
        fits(&self.included) && !fits(&self.excluded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stays_in_its_folder_and_a_name_is_meant_anywhere() {
        let fits = |globs: &[&str], path: &str| {
            let globs = PathGlobs::new(globs.iter().copied()).unwrap();
            globs.match_below(&path.parse().unwrap(), &RepoPath::ROOT)
        };
        assert!(fits(&["*.rs"], "src/a.rs") && fits(&["src/*.rs"], "src/a.rs"));
        assert!(!fits(&["src/*.rs"], "src/deep/a.rs") && fits(&["src/**/*.rs"], "src/deep/a.rs"));
        assert!(!fits(&["*.rs", "!a.rs"], "src/a.rs") && fits(&["!b.rs"], "src/a.rs"));
        assert!(PathGlobs::new(["[a"]).is_err());
        let globs = PathGlobs::new(["deep/*.rs"]).unwrap();
        assert!(globs.match_below(&"src/deep/a.rs".parse().unwrap(), &"src".parse().unwrap()));
    }
}
