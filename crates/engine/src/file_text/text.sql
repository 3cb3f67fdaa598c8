-- The words of a file's whole text, identifiers split; one row a file, by the id of its `doc`.
-- A word that occurs often is kept a few times: more of it says nothing more. Small words are
-- kept too: how much prose a file has tells whether prose is about it.
CREATE VIRTUAL TABLE doc_text USING fts5 (
    text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
-- Every word of those texts with how many texts hold it, for stems and misspelt words. It stores
-- nothing of its own.
CREATE VIRTUAL TABLE text_word USING fts5vocab(doc_text, row);
