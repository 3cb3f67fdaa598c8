//! `code.grep`: which lines match a pattern, searched by ripgrep's own crates.

use std::sync::atomic::{AtomicUsize, Ordering};

use base::words::counted;
use base::{NextCall, Problem, RepoPath, Result};
use clap::Args;
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use engine::areas::files::{self, FileSummary};
use engine::contract::alias::OpAlias;
use engine::contract::answer::Paging;
use engine::contract::args::{Limit, NodeTarget, Offset, Words, comma_list, number_type};
use engine::contract::op::{OpExample, Query, ToolVisibility};
use engine::contract::page::{Page, PageCell, Render};
use engine::contract::schema_choices;
use engine::graph;
use engine::path_globs::PathGlobs;
use engine::view::View;

/// Maximum memory of a compiled pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 10 * 1024 * 1024;

/// Size above which files are not searched, only counted, in bytes.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// Matching lines after which the search stops; the answer says so.
const MAX_MATCHES: usize = 20_000;

/// Maximum length of a line, in characters; a longer one is cut around its match.
const MAX_LINE_CHARS: usize = 240;

number_type!(
    /// How many lines around a match are shown.
    ContextLines, 0..=50, default 0
);

/// Search the text of files for a pattern
///
/// A pattern in lower case matches both cases.
#[derive(Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub struct Grep {
    /// Regular expression to search for
    pub pattern: Words,
    /// Files and folders to search; all if left out
    #[arg(value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    pub paths: Vec<NodeTarget>,
    /// Only files that match these globs; `!` excludes
    #[arg(short = 'g', long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    pub glob: Vec<String>,
    /// Only files in these languages, such as `rust`
    #[arg(short = 't', long, value_delimiter = ',')]
    #[serde(default, deserialize_with = "comma_list")]
    #[schemars(schema_with = "schema_choices::languages", extend("x-rare" = true))]
    pub types: Vec<String>,
    /// Take the pattern literally, not as a regular expression
    #[arg(short = 'F', long)]
    #[serde(default)]
    pub fixed: bool,
    /// Match whole words only
    #[arg(short = 'w', long)]
    #[serde(default)]
    pub word: bool,
    /// Ignore the case of letters
    #[arg(short = 'i', long, conflicts_with = "case_sensitive")]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub ignore_case: bool,
    /// Match the case of letters exactly
    #[arg(short = 's', long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub case_sensitive: bool,
    /// Only list files with a match
    #[arg(short = 'l', long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub files_only: bool,
    /// Only count matches by file
    #[arg(short = 'c', long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub count: bool,
    /// Lines to show around each match
    #[arg(short = 'C', long, default_value_t)]
    #[serde(default)]
    pub context: ContextLines,
    /// Lines to show before each match
    #[arg(short = 'B', long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub before: ContextLines,
    /// Lines to show after each match
    #[arg(short = 'A', long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub after: ContextLines,
    /// Matches to show
    #[arg(long, default_value_t)]
    #[serde(default)]
    pub limit: Limit,
    /// Matches to skip
    #[arg(long, default_value_t)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub offset: Offset,
}

/// Lines that match
#[derive(Debug, Serialize, JsonSchema)]
pub struct GrepAnswer {
    /// How many files have a match
    pub files: usize,
    /// How many files were searched
    pub searched: usize,
    /// The matches, by file and line
    pub matches: Vec<GrepMatch>,
    /// How many lines match in each file, if counts were asked for
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_file: Vec<FileMatchCount>,
    /// Limits of the answer: what was not searched
    pub notes: Vec<String>,
    #[serde(skip)]
    paging: Paging,
    #[serde(skip)]
    lines: usize,
    #[serde(skip)]
    shows_counts: bool,
    #[serde(skip)]
    pattern: String,
}

/// How many lines of a file match
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FileMatchCount {
    /// The file
    pub path: RepoPath,
    /// How many lines match
    pub lines: usize,
}

/// One matching line
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GrepMatch {
    /// The file
    pub path: RepoPath,
    /// The line, from 1
    pub line: u64,
    /// The text of the line
    pub text: String,
    /// Lines before it
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// Lines after it
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
}

