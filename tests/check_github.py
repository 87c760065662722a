#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks .github/ and the workflow of packaging/recipes: what can be known of workflows and issue
forms without running them there.

Workflows have known keys, read-only rights, actions pinned to a commit with the version beside it,
limits of time, and shell code that shellcheck accepts and that no expression is pasted into. They
run the commands of .ci/run. The one that publishes may also ask for a token that says who it is.
Forms have the elements that the documentation of GitHub lists.
"""
import pathlib
import re
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".github"
WORKFLOW_KEYS = {"name", "on", "permissions", "concurrency", "jobs", "env", "defaults"}
JOB_KEYS = {"name", "runs-on", "container", "timeout-minutes", "steps", "needs", "strategy", "env",
            "if", "permissions", "environment"}
STEP_KEYS = {"name", "run", "uses", "with", "env", "if", "id", "working-directory", "shell"}
EVENTS = {"push", "pull_request", "schedule", "workflow_dispatch", "release"}
PUBLISH = ROOT / "packaging/recipes/publish.yml"
FORM_KEYS = {"name", "description", "title", "labels", "assignees", "projects", "type", "body"}
# Attributes of each element of a form, and which of them it must have.
ELEMENTS = {
    "markdown": ({"value"}, {"value"}),
    "textarea": ({"label", "description", "placeholder", "value", "render"}, {"label"}),
    "input": ({"label", "description", "placeholder", "value"}, {"label"}),
    "dropdown": ({"label", "description", "multiple", "options", "default"}, {"label", "options"}),
    "checkboxes": ({"label", "description", "options"}, {"label", "options"}),
}
# What GitHub's container for steps without `shell` uses, and what it does on runners.
SHELL = "#!/bin/sh\nset -e\n"
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
problems = []


def expect(is_right, file, what):
    if not is_right:
        problems.append(f"{file.relative_to(ROOT)}: {what}")


def expect_keys(file, given, allowed, where):
    unknown = set(given) - allowed
    expect(not unknown, file, f"{where} has unknown keys: {', '.join(map(str, sorted(unknown)))}")


def loaded(file):
    """YAML 1.1 reads the key `on` as true; GitHub does not."""
    text = file.read_text(encoding="utf-8")
    expect(not re.search(r"\t| $", text, re.M), file, "has tabs or spaces at the end of a line")
    content = yaml.safe_load(text)
    if True in content:
        content["on"] = content.pop(True)
    return content


def check_rights(file, given, where):
    if file == PUBLISH and given == {"id-token": "write"}:
        return
    wrong = given not in ({}, "read-all") and (
        not isinstance(given, dict) or any(right not in ("read", "none") for right in given.values()))
    expect(not wrong, file, f"{where} asks for more than the right to read")


def check_shell(file, code):
    expect("${{" not in code, file, f"an expression is pasted into shell code: {code}")
    done = subprocess.run(["shellcheck", "-s", "sh", "-"], input=SHELL + code, text=True,
                          stdout=subprocess.PIPE)
    expect(done.returncode == 0, file, f"shellcheck: {done.stdout}")


def check_step(file, step):
    expect_keys(file, step, STEP_KEYS, "a step")
    expect(("run" in step) != ("uses" in step), file, "a step has either `run` or `uses`")
    if "run" in step:
        check_shell(file, step["run"])
    elif step["uses"].startswith("actions/checkout@"):
        expect(step.get("with", {}).get("persist-credentials") is False, file,
               "a checkout keeps its credentials")


def check_job(file, name, job):
    expect_keys(file, job, JOB_KEYS, f"the job {name}")
    expect({"runs-on", "steps", "timeout-minutes"} <= set(job), file,
           f"the job {name} lacks runs-on, steps or timeout-minutes")
    check_rights(file, job.get("permissions", {}), f"the job {name}")
    for step in job.get("steps", []):
        check_step(file, step)


def check_workflow(file):
    content = loaded(file)
    expect_keys(file, content, WORKFLOW_KEYS, "the workflow")
    expect(content.get("on") and set(content["on"]) <= EVENTS, file, "has other events")
    expect("permissions" in content, file, "has no permissions, which means the default ones")
    check_rights(file, content.get("permissions"), "the workflow")
    for name, job in content.get("jobs", {}).items():
        check_job(file, name, job)
    for line in file.read_text(encoding="utf-8").splitlines():
        if re.match(r"\s*(- )?uses:", line):
            expect(PINNED.fullmatch(line.split("uses:")[1].strip()), file,
                   f"is not pinned to a commit and a version: {line.strip()}")
    return [step["run"].strip() for job in content.get("jobs", {}).values()
            for step in job.get("steps", []) if "run" in step]


def check_commands(workflows):
    """Every command of .ci/run is run by a job."""
    run = {command for file in workflows for command in check_workflow(file)}
    lines = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
    for command in [line.strip() for line in lines if line.startswith("./")]:
        expect(command in run, FOLDER, f"no workflow runs {command}, which .ci/run does")


def check_element(file, element, ids):
    kind, given = element.get("type"), element.get("attributes", {})
    if kind not in ELEMENTS:
        expect(False, file, f"there is no element {kind}")
        return
    allowed, needed = ELEMENTS[kind]
    expect_keys(file, element, {"type", "id", "attributes", "validations"}, f"a {kind}")
    expect_keys(file, given, allowed, f"a {kind}")
    expect(needed <= set(given), file, f"a {kind} lacks one of: {', '.join(sorted(needed))}")
    expect_keys(file, element.get("validations", {}), {"required"}, f"a {kind}")
    if "id" in element:
        expect(re.fullmatch(r"[\w-]+", element["id"]) and element["id"] not in ids, file,
               f"the id {element['id']} is used twice, or has other letters")
        ids.add(element["id"])
    options = given.get("options", [])
    expect(len(options) == len(set(map(str, options))), file, f"a {kind} has an option twice")


def check_form(file):
    content = loaded(file)
    expect_keys(file, content, FORM_KEYS, "the form")
    expect({"name", "description", "body"} <= set(content), file, "lacks name, description or body")
    ids = set()
    for element in content.get("body", []):
        check_element(file, element, ids)
    expect(any(element.get("type") != "markdown" for element in content.get("body", [])), file,
           "asks nothing")


def main():
    check_commands(sorted((FOLDER / "workflows").glob("*.yml")))
    check_workflow(PUBLISH)
    for file in sorted((FOLDER / "ISSUE_TEMPLATE").glob("*.yml")):
        if file.name == "config.yml":
            expect_keys(file, loaded(file), {"blank_issues_enabled", "contact_links"}, "the file")
        else:
            check_form(file)
    updates = FOLDER / "dependabot.yml"
    expect(loaded(updates).get("version") == 2, updates, "has another version than 2")
    print("\n".join(problems) or "all in order")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
