#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs each image of some folders through the command and judges what comes out.

usage: corpus.py [--report FILE.md] [--jobs N] [--timeout SECONDS] FOLDER...

Each file runs with --strength 0, which changes nothing, and if it is accepted with the default options
and with --preset texture. A run sees a copy of the file and of its siblings in a folder of its own. The
output has the format of the input where the command writes it, else TIFF, else PNG. Independent
readers (Pillow, tifffile and GDAL, as far as they are installed) say whether the result is right:

  right    identity is equal to the input for at least one reader (close, if the format is lossy), and
           the other results resemble the input
  note     the same, but for what a note says
  refused  exit status 1 or 2, one line `cof: FILE: CAUSE`, no output, nothing left behind
  unread   accepted, but no reader can judge it
  wrong    accepted, but samples, size, bands, alpha, depth, frames, profile, resolution or position
           differ without a note, or the readers find the file damaged
  crash    a signal, a status above 2, several lines of error, or text of a library
  slow     not done in time
  dirty    something is left behind, or an input or its sibling has changed

Each result is a line of FILE.jsonl; when the same command runs again, these files are skipped. Exit
status 1 if anything is wrong, crash, slow or dirty.

COF names the command to test (default: build/cli/cof beside the sources).
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COF = os.path.abspath(os.environ.get("COF", ROOT / "build" / "cli" / "cof"))
# kB of address space; the sanitizers take more.
MEMORY = "unlimited" if "COF_SANITIZED" in os.environ else 6 << 20
OUTPUT = "cof-output"
RUNS = {"identity": ["--strength", "0"], "default": [], "texture": ["--preset", "texture"]}
CLASSES = ["right", "note", "refused", "unread", "wrong", "crash", "slow", "dirty"]
GOOD = {"right", "note", "refused", "unread"}
# Text, and siblings that hold no pixels.
LEFT_OUT = set(".c .h .py .sh .md .rst .txt .html .json .jsonl .prj .tfw .jgw .pgw .wld".split())
SIBLING_LISTS = set(".vrt .ers .lbl .hdr .mrf .xml .isis .envi .dim .mpr .rst .rdc".split())
MAX_SIBLINGS = 256 << 20  # bytes
LOSSY = (".jpg", ".jpeg", ".jpe", ".jfif", ".mpo", ".heic", ".heif", ".avif", ".jxl", ".hdr", ".pfm")
COMMON = (".tif", ".png", ".jpg", ".webp", ".gif")  # formats that each reader should read from anybody
# What a note about each kind of difference says.
EXPLAINS = {
    "frames": r"frame|page|picture|image|animat", "icc": r"profile|colour|ICC", "gamma": r"gamma|colour",
    "alpha": r"transparen|alpha|mask|no-data", "bands": r"band|alpha|transparen|grey|colour",
    "depth": r"bit|digit|precision|Lab", "mask": r"mask|no-data", "quality": r"quality",
    "pixels": r"bit|digit|precision|transparen|no data|lossy|quality|Lab",
    "dpi": r"resolution|dpi", "nodata": r"no[- ]data|not kept|metadata", "crs": r"georef|not kept|position",
    "position": r"georef|not kept|position|rotat"}
METADATA = {"frames", "icc", "gamma", "dpi", "nodata", "mask", "crs", "position", "quality", "reader"}


@dataclasses.dataclass
class Run:
    """One run of the command in its folder."""
    status: int
    slow: bool
    stdout: bytes
    lines: list  # of stderr, without notes
    notes: list
    left: list  # files that should not be there, or are not as they were