impl Query for Grep {
    const NAME: &'static str = "code.grep";
    const VISIBILITY: ToolVisibility = ToolVisibility::Everyday;
    const ALIASES: &'static [OpAlias] = &[OpAlias::of("kart_search")];
    const EXAMPLES: &'static [OpExample] = &[
        OpExample { args: "TODO --types rust", shows: "lines with a word, in one language" },
        OpExample {
            args: "fn\\s+open src -g *.rs -C 2",
            shows: "a regular expression, with context lines",
        },
        OpExample { args: "-il session src tests", shows: "the files that contain a word" },
    ];
    type Answer = GrepAnswer;

    fn run(self, view: &View) -> Result<GrepAnswer> {
        let matcher = self.matcher()?;
        let wanted = self.files_to_search(view)?;
        let (small, large): (Vec<&FileSummary>, Vec<&FileSummary>) =
            wanted.iter().partition(|file| file.size <= MAX_FILE_BYTES);
        let found = AtomicUsize::new(0);
        let around = self.context_lines();
        let tree = view.tree();
        let one = |file: &&FileSummary| search_file(tree, &file.path, &matcher, around, &found);
        let by_file: Vec<Vec<GrepMatch>> = small.par_iter().map(one).collect();
        view.call().check_stopped()?;
        let files = by_file.iter().filter(|matches| !matches.is_empty()).count();
        let lines = by_file.iter().map(Vec::len).sum();
        let (matches, by_file, paging) = self.page_of_matches(by_file);
        let cut = (found.load(Ordering::Relaxed) > MAX_MATCHES)
            .then(|| format!("cut off at {MAX_MATCHES} matches; narrow the pattern or the files"));
        let skipped = (!large.is_empty())
            .then(|| format!("too large to search: {}", counted(large.len(), "file")));
        if let Some(skipped) = &skipped {
            view.mark_partial(skipped);
        }
        Ok(GrepAnswer {
            files,
            searched: small.len(),
            matches,
            by_file,
            notes: cut.into_iter().chain(skipped).collect(),
            paging,
            lines,
            shows_counts: self.count,
            pattern: self.pattern.to_string(),
        })
    }
}

impl Grep {
    /// The requested page of the matches: lines, or files.
    fn page_of_matches(
        &self,
        by_file: Vec<Vec<GrepMatch>>,
    ) -> (Vec<GrepMatch>, Vec<FileMatchCount>, Paging) {
        if !self.files_only && !self.count {
            let all: Vec<GrepMatch> = by_file.into_iter().flatten().collect();
            let (matches, paging) = Paging::cut(all, self.offset, self.limit);
            return (matches, Vec::new(), paging);
        }
        let file = |matches: &Vec<GrepMatch>| {
            let path = matches.first()?.path.clone();
            Some(FileMatchCount { path, lines: matches.len() })
        };
        let (files, paging) =
            Paging::cut(by_file.iter().filter_map(file).collect(), self.offset, self.limit);
        (Vec::new(), files, paging)
    }

    /// Lines before and after each match.
    fn context_lines(&self) -> [usize; 2] {
        match self.files_only || self.count {
            true => [0, 0],
            false => [self.before, self.after].map(|one| one.get().max(self.context.get())),
        }
    }

    fn matcher(&self) -> Result<RegexMatcher> {
        let mut builder = RegexMatcherBuilder::new();
        builder
            .case_smart(!self.ignore_case && !self.case_sensitive)
            .case_insensitive(self.ignore_case)
            .fixed_strings(self.fixed)
            .word(self.word)
            .size_limit(MAX_PATTERN_BYTES)
            .dfa_size_limit(MAX_PATTERN_BYTES)
            .line_terminator(Some(b'\n'));
        builder.build(self.pattern.as_str()).map_err(|error| {
            // The last line says what is wrong; the lines before it show the place.
            let text = error.to_string();
            let why = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
            Problem::invalid(format!("invalid regular expression `{}`: {why}", self.pattern))
                .hint_call("to search for it literally", NextCall::repeat().with("fixed", true))
        })
    }

    /// The files to search: text, in the paths, globs and languages that were named.
    fn files_to_search(&self, view: &View) -> Result<Vec<FileSummary>> {
        let resolve = |target: &NodeTarget| graph::resolve(view, target);
        if self.ignore_case && self.case_sensitive {
            return Err(Problem::invalid("`ignore_case` and `case_sensitive` cannot be combined"));
        }
        let paths = self.paths.iter().map(resolve).collect::<Result<Vec<_>>>()?;
        let globs = match self.glob.is_empty() {
            true => None,
            false => Some(PathGlobs::new(self.glob.iter().map(String::as_str))?),
        };
        let languages = self
            .types
            .iter()
            .map(|name| schema_choices::language(name))
            .collect::<Result<Vec<_>>>()?;
        let mut files = files::files_below(view, &RepoPath::ROOT)?;
        files.retain(|file| {
            let within = |folder: &RepoPath| file.path.is_at_or_below(folder);
            file.skipped.as_deref() != Some("not text")
                && (paths.is_empty() || paths.iter().filter_map(|node| node.path()).any(within))
                && globs.as_ref().is_none_or(|g| g.match_below(&file.path, &RepoPath::ROOT))
                && (languages.is_empty() || file.language.is_some_and(|l| languages.contains(&l)))
        });
        Ok(files)
    }
}

