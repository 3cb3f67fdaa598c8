"""Opens every built package: each has the licences, and its program may be executed.

    check_contents.py DIST

A package with the program also has the licences of everything that is compiled into it.
"""

import pathlib
import sys
import tarfile
import zipfile

OWN = {"LICENSE-MIT", "LICENSE-APACHE"}
ALL = OWN | {"THIRD-PARTY-LICENSES.txt"}
PROGRAMS = {"cairn", "cairn.exe"}


def read(path):
    """The files of a package with their permissions."""
    if path.suffix in (".whl", ".mcpb", ".zip"):
        with zipfile.ZipFile(path) as packed:
            return {entry.filename: entry.external_attr >> 16 for entry in packed.infolist()}
    with tarfile.open(path) as packed:
        return {entry.name: entry.mode for entry in packed if entry.isfile()}


def problems(path):
    """What is wrong with one package."""
    files = read(path)
    names = {pathlib.PurePosixPath(name).name for name in files}
    programs = [name for name in files if pathlib.PurePosixPath(name).name in PROGRAMS]
    for missing in sorted((ALL if programs else OWN) - names):
        yield f"{path.name} has no {missing}"
    for name in programs:
        # Windows knows no such permission, so a zip file for it has none.
        if not name.endswith(".exe") and not files[name] & 0o100:
            yield f"{name} in {path.name} may not be executed"


def main():
    dist = pathlib.Path(sys.argv[1])
    patterns = ("npm/*.tgz", "pypi/*.whl", "release/*.mcpb", "release/*.tar.gz", "release/*.zip")
    found = {pattern: sorted(dist.glob(pattern)) for pattern in patterns}
    for pattern, paths in found.items():
        if not paths and pattern != "release/*.zip":
            sys.exit(f"no package {pattern} in {dist}")
    wrong = [one for paths in found.values() for path in paths for one in problems(path)]
    for folder in ("plugin", "gemini"):
        wrong += [f"{folder} has no {name}" for name in sorted(OWN) if not (dist / folder / name).is_file()]
    if wrong:
        sys.exit("\n".join(wrong))


main()
