"""Verifies a certificate: python -m tests.independent certificate.json export.jsonl."""

import json
import sys
from pathlib import Path

from tests.independent.verifier import verify


def main(certificate: str, export: str) -> int:
    rows = [json.loads(line) for line in Path(export).read_text().splitlines() if line.strip()]
    checks = verify(json.loads(Path(certificate).read_text()), rows)
    for check in checks:
        sys.stdout.write(f"holds  {check.name}\n" if check.holds else f"FAILS  {check.name}: {check.detail}\n")
    return 0 if all(check.holds for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
