# SPDX-License-Identifier: BSD-2-Clause
"""The paper's comparison: the same pictures through other filters."""
import baselines
import synthetic
from figure import Figure, Panel, enlarged, part

TISSUE = (225, 190, 210, 190)
CHECKS = (90, 115, 112, 80)


def others(bench, name, strength_of):
    """Runs every other filter on a picture, in one piece of Python."""
    lines = [baselines.code(peer, strength_of(peer)) for peer in baselines.PEERS]
    bench.python("\n".join(["import cv2", f'image = cv2.imread("{name}.png")'] + lines))


def panels_of(bench, key, shown, measured):
    """Input, CoF and all others, each with what was measured."""
    named = [(key, "Input"), ("cof", "CoF")] + [(peer.key, peer.name) for peer in baselines.PEERS]
    return [Panel(f"{key}-{name}", shown(bench.picture(f"{name}.png")),
                  f"{title}: {measured(bench.picture(f'{name}.png'))}", f"{title}, a part enlarged")
            for name, title in named]


def on_checks(bench):
    bench.put("two-regions.png", synthetic.two_regions())
    bench.shell("cof two-regions.png cof.png")
    others(bench, "two-regions", lambda peer: peer.checks)
    panels = panels_of(
        bench, "two-regions", lambda picture: enlarged(part(picture, CHECKS), 4),
        lambda picture: f"checks {baselines.checks_left(picture):.0f}, "
                        f"step {baselines.step_left(picture):.0f}")
    for panel in panels:
        panel.drawing = True
    return Figure(
        "beside-checks", "Beside other filters: strong texture, weak boundary",
        "Each filter is just strong enough to leave a standard deviation of at most 20, of 128, "
        "in the checkerboard; the step is its steepest change from one pixel to the next, of "
        "50. Filters that ask how strong an edge is give up the step first; CoF does not, nor "
        "does the bilateral texture filter, which was made for textures.", panels,
        "L0 smoothing melts no checkerboard before the step is gone, so it is shown at a "
        "strength that keeps the step. OpenCV's diffusion counts in whole grey values, and the "
        "checkerboards turn black.", columns=3)


def on_tissue(bench):
    image = bench.photo("ihc.png")
    bench.shell("cof --iterations 5 ihc.png cof.png")
    others(bench, "ihc", lambda peer: peer.tissue)
    panels = panels_of(
        bench, "ihc", lambda picture: enlarged(part(picture, TISSUE), 2),
        lambda picture: f"texture {baselines.texture_left(picture):.1f}, "
                        f"rim {baselines.boundary_left(picture):.1f}")
    return Figure(
        "beside-tissue", "Beside other filters: a photograph",
        "Here each filter leaves about as much texture in a large gland as five passes of CoF do "
        "(root mean square of fine lightness). Rim is how steep colour is at the edge of the "
        "small gland, per pixel of CIE Lab. The paper compares by eye; so should you.", panels,
        "The glands differ from the tissue strongly in colour, so asking for strength works "
        "well: the rolling guidance filter and the bilateral texture filter leave crisper rims "
        "than CoF here, once their strength has been found. CoF ran with its defaults; "
        "Gaussian, bilateral and guided filter are blurrier, L0, WLS and diffusion leave or "
        "invent patches.", columns=3,
        slider=(Panel("beside-before", image, "before", "Stained tissue"),
                Panel("beside-after", bench.picture("cof.png"), "CoF",
                      "The glands are smooth with sharp rims")))


FIGURES = [on_checks, on_tissue]
