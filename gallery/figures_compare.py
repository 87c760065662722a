# SPDX-License-Identifier: BSD-2-Clause
"""The paper's comparison: the same images through other filters."""
import baselines
import synthetic
from figure import Figure, Panel, enlarged, part

TISSUE = (225, 190, 210, 190)
CHECKS = (90, 115, 112, 80)


def others(work, name, strength_of):
    """Runs every other filter on an image, in one piece of Python."""
    lines = [baselines.code(baseline, strength_of(baseline)) for baseline in baselines.BASELINES]
    work.python("\n".join(["import cv2", f'image = cv2.imread("{name}.png")'] + lines))


def panels_of(work, key, shown, measured):
    """Input, CoF and all others, each with what was measured."""
    named = [(key, "Input"), ("cof", "CoF")]
    named += [(baseline.key, baseline.name) for baseline in baselines.BASELINES]
    return [Panel(f"{key}-{name}", shown(work.image(f"{name}.png")),
                  f"{title}: {measured(work.image(f'{name}.png'))}", f"{title}, a crop enlarged")
            for name, title in named]


def on_checks(work):
    work.put("two-regions.png", synthetic.two_regions())
    work.shell("cof two-regions.png cof.png")
    others(work, "two-regions", lambda baseline: baseline.checks)
    panels = panels_of(
        work, "two-regions", lambda image: enlarged(part(image, CHECKS), 4),
        lambda image: f"checks {baselines.checks_left(image):.0f}, "
                      f"step {baselines.step_left(image):.0f}")
    for panel in panels:
        panel.drawing = True
    return Figure(
        "beside-checks", "Comparison with other filters: strong texture, weak boundary",
        "Each filter is just strong enough to reduce the standard deviation inside the "
        "checkerboards from 128 to at most 20. “Step” is the steepest change between two pixels at "
        "the step between the regions, which is 50 in the input. Filters that compare edge "
        "strengths lose the step first. CoF keeps it, and so does the bilateral texture filter, "
        "which was designed for textures.", panels,
        "L0 smoothing removes the step before it smooths a checkerboard, so it is shown at a "
        "strength that keeps the step. OpenCV's anisotropic diffusion gives random results "
        "where 0 and 255 are next to each other, so its input is clipped to 254.", columns=3)


def on_tissue(work):
    image = work.photo("ihc.png")
    work.shell("cof --iterations 5 ihc.png cof.png")
    others(work, "ihc", lambda baseline: baseline.tissue)
    panels = panels_of(
        work, "ihc", lambda image: enlarged(part(image, TISSUE), 2),
        lambda image: f"texture {baselines.texture_left(image):.1f}, "
                      f"rim {baselines.boundary_left(image):.1f}")
    return Figure(
        "beside-tissue", "Comparison with other filters: a photograph",
        "Here each filter leaves about as much texture in a large gland as five passes of CoF do "
        "(root mean square of the fine detail in lightness). “Rim” is the gradient of CIE Lab at "
        "the edge of the small gland, per pixel. The paper compares results by eye, and so should "
        "you.", panels,
        "The colours of the glands and the tissue differ strongly, so filters that compare edge "
        "strengths work well: once their strength has been tuned, rolling guidance and the "
        "bilateral texture filter leave crisper rims than CoF. CoF ran with its defaults. The "
        "Gaussian, bilateral and guided filters are blurrier; L0, WLS and diffusion leave or "
        "invent patches.", columns=3,
        slider=(Panel("beside-before", image, "before", "Stained tissue"),
                Panel("beside-after", work.image("cof.png"), "CoF",
                      "The glands are smooth with sharp rims")))


FIGURES = [on_checks, on_tissue]
