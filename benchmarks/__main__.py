"""The command line of the benchmarks. Knows their names, measures nothing."""

import argparse

from benchmarks import latency


def main() -> int:
    """Runs the named benchmark; 0 when it could measure."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="name", required=True)
    command = commands.add_parser("latency", help=latency.__doc__)
    command.add_argument("--jobs", type=int, default=20, help="pictures of each kind (default: 20)")
    command.add_argument("--only", choices=("sqlite", "redis"), help="one of the two brokers")
    arguments = parser.parse_args()
    return latency.main(jobs=arguments.jobs, only=arguments.only)


if __name__ == "__main__":
    raise SystemExit(main())
