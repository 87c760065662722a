# SPDX-License-Identifier: BSD-2-Clause
"""How many instructions fixed pieces of work take, counted by callgrind.

Unlike times, these are the same in every run, and from one folder to another change by a few
hundredths of a percent: they show small gains and losses. They are set against the accepted ones
in bench/instructions.txt. A report: a difference is no failure.
"""
import argparse
import os
import pathlib
import platform
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"
ACCEPTED = ROOT / "bench" / "instructions.txt"
HEADING = """\
# Accepted counts of ./dev bench --instructions: architecture, level (COF_CPU), case, instructions,
# compiler. Written by ./dev bench --instructions --accept.
"""
COUNTED = "fixed_work"  # the function of fixed.c that is counted, with all that it calls


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench --instructions", description=__doc__)
    parser.add_argument("--accept", action="store_true", help="write the new counts down")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "bench" / "fixed",
                        help="the built bench/fixed.c (default build/bench/fixed)")
    return parser.parse_args()


def levels():
    """The instruction sets to limit the library to; valgrind knows no AVX-512."""
    if platform.machine() == "aarch64":
        return ["c", "neon"]
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    return ["c", "avx2"] if platform.machine() == "x86_64" and " avx2 " in flags else ["c"]


def ask(program, what):
    return subprocess.run([program, what], check=True, capture_output=True,
                          text=True).stdout.split()


def count(program, level, case):
    """Instructions of the case. Symbols are bound at the start, so that this is not counted; and
    arguments and environment are of one length, since they move the stack, and how a block lies
    in memory changes how libc copies it."""
    environment = {"PATH": "/usr/bin:/bin", "LD_BIND_NOW": "1", "COF_CPU": level,
                   "PADDING": "-" * (10 - len(level))}
    with tempfile.TemporaryDirectory(prefix="cof-bench-") as folder:
        out = pathlib.Path(folder) / "out"
        subprocess.run(["valgrind", "--tool=callgrind", "--quiet", f"--callgrind-out-file={out}",
                        f"--toggle-collect={COUNTED}", os.path.relpath(program, DATA), case, "."],
                       check=True, stdout=subprocess.DEVNULL, cwd=DATA, env=environment)
        for line in out.read_text().splitlines():
            if line.startswith(("totals:", "summary:")):
                return int(line.split()[1])
    raise RuntimeError("callgrind left no total")


def read_accepted():
    """(architecture, level, case) -> (count, compiler)."""
    found = {}
    if ACCEPTED.exists():
        for line in ACCEPTED.read_text().splitlines():
            if line and not line.startswith("#"):
                architecture, level, case, number, compiler = line.split()
                found[architecture, level, case] = int(number), compiler
    return found


def write_accepted(accepted):
    rows = [(*key, str(number), compiler) for key, (number, compiler) in sorted(accepted.items())]
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    lines = [f"{a:{widths[0]}} {b:{widths[1]}} {c:{widths[2]}} {d:>{widths[3]}} {e}\n"
             for a, b, c, d, e in rows]
    ACCEPTED.write_text(HEADING + "".join(lines))


def difference(number, before, compiler):
    if not before:
        return "new"
    text = f"{100 * (number / before[0] - 1):+.2f} %"
    return text if before[1] == compiler else f"{text} (accepted with {before[1]})"


def main():
    arguments = parse_arguments()
    compiler, = ask(arguments.program, "--compiler")
    accepted = read_accepted()
    architecture = platform.machine()
    print(f"{architecture}, {compiler}; one thread; the library with what it calls of libc\n")
    print(f"  {'level':6} {'case':22} {'instructions':>14}  against the accepted")
    for level in levels():
        for case in ask(arguments.program, "--list"):
            number = count(arguments.program, level, case)
            key = architecture, level, case
            print(f"  {level:6} {case:22} {number:14,}  "
                  f"{difference(number, accepted.get(key), compiler)}", flush=True)
            accepted[key] = number, compiler
    if arguments.accept:
        write_accepted(accepted)
        print(f"\naccepted: {ACCEPTED}")


if __name__ == "__main__":
    main()
