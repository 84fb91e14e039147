"""Build the sample bots of every language whose toolchain is here.

    python sample_bots/build.py [--all] [LANGUAGE...]

With --all it is an error if a toolchain is missing or a compiler warns. --debian prints the
packages that all of them need, and builds nothing.
"""

import sys
import time

from sample_bots.languages import BuildError, build, languages


def main() -> int:
    """Build, and say in one line for each what came of it."""
    arguments = sys.argv[1:]
    wanted = [word for word in arguments if not word.startswith("-")]
    chosen = [own for key, own in languages().items() if not wanted or key in wanted]
    if "--debian" in arguments:
        print(" ".join(sorted({package for own in chosen for package in own.debian})))
        return 0
    failed = False
    for own in chosen:
        if missing := own.missing():
            print(f"{own.name}: skipped, needs {' and '.join(missing)}. {own.how_to_get()}")
            failed |= "--all" in arguments
            continue
        start = time.monotonic()
        try:
            warnings = build(own)
        except BuildError as error:
            print(error)
            failed = True
        else:
            print("\n".join(f"{own.name}: {line}" for line in warnings), end="\n" * bool(warnings))
            failed |= bool(warnings) and "--all" in arguments
            print(f"{own.name}: built in {time.monotonic() - start:.0f} s", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
