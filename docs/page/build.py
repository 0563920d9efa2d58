#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""build.py LIBRARY OUTPUT: joins the page and the library's WebAssembly into one file. Fails if the page
shows a line of C that is not in page.c."""

import base64
import html
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def read(name):
    with open(os.path.join(HERE, name), encoding='utf-8') as file:
        return file.read()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], 'rb') as file:
        library = base64.b64encode(file.read()).decode()
    script = f"const LIBRARY = '{library}';\n" + read('page.js')
    page = read('page.html').replace('/* STYLE */\n', read('page.css'))
    page = page.replace('/* SCRIPT */\n', script)
    source = re.sub(r'\s+', ' ', read('page.c'))
    for line in re.findall(r'<code[^>]*>(hm_.*?)</code>', page):
        if html.unescape(line) not in source:
            sys.exit(f'build.py: page.c does not say {html.unescape(line)}')
    with open(sys.argv[2], 'w', encoding='utf-8', newline='\n') as file:
        file.write(page)


if __name__ == '__main__':
    main()
