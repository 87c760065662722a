# SPDX-License-Identifier: BSD-2-Clause
"""The results as text."""
from results import BILATERAL, EXACT, FAST, SIZE_NAMES, STAGES

MAIN = (BILATERAL, EXACT, FAST)


def milliseconds(seconds):
    if seconds is None:
        return "-"
    return f"{1e3 * seconds:.1f}" if seconds < 0.1 else f"{1e3 * seconds:.0f}"


def times(ratio):
    return "-" if ratio is None else f"{ratio:.2f}x"


def print_columns(rows, left=1):
    """Rows of strings, the first `left` columns to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [cell.ljust(width) if i < left else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        print("  " + "  ".join(cells).rstrip())


def title(text):
    print(f"\n{text}\n")


def cell(results, name, **where):
    """Such as '98.1 (7) 0.95x'."""
    run = results.find(name, **where)
    if not run or not run["seconds"]:
        return "-"
    seconds = results.median(name, **where)
    text = f"{milliseconds(seconds)} ({len(run['seconds'])})"
    if name == BILATERAL:
        return text + 7 * " "
    ratio = times(results.ratio(seconds, results.median(BILATERAL, **where)))
    return f"{text} {ratio:>6}"


def print_grid(results, threads):
    names = [name for name in MAIN if name in results.values("filter")]
    windows = results.values("window")
    title(f"8-bit RGB, {threads} thread{'s' * (threads > 1)}: median ms (runs), and as a multiple "
          f"of {BILATERAL}; '-': too slow for this run, or not in this library")
    rows = [["size", "filter", *(f"window {window}" for window in windows)]]
    for pixels in results.values("pixels"):
        for name in names:
            rows.append([SIZE_NAMES[pixels] if name == names[0] else "", name,
                         *(cell(results, name, pixels=pixels, window=window, threads=threads)
                           for window in windows)])
    print_columns(rows, left=2)


def print_samples(results):
    title("Other samples, 1 MP, window 15, all threads")
    rows = [["sample", "filter", "median ms (runs)", "multiple"]]
    for sample in ("8-bit grey", "16-bit RGB", "float RGB"):
        base = results.median(BILATERAL, sample="float RGB" if sample == "16-bit RGB" else sample)
        for name in MAIN:
            run = results.find(name, sample=sample)
            if run and run["seconds"]:
                seconds = results.median(name, sample=sample)
                rows.append([sample, name, f"{milliseconds(seconds)} ({len(run['seconds'])})",
                             "" if name == BILATERAL else times(results.ratio(seconds, base))])
    print_columns(rows, left=2)
    print(f"\n  16-bit RGB is set against {BILATERAL} on float RGB: it has no 16-bit kernel.")


def print_others(results):
    title("Other filters, 8-bit RGB, 1 MP, all threads")
    base = results.median(BILATERAL)
    at_hand = [run for run in results.runs
               if run is results.find(run["filter"]) and run["seconds"]]
    rows = [["filter", "parameters", "median ms (runs)", "multiple"]]
    for run in sorted(at_hand, key=lambda run: results.median(run["filter"])):
        seconds = results.median(run["filter"])
        rows.append([run["filter"], run["parameters"],
                     f"{milliseconds(seconds)} ({len(run['seconds'])})",
                     times(results.ratio(seconds, base))])
    print_columns(rows, left=2)


def print_stages(results):
    title("Stages of cof, 8-bit RGB, 1 MP: ms, in the median of three more runs, with a report")
    columns = (*STAGES, "rest")
    rows = [["filter", "window", "threads", *columns, "total"]]
    for name in (EXACT, FAST):
        for window in results.values("window"):
            for threads in results.values("threads"):
                stages = results.stages(name, window=window, threads=threads)
                if stages:
                    rows.append([name, str(window), str(threads),
                                 *(f"{1e3 * stages[stage]:.1f}" for stage in columns),
                                 milliseconds(sum(stages.values()))])
    print_columns(rows)


def print_summary(results):
    threads = results.document["machine"]["threads"]
    title("In short")
    rows = [["", *MAIN]]

    def line(text, ratio_of):
        cells = [times(ratio_of(name)) for name in MAIN]
        if cells != ["-"] * len(MAIN):
            rows.append([text, *cells])
    if threads > 1:
        line(f"faster with {threads} threads than with 1 (1 MP, window 15, pairs of runs)",
             results.scaling)
    line("24 MP over 1 MP (window 15, all threads; 22.9x the pixels)",
         lambda name: results.ratio(results.median(name, pixels=24_000_000),
                                    results.median(name)))
    line("window 61 over 15 (1 MP, all threads)",
         lambda name: results.ratio(results.median(name, window=61), results.median(name)))
    if len(rows) > 1:
        print_columns(rows)


def print_accuracy(results):
    for window, decibels in results.document["fast_against_exact_db"].items():
        text = "the same" if decibels is None else f"{decibels:.1f} dB"
        report = results.find(FAST, window=int(window))["reports"][-1]
        how = f"{report['fast_terms']} terms, cells of {report['fast_cell']} pixels"
        print(f"  fast against exact, 1 MP, window {window}: {text} "
              f"({how if report['fast_terms'] else 'it chose to be exact'})")


def print_memory(results):
    for entry in results.document["memory"]:
        print(f"  memory beyond input and output, {entry['filter']}, "
              f"{SIZE_NAMES[entry['pixels']]} 8-bit RGB: {entry['bytes_per_pixel']:.1f} bytes per "
              f"pixel ({entry['bytes'] / 2 ** 20:.0f} MiB)")
    if results.document["memory"]:
        print("  (by how much the peak of the resident set, VmHWM, rises during one first call in "
              "a fresh process)")


def print_neighbours(results):
    """Whether the times can be trusted."""
    shares = [run["others_share"] for run in results.runs]
    main = results.find(BILATERAL)["others_share"]
    warning = "; do not trust the times then" if max(shares) > 0.05 else ""
    print(f"  other programs took up to {100 * max(shares):.0f} % of the machine meanwhile "
          f"({100 * main:.0f} % at 1 MP, window 15){warning}")


def print_all(results):
    for threads in results.values("threads"):
        print_grid(results, threads)
    if len(results.values("sample")) > 1:
        print_samples(results)
        print_others(results)
    print_stages(results)
    print_summary(results)
    print()
    print_accuracy(results)
    print_memory(results)
    print_neighbours(results)
