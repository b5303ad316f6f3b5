#!/usr/bin/env python3
"""How fast the language server answers in a large workspace.

    python3 benches/lsp/bench.py SINEW [--files 500] [--lines 1000] [--edits 2000]

Makes a workspace of modules, opens the largest file and types in it: every edit is one letter, sent as a range, and ends when the
diagnostics of the new version arrive. Prints the median, the 95th and 99th percentile and the maximum in milliseconds, and the
peak memory of the server.
"""
import argparse
import json
import os
import subprocess
import tempfile
import time


def module(index):
    users = "".join(
        f"module m{n} './module{n}.bicep' = {{\n  name: 'm{n}'\n  params: {{\n    name: name\n    size: size\n  }}\n}}\n"
        for n in (index * 2 + 1, index * 2 + 2) if n < ARGS.files - 1)
    return ("param name string\nparam size int = 1\n\nvar tags = {\n  name: name\n  size: '${size}'\n}\n\n" + users +
            "output tags object = tags\noutput id string = '${name}-${size}'\n")


def large(lines):
    """A file of resources, variables and a module, with the given number of lines."""
    text = ["param location string = resourceGroup().location", "param names array", ""]
    index = 0
    while len(text) < lines - 8:
        text += [f"var account{index} = 'account{index}${{uniqueString(location)}}'",
                 f"resource storage{index} 'Microsoft.Storage/storageAccounts@2021-02-01' = {{",
                 f"  name: account{index}", "  location: location", "  kind: 'StorageV2'", "  sku: {",
                 "    name: 'Standard_LRS'", "  }", "}", ""]
        index += 1
    text += ["module m './module0.bicep' = {", "  name: 'm'", "  params: {", "    name: names[0]", "  }", "}",
             "output id string = m.outputs.id", ""]
    return "\n".join(text)


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.next_id = 0

    def send(self, message):
        text = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while (line := self.process.stdout.readline().strip()):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def request(self, method, params):
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": params})
        while (message := self.receive()).get("id") != self.next_id:
            pass
        return message

    def diagnostics(self, uri, version):
        while True:
            message = self.receive()
            params = message.get("params") or {}
            if params.get("uri") == uri and params.get("version") == version:
                return

    def memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as status:
            return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))

    def cpu(self):
        """Seconds of processor time: unlike the time on the clock, it does not depend on what else the machine does."""
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as status:
            fields = status.read().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def main():
    with tempfile.TemporaryDirectory() as folder:
        for index in range(ARGS.files - 1):
            with open(os.path.join(folder, f"module{index}.bicep"), "w", encoding="utf-8") as out:
                out.write(module(index))
        text = large(ARGS.lines)
        path = os.path.join(folder, "main.bicep")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        uri = "file://" + path
        start = time.perf_counter()
        server = Server([ARGS.sinew, "lsp"])
        server.request("initialize", {"capabilities": {}, "workspaceFolders": [{"uri": "file://" + folder, "name": "w"}]})
        server.send({"method": "initialized", "params": {}})
        server.send({"method": "textDocument/didOpen", "params": {
            "textDocument": {"uri": uri, "languageId": "bicep", "version": 1, "text": text}}})
        server.diagnostics(uri, 1)
        print(f"start to first diagnostics {1000 * (time.perf_counter() - start):.0f} ms, {ARGS.files} files, "
              f"{text.count(chr(10))} lines, load {os.getloadavg()[0]:.1f}")
        begin_cpu = server.cpu()
        rows, times = text.split("\n"), []
        places = [row for row, line in enumerate(rows) if line.startswith("var ")]
        for edit in range(ARGS.edits):
            row = places[edit * 7 % len(places)]
            at, add = rows[row].index(" =") - 1, edit // len(places) % 2 == 0
            old = rows[row]
            rows[row] = old[:at] + "x" + old[at:] if add else old[:at - 1] + old[at:]
            first, last, new = (at, at, "x") if add else (at - 1, at, "")
            change = {"range": {"start": {"line": row, "character": first}, "end": {"line": row, "character": last}},
                      "text": new}
            begin = time.perf_counter()
            server.send({"method": "textDocument/didChange", "params": {
                "textDocument": {"uri": uri, "version": edit + 2}, "contentChanges": [change]}})
            server.diagnostics(uri, edit + 2)
            times.append(1000 * (time.perf_counter() - begin))
        print(f"edit to diagnostics  n {len(times)}  median {percentile(times, 0.5):.2f}  p95 {percentile(times, 0.95):.2f}  "
              f"p99 {percentile(times, 0.99):.2f}  max {max(times):.2f}")
        print(f"processor time per edit {1000 * (server.cpu() - begin_cpu) / ARGS.edits:.2f} ms, peak memory {server.memory():.0f} MB")
        server.process.kill()


PARSER = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
PARSER.add_argument("sinew")
PARSER.add_argument("--files", type=int, default=500)
PARSER.add_argument("--lines", type=int, default=1000)
PARSER.add_argument("--edits", type=int, default=2000)
ARGS = PARSER.parse_args()
main()
