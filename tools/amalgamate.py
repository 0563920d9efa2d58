#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""amalgamate.py DIR: writes the library as three files that a program compiles with its own.

    DIR/handle_map.h      all public headers: include it
    DIR/handle_map.c      all sources: compile it once, as C11
    DIR/handle_map.hpp    the classes for C++17; needs handle_map.h

The output depends on the sources alone, so it is the same from run to run and on every machine.
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
INCLUDE = os.path.join(ROOT, 'include')
SOURCES = os.path.join(ROOT, 'src')
SPDX = '/* SPDX-License-Identifier: MIT */\n'
PUBLIC = re.compile(r'#include <(handle_map/[^>]+)>\n')
PRIVATE = re.compile(r'#include "([^"]+)"\n')
# The message is the only error: what follows is left out.
IF_C11 = '''#if defined(__cplusplus)
#error "handle_map.c is C: compile it as C11, not as C++"
#elif !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
#error "handle_map.c needs C11: compile it with -std=c11, or /std:c11"
#else
'''
FEATURE = re.compile(r'\s*#define (_\w+_SOURCE)\b')


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def version():
    base = read(os.path.join(INCLUDE, 'handle_map', 'base.h'))
    return '.'.join(re.search(fr'#define HM_VERSION_{part} (\d+)', base).group(1)
                    for part in ('MAJOR', 'MINOR', 'PATCH'))


def title(what):
    licence = read(os.path.join(ROOT, 'LICENSE')).rstrip('\n')
    lines = [f'handle_map {version()}: {what}', '', *licence.split('\n')]
    return SPDX + '/* ' + '\n'.join(f' * {line}'.rstrip() for line in lines)[3:] + ' */\n'


def without_licence(text):
    return text[len(SPDX):] if text.startswith(SPDX) else text


class Expander:
    """Replaces each include of ours with the file, the first time; later ones are dropped."""

    def __init__(self, done=()):
        self.done = set(done)

    def public(self, name):
        return self.file(os.path.join(INCLUDE, name))

    def file(self, path):
        path = os.path.normpath(path)
        if path in self.done:
            return ''
        self.done.add(path)
        folder = os.path.dirname(path)

        def expand(line):
            public, private = PUBLIC.fullmatch(line), PRIVATE.fullmatch(line)
            if public:
                return self.public(public.group(1))
            if private:
                return self.file(os.path.join(folder, private.group(1)))
            return line
        return ''.join(map(expand, without_licence(read(path)).splitlines(keepends=True)))


def feature_macros(names):
    """They must come before the first system header, which may be another source's."""
    macros = set()
    for name in names:
        macros.update(FEATURE.findall(read(os.path.join(SOURCES, name))))
    return ''.join(f'#ifndef {macro}\n#define {macro}\n#endif\n' for macro in sorted(macros))


def write(directory, name, text):
    with open(os.path.join(directory, name), 'w', encoding='utf-8', newline='\n') as file:
        file.write(text)


def amalgamate(directory):
    os.makedirs(directory, exist_ok=True)
    expander = Expander()
    header = expander.public('handle_map/handle_map.h')
    write(directory, 'handle_map.h', title('all public headers') + header)
    names = read(os.path.join(SOURCES, 'sources.txt')).split()
    source = Expander(expander.done)
    write(directory, 'handle_map.c',
          title('all sources, to be compiled once, as C11') + IF_C11 + feature_macros(names) +
          source.file(os.path.join(SOURCES, 'memory/poison_private.h')) + '#include "handle_map.h"\n' +
          ''.join(source.file(os.path.join(SOURCES, name)) for name in names) + '#endif\n')
    classes = Expander(expander.done)
    text = classes.public('handle_map/handle_map.hpp')
    write(directory, 'handle_map.hpp', title('classes for C++17') + '#include "handle_map.h"\n' +
          text)


def main():
    if sys.argv[1:] in (['-h'], ['--help']):
        print(__doc__)
        return
    if len(sys.argv) != 2 or sys.argv[1].startswith('-'):
        sys.exit(__doc__)
    try:
        amalgamate(sys.argv[1])
    except OSError as error:
        sys.exit(f'amalgamate.py: {error}')


if __name__ == '__main__':
    main()
