#!/usr/bin/env python3
"""How much memory a server of JSON-RPC has after many requests, and how many it answers a second.

usage: benches/jsonrpc/bench.py PROGRAM [--requests N] [--files N]

Ten methods take turns about a project of modules and parameter files; every fiftieth request comes after a module has
been changed on disk. Prints resident memory after 1 %, 10 %, 50 % and 100 % of the requests. Linux only.
"""
import argparse
import json
import os
import subprocess
import tempfile
import time


def source(number, change):
    return (f"@description('Module {number}')\nparam name string\nparam count int = {change}\n"
            f"resource sites 'My.Rp/sites@2020-01-01' = [for i in range(0, count): {{\n  name: '${{name}}-{number}-${{i}}'\n}}]\n"
            f"output text string = '${{name}}-{change}'\n")


def project(folder, files):
    for number in range(files):
        write(folder, f"module{number}.bicep", source(number, 2))
    calls = "".join(f"module m{n} 'module{n}.bicep' = {{\n  name: 'm{n}'\n  params: {{ name: name }}\n}}\n" for n in range(files))
    write(folder, "main.bicep", "param name string\n" + calls)
    write(folder, "main.bicepparam", "using 'main.bicep'\nparam name = 'web'\n")


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


class Server:
    def __init__(self, program, home):
        environment = dict(os.environ, HOME=home, SINEW_TYPES_MIRROR="none")
        self.process = subprocess.Popen([program, "jsonrpc", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=environment)
        self.count = 0

    def ask(self, method, params):
        self.count += 1
        body = json.dumps({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        answer = json.loads(self.process.stdout.read(length))
        if "error" in answer:
            raise SystemExit(f"{method}: {answer['error']}")
        return answer["result"]

    def memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:")) / 1024


def requests(folder, files):
    path = lambda name: {"path": os.path.join(folder, name)}
    number = 0
    while True:
        module = f"module{number % files}.bicep"
        if number % 50 == 0:
            write(folder, module, source(number % files, number % 7))
        yield [
            ("bicep/version", {}),
            ("bicep/compile", path("main.bicep")),
            ("bicep/compile", path(module)),
            ("bicep/compileParams", {**path("main.bicepparam"), "parameterOverrides": {"name": f"web{number % 100}"}}),
            ("bicep/getMetadata", path(module)),
            ("bicep/getDeploymentGraph", path("main.bicep")),
            ("bicep/getFileReferences", path("main.bicepparam")),
            ("bicep/getSnapshot", {**path("main.bicepparam"), "metadata": {"resourceGroup": "group"}, "externalInputs": None}),
            ("bicep/format", path(module)),
            ("bicep/outputDocs", path(module)),
        ][number % 10]
        number += 1


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--requests", type=int, default=100_000)
    arguments.add_argument("--files", type=int, default=8)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        project(folder, given.files)
        server = Server(os.path.abspath(given.program), folder)
        marks = {max(1, given.requests * share // 100) for share in (1, 10, 50, 100)}
        start = time.monotonic()
        for method, params in requests(folder, given.files):
            server.ask(method, params)
            if server.count in marks:
                print(f"{server.count:>8} requests {server.memory():8.1f} MB")
            if server.count == given.requests:
                break
        print(f"{given.requests / (time.monotonic() - start):8.0f} requests a second")
        server.process.stdin.close()
        server.process.wait()


main()
