"""Checks every CycloneDX file in a folder against the schema of its version."""

import pathlib
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

found = sorted(pathlib.Path(sys.argv[1]).glob("*.cdx.json"))
if not found:
    sys.exit("no *.cdx.json")
for path in found:
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(path.read_text())
    if error is not None:
        sys.exit(f"{path.name}: {error}")
