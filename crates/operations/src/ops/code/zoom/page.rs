//! Renders the answer of `code.zoom`.

use base::words::counted;
use base::{EntityRef, NextCall, RepoPath};

use super::{ZoomAnswer, ZoomedFile, ZoomedFolder};
use engine::contract::page::{Page, PageCell, Render};

/// How many names a folder shows for each file.
const MAX_NAMES: usize = 6;

impl Render for ZoomAnswer {
    fn render(&self, page: &mut Page) {
        match (&self.node, self.files.as_slice()) {
            (EntityRef::Dir(folder), files) => self.render_folder(page, folder, files),
            (EntityRef::Symbol(_, name), [file]) => render_symbol(page, file, name.as_str()),
            (_, [file]) => render_file(page, file, true),
            _ => {}
        }
        match self.by.as_ref().map(|by| (by, by.name())) {
            Some((_, Some(name))) => page.item("types from", name),
            Some((by, None)) => by.render_as(page, "types are not resolved"),
            None => {}
        }
    }
}

impl ZoomAnswer {
    fn render_folder(&self, page: &mut Page, folder: &RepoPath, files: &[ZoomedFile]) {
        let exports: usize = files.iter().map(|file| file.exports).sum();
        let own = counted(files.len(), "file");
        page.answer(match (files.len(), self.folders.len()) {
            (0, 1..) => {
                let below: usize = self.folders.iter().map(|one| one.files).sum();
                let folders = counted(self.folders.len(), "folder");
                let (exports, below) = (self.exports_below(), counted(below, "file"));
                format!("{folder}: no exports of its own; {folders} with {below}, {exports}")
            }
            _ => format!("{folder}: {own}, {}", counted(exports, "export")),
        });
        if self.level == 0 {
            page.table(2, files.iter().map(folder_row).collect());
        } else {
            for file in files {
                render_file(page, file, false);
            }
        }
        if self.left_out > 0 {
            page.say(match self.left_out {
                1 => "Not shown: 1 file that is a test or exports nothing".into(),
                count => format!("Left out: {count} files that are tests or export nothing"),
            });
        }
        if !self.folders.is_empty() {
            page.heading("Folders");
            let row = |one: &ZoomedFolder| {
                vec![
                    PageCell::handle(format!("{}/", one.path)),
                    PageCell::text(counted(one.files, "file")),
                    PageCell::text(counted(one.exports, "export")),
                ]
            };
            page.table(2, self.folders.iter().map(row).collect());
        }
    }

    fn exports_below(&self) -> String {
        counted(self.folders.iter().map(|one| one.exports).sum::<usize>(), "export")
    }
}

fn folder_row(file: &ZoomedFile) -> Vec<PageCell> {
    let mut names: Vec<&str> =
        file.symbols.iter().map(|symbol| symbol.name.as_str()).take(MAX_NAMES).collect();
    let more = file.exports.saturating_sub(names.len());
    let rest = format!("{more} more");
    if more > 0 {
        names.push(&rest);
    }
    vec![
        PageCell::handle(file.path.name()),
        PageCell::text(file.exports),
        PageCell::text(names.join(", ")),
    ]
}

fn render_file(page: &mut Page, file: &ZoomedFile, alone: bool) {
    let title = file.title.as_deref().map(|title| format!(": {title}")).unwrap_or_default();
    let (lines, exports) = (counted(file.lines as usize, "line"), counted(file.exports, "export"));
    let line = format!("{}{title} ({lines}, {exports})", file.path);
    if alone {
        page.answer(line);
    } else {
        page.heading(line);
    }
    render_symbols(page, file);
    if file.symbols.is_empty() && file.text.is_none() {
        page.say_call("Nothing is exported", zoom_in(&file.path));
    }
}

fn render_symbol(page: &mut Page, file: &ZoomedFile, name: &str) {
    page.answer(format!("{}#{name}", file.path));
    render_symbols(page, file);
}

/// The symbols of a file, or its text.
fn render_symbols(page: &mut Page, file: &ZoomedFile) {
    let least = file.symbols.iter().map(|symbol| symbol.depth).min().unwrap_or_default();
    for symbol in &file.symbols {
        let indent = "  ".repeat(symbol.depth - least + 1);
        for overload in &symbol.overloads {
            let row = vec![PageCell::faint("     "), PageCell::text(format!("{indent}{overload}"))];
            page.table(0, vec![row]);
        }
        let row = vec![
            PageCell::faint(format!("{:>5}", symbol.line)),
            PageCell::text(format!("{indent}{}", symbol.signature)),
        ];
        page.table(0, vec![row]);
        if let Some(resolved) = symbol.resolved.as_ref().filter(|found| **found != symbol.signature)
        {
            page.table(
                0,
                vec![vec![PageCell::text(format!("{indent}     =")), PageCell::text(resolved)]],
            );
        }
        if !symbol.doc.is_empty() {
            page.table(
                0,
                vec![vec![
                    PageCell::text(format!("{indent}       ")),
                    PageCell::faint(&symbol.doc),
                ]],
            );
        }
    }
    if let Some(text) = &file.text {
        page.source(text, file.first_line.unwrap_or(1));
        if let Some(all) = file.cut_from {
            let (shown, all) = (text.len() / 1024, all / 1024);
            page.say_call(
                format!("Cut off: {shown} of {all} KB are shown; name one symbol as path#name"),
                zoom_in(&file.path),
            );
        }
    }
}

/// The call that shows every symbol of a file.
fn zoom_in(path: &RepoPath) -> NextCall {
    NextCall::new("code.zoom").with("path", path.to_string()).with("level", 1)
}
