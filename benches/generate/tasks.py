#!/usr/bin/env python3
"""Single tasks of configuration scripts with Sinew, node, deno and bun: reading, writing, checking, importing, computing.

    tasks.py SINEW [--peers DIR] [--runs N] [--only NAME,…]

SINEW is the binary. DIR is a folder where `npm install ajv deno bun` was run (for bun also `node node_modules/bun/install.js`);
node is taken from PATH. Peers that are not there are left out and said so. Each task has one script for Sinew (`tasks/NAME.js`)
and one for the others (`tasks/NAME.peer.mjs`), which must print the same text before anything is timed. The data is made in a
temporary folder. Runs are interleaved; the figure is the minimum of user plus system time of a whole process, and the ratio
is to Sinew. Only the Python standard library is used.
"""
import argparse
import json
import os
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

FILES = 5000
TASKS = {
    "start": "print one value",
    "read-files": "read 5,000 JSON files",
    "read-large": "read one JSON file of 30 MB",
    "write-files": "write 5,000 JSON files",
    "check-schema": "check 10,000 values against a JSON Schema",
    "import": "import 500 modules",
    "compute": "compute for a while",
}


def main():
    args = arguments()
    tools = find_tools(args)
    only = args.only.split(",") if args.only else list(TASKS)
    with tempfile.TemporaryDirectory() as folder:
        make_data(folder)
        for name in only:
            shutil.copy(os.path.join(HERE, "tasks", name + ".js"), folder)
            shutil.copy(os.path.join(HERE, "tasks", name + ".peer.mjs"), folder)
        print("%-45s %-6s %8s %8s %9s" % ("task", "tool", "CPU ms", "x CPU", "peak MB"))
        for name in only:
            measure(name, tools, folder, args)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sinew")
    parser.add_argument("--peers", default=".")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    args.sinew = os.path.abspath(args.sinew)
    args.peers = os.path.abspath(args.peers)
    return args


def find_tools(args):
    """The command lines, with the name of the task left open."""
    modules = os.path.join(args.peers, "node_modules")
    tools = {"sinew": [args.sinew, "run", "--max-file-size", "64MB", "{}.js"]}
    if shutil.which("node"):
        tools["node"] = ["node", "{}.peer.mjs", args.peers]
    for name, options in (("deno", ["run", "-A", "--quiet"]), ("bun", ["run"])):
        binary = find_binary(modules, name)
        if binary:
            tools[name] = [binary] + options + ["{}.peer.mjs", args.peers]
    for name in ("node", "deno", "bun"):
        if name not in tools:
            print("left out: %s is not there" % name)
    return tools


def find_binary(folder, name):
    for where, _, names in os.walk(folder):
        for file in names:
            path = os.path.join(where, file)
            if file in (name, name + ".exe") and os.access(path, os.X_OK) and os.path.getsize(path) > 10_000_000:
                return path
    return None


def make_data(folder):
    os.mkdir(os.path.join(folder, "data"))
    os.mkdir(os.path.join(folder, "modules"))
    for i in range(FILES):
        value = {"kind": "Service", "name": "service-%d" % i, "replicas": i % 7, "ports": [80, 443], "labels": {"app": "a%d" % i}}
        write(folder, "data/%d.json" % i, json.dumps(value, indent=2))
    item = {"id": 0, "name": "", "tags": ["a", "b", "c"], "spec": {"cpu": 0.5, "memory": "512Mi", "enabled": True}}
    items = [dict(item, id=i, name="item number %d" % i) for i in range(230_000)]
    write(folder, "large.json", json.dumps(items))
    for i in range(500):
        parent = "" if i == 0 else "import { value as previous } from './m%d.js';\n" % (i - 1)
        write(folder, "modules/m%d.js" % i, parent + "export const value = %s + 1;\n" % ("0" if i == 0 else "previous"))


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def measure(name, tools, folder, args):
    lines = {tool: [word.replace("{}", name) for word in words] for tool, words in tools.items()}
    want = None
    for tool, words in lines.items():
        result = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise SystemExit("%s failed at %s: %s" % (tool, name, result.stderr))
        want = want or result.stdout
        if result.stdout != want:
            raise SystemExit("%s prints something else at %s: %r, not %r" % (tool, name, result.stdout, want))
    best = {tool: float("inf") for tool in lines}
    for _ in range(args.runs):
        for tool, words in lines.items():
            best[tool] = min(best[tool], run(words, folder))
    for tool, time in best.items():
        peak = peak_memory(lines[tool], folder)
        print("%-45s %-6s %8.1f %8.2f %9.1f" % (TASKS[name], tool, time * 1000, time / best["sinew"], peak), flush=True)


def run(words, folder):
    shutil.rmtree(os.path.join(folder, "out"), ignore_errors=True)
    child = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    if status != 0:
        raise SystemExit("%s failed" % words[0])
    return usage.ru_utime + usage.ru_stime


def peak_memory(words, folder):
    """In megabytes, as GNU time sees it: a child of this process would be charged with the memory of Python."""
    if not os.access("/usr/bin/time", os.X_OK):
        return float("nan")
    words = ["/usr/bin/time", "-f", "%M"] + words
    result = subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    return int(result.stderr.split()[-1]) / 1024


if __name__ == "__main__":
    main()
