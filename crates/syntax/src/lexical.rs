//! The lexical rules of a language: keywords, comments and quotes.

/// How words and quotes are read in a language.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub(crate) struct LexicalRules {
    /// Reserved words, separated by spaces
    pub keywords: &'static str,
    /// Whether keywords are also written in upper case
    pub has_caseless_keywords: bool,
    /// Whether a single quote encloses one character only; elsewhere it encloses a text
    pub has_characters: bool,
    /// Whether a string in double quotes may span lines
    pub has_long_texts: bool,
    /// Whether a text may be in back-ticks
    pub has_back_ticks: bool,
    /// Whether three quotes enclose a text of several lines
    pub has_triple_quotes: bool,
    /// Whether `r"…"` and `r#"…"#` are texts
    pub has_raw_texts: bool,
}

impl LexicalRules {
    /// No keywords, and texts that end on their line.
    pub const NONE: Self = Self {
        keywords: "",
        has_caseless_keywords: false,
        has_characters: false,
        has_long_texts: false,
        has_back_ticks: false,
        has_triple_quotes: false,
        has_raw_texts: false,
    };

    /// C and its relatives with static types.
    pub const TYPED: Self = Self { keywords: TYPED_WORDS, has_characters: true, ..Self::NONE };

    /// Whether the language reserves a word.
    pub fn has_keyword(&self, word: &str) -> bool {
        let is_same = |keyword: &str| match self.has_caseless_keywords {
            true => keyword.eq_ignore_ascii_case(word),
            false => keyword == word,
        };
        !word.is_empty() && self.keywords.split(' ').any(is_same)
    }
}

/// The words of Java, Kotlin, C, C++, C# and Swift: a word that only one of them has is rarely a
/// name in another.
const TYPED_WORDS: &str = "abstract as async auto await bool boolean break byte case catch char class \
    companion const constexpr continue data default defer delegate delete do \
    double else enum explicit extends extension extern false final finally float \
    for foreach func fun goto guard if implements import in inline instanceof int \
    interface internal is let long mutable namespace new nil null nullptr object \
    operator override package private protected protocol public readonly record \
    return sealed self short signed sizeof static struct super suspend switch \
    template this throw throws true try typedef typename union unsigned using val \
    var virtual void volatile when where while yield";