/// The matches of one file; a deleted file has none.
fn search_file(
    tree: &tree::WorkingTree,
    path: &RepoPath,
    matcher: &RegexMatcher,
    [before, after]: [usize; 2],
    found: &AtomicUsize,
) -> Vec<GrepMatch> {
    let Ok(Some(Ok(blob))) = tree.read_at_most(path, MAX_FILE_BYTES) else { return Vec::new() };
    let mut lines =
        MatchCollector { path, matcher, matches: Vec::new(), before: Vec::new(), found };
    let mut searcher = SearcherBuilder::new()
        .line_number(true)
        .before_context(before)
        .after_context(after)
        .binary_detection(BinaryDetection::quit(0))
        .build();
    // The sink fails only to stop early; its matches so far are valid.
    let _ = searcher.search_slice(matcher, &blob.bytes, &mut lines);
    lines.matches
}

struct MatchCollector<'a> {
    path: &'a RepoPath,
    matcher: &'a RegexMatcher,
    matches: Vec<GrepMatch>,
    before: Vec<String>,
    found: &'a AtomicUsize,
}

impl Sink for MatchCollector<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        let at = self.matcher.find(found.bytes()).ok().flatten().map_or(0, |m| m.start());
        self.matches.push(GrepMatch {
            path: self.path.clone(),
            line: found.line_number().unwrap_or_default(),
            text: line_excerpt(found.bytes(), at),
            before: std::mem::take(&mut self.before),
            after: Vec::new(),
        });
        Ok(self.found.fetch_add(1, Ordering::Relaxed) < MAX_MATCHES)
    }

    fn context(&mut self, _: &Searcher, line: &SinkContext<'_>) -> Result<bool, Self::Error> {
        use grep_searcher::SinkContextKind::After;
        let text = line_excerpt(line.bytes(), 0);
        match self.matches.last_mut() {
            Some(last) if matches!(line.kind(), After) => last.after.push(text),
            _ => self.before.push(text),
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, Self::Error> {
        self.before.clear();
        Ok(true)
    }
}

/// A line as the answer shows it: whole, or the part around its match.
fn line_excerpt(bytes: &[u8], at: usize) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_end_matches(['\n', '\r']);
    if text.chars().count() <= MAX_LINE_CHARS {
        return text.to_owned();
    }
    let start = text.floor_char_boundary(at.min(text.len()).saturating_sub(MAX_LINE_CHARS / 3));
    let piece: String = text[start..].chars().take(MAX_LINE_CHARS).collect();
    let (left, right) = (if start > 0 { "…" } else { "" }, "…");
    format!("{left}{piece}{right}")
}

impl Render for GrepAnswer {
    fn render(&self, page: &mut Page) {
        let searched = counted(self.searched, "file");
        page.answer(match self.lines {
            0 => format!("No match for `{}` in {searched}", self.pattern),
            lines => {
                let lines = counted(lines, "match");
                format!("{lines} for `{}` in {} of {searched}", self.pattern, self.files)
            }
        });
        let row = |one: &FileMatchCount| match self.shows_counts {
            true => vec![PageCell::text(format!("{:>5}", one.lines)), PageCell::handle(&one.path)],
            false => vec![PageCell::handle(&one.path)],
        };
        page.table(0, self.by_file.iter().map(row).collect());
        let mut file = None;
        for found in &self.matches {
            if file != Some(&found.path) {
                page.heading(&found.path);
                file = Some(&found.path);
            }
            let around = |(line, text): (u64, &String)| {
                vec![PageCell::faint(format!("{line:>5}")), PageCell::faint(text)]
            };
            let first = found.line - found.before.len() as u64;
            let mut rows: Vec<Vec<PageCell>> = (first..).zip(&found.before).map(around).collect();
            rows.push(vec![
                PageCell::strong(format!("{:>5}", found.line)),
                PageCell::text(&found.text),
            ]);
            rows.extend((found.line + 1..).zip(&found.after).map(around));
            page.table(0, rows);
        }
        self.paging.render_rest(page, self.matches.len() + self.by_file.len());
        self.notes.iter().for_each(|note| page.say(note));
    }

    fn paging(&self) -> Option<Paging> {
        Some(self.paging)
    }
}
