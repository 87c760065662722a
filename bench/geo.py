#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Measures how `cof` filters a large raster: its memory, and its processor time compared with that
of gdal_translate plus that of the library.

The raster has four bands of 16 bits in tiles and is sparse on disk: a texture every few tiles,
otherwise 0, which is filtered like any other value. The library's time is measured on an array of
some of its rows. Processor time is compared, because other programs may be running.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))
BANDS = 4
TILE = 256


def write_raster(path, width, height):
    """Textures in one of nine tiles; returns the number of tiles that were written."""
    import numpy as np
    from osgeo import gdal, osr
    gdal.UseExceptions()
    source = np.random.default_rng(1)
    patch = source.integers(400, 3000, (BANDS, TILE, TILE), dtype=np.uint16)
    out = gdal.GetDriverByName("GTiff").Create(str(path), width, height, BANDS, gdal.GDT_UInt16,
                                               ["TILED=YES", "SPARSE_OK=TRUE", "BIGTIFF=YES"])
    reference = osr.SpatialReference()
    reference.ImportFromEPSG(32633)
    out.SetSpatialRef(reference)
    out.SetGeoTransform((500000, 10, 0, 5600000, 0, -10))
    written = 0
    for y in range(0, height - TILE + 1, 3 * TILE):
        for x in range(0, width - TILE + 1, 3 * TILE):
            out.WriteArray(patch, x, y)
            written += 1
    return written


def peak_megabytes(process):
    """Of a running program. What wait4() tells begins with the memory of this process."""
    try:
        text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return 0
    lines = [line for line in text.splitlines() if line.startswith("VmHWM")]
    return int(lines[0].split()[1]) / 1024 if lines else 0


def measure(arguments):
    """Processor time, wall time in seconds, and peak memory in megabytes of a program."""
    start, peak = time.monotonic(), 0
    process = subprocess.Popen([str(word) for word in arguments])
    pid = 0
    while pid == 0:
        time.sleep(0.05)
        peak = max(peak, peak_megabytes(process))
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
    if status != 0:
        sys.exit(f"{arguments[0]} failed")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start, peak


def library_seconds(path, rows, window):
    """Processor time for the first rows, learning included, per pixel."""
    import numpy as np
    from osgeo import gdal
    import cof
    source = gdal.Open(str(path))
    array = np.ascontiguousarray(np.moveaxis(source.ReadAsArray(0, 0, source.RasterXSize, rows), 0, -1))
    before = time.process_time()
    cof.smooth(array, kind="bands", window=window)
    return (time.process_time() - before) / (array.shape[0] * array.shape[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--width", type=int, default=40000)
    parser.add_argument("--height", type=int, default=25000)
    parser.add_argument("--rows", type=int, default=800, help="rows for the time of the library")
    parser.add_argument("--window", type=int, default=15)
    parser.add_argument("--folder", help="where the files are written (default: a temporary one)")
    arguments = parser.parse_args()
    os.environ.setdefault("COF_LIBRARY", str(ROOT / "build" / "src" / "libcof.so"))
    command = os.environ.get("COF", str(ROOT / "build" / "cli" / "cof"))
    with tempfile.TemporaryDirectory(prefix="cof-geo-", dir=arguments.folder) as folder:
        path, copy, result = (pathlib.Path(folder) / name for name in ("in.tif", "copy.tif", "out.tif"))
        tiles = write_raster(path, arguments.width, arguments.height)
        pixels = arguments.width * arguments.height
        print(f"{arguments.width} x {arguments.height} pixels, {BANDS} bands of 16 bits, {tiles} tiles with "
              f"texture, {path.stat().st_blocks * 512 / 1e6:.0f} MB on disk", flush=True)
        translate, wall, memory = measure(["gdal_translate", "-q", "-co", "TILED=YES", "-co",
                                           "SPARSE_OK=TRUE", "-co", "BIGTIFF=YES", path, copy])
        print(f"gdal_translate  {translate:8.1f} s processor time, {wall:.1f} s, {memory:.0f} MB", flush=True)
        copy.unlink()
        whole, wall, memory = measure([command, "--quiet", "--window", arguments.window, path, result])
        print(f"cof             {whole:8.1f} s processor time, {wall:.1f} s, {memory:.0f} MB", flush=True)
        library = library_seconds(path, min(arguments.rows, arguments.height), arguments.window) * pixels
        print(f"library         {library:8.1f} s processor time, from {arguments.rows} rows", flush=True)
        print(f"ratio           {whole / (translate + library):8.2f}")


if __name__ == "__main__":
    main()
