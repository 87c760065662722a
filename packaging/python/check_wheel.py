#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks a Python wheel for another system without a Python for it: check_wheel.py WHEEL

A C program, under wine or QEMU where necessary, loads the library of the wheel, from a folder whose
name is not ASCII, finds every function that the package calls, has the structs that the package
declares, and smooths an image as the libcof of this system (COF_LIBRARY) does. Nothing runs programs
for macOS: there, only the files are checked.
"""
import base64
import csv
import ctypes
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# By a part of the platform's name: the compiler, and what runs its programs.
SYSTEMS = {
    "win_amd64": (["x86_64-w64-mingw32-gcc-posix", "-static", "-municode",
                   "-D__USE_MINGW_ANSI_STDIO=1"], ["wine"]),
    "musllinux": (["musl-gcc"], []),
    "_aarch64": (["aarch64-linux-gnu-gcc"], ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"]),
}
FOLDER = "Pakete für Ж"
WIDTH, HEIGHT = 61, 43
PROGRAM = r"""
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#ifdef _WIN32
#include <windows.h>
#define main wmain
typedef wchar_t Character;
#define open_library(path) LoadLibraryW(path)
#define find(library, name) GetProcAddress(library, name)
#else
#include <dlfcn.h>
typedef char Character;
#define open_library(path) dlopen(path, RTLD_NOW)
#define find(library, name) dlsym(library, name)
#endif
#include "cof/cof.h"

static const char *const names[] = {@NAMES@};

int main(int count, Character **arguments)
{
    void *library = count == 2 ? (void *)open_library(arguments[1]) : NULL;
    if (!library) {
        puts("it cannot be loaded");
        return 1;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!find(library, names[i])) {
            printf("it has no %s\n", names[i]);
            return 1;
        }
    @LAYOUT@
    static unsigned char pixels[@WIDTH@ * @HEIGHT@ * 3];
    uint32_t state = 1;
    for (size_t i = 0; i < sizeof pixels; i++) {
        state = state * 1664525u + 1013904223u;
        pixels[i] = (unsigned char)(state >> 24);
    }
    CofImage image = {.data = pixels, .width = @WIDTH@, .height = @HEIGHT@, .channels = 3,
                      .kind = COF_KIND_RGB};
    CofStatus (*smooth)(const CofImage *, const CofImage *, const CofOptions *) =
        (void *)find(library, "cof_smooth");
    printf("status %d\n", smooth(&image, &image, NULL));
    printf("pixels ");
    for (size_t i = 0; i < sizeof pixels; i++)
        printf("%02x", pixels[i]);
    printf("\n");
    return 0;
}
"""


def platform_of(wheel):
    return wheel.stem.split("-")[-1]


def check_record(wheel):
    """Every file of the wheel is in RECORD, with its hash."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (record,) = [name for name in names if name.endswith(".dist-info/RECORD")]
        rows = list(csv.reader(archive.read(record).decode().splitlines()))
        assert sorted(row[0] for row in rows) == sorted(names), "RECORD lists other files"
        for name, digest, size in rows:
            if name != record:
                data = archive.read(name)
                found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
                assert digest == "sha256=" + found.decode() and int(size) == len(data), name
        tag = archive.read(record.replace("RECORD", "WHEEL")).decode()
        assert f"Tag: py3-none-{platform_of(wheel)}\n" in tag, tag


def structs(library):
    return {"CofRect": library.Rect, "CofImage": library.Image, "CofRoi": library.Roi,
            "CofProblem": library.Problem, "CofReport": library.ReportStruct,
            "CofDeviceInfo": library.DeviceInfo, "CofOptionInfo": library.OptionInfo,
            "CofOptions": library.lib.Options}


def layout_of(library):
    """What the program must print: sizes, and where fields begin."""
    for name, struct in structs(library).items():
        yield f"sizeof({name})", ctypes.sizeof(struct)
        for field in struct._fields_:
            yield f"offsetof({name}, {field[0]})", getattr(struct, field[0]).offset


def smoothed():
    """The pixels that the package gives here."""
    import cof
    import numpy
    state, values = 1, []
    for _ in range(WIDTH * HEIGHT * 3):
        state = (state * 1664525 + 1013904223) % 2 ** 32
        values.append(state >> 24)
    image = numpy.array(values, numpy.uint8).reshape(HEIGHT, WIDTH, 3)
    return cof.smooth(image).tobytes().hex()


def run_program(folder, file, library, system):
    """Compiles the program and runs it on the library; returns its lines."""
    compiler, runner = system
    source, program = folder / "program.c", folder / "program.exe"
    expressions = [name for name, _ in layout_of(library)]
    text = PROGRAM.replace("@NAMES@", ", ".join(f'"{name}"' for name in library.FUNCTIONS))
    text = text.replace("@LAYOUT@", "\n    ".join(
        f'printf("{name} %zu\\n", (size_t){name});' for name in expressions))
    source.write_text(text.replace("@WIDTH@", str(WIDTH)).replace("@HEIGHT@", str(HEIGHT)))
    subprocess.run([*compiler, "-std=c11", "-O1", f"-I{ROOT / 'include'}", source, "-o", program],
                   check=True)
    done = subprocess.run([*runner, program, file], stdout=subprocess.PIPE, text=True, cwd=folder,
                          env={"WINEDEBUG": "-all", "LC_ALL": "C.UTF-8", **os.environ})
    assert done.returncode == 0, done.stdout
    return done.stdout.splitlines()


def check_pixels(wheel, line):
    """Another processor rounds otherwise, so that a sample may differ by 1."""
    found, expected = bytes.fromhex(line.removeprefix("pixels ")), bytes.fromhex(smoothed())
    largest = 1 if platform_of(wheel).endswith("_aarch64") else 0
    assert len(found) == len(expected)
    assert all(abs(a - b) <= largest for a, b in zip(found, expected)), "other pixels than here"
    return sum(a != b for a, b in zip(found, expected))


def main():
    wheel = pathlib.Path(sys.argv[1])
    check_record(wheel)
    systems = [system for part, system in SYSTEMS.items() if part in platform_of(wheel)]
    if not systems:
        print(f"{platform_of(wheel)}: its files and its tag are right; nothing was run")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / FOLDER
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        # The package of the wheel, over the library of this system.
        sys.path.insert(0, str(folder))
        import cof._library as library
        assert library.__file__.startswith(str(folder)), library.__file__
        (file,) = [folder / "cof" / name for name in ("libcof.dll", "libcof.so")
                   if (folder / "cof" / name).exists()]
        lines = run_program(folder, file, library, systems[0])
        expected = [f"{name} {value}" for name, value in layout_of(library)] + ["status 0"]
        assert lines[:-1] == expected, set(lines) ^ set(expected)
        different = check_pixels(wheel, lines[-1])
    print(f"{platform_of(wheel)}: {len(library.FUNCTIONS)} functions, {len(expected) - 1} sizes and "
          f"offsets, pixels as on this system, {different} samples differ by 1")


if __name__ == "__main__":
    main()
