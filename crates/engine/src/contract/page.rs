//! The text form of an answer. Escaping, colour and width are decided here and nowhere else.
//!
//! @see spec::answers/page

use std::fmt::Display;

use base::{Hint, NextCall};

use super::answer::Paging;

/// How the door that shows a page writes a call.
pub type CallWriter<'a> = &'a dyn Fn(&NextCall) -> String;

/// Writes an answer for a reader, person or model.
pub trait Render {
    /// Writes the answer, its first line answering the question.
    fn render(&self, page: &mut Page);

    /// Which part of a longer list this is.
    fn paging(&self) -> Option<Paging> {
        None
    }

    /// Whether the answer reports something at which a check, such as CI, should fail.
    fn has_findings(&self) -> bool {
        false
    }

    /// Whether its page shows what changed, so that a dry run need not show it again.
    fn shows_change(&self) -> bool {
        false
    }
}

/// What a piece of text is. It decides the colour in a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellStyle {
    Plain,
    Strong,
    Handle,
    Faint,
    Key,
    Bad,
}

/// Where a page will be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorMode {
    /// As text alone
    Plain,
    /// With colours
    Terminal,
}

/// A column wider than this is not padded to: one long name must not push all others away.
const MAX_COLUMN_WIDTH: usize = 56;

/// A piece of a row. Text is escaped when it is made; a call is written when the page is shown.
#[derive(Debug, Clone)]
pub struct PageCell(CellStyle, CellContent);

#[derive(Debug, Clone)]
enum CellContent {
    Text(String),
    Call(NextCall),
}

impl PageCell {
    /// Plain text.
    pub fn text(text: impl Display) -> Self {
        Self::new(CellStyle::Plain, text)
    }

    /// A handle, which the next call accepts as it is.
    pub fn handle(text: impl Display) -> Self {
        Self::new(CellStyle::Handle, text)
    }

    /// A call that the reader can make next. It is always last in a row.
    pub fn call(call: NextCall) -> Self {
        Self(CellStyle::Handle, CellContent::Call(call))
    }

    /// What to do, and the call that does it. They are always last in a row.
    pub fn hint_cells(hint: &Hint) -> Vec<Self> {
        let text = match (&hint.call, hint.text.is_empty()) {
            (Some(_), false) => format!("{}  ", hint.text),
            _ => hint.text.clone(),
        };
        let call = hint.call.clone().map(Self::call);
        std::iter::once(Self::text(text)).chain(call).collect()
    }

    /// Secondary text.
    pub fn faint(text: impl Display) -> Self {
        Self::new(CellStyle::Faint, text)
    }

    /// Highlighted text.
    pub fn strong(text: impl Display) -> Self {
        Self::new(CellStyle::Strong, text)
    }

    /// Text that reports something wrong.
    pub fn bad(text: impl Display) -> Self {
        Self::new(CellStyle::Bad, text)
    }

    fn new(label: CellStyle, text: impl Display) -> Self {
        Self(label, CellContent::Text(escape(text.to_string())))
    }

    fn width(&self) -> usize {
        match &self.1 {
            CellContent::Text(text) => text.chars().count(),
            CellContent::Call(_) => 0, // nothing is lined up behind a call
        }
    }

    fn write(&self, to: &mut String, paint: ColorMode, calls: CallWriter<'_>) {
        let Self(label, content) = self;
        let written;
        let text = match content {
            CellContent::Text(text) => text,
            CellContent::Call(call) => {
                written = escape(calls(call));
                &written
            }
        };
        let colour = match label {
            _ if paint == ColorMode::Plain => return to.push_str(text),
            CellStyle::Plain => return to.push_str(text),
            CellStyle::Strong => "1",
            CellStyle::Handle => "36",
            CellStyle::Faint => "2",
            CellStyle::Key => "33",
            CellStyle::Bad => "31",
        };
        for part in ["\x1b[", colour, "m", text, "\x1b[0m"] {
            to.push_str(part);
        }
    }
}

/// Lines of cells. Every text is escaped when a cell is made, so no unescaped text can get in.
#[derive(Debug, Default)]
pub struct Page {
    lines: Vec<Vec<PageCell>>,
    is_document: bool,
    /// The call that this page answers
    answered_call: Option<NextCall>,
}

impl Page {
    /// The page that answers a call.
    pub fn for_call(call: NextCall) -> Self {
        Self { answered_call: Some(call), ..Self::default() }
    }

    /// The call that this page answers, to be made again with other arguments.
    pub fn answered_call(&self) -> NextCall {
        self.answered_call.clone().unwrap_or_else(|| NextCall::new("help"))
    }

    /// A line of plain text.
    pub fn say(&mut self, text: impl Display) {
        self.lines.push(vec![PageCell::text(text)]);
    }

    /// A line of plain text that ends in a call to make next.
    pub fn say_call(&mut self, text: impl Display, call: NextCall) {
        self.lines.push(vec![PageCell::text(text), PageCell::text("    "), PageCell::call(call)]);
    }

    /// A line of plain text that ends in a handle.
    pub fn say_handle(&mut self, text: impl Display, handle: impl Display) {
        self.lines.push(vec![
            PageCell::text(text),
            PageCell::text("    "),
            PageCell::handle(handle),
        ]);
    }

    /// The line that answers the question.
    pub fn answer(&mut self, text: impl Display) {
        self.lines.push(vec![PageCell::strong(text)]);
    }

    /// An empty line, unless nothing comes before it.
    pub fn blank(&mut self) {
        if !self.lines.is_empty() {
            self.lines.push(Vec::new());
        }
    }

