"""Generate the Python messages from the .proto files: ``python proto/generate.py [FOLDER]``.

Without a folder they go to proto/gen/python, where they are committed. The test that notices stale
code gives a folder of its own.
"""

from __future__ import annotations

import sys
from pathlib import Path

import grpc_tools
from grpc_tools import protoc

PROTO = Path(__file__).resolve().parent
COMMITTED = PROTO / "gen" / "python"
PACKAGES = {
    "highstreet": "The contract between bots and referee, generated from proto/.",
    "highstreet/v1": "Version 1 of the contract, generated from proto/highstreet/v1.",
}


def generate(folder: Path) -> None:
    """Write the generated packages into a folder."""
    for package, summary in PACKAGES.items():
        (folder / package).mkdir(parents=True, exist_ok=True)
        (folder / package / "__init__.py").write_text(f'"""{summary}"""\n', encoding="utf-8")
    sources = sorted(
        path.relative_to(PROTO).as_posix() for path in PROTO.glob("highstreet/**/*.proto")
    )
    well_known = Path(grpc_tools.__file__).parent / "_proto"
    code = protoc.main(
        [
            "protoc",
            f"--proto_path={PROTO}",
            f"--proto_path={well_known}",
            f"--python_out={folder}",
            f"--pyi_out={folder}",
            f"--grpc_python_out={folder}",
            *sources,
        ]
    )
    if code:
        raise SystemExit(code)


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else COMMITTED)
