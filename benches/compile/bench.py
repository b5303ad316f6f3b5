#!/usr/bin/env python3
"""What compiling costs: one file from a cold start, and whole folders.

usage: bench.py SINEW FOLDER

SINEW is a release build, FOLDER holds Bicep files that compile. Resource types have to be installed (`sinew types install`).
Prints the time of one build of 100 lines in times of `/bin/true`; then, for the folder once, twice and four times over, files a second and
peak memory with all cores and with one; and whether both wrote the same files.
"""
import filecmp, os, shutil, statistics, subprocess, sys, tempfile, time

RUNS = 200


def timed(command):
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - start


def hundred_lines():
    lines = ["param location string = resourceGroup().location", "param name string", "var tags = { app: name }", ""]
    number = 0
    while len(lines) < 100:
        number += 1
        lines += [
            f"resource storage{number} 'Microsoft.Storage/storageAccounts@2023-01-01' = {{",
            f"  name: '${{name}}{number}'",
            "  location: location",
            "  tags: tags",
            "  sku: { name: 'Standard_LRS' }",
            "  kind: 'StorageV2'",
            "  properties: {",
            "    minimumTlsVersion: 'TLS1_2'",
            "    allowBlobPublicAccess: false",
            "  }",
            "}",
            "",
        ]
    return "\n".join(lines)


def cold(program, folder):
    path = os.path.join(folder, "main.bicep")
    with open(path, "w", encoding="utf-8") as file:
        file.write(hundred_lines())
    commands = {"/bin/true": ["/bin/true"], "build": [program, "build", path, "--stdout"]}
    times = {name: [] for name in commands}
    for _ in range(RUNS):
        for name, command in commands.items():
            times[name].append(timed(command))
    for name, found in times.items():
        print(f"{name}: median {statistics.median(found) * 1e3:.2f} ms, least {min(found) * 1e3:.2f} ms")
    ratios = [f(times["build"]) / f(times["/bin/true"]) for f in (statistics.median, min)]
    print(f"ratio: {ratios[0]:.1f} of the medians, {ratios[1]:.1f} of the least")


def build(program, folder, threads):
    environment = dict(os.environ)
    if threads:
        environment["RAYON_NUM_THREADS"] = str(threads)
    command = [program, "build", "--offline", "--pattern", os.path.join(folder, "**/*.bicep")]
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    _, _, usage = os.wait4(child.pid, 0)
    return time.perf_counter() - start, usage.ru_maxrss // 1024


def copy(source, place):
    """Copies the Bicep files and what they load, but no template, so that what is there afterwards was written."""
    shutil.copytree(source, place, copy_function=shutil.copyfile)
    for at, _, names in os.walk(place):
        os.chmod(at, 0o755)
        for name in names:
            if name.endswith(".bicep") and name[:-6] + ".json" in names:
                os.remove(os.path.join(at, name[:-6] + ".json"))


def written(folder):
    """The templates beside their sources."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".json") and name[:-5] + ".bicep" in names:
                path = os.path.join(at, name)
                found[os.path.relpath(path, folder)] = path
    return found


def workspace(program, source, folder):
    for copies in (1, 2, 4):
        places = []
        for threads in (0, 1):
            place = os.path.join(folder, f"{copies}-{threads}")
            for number in range(copies):
                copy(source, os.path.join(place, str(number)))
            files = sum(name.endswith(".bicep") for _, _, names in os.walk(place) for name in names)
            seconds, megabytes = build(program, place, threads)
            cores = "one core" if threads else "all cores"
            print(f"{files} files, {cores}: {seconds:.2f} s, {files / seconds:.0f} files/s, {megabytes} MB")
            places.append(place)
        first, second = (written(place) for place in places)
        same = first.keys() == second.keys() and all(
            filecmp.cmp(path, second[name], shallow=False) for name, path in first.items()
        )
        print(f"{len(first)} templates, {'the same' if same else 'NOT the same'} with one core")
        for place in places:
            shutil.rmtree(place)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, source = (os.path.abspath(argument) for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        cold(program, folder)
        workspace(program, source, folder)


main()
