#!/usr/bin/env python3
"""Analyzes a folder of templates with Sinew and all built-in rules, and with Checkov and its own checks.

    bench.py SINEW [--count 1000] [--runs 5] [--without-checkov] [--venv DIR]

SINEW is the binary. The templates are made here: web apps, caches, clusters and databases with parameters, variables,
expressions, loops, child resources and dependencies, about 60 lines each. Checkov comes from PyPI into a virtual
environment that this script makes in DIR (`target/checkov` unless told); where that fails it is left out and said so.
CPU is user plus system time; figures are the minimum of the runs. The two tools have different checks: the ratio says
what it costs to have a folder looked at, not how fast one check is. Only the Python standard library is used.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKOV = "checkov==3.2.489"
SCHEMA = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#"


def template(number):
    """One template. Every third one breaks rules."""
    good = number % 3 != 0
    site_id = "[resourceId('Microsoft.Web/sites', variables('site'))]"
    return {
        "$schema": SCHEMA,
        "contentVersion": "1.0.0.0",
        "parameters": {
            "prefix": {"type": "string", "defaultValue": "app%d" % number},
            "location": {"type": "string", "defaultValue": "[resourceGroup().location]"},
            "shards": {"type": "int", "defaultValue": 3},
            "tls": {"type": "string", "defaultValue": "1.2" if good else "1.0"},
        },
        "variables": {
            "site": "[format('{0}-{1}', parameters('prefix'), uniqueString(resourceGroup().id))]",
            "tags": {"owner": "team%d" % (number % 7), "site": "[variables('site')]"},
        },
        "resources": [
            {
                "type": "Microsoft.Web/sites",
                "apiVersion": "2023-12-01",
                "name": "[variables('site')]",
                "location": "[parameters('location')]",
                "tags": "[variables('tags')]",
                "kind": ["app", "api", "functionapp"][number % 3],
                "identity": {"type": "SystemAssigned"},
                "properties": {"httpsOnly": "[equals(parameters('tls'), '1.2')]", "siteConfig": {}},
            },
            {
                "type": "Microsoft.Web/sites/config",
                "apiVersion": "2023-12-01",
                "name": "[concat(variables('site'), '/web')]",
                "dependsOn": [site_id],
                "properties": {
                    "minTlsVersion": "[parameters('tls')]",
                    "ftpsState": "Disabled",
                    "detailedErrorLoggingEnabled": True,
                    "httpLoggingEnabled": True,
                    "requestTracingEnabled": True,
                    "cors": {"allowedOrigins": ["https://example.com"] if good else ["*"]},
                },
            },
            {
                "type": "Microsoft.Cache/redis",
                "apiVersion": "2023-08-01",
                "name": "[format('{0}-{1}', variables('site'), copyIndex())]",
                "location": "[parameters('location')]",
                "copy": {"name": "caches", "count": "[parameters('shards')]"},
                "properties": {"enableNonSslPort": not good, "sku": {"name": "Basic", "family": "C", "capacity": 0}},
            },
            {
                "type": "Microsoft.Sql/servers",
                "apiVersion": "2021-11-01",
                "name": "[toLower(variables('site'))]",
                "location": "[parameters('location')]",
                "properties": {"kind": "v12.0", "minimalTlsVersion": "[parameters('tls')]"},
                "resources": [
                    {
                        "type": "databases",
                        "apiVersion": "2021-11-01",
                        "name": "main",
                        "location": "[parameters('location')]",
                        "dependsOn": ["[resourceId('Microsoft.Sql/servers', toLower(variables('site')))]"],
                        "properties": {},
                    }
                ],
            },
        ],
        "outputs": {"host": {"type": "string", "value": "[variables('site')]"}},
    }


def make(folder, count):
    for number in range(count):
        path = os.path.join(folder, "part%d" % (number % 20), "template%d.json" % number)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            json.dump(template(number), file, indent=2)


def run(words, threads=None):
    """CPU seconds and wall seconds; a finding is no failure."""
    variables = dict(os.environ, **({"RAYON_NUM_THREADS": str(threads)} if threads else {}))
    started = time.monotonic()
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=variables)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        raise SystemExit("%s failed: %d" % (words[0], child.returncode))
    return usage.ru_utime + usage.ru_stime, time.monotonic() - started


def best(words, runs, threads=None):
    results = [run(words, threads) for _ in range(runs)]
    return min(cpu for cpu, _ in results), min(wall for _, wall in results)


def checkov(venv):
    program = os.path.join(venv, "bin/checkov")
    if not os.path.exists(program):
        try:
            subprocess.run([sys.executable, "-m", "venv", venv], check=True)
            subprocess.run([os.path.join(venv, "bin/pip"), "install", "--quiet", CHECKOV], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print("left out: Checkov could not be installed (%s)" % error)
            return None
    return program


def start(sinew, folder):
    """How many times `/bin/true` a whole run over one template takes, by the fastest of alternating runs."""
    path = os.path.join(folder, "part1/template1.json")
    ours, nothing = [], []
    for _ in range(200):
        nothing.append(run(["/bin/true"])[1])
        ours.append(run([sinew, "analyze", path])[1])
    print("one template: %.2f ms, /bin/true: %.2f ms, ratio %.1f (budget 5)"
          % (min(ours) * 1000, min(nothing) * 1000, min(ours) / min(nothing)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sinew")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--without-checkov", action="store_true")
    parser.add_argument("--venv", default=os.path.join(HERE, "../../target/checkov"))
    args = parser.parse_args()
    sinew = os.path.abspath(args.sinew)
    with tempfile.TemporaryDirectory() as folder:
        make(folder, args.count)
        analyze = [sinew, "analyze", folder, "--diagnostics-format", "json"]
        start(sinew, folder)
        print("%-28s %9s %9s" % ("", "CPU s", "wall s"))
        ours = best(analyze, args.runs)
        print("%-28s %9.3f %9.3f" % ("sinew, %d templates" % args.count, *ours))
        print("%-28s %9.3f %9.3f" % ("the same on one core", *best(analyze, args.runs, 1)))
        with tempfile.TemporaryDirectory() as half:
            make(half, args.count // 2)
            print("%-28s %9.3f %9.3f" % ("half of them", *best(analyze[:2] + [half] + analyze[3:], args.runs)))
        program = None if args.without_checkov else checkov(os.path.abspath(args.venv))
        if program:
            words = [program, "-d", folder, "--framework", "arm", "--quiet", "--compact", "-o", "json"]
            theirs = best(words, 1)
            print("%-28s %9.3f %9.3f" % ("checkov, the same folder", *theirs))
            print("ratio: %.0f x CPU, %.0f x wall" % (theirs[0] / ours[0], theirs[1] / ours[1]))


if __name__ == "__main__":
    main()
