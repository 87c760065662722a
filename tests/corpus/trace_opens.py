#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Says what the command opens beyond an image: other files, sockets, programs.

usage: trace_opens.py IMAGE...

strace watches `cof --strength 0 IMAGE OUTPUT`. Files of the system, such as libraries, fonts and
profiles, and those of the build are left out, and so are folders. Exit status 1 if anything is left.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COF = os.path.abspath(os.environ.get("COF", ROOT / "build" / "cli" / "cof"))
CALL = re.compile(r'^\d+ +(\w+)\((.*?)\) += (-?\d+)(.*)')
PATH = re.compile(r'^(?:(?:AT_FDCWD|\d+)(?:<([^>]*)>)?, )?"((?:[^"\\]|\\.)*)"')
# What programs, libraries, fonts and their configuration need, and nothing that a user writes.
SYSTEM = ("/usr/", "/lib/", "/lib64/", "/etc/ld.so.", "/etc/fonts/", "/etc/localtime", "/etc/OpenCL/",
          "/etc/ImageMagick-", "/proc/self/status", "/proc/self/maps", "/proc/self/cgroup",
          "/proc/self/mountinfo", "/proc/filesystems", "/proc/meminfo", "/proc/cpuinfo", "/proc/sys/",
          "/sys/devices/system/", "/sys/fs/cgroup/", "/dev/null", "/dev/urandom", "/var/cache/fontconfig/")
HOME = (".cache/fontconfig", ".fonts", ".config/fontconfig", ".local/share/fonts")


def available():
    """Whether strace is there and may watch processes."""
    return bool(shutil.which("strace")) and subprocess.run(
        ["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True, check=False).returncode == 0


def of_system(path):
    home = os.path.expanduser("~")
    build = str(pathlib.Path(COF).parents[1]) + "/"
    return path.startswith((*SYSTEM, build, *(f"{home}/{name}" for name in HOME)))


def surplus_of(line, folder, allowed):
    """What one call did that it should not, or None."""
    found = CALL.match(line)
    if not found:
        return None
    call, arguments, result, _ = found.groups()
    if call in ("socket", "connect"):
        return f"{call}({arguments[:100]})"
    path = PATH.match(arguments)
    if not path:
        return None
    name = path[2].encode("latin-1").decode("unicode_escape")
    full = os.path.normpath(os.path.join(path[1] or folder, name))
    if call == "execve":
        return None if int(result) < 0 or os.path.realpath(full) == os.path.realpath(COF) else f"runs {full}"
    inside = full.startswith(str(folder) + "/")
    secret = "secret" in os.path.relpath(full, folder) if inside else "/secret/" in full
    # Readers look for siblings, which are not there.
    if (int(result) < 0 and not secret) or "O_DIRECTORY" in arguments or of_system(full):
        return None
    own = os.path.dirname(full) == str(folder) and os.path.basename(full).startswith((".cof-", "cof-output"))
    if own or (inside and os.path.relpath(full, folder) in allowed):
        return None
    return f"opens {full}" + (" (in vain)" if int(result) < 0 else "")


def surplus(name, folder, siblings=(), options=(), timeout=60):
    """What the command does with an image in a folder beyond reading it and its siblings."""
    folder = pathlib.Path(folder).resolve()
    log = folder / "cof-output.trace"
    subprocess.run(["strace", "-f", "-qq", "-y", "-s", "4096", "-o", log, "-e",
                    "trace=open,openat,openat2,creat,socket,connect,execve", COF, "--strength", "0", *options,
                    "--", name, "cof-output.tif"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                   timeout=timeout, check=False, env={**os.environ, "TMPDIR": str(folder)})
    lines = log.read_text(encoding="latin-1").splitlines()
    found = (surplus_of(line, folder, {name, *siblings}) for line in lines)
    return list(dict.fromkeys(filter(None, found)))


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    status = 0
    for path in map(pathlib.Path, sys.argv[1:]):
        with tempfile.TemporaryDirectory(prefix="cof-trace-") as folder:
            for original in path.parent.iterdir():
                if original.name.startswith(path.stem + ".") and original.is_file():
                    shutil.copyfile(original, pathlib.Path(folder, original.name))
            for text in surplus(path.name, folder):
                print(f"{path}: {text}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
