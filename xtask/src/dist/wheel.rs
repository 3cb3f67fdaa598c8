//! The PyPI wheels, one for each platform, written without a build tool: a wheel is a zip file with
//! a list of what is in it.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use super::archive::{self, ArchivedFile};
use super::release::{PlatformBuild, Release, failure};
use super::table::{DESCRIPTION, KEYWORDS, LICENCE_FILES, LICENSE, PACKAGE};
use crate::run::XtaskResult;

pub(super) fn write(release: &Release) -> XtaskResult<()> {
    for build in &release.builds {
        let name = format!("{}-py3-none-{}.whl", stem(release), build.wheel_tag());
        release.write(&format!("pypi/{name}"), wheel(release, build)?)?;
    }
    Ok(())
}

/// The name and the version, as a wheel spells them.
fn stem(release: &Release) -> String {
    format!("{}-{}", module(), release.version)
}

/// The name of the Python module.
fn module() -> String {
    PACKAGE.replace('-', "_")
}

fn wheel(release: &Release, build: &PlatformBuild) -> XtaskResult<Vec<u8>> {
    let (stem, module) = (stem(release), module());
    let info = format!("{stem}.dist-info");
    let script = format!("{stem}.data/scripts/{}", build.platform.program_file());
    let mut files = vec![
        ArchivedFile::text(format!("{module}/__init__.py"), release.template("pypi/__init__.py")?),
        ArchivedFile::text(format!("{module}/__main__.py"), release.template("pypi/__main__.py")?),
        ArchivedFile::program(script, build.program.clone()),
        ArchivedFile::text(format!("{info}/METADATA"), metadata(release)?),
        ArchivedFile::text(format!("{info}/WHEEL"), wheel_header(build)),
        ArchivedFile::text(
            format!("{info}/entry_points.txt"),
            format!("[console_scripts]\n{PACKAGE} = {module}:main\n"),
        ),
    ];
    for name in LICENCE_FILES {
        let from = release.root.join(name);
        let text = std::fs::read(&from).map_err(failure("read", &from))?;
        files.push(ArchivedFile::text(format!("{info}/licenses/{name}"), text));
    }
    let notices = release.out.join(super::licences::THIRD_PARTY_FILE);
    let text = std::fs::read(&notices).map_err(failure("read", &notices))?;
    files.push(ArchivedFile::text(
        format!("{info}/licenses/{}", super::licences::THIRD_PARTY_FILE),
        text,
    ));
    let record = format!("{info}/RECORD");
    let rows: String = files.iter().map(record_row).collect();
    files.push(ArchivedFile::text(&record, format!("{rows}{record},,\n")));
    archive::zip(&files)
}

fn record_row(file: &ArchivedFile) -> String {
    let hash = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&file.bytes));
    format!("{},sha256={hash},{}\n", file.path, file.bytes.len())
}

fn wheel_header(build: &PlatformBuild) -> String {
    format!(
        "Wheel-Version: 1.0\nGenerator: cairn-dist\nRoot-Is-Purelib: false\nTag: py3-none-{}\n",
        build.wheel_tag()
    )
}

fn metadata(release: &Release) -> XtaskResult<String> {
    let mut lines = vec![
        "Metadata-Version: 2.4".to_owned(),
        format!("Name: {PACKAGE}"),
        format!("Version: {}", release.version),
        format!("Summary: {DESCRIPTION}"),
        format!("Keywords: {}", KEYWORDS.join(",")),
        format!("License-Expression: {LICENSE}"),
        format!("Project-URL: Source, {}", release.repository()),
        "Requires-Python: >=3.8".into(),
        "Description-Content-Type: text/markdown".into(),
    ];
    let licences = LICENCE_FILES.into_iter().chain([super::licences::THIRD_PARTY_FILE]);
    lines.extend(licences.map(|name| format!("License-File: {name}")));
    let classifiers = ["Development Status :: 3 - Alpha", "Topic :: Software Development"];
    lines.extend(classifiers.iter().map(|name| format!("Classifier: {name}")));
    Ok(format!("{}\n\n{}", lines.join("\n"), release.template("README.md")?))
}
