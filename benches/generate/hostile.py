#!/usr/bin/env python3
"""Scripts that do not want to end, and how long Sinew takes to end them.

    hostile.py SINEW [--limit SECONDS]

Each script runs with `--max-time LIMIT`. It must end with exit code 1 and a message that names a limit, ours or the
engine's; the time is the wall clock of the whole process. Exit code 1 if any takes longer than 1.5 times the limit or ends
without such a message. The last column shows the line that the message names.
Only the Python standard library is used.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

SCRIPTS = {
    "endless loop": "for (;;) {}",
    "endless recursion in callbacks": "const f = () => [1].map(f); for (;;) try { f(); } catch {}",
    "search in a long text": "const t = 'a'.repeat(2 ** 24); for (;;) t.indexOf('b');",
    "search backwards": "const t = 'a'.repeat(2 ** 24); for (;;) t.lastIndexOf('b');",
    "includes": "const t = 'a'.repeat(2 ** 24); for (;;) t.includes('aab');",
    "split": "const t = 'a,'.repeat(2 ** 22); for (;;) t.split(',');",
    "replaceAll": "const t = 'ab'.repeat(2 ** 22); for (;;) t.replaceAll('b', 'c');",
    "repeat": "for (;;) 'abc'.repeat(2 ** 26);",
    "padStart": "for (;;) 'a'.padStart(2 ** 26, 'xyz');",
    "normalize": "const t = 'e\\u0301'.repeat(2 ** 20); for (;;) t.normalize('NFC');",
    "localeCompare": "const t = 'e\\u0301'.repeat(2 ** 20); for (;;) t.localeCompare(t + 'x');",
    "toUpperCase": "const t = 'é'.repeat(2 ** 23); for (;;) t.toUpperCase();",
    "one long sort": "const a = Array.from({ length: 1e7 }, (_, i) => -i); for (;;) a.sort((x, y) => x - y);",
    "sort without a function": "const a = Array.from({ length: 1e6 }, (_, i) => `${i * 7919 % 1e6}`); for (;;) [...a].sort();",
    "fill": "const a = new Array(1e7); for (;;) a.fill(1);",
    "join": "const a = new Array(1e6).fill('x'); for (;;) a.join('-');",
    "reverse": "const a = new Array(1e7).fill(1); for (;;) a.reverse();",
    "indexOf in an array": "const a = new Array(1e7).fill(1); for (;;) a.indexOf(2);",
    "concat": "const a = new Array(1e6).fill(1); for (;;) a.concat(a);",
    "splice": "const a = new Array(1e6).fill(1); for (;;) a.splice(0, 1, 2, 3);",
    "typed array": "const a = new Float64Array(1e7); for (;;) a.fill(1).sort();",
    "stringify": "const v = Array.from({ length: 1e6 }, (_, i) => ({ i })); for (;;) JSON.stringify(v);",
    "parse": "const t = JSON.stringify(Array.from({ length: 1e6 }, (_, i) => i)); for (;;) JSON.parse(t);",
    "huge length": "for (;;) Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);",
    "regular expression": "for (;;) /^(a+)+$/.test('a'.repeat(40) + 'b');",
    "regular expression on a long text": "const t = 'a'.repeat(2 ** 22); for (;;) t.match(/a*b/g);",
    "big integers": "let n = 3n; for (;;) n = n * n;",
    "text of a big integer": "const n = 7n ** 200000n; for (;;) n.toString();",
    "promises": "const f = async () => { for (;;) await null; }; await f();",
    "microtasks": "const f = () => queueMicrotask(f); f();",
    "timers": "setInterval(() => {}, 0); await new Promise(() => {});",
    "generators": "function* f() { for (;;) yield 1; } for (const x of f());",
    "proxies": "const p = new Proxy({}, { get: () => p }); for (let o = p; ; ) o = o.x;",
    "getters": "const o = { get x() { return this; } }; for (let v = o; ; ) v = v.x;",
    "with finally": "for (;;) { try { for (;;); } finally { for (;;); } }",
    "caught": "for (;;) { try { for (;;); } catch { } }",
    "eval": "for (;;) (0, eval)('1+'.repeat(1e5) + '1');",
    "new Function": "for (;;) new Function('return ' + '['.repeat(500) + ']'.repeat(500));",
    "memory": "const a = []; for (;;) a.push(new Array(1000).fill(0));",
    "memory of texts": "let t = 'x'; for (;;) t += t + Math.random();",
    "maps": "const m = new Map(); for (let i = 0; ; i += 1) m.set(i, {});",
    "console": "for (;;) console.debug('x'.repeat(1e6).length);",
    "structuredClone": "const v = Array.from({ length: 1e5 }, (_, i) => ({ i })); for (;;) structuredClone(v);",
    "hash": "import { createHash } from 'node:crypto'; const b = 'x'.repeat(2 ** 22); for (;;) createHash('sha256').update(b).digest('hex');",
    "url": "for (;;) new URL('http://example.com/' + 'a/../'.repeat(1e5));",
    "yaml": "import { parse, Format } from 'sinew:std'; const t = '- [a, b]\\n'.repeat(3e5); for (;;) parse(t, Format.YAML);",
    "stringify to yaml": "import { stringify, Format } from 'sinew:std'; const v = new Array(3e5).fill({ a: 1 }); for (;;) stringify(v, Format.YAML);",
    "Array.from": "for (;;) Array.from({ length: 1e6 });",
    "padEnd": "for (;;) 'a'.padEnd(2 ** 26, 'xyz');",
    "includes in an array": "const a = new Array(1e7).fill(1); for (;;) a.includes(2);",
    "copyWithin": "const a = new Array(1e7).fill(1); for (;;) a.copyWithin(0, 1);",
    "flat": "const a = new Array(1e6).fill([1]); for (;;) a.flat();",
    "spread": "const a = new Array(1e6).fill(1); for (;;) [...a];",
    "spread of objects": "const o = Object.fromEntries(Array.from({ length: 2e5 }, (_, i) => ['k' + i, i])); for (;;) ({ ...o });",
    "keys": "const o = Object.fromEntries(Array.from({ length: 2e5 }, (_, i) => ['k' + i, i])); for (;;) Object.keys(o);",
    "traps of proxies": "const keys = Array.from({ length: 1e6 }, (_, i) => 'k' + i); const p = new Proxy({}, { ownKeys: () => keys }); for (;;) Reflect.ownKeys(p);",
    "comparison of texts": "const a = 'a'.repeat(2 ** 27), b = 'a'.repeat(2 ** 27); let n = 0; for (;;) if (a < b) n += 1;",
    "concatenation": "const a = 'a'.repeat(2 ** 26); let t; for (;;) { t = a + 'b'; t = t[5] + a; }",
    "template text": "const a = 'a'.repeat(2 ** 26); for (;;) `${a}${a}`;",
    "powers": "for (;;) 7n ** 300000n;",
    "division of big integers": "const a = 7n ** 200000n, b = 3n ** 100000n; for (;;) a / b;",
    "BigInt of a text": "const t = '7'.repeat(200000); for (;;) BigInt(t);",
    "constructors": "const a = Array.from({ length: 1e6 }, (_, i) => i); for (;;) new Set(a);",
    "typed array of a list": "const a = new Array(1e6).fill(1); for (;;) new Float64Array(a);",
    "parseFloat": "const t = '1'.repeat(2 ** 24); for (;;) parseFloat(t);",
    "encodeURIComponent": "const t = 'é'.repeat(2 ** 20); for (;;) encodeURIComponent(t);",
    "apply": "const a = new Array(60000).fill(1); for (;;) Math.max.apply(null, a);",
    "bytes": "const b = new Uint8Array(2 ** 22); for (;;) new TextDecoder().decode(b);",
    "Buffer": "const t = 'x'.repeat(2 ** 22); for (;;) Buffer.from(t).toString('base64');",
    "matchAll": "const t = 'ab'.repeat(2 ** 21); for (;;) [...t.matchAll(/b/g)];",
    "stringify with a function": "const v = Array.from({ length: 1e5 }, (_, i) => ({ i })); for (;;) JSON.stringify(v, (k, x) => x, 2);",
    "promise chain": "let p = Promise.resolve(); const f = () => { p = p.then(f); }; f(); await new Promise(() => {});",
    "async generators": "async function* f() { for (;;) yield 1; } for await (const x of f());",
    "thenables": "const t = { then(f) { f(t); } }; await t;",
    "message of an error": "throw { get message() { for (;;); }, toString() { for (;;); }, toJSON() { for (;;); } };",
    "name of an error": "const e = new Error('x'); Object.defineProperty(e, 'name', { get() { for (;;); } }); throw e;",
    "a function in another one": "const t = 'a'.repeat(2 ** 24);\nfunction f(x) {\n  return x;\n}\nfor (;;)\n  t.indexOf(f('b'));",
    "after some work": "let n = 0; for (let i = 0; i < 2e6; i += 1) n += i;\nconst t = 'a'.repeat(2 ** 24); for (;;) t.indexOf('b');",
    "schema": "import { validateWithObject } from 'sinew:std/schema'; for (;;) validateWithObject('a'.repeat(1e5), { pattern: '^(a+)+$' });",
}


# What says that a limit was reached: one of ours, or one of the engine.
LIMITS = ["(--max-", "too large to allocate", "string too long"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sinew")
    parser.add_argument("--limit", type=float, default=1.0)
    args = parser.parse_args()
    bad = located = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, script in SCRIPTS.items():
            with open(os.path.join(folder, "main.js"), "w", encoding="utf-8") as file:
                file.write(script)
            taken, verdict, line = run(os.path.abspath(args.sinew), folder, args.limit)
            is_bad = verdict != "" or taken > 1.5 * args.limit
            bad += is_bad
            located += line != ""
            late = "TOO LATE " if taken > 1.5 * args.limit else ""
            print("%-34s %6.2f s %-12s %s%s" % (name, taken, line, late, verdict), flush=True)
    print("%d of %d scripts end in time, %d with the line" % (len(SCRIPTS) - bad, len(SCRIPTS), located))
    sys.exit(1 if bad else 0)


def run(sinew, folder, limit):
    """How long the script took, what is wrong with how it ended, and the line that was named."""
    words = [sinew, "run", "--max-time", "%dms" % (limit * 1000), "main.js"]
    started = time.monotonic()
    try:
        result = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=limit * 20)
    except subprocess.TimeoutExpired:
        return limit * 20, "was killed", ""
    taken = time.monotonic() - started
    place = re.search(r"main\.js:(\d+:\d+)", result.stderr)
    line = place.group(1) if place else ""
    if result.returncode != 1:
        return taken, "exit code %d" % result.returncode, line
    if not any(limit in result.stderr for limit in LIMITS):
        return taken, "says %r" % result.stderr[-200:], line
    return taken, "", line


if __name__ == "__main__":
    main()