    /// A heading, with an empty line before it unless it comes first.
    pub fn heading(&mut self, text: impl Display) {
        self.blank();
        self.lines.push(vec![PageCell::strong(text)]);
    }

    /// A key and its value on one line.
    pub fn item(&mut self, key: impl Display, text: impl Display) {
        let key = PageCell::new(CellStyle::Key, format!("{key}: "));
        self.lines.push(vec![key, PageCell::text(text)]);
    }

    /// What to do about something, with the call that does it.
    pub fn hint(&mut self, hint: &Hint) {
        let mut cells = vec![PageCell::new(CellStyle::Key, "hint: ")];
        cells.extend(PageCell::hint_cells(hint));
        self.lines.push(cells);
    }

    /// Rows whose columns line up.
    pub fn table(&mut self, indent: usize, rows: Vec<Vec<PageCell>>) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        let widths: Vec<usize> = (0..columns).map(|column| column_width(&rows, column)).collect();
        self.lines.extend(rows.into_iter().map(|row| aligned(row, &widths, indent)));
    }

    /// Text that cairn did not write. The bar before each line cannot be forged from inside.
    pub fn quoted(&mut self, text: &str, source: impl Display) {
        for line in text.lines() {
            self.lines.push(vec![PageCell::new(CellStyle::Faint, "  > "), PageCell::text(line)]);
        }
        self.lines.push(vec![PageCell::faint(format!("    ({source})"))]);
    }

    /// Lines of a file with their numbers. A number before each line cannot be forged from inside.
    pub fn source(&mut self, text: &str, first_line: u32) {
        let count = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        let width = first_line.saturating_add(count).saturating_sub(1).to_string().len();
        for (number, line) in (first_line..).zip(text.lines()) {
            let number = PageCell::new(CellStyle::Faint, format!("{number:>width$}  "));
            self.lines.push(vec![number, PageCell::text(line)]);
        }
    }

    /// A unified diff, line by line.
    pub fn diff(&mut self, text: &str) {
        for line in text.lines() {
            let label = match line.as_bytes().first() {
                Some(b'+') => CellStyle::Handle,
                Some(b'-') => CellStyle::Bad,
                _ => CellStyle::Plain,
            };
            self.lines.push(vec![PageCell::new(label, line)]);
        }
    }

    /// A text that another program reads: the whole page, with nothing after it.
    pub fn document(&mut self, text: &str) {
        self.lines = text.lines().map(|line| vec![PageCell::text(line)]).collect();
        self.is_document = true;
    }

    /// Whether nothing may be added to it.
    pub fn is_document(&self) -> bool {
        self.is_document
    }

    /// Whether it has no lines.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The page as text.
    pub fn to_text(&self, paint: ColorMode, calls: CallWriter<'_>) -> String {
        let mut text = String::new();
        for cells in &self.lines {
            for cell in cells {
                cell.write(&mut text, paint, calls);
            }
            text.truncate(text.trim_end_matches([' ', '\t']).len());
            text.push('\n');
        }
        text
    }
}

fn column_width(rows: &[Vec<PageCell>], column: usize) -> usize {
    let cells = rows.iter().filter(|row| row.len() > column + 1).map(|row| row[column].width());
    cells.filter(|width| *width <= MAX_COLUMN_WIDTH).max().unwrap_or_default()
}

fn aligned(row: Vec<PageCell>, widths: &[usize], indent: usize) -> Vec<PageCell> {
    let mut line = vec![PageCell::text(" ".repeat(indent))];
    let last = row.len().saturating_sub(1);
    for (column, cell) in row.into_iter().enumerate() {
        let pad = widths[column].saturating_sub(cell.width()) + 2;
        line.push(cell);
        if column < last {
            line.push(PageCell::text(" ".repeat(pad)));
        }
    }
    line
}

fn escape(text: String) -> String {
    let is_plain = |byte: u8| byte == b'\t' || (b' '..=b'~').contains(&byte);
    if text.bytes().all(is_plain) || !text.chars().any(is_deceptive) {
        return text;
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_deceptive(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    shown
}

/// Control, bidirectional and invisible characters make text look like what it is not.
fn is_deceptive(c: char) -> bool {
    (c.is_control() && c != '\t')
        || matches!(c, '\u{ad}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repository_text_cannot_steer_the_terminal_or_leave_its_quote() {
        let mut page = Page::default();
        page.quoted("a\x1b[2Jb\u{202e}c\u{ad}\u{3164}\r\nbasis: forged", "evil\n.md");
        let plain =
            "  > a\\u{1b}[2Jb\\u{202e}c\\u{ad}\\u{3164}\n  > basis: forged\n    (evil\\u{a}.md)\n";
        assert_eq!(page.to_text(ColorMode::Plain, &ToString::to_string), plain);
        let terminal = page.to_text(ColorMode::Terminal, &ToString::to_string);
        assert_eq!(terminal.matches('\x1b').count(), 6, "only our own colours");
    }

    #[test]
    fn columns_line_up_and_one_long_name_does_not_push_the_others() {
        let mut page = Page::default();
        let row = |name: &str| vec![PageCell::text(name), PageCell::handle("x")];
        page.table(2, vec![row("a"), row("abc"), row(&"l".repeat(70))]);
        let long = "l".repeat(70);
        assert_eq!(
            page.to_text(ColorMode::Plain, &ToString::to_string),
            format!("  a    x\n  abc  x\n  {long}  x\n")
        );
    }
}
