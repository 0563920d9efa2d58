#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check.py SOURCE HTML: the reference in HTML that Doxygen made of SOURCE is whole: its pictures
are there, each link leads to a page or file of it and to a place there, its tables have as many
rows as in the Markdown, no page shows Markdown as text or says where the sources lay when it was
made, and the search finds typed functions."""

import glob
import html.parser
import os
import re
import sys
import urllib.parse

# What is quoted in these may look like Markdown.
CODE = ('code', 'pre', 'script', 'style')


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.pictures, self.rows, self.text = [], 0, []
        self.links, self.places = [], {''}
        self.code = []  # the open elements of code, each with those of its name that are open in it
        with open(path, encoding='utf-8') as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        kind = attributes.get('class') or ''
        self.places |= {attributes[name] for name in ('id', 'name') if attributes.get(name)}
        if tag == 'a' and attributes.get('href'):
            self.links.append(urllib.parse.unquote(attributes['href']))
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
        broken = r'\\ilinebr' if self.code else r'`|\S *\||\| *\S|!\[|[^[]\]\(|</?t[dr]'
        self.text += [line for line in data.split('\n') if re.search(broken, line)]


def rows_of(path):
    """The rows of all tables in Markdown; a head counts, and the line below it does not."""
    with open(path, encoding='utf-8') as file:
        return sum(line.startswith('|') and not re.match(r'\|[-:|\s]+$', line) for line in file)


def broken_links(directory, pages):
    for name, page in pages.items():
        for link in page.links:
            target, _, place = link.partition('#')
            target = target or name
            if re.match(r'[a-z]+:', link):
                continue
            if target in pages:
                if place not in pages[target].places:
                    yield f'{name}: there is no place {link}'
            elif not os.path.exists(os.path.join(directory, target)):
                yield f'{name}: there is no file {link}'


def lost_to_search(directory, pages):
    """Typed functions that the search does not find, or finds where nothing is."""
    found = {}
    for path in glob.glob(f'{directory}/search/functions_*.js'):
        with open(path, encoding='utf-8') as file:
            found.update(re.findall(r"\['(\w+)',\['\.\./([^']+)'", file.read()))
    for name in ('texture_handle_is_null', 'texture_map_init', 'texture_map_get',
                 'texture_map_defragment'):
        page, _, place = found.get(name, '').partition('#')
        if page not in pages or place not in pages[page].places:
            yield f'the search does not find {name}'


def told_places(source, directory):
    """The same sources give the same bytes, wherever they are."""
    for path in sorted(glob.glob(f'{directory}/**/*.html', recursive=True)):
        with open(path, encoding='utf-8') as file:
            if os.path.abspath(source) + os.sep in file.read():
                yield f'{os.path.basename(path)}: says where the sources lay'


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, directory = sys.argv[1:]
    written = {'index.html': f'{source}/README.md'}
    for path in glob.glob(f'{source}/docs/**/*.md', recursive=True):
        name = os.path.relpath(path, source)[:-len('.md')].replace('/', '_')
        written[f'md_{name}.html'] = path
    pages = {os.path.basename(path): Page(path) for path in sorted(glob.glob(f'{directory}/*.html'))
             if os.path.basename(path) != 'page.html'}
    faults = [*broken_links(directory, pages), *lost_to_search(directory, pages),
              *told_places(source, directory)]
    for name, page in pages.items():
        faults += [f'{name}: there is no picture {picture}' for picture in page.pictures
                   if not os.path.exists(os.path.join(directory, picture))]
        if not name.endswith('_source.html'):
            faults += [f'{name}: Markdown is shown as text: {text.strip()[:80]}'
                       for text in page.text]
        expected = rows_of(written.pop(name)) if name in written else page.rows
        if page.rows != expected:
            faults.append(f'{name}: its tables have {page.rows} rows instead of {expected}')
    faults += [f'{name} is missing' for name in sorted(written)]
    pictures, links, rows = (sum(count) for count in zip(
        *((len(page.pictures), len(page.links), page.rows) for page in pages.values())))
    print('\n'.join([*faults, f'reference: {pictures} pictures, {links} links, '
                               f'{rows} rows of tables']))
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()
