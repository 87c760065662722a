#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The tutorial runs, from its first cell to its last, and shows what it says.

COF_LIBRARY names the library.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Notebook(unittest.TestCase):
    def test_every_cell(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "HOME": folder}
            done = subprocess.run(
                [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute",
                 "--output-dir", folder, ROOT / "docs" / "tutorial.ipynb"],
                env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            made = json.loads((pathlib.Path(folder) / "tutorial.ipynb").read_text())
        outputs = [output for cell in made["cells"] for output in cell.get("outputs", [])]
        texts = ["".join(output["data"].get("text/plain", "")) for output in outputs
                 if output["output_type"] == "execute_result"]
        self.assertEqual([text for text in texts if text in ("True", "False")], ["True", "True"])
        self.assertGreaterEqual(sum("image/jpeg" in output.get("data", {}) for output in outputs), 6)


if __name__ == "__main__":
    unittest.main()