class ReaderProcess:
    """readers.py, started again when it has crashed."""

    def __init__(self):
        self.process, self.readers = None, []

    def start(self):
        self.process = subprocess.Popen(
            ["sh", "-c", f'ulimit -c 0; ulimit -v {MEMORY}; exec "$@"', "sh", sys.executable, "-B",
             HERE / "readers.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        self.readers = json.loads(self.process.stdout.readline())

    def ask(self, timeout=120, **request):
        if not self.process:
            self.start()
        timer = threading.Timer(timeout, self.process.kill)
        timer.start()
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())
        except (ValueError, BrokenPipeError):
            self.stop()
            return {"input": "unknown: the reader crashed", "output": "", "differences": {}}
        finally:
            timer.cancel()

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.communicate()
        self.process = None


local = threading.local()
all_readers = []


def reader_process():
    if not hasattr(local, "reader"):
        local.reader = ReaderProcess()
        local.reader.start()
        all_readers.append(local.reader)
    return local.reader


def contents(folder):
    """Path -> what tells that a file has changed."""
    return {str(path.relative_to(folder)): hashlib.sha1(path.read_bytes()).hexdigest()
            for path in folder.rglob("*") if path.is_file()}


def siblings(path):
    """Files beside an image that belong to it: of the same stem, or named in it."""
    words = set()
    if path.suffix.lower() in SIBLING_LISTS:
        with open(path, "rb") as file:
            words = set(re.findall(r"[^\s<>\"'=/]+", file.read(1 << 16).decode("latin-1")))
    total = 0
    for other in sorted(path.parent.iterdir()):
        if other != path and (other.name.startswith(path.stem + ".") or other.name in words) \
                and other.is_file():
            total += other.stat().st_size
            if total <= MAX_SIBLINGS:
                yield other


def run(folder, name, output, options, timeout):
    """Runs the command in a folder that holds the copies; its temporary files would stay there, too."""
    before = contents(folder)
    environment = {**os.environ, "LC_ALL": "C", "TMPDIR": str(folder)}
    process = subprocess.Popen(
        ["sh", "-c", f'ulimit -c 0; ulimit -v {MEMORY}; exec "$@"', "sh", COF, *options, "--", name,
         output], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, start_new_session=True)
    slow = False
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
        slow = True
    lines = stderr.decode("utf-8", "replace").splitlines()
    after = contents(folder)
    if process.returncode == 0:
        after.pop(output, None)
    left = [] if slow else sorted(set(before.items()) ^ set(after.items()))
    return Run(process.returncode, slow, stdout,
               [line for line in lines if not line.startswith("cof: note: ")],
               [line for line in lines if line.startswith("cof: note: ")], left)


def fault(done, name):
    """(class, reason) of a run that went wrong whatever its pixels are, or None."""
    if done.slow:
        return "slow", "not done in time"
    if done.status < 0 or done.status > 2:
        return "crash", f"status {done.status}: {' / '.join(done.lines)[:300]}"
    if done.left:
        return "dirty", "left behind or changed: " + ", ".join(dict(done.left))
    if done.stdout:
        return "crash", f"text on standard output: {done.stdout[:100]!r}"
    if len(done.lines) != (done.status != 0):
        return "crash", f"status {done.status}, lines of error: {len(done.lines)}: " \
                        f"{' / '.join(done.lines)[:300]}"
    if done.status and not re.match(rf"cof: ({re.escape(name)}|{OUTPUT}\.)\S*: .", done.lines[0]):
        return "wrong", f"the error names no file: {done.lines[0]}"
    return None


def is_lossy(path, output):
    """Whether an encoder of the output, or that of the input again, may change the samples."""
    if output.endswith(LOSSY):
        return True
    data = path.read_bytes()
    if output.endswith(".webp"):
        return b"VP8L" not in data[:100]
    if output.endswith((".jp2", ".j2k", ".j2c")):
        coding = data.find(b"\xff\x52\0")  # the byte behind the style of blocks names the wavelet
        return coding >= 0 and data[coding + 13:coding + 14] == b"\0"
    jpeg = output.endswith((".tif", ".tiff")) and b"\xff\xd8\xff" in data
    return jpeg or (output.endswith((".tif", ".tiff")) and b"WEBPVP8" in data and b"VP8L" not in data)


def judge(path, output, done, identity):
    """(class, reason) of an accepted file."""
    reader, told, damage = reader_process(), {}, []
    names = reader.readers
    pairs = [(name, name) for name in names] + [(a, b) for a in names for b in names if a != b]
    lossy = is_lossy(path, output.name)
    for pair in pairs:
        if pair[0] != pair[1] and any(not what.keys() - METADATA for what in told.values()):
            break
        found = reader.ask(readers=pair, input=str(path), output=str(output), identity=identity, lossy=lossy)
        if found["input"].startswith("damaged"):
            damage.append(f"{pair[0]}: {found['input'][9:].replace(str(path), path.name)}")
        elif found["output"] and not found["input"]:
            told[pair] = {"unreadable": f"cannot be read: {found['output']}"}
        elif not found["input"]:
            told[pair] = found["differences"]
    read = {pair: what for pair, what in told.items() if "unreadable" not in what}
    if not read:
        if damage:
            return "wrong", f"accepted, but damaged, says {damage[0]}"
        return "unread", next(iter(told.values()))["unreadable"] if told else "no reader knows the file"
    # One reader may be wrong about samples, but only some of them know metadata.
    pair, least = min(read.items(), key=lambda item: len(item[1].keys() - METADATA))
    least |= {kind: text for one, what in read.items() if len(set(one)) == 1
              for kind, text in what.items() if kind in METADATA}
    least |= {"reader": f"{one[0]} reads the input, but not the output" for one, what in told.items()
              if "unreadable" in what and len(set(one)) == 1 and path.suffix == output.suffix in COMMON}
    notes = " ".join(done.notes)
    missing = [text for kind, text in least.items()
               if not re.search(EXPLAINS.get(kind, "(?!)"), notes, re.I)]
    if missing:
        return "wrong", f"{'; '.join(missing)} ({' and '.join(dict.fromkeys(pair))})" + \
                        (f" despite {notes}" if notes else "")
    return ("note", notes) if done.notes else ("right", "")


def run_copy(folder, path, options, timeout):
    """Runs the command on a copy; returns the run and the path of its output."""
    for original in [path, *siblings(path)]:
        shutil.copyfile(original, folder / original.name)
    for suffix in dict.fromkeys([path.suffix.lower(), ".tif", ".png"]):
        output = folder / (OUTPUT + suffix)
        done = run(folder, path.name, output.name, options, timeout)
        if not any("no format that cof writes has this suffix" in line for line in done.lines):
            break
    return done, output


def verdict_on(done, output, path, identity=True, like=None):
    """(class, reason) of a run; like is a file of the picture that is expected, if not the input."""
    found = fault(done, path.name)
    if not found and done.status:
        found = "refused", done.lines[0]
    return found or judge(like or output.parent / path.name, output, done, identity)


def examine(path, timeout):
    """A record of all runs of one file."""
    worst = None
    with tempfile.TemporaryDirectory(prefix="cof-corpus-") as base:
        for kind, options in RUNS.items():
            folder = pathlib.Path(base, kind)
            folder.mkdir()
            done, output = run_copy(folder, path, options, timeout)
            verdict = verdict_on(done, output, path, kind == "identity")
            if not worst or CLASSES.index(verdict[0]) > CLASSES.index(worst[0]):
                command = shlex.join(["cof", *options, "--", str(path), f"/tmp/out{output.suffix}"])
                worst = (*verdict, kind, command)
            if kind == "identity" and (done.status or done.slow):
                break
            shutil.rmtree(folder)
    return dict(zip(("class", "reason", "run", "command"), worst))


def command_hash():
    """A hash of the command and its modules, so that a new build is tested again."""
    files = [pathlib.Path(COF), *sorted(pathlib.Path(COF).parent.glob("cof-*.so"))]
    return hashlib.sha1(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def images(folders):
    for folder in folders:
        for path in sorted(pathlib.Path(folder).resolve().rglob("*")):
            if path.is_file() and not path.is_symlink() and path.suffix.lower() not in LEFT_OUT \
                    and not path.name.endswith(".aux.xml"):
                yield path


def key_of(path):
    info = path.stat()
    return f"{path}:{info.st_size}:{info.st_mtime_ns}"


def old_results(state, version):
    results = {}
    if state.exists():
        for line in state.read_text().splitlines():
            try:
                record = json.loads(line)
            except ValueError:  # cut off when a run was ended
                continue
            if record["version"] == version:
                results[record["key"]] = record
    return results


def show_progress(text, last):
    """A terminal shows one line."""
    if sys.stderr.isatty():
        print(f"\r{text}\33[K", end="\n" if last else "", file=sys.stderr, flush=True)
    else:
        print(text, file=sys.stderr, flush=True)


def examine_all(paths, arguments, state, version):
    """Returns the records of all paths and appends the new ones to the state."""
    results = old_results(state, version)
    missing = [path for path in paths if key_of(path) not in results]
    started, counts = time.monotonic(), collections.Counter()
    with open(state, "a", encoding="utf-8") as file, \
            concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        jobs = {pool.submit(examine, path, arguments.timeout): path for path in missing}
        for number, job in enumerate(concurrent.futures.as_completed(jobs), 1):
            path = jobs[job]
            record = {"key": key_of(path), "file": str(path), "version": version, **job.result()}
            results[record["key"]] = record
            file.write(json.dumps(record) + "\n")
            file.flush()
            counts[record["class"]] += 1
            if number % (1 if sys.stderr.isatty() else 50) == 0 or number == len(missing):
                left = (time.monotonic() - started) / number * (len(missing) - number)
                show_progress(f"{number}/{len(missing)}, {left / 60:.1f} minutes left: "
                              + ", ".join(f"{counts[name]} {name}" for name in CLASSES if counts[name]),
                              number == len(missing))
    return [results[key_of(path)] for path in paths]


def cell(text):
    return re.sub(r"[^\x20-\x7e]", "?", text).replace("|", "\\|")


def write_report(path, records):
    table = collections.defaultdict(collections.Counter)
    for record in records:
        table[pathlib.Path(record["file"]).suffix.lower() or "(none)"][record["class"]] += 1
        table["all"][record["class"]] += 1
    lines = ["# Images through the command", "", "| suffix | " + " | ".join(CLASSES) + " |",
             "| --- |" + " --- |" * len(CLASSES)]
    for suffix in sorted(table, key=lambda name: (name != "all", name)):
        lines.append(f"| {suffix} | " + " | ".join(str(table[suffix][c]) for c in CLASSES) + " |")
    for name in ("crash", "dirty", "slow", "wrong", "unread"):
        found = [record for record in records if record["class"] == name]
        if found:
            lines += ["", f"## {name}", ""]
        for record in found:
            lines += [f"- {cell(record['reason'])} [{record['run']}]", f"  `{cell(record['command'])}`"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description="Runs folders of images through the command.")
    parser.add_argument("--report", type=pathlib.Path, default=pathlib.Path("corpus.md"),
                        help="default: corpus.md; results are kept in a file .jsonl beside it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one run (default: 60)")
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    arguments = parser.parse_args()
    paths = list(dict.fromkeys(images(arguments.folders)))
    if not paths:
        parser.error("no files in these folders")
    records = examine_all(paths, arguments, arguments.report.with_suffix(".jsonl"), command_hash())
    for reader in all_readers:
        reader.stop()
    write_report(arguments.report, records)
    counts = collections.Counter(record["class"] for record in records)
    print(", ".join(f"{counts[name]} {name}" for name in CLASSES), f"-> {arguments.report}")
    return 1 if any(name not in GOOD for name in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
