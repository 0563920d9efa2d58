#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py SOURCE HTML: the reference in HTML that Doxygen made of SOURCE is whole: its pictures
are there, its tables have as many rows as in the Markdown, and no page shows Markdown as text."""

import glob
import html.parser
import os
import re
import sys

# What is quoted in these may look like Markdown.
CODE = ('code', 'pre', 'script', 'style')


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.pictures, self.rows, self.text = [], 0, []
        self.code = []  # the open elements of code, each with those of its name that are open in it
        with open(path, encoding='utf-8') as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        kind = attributes.get('class') or ''
        if tag in ('img', 'object'):
            self.pictures.append(attributes.get('src') or attributes.get('data') or '')
        self.rows += tag == 'tr' and kind.startswith('markdownTable')
        if self.code and tag == self.code[-1][0]:
            self.code[-1][1] += 1
        elif tag in CODE or (tag == 'div' and kind in ('fragment', 'memproto')):
            self.code.append([tag, 1])

    def handle_endtag(self, tag):
        if self.code and tag == self.code[-1][0]:
            self.code[-1][1] -= 1
            if self.code[-1][1] == 0:
                self.code.pop()

    def handle_data(self, data):
        # A row that ends inside code leaves Doxygen's commands there. Doxygen puts bars between
        # its own links, but none beside text.
        broken = r'\\ilinebr' if self.code else r'`|\S *\||\| *\S|\w\]\(|</?t[dr]'
        self.text += [line for line in data.split('\n') if re.search(broken, line)]


def rows_of(path):
    """The rows of all tables in Markdown; a head counts, and the line below it does not."""
    with open(path, encoding='utf-8') as file:
        return sum(line.startswith('|') and not re.match(r'\|[-:|\s]+$', line) for line in file)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, directory = sys.argv[1:]
    faults, pictures, rows = [], 0, 0
    written = {'index.html': f'{source}/README.md'}
    for path in glob.glob(f'{source}/docs/**/*.md', recursive=True):
        name = os.path.relpath(path, source)[:-len('.md')].replace('/', '_')
        written[f'md_{name}.html'] = path
    for path in sorted(glob.glob(f'{directory}/*.html')):
        name = os.path.basename(path)
        if name.endswith('_source.html') or name == 'page.html':
            continue
        page = Page(path)
        pictures += len(page.pictures)
        rows += page.rows
        faults += [f'{name}: there is no picture {picture}' for picture in page.pictures
                   if not os.path.exists(os.path.join(directory, picture))]
        faults += [f'{name}: Markdown is shown as text: {text.strip()[:80]}' for text in page.text]
        expected = rows_of(written.pop(name)) if name in written else page.rows
        if page.rows != expected:
            faults.append(f'{name}: its tables have {page.rows} rows instead of {expected}')
    faults += [f'{name} is missing' for name in sorted(written)]
    print('\n'.join(faults + [f'reference: {pictures} pictures, {rows} rows of tables']))
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()
