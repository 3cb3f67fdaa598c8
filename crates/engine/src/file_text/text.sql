-- The words of a file's whole text, identifiers split. There is one row per file, with the id of its
-- `doc`. A frequent word is stored a few times only, because more would not change the ranking. Small
-- words are stored too: they show how much prose a file has.
CREATE VIRTUAL TABLE doc_text USING fts5 (
    text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
-- Every word of those texts with the number of texts that contain it, for stems and misspelt words. It
-- stores no data.
CREATE VIRTUAL TABLE text_word USING fts5vocab(doc_text, row);
