#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints the software bill of materials of a release, SPDX 2.3 as JSON: make_sbom.py RELEASE-FOLDER

It lists the source with the licence and the hash of every file, every file of the release with its
hash, and what of other projects is inside the files or needed by them, with the versions of the
Debian packages that it was taken from.
"""
import datetime
import fnmatch
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[1]
OWN = "BSD-2-Clause"

# What is linked into files of the release: a pattern of their names, and the Debian package (or a
# pattern of its name), name, licence and home of what they contain.
MINGW = ("mingw-w64-x86-64-dev", "mingw-w64", "ZPL-2.1 AND MIT AND BSD-3-Clause",
         "https://www.mingw-w64.org")
LIBGCC = ("gcc-mingw-w64-x86-64-posix-runtime", "libgcc",
          "GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org")
WASI = ("wasi-libc", "wasi-libc", "Apache-2.0 WITH LLVM-exception AND MIT",
        "https://github.com/WebAssembly/wasi-libc")
COMPILER_RT = ("libclang-rt-[0-9]*-dev-wasm32", "compiler-rt", "Apache-2.0 WITH LLVM-exception",
               "https://compiler-rt.llvm.org")
CONTAINED = {"*-win64.zip": [MINGW, LIBGCC], "*-win_amd64.whl": [MINGW, LIBGCC],
             "libcof-*.tgz": [WASI, COMPILER_RT]}
# What Python packages need when they run.
NEEDED = {"*.whl": ("numpy", ">= 1.20", "BSD-3-Clause", "https://numpy.org")}


def output(*command):
    return subprocess.run(command, check=True, cwd=ROOT, text=True, stdout=subprocess.PIPE).stdout


def digest(data, kind):
    return hashlib.new(kind, data).hexdigest()


def checksums(data):
    return [{"algorithm": kind.upper(), "checksumValue": digest(data, kind)}
            for kind in ("sha1", "sha256")]


def identifier(*words):
    return "SPDXRef-" + "-".join(re.sub(r"[^A-Za-z0-9.]+", "-", word).strip("-") for word in words)


def annotations():
    """(patterns, licence) of the paragraphs of .reuse/dep5."""
    path = ROOT / ".reuse" / "dep5"
    text = re.sub(r"\n[ \t]+", " ", path.read_text()) if path.exists() else ""
    for paragraph in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in paragraph.splitlines() if ": " in line)
        if "Files" in fields:
            yield fields["Files"].split(), fields["License"]


def licence_of(name, data, annotated):
    """What the file says in its first lines, or else what is written about it."""
    found = re.search(rb"SPDX-License-" rb"Identifier: ([^\s*]+)", data[:400])
    if found:
        return found[1].decode()
    licence = "NOASSERTION"
    for patterns, stated in annotated:
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns):
            licence = stated
    return licence


def source_files():
    annotated = list(annotations())
    for name in output("git", "ls-files", "-z").split("\0"):
        path = ROOT / name
        if name and path.is_file() and not path.is_symlink():
            data = path.read_bytes()
            licence = licence_of(name, data, annotated)
            yield {"SPDXID": identifier("File", digest(name.encode(), "sha1")[:12]),
                   "fileName": "./" + name, "checksums": checksums(data),
                   "licenseConcluded": licence, "licenseInfoInFiles": [licence],
                   "copyrightText": "NOASSERTION"}


def installed(pattern):
    """Name and version of the Debian package; of several, the last."""
    lines = output("dpkg-query", "-W", "-f", "${db:Status-Status} ${Package} ${Version}\n", pattern)
    return [line.split()[1:] for line in lines.splitlines() if line.startswith("installed ")][-1]


def package(name, version, spdx_id, licence, **more):
    return {"SPDXID": spdx_id, "name": name, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": licence, "licenseDeclared": licence,
            "copyrightText": "NOASSERTION", **more}


def purl(kind, text):
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
             "referenceLocator": f"pkg:{kind}/{urllib.parse.quote(text, safe='/@.~-')}"}]


class Bill:
    def __init__(self, folder, version):
        self.folder, self.version = folder, version
        self.packages, self.relations = [], []

    def relate(self, one, kind, other):
        self.relations.append({"spdxElementId": one, "relationshipType": kind,
                               "relatedSpdxElement": other})

    def add_once(self, entry):
        if entry["SPDXID"] not in {known["SPDXID"] for known in self.packages}:
            self.packages.append(entry)
        return entry["SPDXID"]

    def add_source(self, files):
        spdx_id = identifier("Package", "libcof")
        hashes = sorted(file["checksums"][0]["checksumValue"] for file in files)
        licences = sorted({file["licenseConcluded"] for file in files})
        known = [licence for licence in licences if licence != "NOASSERTION"]
        entry = package("libcof", self.version, spdx_id, " AND ".join(known), filesAnalyzed=True,
                        packageVerificationCode={"packageVerificationCodeValue":
                                                 digest("".join(hashes).encode(), "sha1")},
                        hasFiles=[file["SPDXID"] for file in files],
                        licenseInfoFromFiles=licences)
        self.packages.append(entry)
        self.relate("SPDXRef-DOCUMENT", "DESCRIBES", spdx_id)
        return spdx_id

    def add_artefact(self, path, source):
        """A file of the release, and what is in it."""
        name = path.name
        spdx_id = identifier("Artefact", str(path.relative_to(self.folder)))
        more = {"packageFileName": str(path.relative_to(self.folder)),
                "checksums": checksums(path.read_bytes())}
        if name.endswith((".whl", f"cof-{self.version}.tar.gz")):
            more["externalRefs"] = purl("pypi", f"cof@{self.version}")
        elif name.endswith(".tgz"):
            more["externalRefs"] = purl("npm", f"libcof@{self.version}")
        elif name.endswith(".deb"):
            about = output("dpkg-deb", "-f", str(path), "Package", "Version", "Depends")
            fields = dict(line.split(": ", 1) for line in about.splitlines() if ": " in line)
            more["externalRefs"] = purl("deb", f"debian/{fields['Package']}@{fields['Version']}")
            more["comment"] = "Depends: " + fields.get("Depends", "nothing")
        # What holds plug-ins or photographs has more licences: see the files of the source.
        is_own = name.startswith(("libcof1", "libcof-dev", "python3-cof"))
        licence = OWN if is_own or name.endswith((".whl", ".tgz", ".gz", ".zip")) else "NOASSERTION"
        self.packages.append(package(name, self.version, spdx_id, licence, **more))
        self.relate("SPDXRef-DOCUMENT", "DESCRIBES", spdx_id)
        self.relate(spdx_id, "GENERATED_FROM", source)
        self.add_contents(spdx_id, name)

    def add_contents(self, spdx_id, name):
        for pattern, parts in CONTAINED.items():
            for origin, title, licence, home in parts if fnmatch.fnmatch(name, pattern) else ():
                debian, version = installed(origin)
                part = self.add_once(package(
                    title, version, identifier("Package", title), licence, homepage=home,
                    comment=f"from the Debian package {debian}",
                    externalRefs=purl("deb", f"debian/{debian}@{version}")))
                self.relate(spdx_id, "CONTAINS", part)
        for pattern, (title, version, licence, home) in NEEDED.items():
            if fnmatch.fnmatch(name, pattern):
                part = self.add_once(package(title, version, identifier("Package", title), licence,
                                             homepage=home, externalRefs=purl("pypi", title)))
                self.relate(spdx_id, "DEPENDS_ON", part)


def check(document):
    """Every identifier is defined once, and every relation has two that are."""
    defined = [entry["SPDXID"] for part in ("packages", "files") for entry in document[part]]
    assert len(defined) == len(set(defined)), "an identifier is defined twice"
    known = {"SPDXRef-DOCUMENT", *defined}
    for relation in document["relationships"]:
        assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= known, relation
    for entry in document["files"]:
        assert entry["licenseConcluded"], entry


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    version = output("sh", "packaging/version.sh").strip()
    files = list(source_files())
    bill = Bill(folder, version)
    source = bill.add_source(files)
    for path in sorted(folder.rglob("*")):
        # Records of one build would make this file differ from that of the next.
        if path.is_file() and path.suffix not in (".json", ".minisig", ".buildinfo", ".changes") \
                and not path.name.startswith("SHA256SUMS"):
            bill.add_artefact(path, source)
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc)
    others = sorted({word for file in files
                     for word in re.findall(r"LicenseRef-[A-Za-z0-9.-]+", file["licenseConcluded"])})
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"libcof-{version}",
        "documentNamespace": "https://spdx.org/spdxdocs/libcof-{}-{}".format(
            version, output("git", "rev-parse", "HEAD").strip()),
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: libcof-packaging/make_sbom.py"]},
        "hasExtractedLicensingInfos": [
            {"licenseId": word, "extractedText":
             (ROOT / "LICENSES" / f"{word}.txt").read_text()} for word in others],
        "packages": bill.packages, "files": files, "relationships": bill.relations}
    check(document)
    json.dump(document, sys.stdout, indent=1, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main()
