# SPDX-License-Identifier: BSD-2-Clause
"""What the tools `vips` and `vipsheader` of libvips do, in this process.

Starting a tool takes longer than most of the operations of the tests.
"""
import ctypes
import functools


@functools.cache
def library():
    """libvips, without its cache: tests write other images to the same paths."""
    vips = ctypes.CDLL("libvips.so.42")
    vips.vips_operation_new.argtypes = [ctypes.c_char_p]
    vips.vips_operation_new.restype = ctypes.c_void_p
    vips.vips_error_buffer.restype = ctypes.c_char_p
    vips.vips_call_argv.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)]
    vips.vips_object_set_argument_from_string.argtypes = [ctypes.c_void_p, ctypes.c_char_p,
                                                          ctypes.c_char_p]
    vips.vips_image_new_from_file.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    vips.vips_image_new_from_file.restype = ctypes.c_void_p
    vips.vips_image_get_as_string.argtypes = [ctypes.c_void_p, ctypes.c_char_p,
                                              ctypes.POINTER(ctypes.c_void_p)]
    vips.vips_buf_init_static.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
    vips.vips_object_summary.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    vips.vips_buf_all.argtypes = [ctypes.c_void_p]
    vips.vips_buf_all.restype = ctypes.c_char_p
    for name in ("vips_object_unref_outputs", "g_object_unref", "g_free"):
        getattr(vips, name).argtypes = [ctypes.c_void_p]
    if vips.vips_init(b"tests") != 0:
        raise RuntimeError(f"libvips: {vips.vips_error_buffer().decode()}")
    vips.vips_cache_set_max(0)
    return vips


def split(arguments):
    """The words that are no options, and the options with their values; -- ends the options."""
    words, options = [], {}
    arguments = [str(argument) for argument in arguments]
    while arguments:
        word = arguments.pop(0)
        if word == "--":
            words += arguments
            break
        if not word.startswith("--"):
            words.append(word)
        elif arguments and not arguments[0].startswith("--"):
            options[word[2:]] = arguments.pop(0)
        else:
            options[word[2:]] = "true"
    return words, options


def call(name, *arguments):
    """Runs an operation; options that are flags stand at the end."""
    vips = library()
    words, options = split(arguments)
    operation = vips.vips_operation_new(name.encode())
    if not operation:
        fail(name, arguments)
    try:
        done = 0
        for option, value in options.items():
            done = done or vips.vips_object_set_argument_from_string(operation, option.encode(),
                                                                     value.encode())
        argv = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
        if done or vips.vips_call_argv(operation, len(words), argv):
            fail(name, arguments)
    finally:
        vips.vips_object_unref_outputs(operation)
        vips.g_object_unref(operation)


def header(path, field=None):
    """A field of a file, or what the image is, such as '48x40 uchar, 3 bands, srgb, pngload'."""
    vips = library()
    image = vips.vips_image_new_from_file(str(path).encode(), None)
    if not image:
        fail("header", (path,))
    try:
        return summary(image) if field is None else field_text(image, field)
    finally:
        vips.g_object_unref(image)


def summary(image):
    text = ctypes.create_string_buffer(1000)
    buffer = ctypes.create_string_buffer(100)  # a VipsBuf, which has 40 bytes
    library().vips_buf_init_static(buffer, text, len(text))
    library().vips_object_summary(image, buffer)
    return library().vips_buf_all(buffer).decode()


def field_text(image, field):
    text = ctypes.c_void_p()
    if library().vips_image_get_as_string(image, field.encode(), ctypes.byref(text)):
        fail("header", (field,))
    try:
        return ctypes.string_at(text).decode(errors="replace").strip()
    finally:
        library().g_free(text)


def fail(name, arguments):
    message = library().vips_error_buffer().decode(errors="replace").strip()
    library().vips_error_clear()
    raise RuntimeError(f"vips {name} {arguments}: {message}")
