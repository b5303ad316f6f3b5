#!/usr/bin/env python3
"""The software bill of materials of the program, as SPDX 2.3 in JSON: what `cargo metadata` says the binary is made of.

usage: packaging/sbom.py ROOT > sinew.spdx.json
"""
import json
import os
import subprocess
import sys
import datetime


def main():
    root = sys.argv[1]
    metadata = json.loads(subprocess.check_output(
        ["cargo", "metadata", "--format-version", "1", "--locked", "--manifest-path", f"{root}/Cargo.toml"]))
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    packages = {package["id"]: package for package in metadata["packages"]}
    start = next(id for id, package in packages.items() if package["name"] == "cli" and package["source"] is None)
    seen, waiting = {start}, [start]
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            # Only what becomes a part of the program or builds it, not what tests need.
            if any(kind["kind"] != "dev" for kind in dependency["dep_kinds"]) and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    listed = sorted((packages[id] for id in seen), key=lambda package: (package["name"], package["version"]))
    version = packages[start]["version"]
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"sinew-{version}",
        "documentNamespace": f"https://sinew.invalid/spdx/sinew-{version}",
        "creationInfo": {"created": created, "creators": ["Tool: packaging/sbom.py"]},
        "packages": [
            {
                "SPDXID": f"SPDXRef-{package['name']}-{package['version']}".replace("_", "-").replace("+", "-"),
                "name": package["name"],
                "versionInfo": package["version"],
                "downloadLocation": package["source"] or "NOASSERTION",
                "licenseDeclared": package["license"] or "NOASSERTION",
                "licenseConcluded": "NOASSERTION",
                "copyrightText": "NOASSERTION",
                "filesAnalyzed": False,
            }
            for package in listed
        ],
        "relationships": [],
    }
    json.dump(document, sys.stdout, indent=2)
    print()


main()
