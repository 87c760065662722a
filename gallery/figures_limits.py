# SPDX-License-Identifier: BSD-2-Clause
"""Where the filter is not the right tool."""
import synthetic
from figure import Figure, Panel, enlarged, part


def same_values(work):
    textures = [work.photo(name) for name in ("grass.png", "gravel.png")]
    image = work.put("alike.png", synthetic.alike(textures))
    work.shell("cof --iterations 3 alike.png smooth.png")
    return Figure(
        "alike", "Textures that differ by pattern alone",
        "Grass beside gravel, brought to the same mean and contrast. The filter knows which "
        "values stand near each other, not how they are arranged: to it this is one texture, "
        "and the boundary goes. What is larger than the window, such as a stone, stays as a "
        "blotch.",
        [Panel("alike-input", image, "Input", "Grass on the left, gravel on the right, in grey"),
         Panel("alike-smooth", work.image("smooth.png"), "CoF, 3 passes",
               "Blotches everywhere; the boundary is smeared")],
        "Labels that know of patterns help, if you have them: --labels takes such an image.")


def small_print(work):
    image = work.put("print.png", synthetic.small_print())
    work.shell("cof print.png once.png\n"
                "cof --iterations 3 print.png three.png\n"
                "cof --iterations 3 --region 350,20,45,110 \\\n"
                "    print.png region.png")
    return Figure(
        "print", "Writing and thin lines",
        "A letter is all rim: dark and light stand side by side wherever there is dark at all, "
        "so they mix, and a grey veil grows around the strokes.",
        [Panel("print-input", image, "Input", "Three lines of thin letters", True),
         Panel("print-once", work.image("once.png"), "CoF, one pass", "Letters in a grey veil",
               True),
         Panel("print-three", work.image("three.png"), "3 passes", "Pale, blurred letters",
               True),
         Panel("print-region", work.image("region.png"), "3 passes, learned from blank paper",
               "Dark letters on smooth paper", True)],
        "What helps is to learn from a blank part of the paper: its grain goes, and letters, "
        "which were not seen there, stay.")


def faces(work):
    place = (150, 60, 150, 150)
    work.photo("astronaut.png")
    work.shell("cof --iterations 5 astronaut.png smooth.png\n"
                "cof --window 5 astronaut.png gentle.png")
    panels = [Panel(f"faces-{name}", enlarged(part(work.image(f"{name}.png"), place), 3),
                    title, alt)
              for name, title, alt in (
                  ("astronaut", "Input", "The face of the astronaut"),
                  ("gentle", "Window of 5, one pass", "The face, with smoother skin"),
                  ("smooth", "Window of 15, 5 passes", "The face without its features"))]
    return Figure(
        "faces", "Faces",
        "Eyes and lips are small and rich in contrast, as textures are, and a strong filter "
        "takes them for that. For skin, take a small window and one pass.", panels)


def faint_things(work):
    place = (300, 200, 360, 270)
    work.photo("hubble_deep_field.jpg")
    work.shell("cof --iterations 3 hubble_deep_field.jpg smooth.png")
    panels = [Panel(f"faint-{name.split('.')[0]}", enlarged(part(work.image(name), place), 2),
                    title, alt)
              for name, title, alt in (
                  ("hubble_deep_field.jpg", "Input", "Galaxies, large and small, on black"),
                  ("smooth.png", "CoF, 3 passes", "Large galaxies flat, the smallest faded"))]
    return Figure(
        "faint", "Small things that matter",
        "The smallest galaxies are a few pixels each and stand everywhere: a texture "
        "of the sky, and so they fade. Nothing tells the filter that they are what one "
        "came to see.", panels,
        "The large ones lose their soft edges and become discs. Never measure on a filtered "
        "image.")


FIGURES = [same_values, small_print, faces, faint_things]
