//! The licences of all crates in the program, as one file. A text that several crates share is
//! printed once.

use std::collections::BTreeMap;
use std::fs;

use super::dependencies::{CratePackage, ProgramCrates};
use super::release::Release;
use crate::run::XtaskResult;

/// The name of the file.
pub(super) const THIRD_PARTY_FILE: &str = "THIRD-PARTY-LICENSES.txt";

/// How the names of files with a licence begin.
const LICENCE_NAMES: [&str; 5] = ["license", "licence", "copying", "notice", "unlicense"];

pub(super) fn write(release: &Release, crates: &ProgramCrates) -> XtaskResult<()> {
    let text = notices(crates)?;
    release.write(THIRD_PARTY_FILE, &text)?;
    release.write(&format!("release/{THIRD_PARTY_FILE}"), text)
}

fn notices(crates: &ProgramCrates) -> XtaskResult<String> {
    let mut by_text: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut list = Vec::new();
    for package in crates.packages.iter().filter(|own| !own.is_ours()) {
        let name = format!("{} {}", package.name, package.version);
        let licence = package.license.as_deref().unwrap_or("see its files");
        list.push(format!("{name}: {licence}\n"));
        for text in licence_texts(package)? {
            by_text.entry(text).or_default().push(name.clone());
        }
    }
    let mut sections: Vec<_> = by_text.into_iter().collect();
    sections.sort_by(|a, b| a.1.cmp(&b.1));
    let list = list.concat();
    let rule = "-".repeat(80);
    let sections: String = sections
        .into_iter()
        .map(|(text, names)| format!("{rule}\n{}\n{rule}\n\n{text}\n\n", names.join(", ")))
        .collect();
    Ok(format!("This program contains the following crates.\n\n{list}\n{sections}"))
}

fn licence_texts(package: &CratePackage) -> XtaskResult<Vec<String>> {
    let folder = package.folder();
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let is_licence = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        path.is_file() && LICENCE_NAMES.iter().any(|start| name.starts_with(start))
    };
    let texts = paths.iter().filter(|path| is_licence(path)).filter_map(|path| fs::read(path).ok());
    let plain =
        |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).replace("\r\n", "\n").trim().to_owned();
    Ok(texts.map(plain).filter(|text| !text.is_empty()).collect())
}
