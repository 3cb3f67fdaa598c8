//! Tells what a comment says about the code from licences and directives for tools.

/// Phrases of the usual licence headers, in lower case. A paragraph that has one of them says
/// nothing about the code.
const LEGAL_PHRASES: &[&str] = &[
    "as is\" basis",
    "can be found in the license",
    "distributed under the terms",
    "except in compliance with",
    "express or implied",
    "in all copies or substantial portions",
    "merchantability",
    "permission is hereby granted",
    "permission to use, copy",
    "redistribute it and/or modify",
    "redistribution and use in source",
    "software is provided",
    "source code form is subject to",
    "source code is governed by",
    "the above copyright notice",
    "this file is part of",
    "unless required by applicable law",
    "without warranty",
    "you may obtain a copy",
    "you should have received a copy",
];

/// Words of lines that are for lawyers or tools, in lower case.
const NOISE: &[&str] = &["copyright", "license", "licence", "spdx"];

/// Starts of lines that are for tools.
const DIRECTIVES: &[&str] = &["go:", "+build", "nolint"];

/// Whether a paragraph is part of a licence. Its lines may be broken anywhere.
pub(crate) fn is_legal(paragraph: &str) -> bool {
    let words: Vec<&str> = paragraph.split_whitespace().collect();
    let text = words.join(" ").to_lowercase();
    LEGAL_PHRASES.iter().any(|phrase| text.contains(phrase))
}

/// Whether a line of a comment is a tag, a directive for tools or names a licence.
pub(crate) fn is_noise(line: &str) -> bool {
    let lower = line.to_lowercase();
    line.starts_with('@')
        || DIRECTIVES.iter().any(|start| line.starts_with(start))
        || NOISE.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_of_licences_are_told_from_descriptions() {
        let apache = "Unless required by applicable law or agreed to in writing, software\ndistributed under it is on an \"AS IS\" BASIS.";
        let bsd = "Use of this source code\nis governed by a BSD-style\nlicense.";
        for text in [apache, bsd, "This file is part of the GNU C Library."] {
            assert!(is_legal(text), "{text}");
        }
        assert!(!is_legal("Adds licences to the files that have none."));
        assert!(is_noise("go:build linux && !arm"));
        assert!(!is_noise("Builds the server."));
    }
}
