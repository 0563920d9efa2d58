#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""build.py LIBRARY OUTPUT: joins the page and the library's WebAssembly into one file. Fails if the page
shows a line of C that is in none of its sources.
build.py inspect OUTPUT: makes a header of C from the page that a program shows of itself."""

import base64
import hashlib
import html
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def read(name):
    with open(os.path.join(HERE, name), encoding='utf-8') as file:
        return file.read()


def join(page, script):
    page = read(page).replace('/* STYLE */\n', read('page.css'))
    return page.replace('/* SCRIPT */\n', script)


def make_page(library):
    with open(library, 'rb') as file:
        library = base64.b64encode(file.read()).decode()
    scripts = map(read, ('report.js', 'page.js', 'lanes.js', 'rewind.js', 'begin.js'))
    page = join('page.html', f"const LIBRARY = '{library}';\n" + ''.join(scripts))
    source = re.sub(r'\s+', ' ', ''.join(map(read, ('page.c', 'lanes.c', 'rewind.c'))))
    for line in re.findall(r'<code[^>]*>(hm_.*?)</code>', page):
        if html.unescape(line) not in source:
            sys.exit(f'build.py: no source says {html.unescape(line)}')
    return page


def make_inspect():
    """The page runs no other script than the one whose hash it names."""
    script = read('report.js') + read('inspect.js')
    digest = base64.b64encode(hashlib.sha256(f'\n{script}'.encode()).digest()).decode()
    page = join('inspect.html', script).replace('HASH', f"'sha256-{digest}'", 1).encode()
    lines = [', '.join(map(str, page[i:i + 20])) for i in range(0, len(page), 20)]
    return 'static const char inspect_page[] = {\n' + ',\n'.join(lines) + '};\n'


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    made = make_inspect() if sys.argv[1] == 'inspect' else make_page(sys.argv[1])
    with open(sys.argv[2], 'w', encoding='utf-8', newline='\n') as file:
        file.write(made)


if __name__ == '__main__':
    main()
