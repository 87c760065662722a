# SPDX-License-Identifier: BSD-2-Clause
"""How much memory a call takes beyond its input and output.

Measured in a fresh process: input and output are touched, the peak of the resident set (VmHWM) is
reset, and its increase during one cof_smooth() is the memory of the call: threads, scratch, tables.
"""
import json
import pathlib
import subprocess
import sys

import numpy as np

import bare_call


def status_kib(field):
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1])
    raise RuntimeError(f"no {field} in /proc/self/status")


def reset_peak():
    """Sets the peak back to what is resident now; False where the system does not let us."""
    try:
        pathlib.Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def measure_here(library_path, image_path, method, threads):
    library = bare_call.Library(library_path)
    source = np.load(image_path)
    target = np.zeros_like(source)
    target[:] = 1
    call = bare_call.BareCall(library, source, target, threads=threads, method=method)
    was_reset = reset_peak()
    before = status_kib("VmRSS" if was_reset else "VmHWM")
    call()
    grown = 1024 * (status_kib("VmHWM") - before)
    return {"bytes": grown, "bytes_per_pixel": grown / (source.shape[0] * source.shape[1]),
            "peak_reset": was_reset}


def measure(library_path, image_path, method, threads):
    """Measures in a fresh process."""
    done = subprocess.run([sys.executable, "-B", __file__, str(library_path), str(image_path),
                           method, str(threads)], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


if __name__ == "__main__":
    print(json.dumps(measure_here(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))))
