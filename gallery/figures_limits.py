# SPDX-License-Identifier: BSD-2-Clause
"""Where the filter is not the right tool."""
import synthetic
from figure import Figure, Panel, enlarged, part


def same_values(work):
    textures = [work.photo(name) for name in ("grass.png", "gravel.png")]
    image = work.put("alike.png", synthetic.alike(textures))
    work.shell("cof --iterations 3 alike.png smooth.png")
    return Figure(
        "alike", "Textures that differ only in their pattern",
        "Grass beside gravel, adjusted to the same mean and contrast. The filter learns which "
        "values occur near each other, not how they are arranged. It treats both as one texture, "
        "and smooths the boundary away. Details larger than the window, such as a stone, remain as "
        "blotches.",
        [Panel("alike-input", image, "Input", "Grass on the left, gravel on the right, in grey"),
         Panel("alike-smooth", work.image("smooth.png"), "CoF, 3 passes",
               "Blotches everywhere; the boundary is blurred")],
        "Labels that distinguish patterns help if you have them: --labels reads an image of "
        "labels.")


def small_print(work):
    image = work.put("print.png", synthetic.small_print())
    work.shell("cof print.png once.png\n"
               "cof --iterations 3 print.png three.png\n"
               "cof --iterations 3 --region 350,20,45,110 \\\n"
               "    print.png region.png")
    return Figure(
        "print", "Text and thin lines",
        "Letters consist of edges: wherever there is dark, light is next to it. The filter "
        "therefore averages the two, and a grey veil appears around the strokes.",
        [Panel("print-input", image, "Input", "Three lines of thin letters", True),
         Panel("print-once", work.image("once.png"), "CoF, one pass", "Letters with a grey veil",
               True),
         Panel("print-three", work.image("three.png"), "3 passes", "Pale, blurred letters",
               True),
         Panel("print-region", work.image("region.png"), "3 passes, learned from blank paper",
               "Dark letters on smooth paper", True)],
        "It helps to learn from a blank part of the paper: its grain is smoothed, and letters, "
        "which do not occur there, remain.")


def faces(work):
    place = (150, 60, 150, 150)
    work.photo("astronaut.png")
    work.shell("cof --iterations 5 astronaut.png smooth.png\n"
               "cof --preset portrait astronaut.png portrait.png")
    panels = [Panel(f"faces-{name}", enlarged(part(work.image(f"{name}.png"), place), 3),
                    title, alt)
              for name, title, alt in (
                  ("astronaut", "Input", "The face of the astronaut"),
                  ("portrait", "Preset portrait", "The face, with calm skin"),
                  ("smooth", "Window of 15, 5 passes", "The face without its features"))]
    return Figure(
        "faces", "Faces",
        "Eyes and lips are small and have high contrast, like textures, and a strong filter "
        "smooths them away. The presets portrait and subtle keep them; texture and flat do so only "
        "if the face fills the picture, or with a smaller --size.", panels)


def faint_things(work):
    place = (300, 200, 360, 270)
    work.photo("hubble_deep_field.jpg")
    work.shell("cof --iterations 3 hubble_deep_field.jpg smooth.png")
    panels = [Panel(f"faint-{name.split('.')[0]}", enlarged(part(work.image(name), place), 2),
                    title, alt)
              for name, title, alt in (
                  ("hubble_deep_field.jpg", "Input", "Large and small galaxies on black"),
                  ("smooth.png", "CoF, 3 passes",
                   "Large galaxies are flat, the smallest have faded"))]
    return Figure(
        "faint", "Small objects that matter",
        "The smallest galaxies are a few pixels wide and occur everywhere. For the filter they are "
        "a texture of the sky, so they fade. It cannot know that they are the subject of the "
        "image.", panels,
        "The large galaxies lose their soft edges and become discs. Never take measurements on a "
        "filtered image.")


FIGURES = [same_values, small_print, faces, faint_things]
