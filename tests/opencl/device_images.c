/* SPDX-License-Identifier: BSD-2-Clause */
/* A device and images for the tests of devices. */
#include "device_images.h"

CofContext *device;

int open_device(void **state)
{
    (void)state;
    CofProblem problem;
    CofStatus status = cof_context_new_device(&device, NULL, 2, &problem);
    if (status != COF_OK)
        print_error("%s\n", problem.text);
    return status != COF_OK;
}

int close_device(void **state)
{
    (void)state;
    cof_context_free(&device);
    return 0;
}

double compared, different;

static void paint(TestImage *image, Random *random)
{
    const CofImage *v = &image->view;
    int cell = random_int(random, 3, 20), noise = random_int(random, 0, 40);
    double max = v->sample == COF_SAMPLE_U8 ? 255 : v->sample == COF_SAMPLE_U16 ? 65535 : 1;
    for (int y = 0; y < v->height; y++)
        for (int x = 0; x < v->width; x++)
            for (int channel = 0; channel < v->channels; channel++) {
                int value = (x / cell * (31 + 40 * channel) + y / cell * 53 + x * 255 / v->width +
                             random_int(random, 0, noise)) %
                            256;
                test_image_set(image, x, y, channel, value / 255.0 * max);
            }
}

TestImage painted(Random *random, int width, int height, CofKind kind, CofSample sample)
{
    TestImage image =
        test_image_new(random, LAYOUT_ANY, width, height, kind_channels(kind, 2), kind, sample);
    paint(&image, random);
    return image;
}

void compare(const TestImage *a, const TestImage *b)
{
    for (int y = 0; y < a->view.height; y++)
        for (int x = 0; x < a->view.width; x++)
            for (int channel = 0; channel < a->view.channels; channel++) {
                double d = test_image_get(a, x, y, channel) - test_image_get(b, x, y, channel);
                compared++;
                different += d != 0;
                if (d > 1 || d < -1)
                    fail_msg("(%d, %d) channel %d differs by %g", x, y, channel, d);
            }
}
