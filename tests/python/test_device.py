#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The Python package with a context that has a device, with any OpenCL driver.

COF_LIBRARY names the library, COF_MODULE_PATH the folder of its module. What the device leaves to the
CPU is compared as well: results must not depend on who computed them.
"""
import concurrent.futures
import os
import pathlib
import sys
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import cof  # noqa: E402
from images import random_image  # noqa: E402

NAME = ""
IMAGES = {
    "grey": random_image((40, 53)),
    "rgb": random_image(),
    "rgba": random_image((40, 53, 4)),
    "grey16": random_image((40, 53), np.uint16),
    "rgb16": random_image(dtype=np.uint16),
    "rgba16": random_image((40, 53, 4), np.uint16),
    "grey float": random_image((40, 53), np.float32),
    "rgb float": random_image(dtype=np.float32),
    "rgb double": random_image(dtype=np.float64),
    "bands": random_image((40, 53, 5)),
    "one pixel": random_image((1, 1, 3)),
    "one row": random_image((1, 61, 3)),
    "one column": random_image((67, 1)),
}
SPOTS = np.random.default_rng(3).random((40, 53)) < 0.1


def setUpModule():
    global NAME
    if not cof.devices():
        raise unittest.SkipTest("there is no OpenCL device")
    NAME = "opencl:" + cof.devices()[0].name


def masked(image, where):
    mask = where if image.ndim == 2 else np.repeat(where[:, :, None], image.shape[2], 2)
    return np.ma.masked_array(image, mask)


class DeviceTest(unittest.TestCase):
    def setUp(self):
        self.context = cof.Context(device=NAME)
        self.addCleanup(self.context.close)

    def assert_close(self, host, other):
        """At most one code value apart, and hardly any sample is."""
        self.assertEqual((host.dtype, host.shape), (other.dtype, other.shape))
        if isinstance(host, np.ma.MaskedArray):
            self.assertTrue((np.ma.getmaskarray(host) == np.ma.getmaskarray(other)).all())
            host, other = host.data, other.data
        if np.issubdtype(host.dtype, np.floating):
            self.assertTrue(np.allclose(host, other, rtol=0, atol=1e-5, equal_nan=True))
            return
        apart = np.abs(host.astype(int) - other)
        self.assertLessEqual(apart.max(), 1)
        # Between instruction sets of the CPU, up to 0.5 % of 16-bit samples differ.
        share = 0.001 if host.dtype == np.uint8 else 0.01
        self.assertLessEqual(np.count_nonzero(apart), share * apart.size + 1)

    def assert_smooth(self, image, **options):
        self.assert_close(cof.smooth(image, **options),
                          cof.smooth(image, context=self.context, **options))

    def assert_same_model(self, host, other):
        self.assertEqual(host.to_bytes(), other.to_bytes())


class Results(DeviceTest):
    def test_each_kind_of_image(self):
        for name, image in IMAGES.items():
            with self.subTest(name):
                kind = "bands" if name == "bands" else None
                for options in ({}, {"iterations": 2, "window": 5}, {"method": "fast", "window": 21}):
                    self.assert_smooth(image, kind=kind, **options)

    def test_learning_gives_the_same_bytes(self):
        for name, image in IMAGES.items():
            with self.subTest(name):
                kind = "bands" if name == "bands" else None
                host = cof.Model.fit(image, kind=kind, colours=9)
                other = cof.Model.fit(image, kind=kind, colours=9, context=self.context)
                self.assert_same_model(host, other)
                self.assertTrue((host.label(image, kind=kind) ==
                                 other.label(image, kind=kind, context=self.context)).all())
                self.assert_close(host.apply(image, kind=kind),
                                  host.apply(image, kind=kind, context=self.context))

    def test_masks_and_regions(self):
        for name in ("grey", "rgb", "rgba", "rgb16", "rgb float"):
            image = IMAGES[name]
            with self.subTest(name):
                self.assert_smooth(masked(image, SPOTS))
                self.assert_smooth(image, mask=SPOTS)
                self.assert_smooth(image, region=np.s_[3:30, 5:40])
                for options in ({"mask": SPOTS}, {"region": np.s_[3:30, 5:40]}):
                    self.assert_same_model(cof.Model.fit(image, **options),
                                           cof.Model.fit(image, context=self.context, **options))
                self.assert_same_model(cof.Model.fit(masked(image, SPOTS)),
                                       cof.Model.fit(masked(image, SPOTS), context=self.context))

    def test_alpha_and_missing_floats(self):
        image = IMAGES["rgba"].copy()
        image[5:20, 8:30, 3] = 0
        self.assert_smooth(image)
        image = IMAGES["grey float"].copy()
        image[SPOTS] = np.nan
        self.assert_smooth(image)

    def test_guides_and_labels(self):
        image, guide = IMAGES["grey"], IMAGES["rgb"]
        self.assert_smooth(image, guide=guide)
        self.assert_smooth(guide, labels=image % 7)
        self.assert_smooth(guide, learn_from=random_image(seed=5))
        self.assert_same_model(cof.Model.fit_labels(image % 7),
                               cof.Model.fit_labels(image % 7, context=self.context))

    def test_arrays_in_any_order(self):
        image = random_image((48, 60, 3))
        for view in (image[:, :, ::-1], image[::-1, ::2], image.transpose(1, 0, 2),
                     np.asfortranarray(image)):
            self.assert_smooth(view)
        planes = np.ascontiguousarray(image.transpose(2, 0, 1))
        self.assert_close(cof.smooth(planes, channel_axis=0),
                          cof.smooth(planes, channel_axis=0, context=self.context))

    def test_options_of_all_stages(self):
        for options in ({"preset": "texture"}, {"preset": "cartoon"}, {"palettes": 3},
                        {"iterations": 3, "update": "labels"}, {"iterations": 2, "update": "model"},
                        {"iterations": 9, "tolerance": 3}, {"border": "mirror"}, {"space": "native"},
                        {"fidelity": 1, "iterations": 2}, {"strength": 0.5}, {"detail": -0.5},
                        {"variant": "authors"}, {"downscale": 2}, {"separation": 0.2}):
            with self.subTest(options):
                self.assert_smooth(IMAGES["rgb"], **options)

    def test_selecting(self):
        image = random_image((48, 60, 3))
        image[10:30, 12:40] //= 3
        foreground, background = np.zeros((48, 60), bool), np.zeros((48, 60), bool)
        foreground[20, 18:34] = background[3, 4:50] = True
        for method in ("watershed", "spread"):
            host, other = (cof.select(image, foreground, background, select_method=method,
                                      context=context) for context in (None, self.context))
            self.assertTrue(host.any() and not host.all())
            self.assertLessEqual(np.count_nonzero(host != other), 0.001 * host.size + 1)
        for function, arguments in ((cof.focus, (host,)), (cof.recolour, (host, "#ff0000"))):
            self.assert_close(function(image, *arguments),
                              function(image, *arguments, context=self.context))
        for one, two in zip(cof.Model.fit_pair(image, host),
                            cof.Model.fit_pair(image, host, context=self.context)):
            self.assert_same_model(one, two)


class Behaviour(DeviceTest):
    def test_report(self):
        """It names the device, its stages and, where a stage was left to the CPU, the reason."""
        report = cof.Report()
        for name, image in IMAGES.items():
            kind = "bands" if name == "bands" else None
            cof.smooth(image, kind=kind, context=self.context, report=report)
            self.assertEqual("opencl:" + report.device, NAME)
            self.assertIn("count", report.device_stages)
            self.assertTrue("filter" in report.device_stages or report.device_note, name)
        for name in ("grey", "rgb", "rgba"):
            cof.smooth(IMAGES[name], context=self.context, report=report)
            self.assertEqual(report.device_stages, ("colour", "labels", "count", "filter", "store"))

    def test_contexts_of_threads(self):
        images = [random_image(seed=i) for i in range(8)]
        hosts = [cof.smooth(image) for image in images]

        def run(part):
            with cof.Context(device=NAME, threads=1) as context:
                return [cof.smooth(image, context=context) for image in part]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            results = sum(pool.map(run, (images[i:i + 2] for i in range(0, 8, 2))), [])
        for host, other in zip(hosts, results):
            self.assert_close(host, other)

    def test_one_call_at_a_time(self):
        image = random_image()

        def again(done):
            if done < 1:
                with self.assertRaises(cof.BusyError):
                    cof.smooth(image, context=self.context)
        cof.smooth(image, context=self.context, progress=again)
        with self.assertRaises(cof.CancelledError):
            cof.smooth(image, context=self.context, progress=lambda done: True)
        self.assert_smooth(image)

    def test_child_process(self):
        """Drivers do not survive fork(): the CPU computes there."""
        image, host = random_image(), cof.smooth(random_image())
        cof.smooth(image, context=self.context)
        child = os.fork()
        if child == 0:
            report = cof.Report()
            same = (cof.smooth(image, context=self.context, report=report) == host).all()
            os._exit(0 if same and not report.device_stages and report.device_note else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_names(self):
        for name in ("cuda", "", "opencl:no such device", NAME + "\udcff"):
            with self.assertRaises(cof.NotSupportedError):
                cof.Context(device=name)
        for name in (0, True, b"gpu"):
            with self.assertRaisesRegex(TypeError, "device must be a str"):
                cof.Context(device=name)
        cof.Context(device="opencl:" + NAME[7:].upper()).close()


if __name__ == "__main__":
    unittest.main()
