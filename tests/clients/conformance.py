"""The official conformance suite, held against a strict baseline.

The server under test is the example `conformance`: cairn's own handler with the suite's fixtures
laid over it, behind cairn's own HTTP door. `conformance-baseline.toml` says how each scenario
ends. A scenario that ends otherwise, is new or has gone is a failed check: a known failure that
now passes must leave the list, and a check that silently no longer runs is noticed by its count.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import tempfile
import tomllib

import checks
from checks import TOKEN, Checks, expect
from node import node

SECONDS = checks.PATIENCE
SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
HERE = pathlib.Path(__file__).parent


def main():
    options = arguments()
    baseline = tomllib.loads((HERE / "conformance-baseline.toml").read_text())
    report = Checks()
    command = [str(options.conformance), str(options.repo)]
    with checks.running(command, checks.environment(CAIRN_TOKEN=TOKEN)) as process:
        address = checks.serving(process)
        for revision, expected in baseline.items():
            compare(report, revision, expected, run(options.tools, address, revision))
    report.finish()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    about = "the example binary; called with a repository, it says on stderr where it serves"
    parser.add_argument("--conformance", required=True, type=checks.absolute, help=about)
    parser.add_argument("--repo", required=True, type=checks.absolute)
    parser.add_argument("--tools", required=True, type=checks.absolute)
    return parser.parse_args()


def run(tools, address, revision):
    """Runs what a revision requires. Returns the suite's checks by scenario."""
    with tempfile.TemporaryDirectory() as results:
        command = [node(tools), "--import", str(HERE / "with_token.mjs"), SUITE, "server"]
        command += ["--url", f"{address}/mcp", "--requirements", revision, "-o", results]
        done = subprocess.run(
            command,
            cwd=tools / "node",
            env=checks.environment(CAIRN_TOKEN=TOKEN),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        found = {scenario(path): json.loads(path.read_text()) for path in reports(results)}
        expect(found, f"the suite said nothing: {done.stdout[-500:]} {done.stderr[-500:]}")
        return found


def reports(results):
    return sorted(pathlib.Path(results).glob("server-*/checks.json"))


def scenario(path):
    """`server-tools-list-2026-11-01T10-20-30-400Z` is about `tools-list`."""
    return re.fullmatch(r"server-(.+)-\d{4}-\d\d-\d\dT.*", path.parent.name)[1]


def compare(report, revision, expected, found):
    for name in sorted(expected.keys() | found.keys()):
        with report.check(f"conformance {revision} {name}"):
            expect(name in found, "in the baseline, but the suite did not run it")
            expect(name in expected, f"not in the baseline; it came to {verdict(found[name])}")
            known, now = expected[name], verdict(found[name])
            if isinstance(known, str):
                expect(isinstance(now, str), f"passes now; the baseline should say {now}")
                expect(known.strip(), f"no reason in the baseline for: {now}")
            else:
                expect(now == known, f"{now} instead of {known} checks")


def verdict(results):
    """How many checks passed or, if any did not, what the first of them said."""
    counts = collections.Counter(result["status"] for result in results)
    bad = [result for result in results if result["status"] in ("FAILURE", "WARNING")]
    if not bad:
        return counts["SUCCESS"]
    return f"{bad[0]['id']}: {bad[0].get('errorMessage', 'no message')} ({len(bad)} in all)"


if __name__ == "__main__":
    main()
