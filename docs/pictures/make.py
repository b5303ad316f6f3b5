#!/usr/bin/env python3
"""Terminal screenshots as SVG, made from real runs of the program on the examples.

usage: docs/pictures/make.py PROGRAM            write the pictures
       docs/pictures/make.py PROGRAM --check    fail if one of them is out of date

Each picture is a list of command lines, run in a copy of an example on a terminal of 96 columns. Nothing is downloaded and
no resource types are installed, so the pictures are the same everywhere.
"""
import os
import pty
import re
import shutil
import struct
import sys
import tempfile
import fcntl
import termios
from html import escape

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
COLUMNS = 96

PICTURES = {
    "check": ("validated-inputs", [
        ("sed -i \"s/^param storageName = .*/param storageName = 'Contoso-Data'/\" main.bicepparam", False),
        ("sinew check main.bicepparam", True),
    ]),
    "deploy": ("local-deployment", [
        ("sinew deploy main.bicepparam --resource-group demo 2> log.txt; tail -n 2 log.txt", True),
        ("sed -i 's/Standard_LRS/Standard_GRS/' main.bicep", True),
        ("sinew what-if main.bicepparam --resource-group demo", True),
    ]),
    "first-page": ("local-deployment", [("sinew", True)]),
}


def run(program, line, folder):
    """The bytes that a command writes to a terminal."""
    environment = {
        "PATH": os.path.join(folder, "bin") + ":/usr/bin:/bin", "HOME": folder, "TERM": "xterm-256color",
        "SINEW_HOME": os.path.join(folder, "home"), "SINEW_TYPES_MIRROR": "none", "COLUMNS": str(COLUMNS),
    }
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(os.path.join(folder, "project"))
        os.execvpe("sh", ["sh", "-c", line], environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    output = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        output += piece
    os.waitpid(pid, 0)
    text = output.decode("utf-8", "replace").replace("\r\n", "\n")
    # What a progress bar has drawn over is gone.
    lines = [part.split("\r")[-1] for part in text.split("\n")]
    text = "\n".join(lines)
    text = re.sub(r"\x1b\[\d*[A-HJKSTf]|\x1b\[\?\d+[hl]", "", text)
    return text.replace(os.path.join(folder, "project") + "/", "")


COLOURS = {31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea", 37: "#e6edf3"}


def spans(line):
    """Pieces of text with their colour and weight."""
    colour, bold, position = None, False, 0
    for match in re.finditer(r"\x1b\[([\d;]*)m", line):
        if match.start() > position:
            yield line[position:match.start()], colour, bold
        position = match.end()
        for code in [int(part or 0) for part in match.group(1).split(";")]:
            if code == 0:
                colour, bold = None, False
            elif code == 1:
                bold = True
            elif 30 <= code <= 37:
                colour = COLOURS.get(code)
            elif 90 <= code <= 97:
                colour = COLOURS.get(code - 60)
            elif code == 39:
                colour = None
    if position < len(line):
        yield line[position:], colour, bold


def wrapped(line):
    """A terminal breaks long lines: so does the picture, between pieces of one style."""
    rows, row, width = [], [], 0
    for text, colour, bold in spans(line):
        while text:
            piece, text = text[:COLUMNS - width], text[COLUMNS - width:]
            row.append((piece, colour, bold))
            width += len(piece)
            if width >= COLUMNS and text:
                rows.append(row)
                row, width = [], 0
    rows.append(row)
    return rows


def svg(lines):
    rows = [row for line in lines for row in wrapped(line)]
    height, width = 18 * len(rows) + 28, round(COLUMNS * 8.43) + 28
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>',
        '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3" '
        'style="white-space: pre">',
    ]
    for number, row in enumerate(rows):
        pieces = []
        for text, colour, bold in row:
            # Viewers merge blanks, whatever `white-space` and `xml:space` say; these they leave alone.
            text = text.replace(" ", "\u00a0")
            style = (f' fill="{colour}"' if colour else "") + (' font-weight="bold"' if bold else "")
            pieces.append(f"<tspan{style}>{escape(text)}</tspan>" if style else escape(text))
        parts.append(f'<text x="14" y="{18 * number + 27}">{"".join(pieces)}</text>')
    parts.append("</g></svg>")
    return "\n".join(parts) + "\n"


def picture(program, example, commands):
    folder = os.path.realpath(tempfile.mkdtemp())
    try:
        shutil.copytree(os.path.join(ROOT, "examples", example), os.path.join(folder, "project"))
        os.mkdir(os.path.join(folder, "bin"))
        os.symlink(program, os.path.join(folder, "bin", "sinew"))
        lines = []
        for line, is_shown in commands:
            output = run(program, line, folder)
            if is_shown:
                lines.append(f"\x1b[32m$\x1b[0m \x1b[1m{line}\x1b[0m")
                lines.extend(output.rstrip("\n").split("\n") if output else [])
        return svg(lines)
    finally:
        shutil.rmtree(folder)


def main():
    program, check = os.path.realpath(sys.argv[1]), "--check" in sys.argv
    stale = []
    for name, (example, commands) in PICTURES.items():
        path = os.path.join(ROOT, "docs", "pictures", f"{name}.svg")
        made = picture(program, example, commands)
        old = open(path, encoding="utf-8").read() if os.path.exists(path) else None
        if made != old:
            stale.append(name)
            if not check:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(made)
    if check and stale:
        sys.exit(f"these pictures are out of date: {', '.join(stale)}; run docs/pictures/make.py PROGRAM")


main()
