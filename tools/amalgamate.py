#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""amalgamate.py [--folders | --one] DIR [PART...]: writes the library, or a part of it, as few
files that a program compiles with its own.

    DIR/handle_map.h      all public headers: include it
    DIR/handle_map.c      all sources: compile it once, as C11
    DIR/handle_map.hpp    the classes for C++17; needs handle_map.h; only of the whole library

With parts, writes only what these need: map, pool, table, secondary, lists, index, world,
directory, dump, report, save, sink, hash, transpose, id32, id_table, history, changes, order and
arena.
What a part lacks is not declared. Without
`order`, maps, tables and secondaries have no function that puts them in order, searches by an
order, or tells of changes (`touch`), and there is no HM_ORDER_DEFINE; a world needs it, and brings
it. Without `arena` there is no hm_memory_arena. Link only one part into a program: two have
functions of the same names.

A part has the comments of the public headers, but not those of private code: they are in the
repository, which a program that carries a part needs to read it for.

With --folders, the headers are DIR/handle_map/map.h and so on, so that the includes of a program
stay as they are: compile it, and DIR/handle_map.c, with -IDIR.

With --one, the sources stand at the end of DIR/handle_map.h, and there is no DIR/handle_map.c: one
C source of the program defines HANDLE_MAP_IMPLEMENTATION before it includes the header, whose head
says how a library gives all names a prefix, or makes the functions static.

The output depends on the sources and arguments alone, so it is the same from run to run and on
every machine.
"""

import argparse
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
INCLUDE = os.path.join(ROOT, 'include')
SOURCES = os.path.join(ROOT, 'src')
SPDX = '/* SPDX-License-Identifier: MIT */\n'
MAIN = 'handle_map/handle_map.h'
PUBLIC = re.compile(r'#include <(handle_map/[^>]+)>\n')
PRIVATE = re.compile(r'#include "([^"]+)"\n')
# The message is the only error: what follows is left out.
IF_C11 = '''#if defined(__cplusplus)
#error "handle_map is C: compile its sources as C11, not as C++"
#elif !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
#error "handle_map needs C11: compile its sources with -std=c11, or /std:c11"
#else
'''
# The one header: what programs read at its head, and what is around the headers and sources.
ONE_HEAD = '''/* The library in one header. Define this in one C source, and include the header everywhere:
 *
 *     #define HANDLE_MAP_IMPLEMENTATION
 *     #include "handle_map.h"
 *
 * That source is C11, also with -std=c11 and behind other includes. It is not C++: a program
 * without C sources adds one with these two lines, which is compiled as C.
 *
 * A library that carries the header in itself defines one of these wherever it includes it:
 *
 *     #define HANDLE_MAP_PREFIX mylib_    // the linker sees mylib_hm_map_insert; sources stay
 *     #define HANDLE_MAP_STATIC           // all functions are static: for a single C source
 *
 * The first gives the prefix to functions, types and the namespace of the classes (mylib_hm::map),
 * not to macros and constants. So two libraries in a program can each carry a version of their own;
 * one source can include only one of them. The second implies HANDLE_MAP_IMPLEMENTATION. Debuggers
 * show containers by names that have no prefix. */
'''
ONE_API = '#if defined(HANDLE_MAP_STATIC)\n#define HM_API HM_UNUSED static\n'
ONE = '''#if defined(HM_VERSION_MAJOR) && !defined(@COPY@)
#error "this source has included another copy of handle_map.h"
#endif
#define @COPY@
#if defined(HANDLE_MAP_STATIC) && !defined(HANDLE_MAP_IMPLEMENTATION)
#define HANDLE_MAP_IMPLEMENTATION
#endif
#ifndef HM_PREFIXED
#ifdef HANDLE_MAP_IMPLEMENTATION
@FEATURES@
#endif
#ifdef HANDLE_MAP_PREFIX
#define HM_PREFIX_JOIN(prefix, name) prefix##name
#define HM_PREFIX_EXPAND(prefix, name) HM_PREFIX_JOIN(prefix, name)
#define HM_PREFIXED(name) HM_PREFIX_EXPAND(HANDLE_MAP_PREFIX, name)
#define HM_HAS_PREFIX 1
@NAMES@
#else
#define HM_PREFIXED(name) name
#define HM_HAS_PREFIX 0
#endif
#define HM_NAMESPACE HM_PREFIXED(hm)
#ifdef HANDLE_MAP_STATIC
#define HM_IS_STATIC 1
#else
#define HM_IS_STATIC 0
#endif

@HEADER@

/* A copy with another prefix declares another name. */
typedef char HM_PREFIXED(handle_map_is_here);
#endif
#if HM_HAS_PREFIX != defined(HANDLE_MAP_PREFIX) || HM_IS_STATIC != defined(HANDLE_MAP_STATIC)
#error "this source has included handle_map.h with another prefix, or only once as static"
#endif
HM_STATIC_ASSERT(sizeof(HM_PREFIXED(handle_map_is_here)) == 1, "one copy in a source");

#if defined(HANDLE_MAP_IMPLEMENTATION) && !defined(HANDLE_MAP_IS_IMPLEMENTED)
#define HANDLE_MAP_IS_IMPLEMENTED
@SOURCE@
#endif
'''
FEATURE = re.compile(r'^#if.*\n#define (_\w+_SOURCE)\b.*\n#endif\n', re.MULTILINE)
GUARD = re.compile(r'#ifndef (HANDLE_MAP_\w+_H)\n#define \1\n\n?(.*\n)#endif\n', re.DOTALL)
LISTED = re.compile(r'^ \*     (\w+)\.h  .*\n(?: \*      +.*\n)*', re.MULTILINE)
CONDITION = re.compile(r'#if(n?)def HM_(?:WITHOUT_)?(ORDER|ARENA|REPORT|HISTORY|EXHAUSTIVE)\b.*\n')
LANGUAGE = re.compile(r'^HM_END_C\n+((?:[^#\n].*\n|\n)*?)HM_BEGIN_C\n+', re.MULTILINE)

# The declaration of a function in a private header, and what comes before the name where one is
# defined.
PARAMETERS = r'\((?:[^;{}()]|\([^;{}()]*\))*\)'
TYPE = r'[A-Za-z_][\w \t*]*[ *]'
DECLARED = re.compile(fr'^(HM_COLD )?((?!static|typedef|return|HM_){TYPE}(\w+){PARAMETERS};\n)',
                      re.MULTILINE)

# For Chunk: what is no code, what may come before a function, a name, the beginning and the end of
# a pasted name, variables, and what defines names.
NOISE = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
ATTRIBUTE = re.compile(r'\bHM_PRINTF\(\d, \d\) (\w+)\s+')
NAME = re.compile(r'\b[A-Za-z_]\w*')
PASTED = re.compile(r'\b(?:(\w+_)##)?\w+(?:##(_\w+))?')
VARIABLES = re.compile(r'^extern [^;(]*;', re.MULTILINE)
DEFINITIONS = [re.compile(pattern, re.MULTILINE) for pattern in (
    r'^(?!typedef|return|#)[A-Za-z_][\w \t*]*[ *](\w+)\(',    # functions
    r'^#define (\w+)',
    r'^(?!typedef)[A-Za-z_][\w \t*]*[ *](\w+)(?:\[.*\])?(?: =.*|;)$',  # variables
    r'\b(?:struct|enum|union) (\w+) \{', r'^\} (\w+)', r'^typedef .*\b(\w+)(?:\([^*].*)?;$',
    r'^(?:enum \{ |    )([A-Z][A-Z0-9_]+)\b(?=[ ,]|$)',        # constants, and others of a line
    r', ([A-Z][A-Z0-9_]+) = ')]

# A part, how the names of its sources begin, and the parts that it needs.
DENSE = ['dense/dense.c', 'order/gather.c']
PARTS = {
    'order': (['order/'], []),
    'arena': (['memory/arena.c'], []),
    'id32': ([], []),
    'id_table': ([], []),
    'transpose': (['dense/transpose.c'], []),
    'hash': (['base/hash.c'], []),
    'sink': (['base/sink.c'], ['hash']),
    'history': (['memory/track.c', 'history/'], []),
    'map': ([*DENSE, 'dense/map.c'], []),
    'pool': (['pool/'], []),
    'table': ([*DENSE, 'dense/table'], []),
    'secondary': ([*DENSE, 'dense/secondary'], []),
    'lists': (['lists/'], []),
    'index': (['index/'], ['secondary', 'lists']),
    'world': (['world/'], ['order', 'secondary']),
    'directory': (['state/directory.c'], ['map', 'pool', 'table', 'lists', 'world']),
    'dump': (['state/dump.c'], ['sink', 'map', 'pool', 'table', 'secondary', 'lists', 'index', 'world']),
    'report': (['state/report'], ['dump']),
    'changes': (['state/changes', 'history/view.c'],
                ['hash', 'history', 'map', 'pool', 'table', 'secondary', 'lists', 'index', 'world']),
    'save': (['state/save', 'state/load_', 'state/merges.c'], ['sink', 'changes']),
}
HEADERS = {'world': ['query', 'commands']}  # of a part, beside the one that has its name
ALWAYS = ['handle_map', 'base', 'bits', 'handle', 'memory']  # the headers of every part


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def version():
    base = read(os.path.join(INCLUDE, 'handle_map', 'base.h'))
    return '.'.join(re.search(fr'#define HM_VERSION_{part} (\d+)', base).group(1)
                    for part in ('MAJOR', 'MINOR', 'PATCH'))


def title(what, is_short=False):
    """A comment that begins a file; a short one leaves the licence to handle_map.h."""
    licence = read(os.path.join(ROOT, 'LICENSE')).rstrip('\n').split('\n')
    lines = [f'handle_map {version()}: {what}',
             *(['Licence: see handle_map.h.'] if is_short else ['', *licence])]
    return SPDX + '/* ' + '\n'.join(f' * {line}'.rstrip() for line in lines)[3:] + ' */\n'


def without_licence(text):
    return text[len(SPDX):] if text.startswith(SPDX) else text


def complete(parts):
    """Returns the parts and all that they need."""
    needed, new = set(), set(parts)
    while new:
        needed |= new
        new = {need for part in new for need in PARTS[part][1]} - needed
    return needed


def sources_of(parts):
    """Returns the sources of these parts, and those that belong to no part, in their order."""
    def is_in(name, some):
        return any(name.startswith(group) for part in some for group in PARTS[part][0])
    names = read(os.path.join(SOURCES, 'sources.txt')).split()
    return [name for name in names if is_in(name, parts) or not is_in(name, PARTS)]


def settle(text, parts):
    """Leaves out the conditions HM_WITHOUT_X, and what they leave out of these parts; and that of
    the exhaustive search, which has smaller constants."""
    kept = []
    stack = []  # of each open condition: whether its lines stay; None: it is not ours
    for line in text.splitlines(keepends=True):
        condition, is_ours = CONDITION.fullmatch(line), False
        if condition:
            is_ours = True
            stack.append((condition.group(2).lower() in parts) == (condition.group(1) == 'n'))
        elif re.match(r'\s*#\s*if', line):
            stack.append(None)
        elif re.match(r'\s*#\s*endif', line):
            is_ours = stack.pop() is not None
        elif re.match(r'\s*#\s*else', line) and stack[-1] is not None:
            is_ours = True
            stack[-1] = not stack[-1]
        if not is_ours and False not in stack:
            kept.append(line)
    return ''.join(kept)


class Chunk:
    """Lines of C that belong together: up to an empty line that is not in braces."""

    def __init__(self, text):
        code = ATTRIBUTE.sub(r'\1 ', NOISE.sub(' ', text))
        self.text = text
        self.names = set(NAME.findall(code))
        self.pasted = set(PASTED.findall(code)) - {('', '')}  # around what a macro is given
        self.defined = {name for pattern in DEFINITIONS for name in pattern.findall(code)}
        for variables in VARIABLES.findall(code):
            self.defined.update(re.findall(r'(\w+)(?=[,;])', variables))
        self.is_comment = not code.strip()
        if re.search(r'^\s*#\s*(if|else|elif|endif|include|undef)', code, re.MULTILINE):
            self.defined.clear()  # It stays in any case.


def split(text):
    """Returns the chunks of a file."""
    chunks, lines, is_open = [], [], False
    for line in text.splitlines(keepends=True):
        lines.append(line)
        if re.match(r'\{|(?!static inline|\s|/|#).*\{$', line):
            is_open = True
        elif line.startswith('}'):
            is_open = False
        if line == '\n' and not is_open and '\\\n' not in lines[-2:-1]:
            chunks.append(Chunk(''.join(lines)))
            lines = []
    return [*chunks, Chunk(''.join(lines))]


def shake(texts, roots, parts, user):
    """Leaves out of texts, which are lists of pieces, what neither the pieces of the files `roots`
    nor what stays nor the text of a user names."""
    chunks = [(text, path, chunk) for text, pieces in enumerate(texts) for path, piece in pieces
              for chunk in split(piece)]
    kept, names, pasted = set(), set(NAME.findall(user)), set()

    def is_needed(name):
        """Or may be pasted together around the name of a part."""
        return name in names or any(
            name.startswith(beginning) and name.endswith(ending) and
            name[len(beginning):len(name) - len(ending)].removeprefix('hm_') in parts
            for beginning, ending in pasted)
    new = True
    while new:
        new = [chunk for _, path, chunk in chunks if chunk not in kept and not chunk.is_comment and
               (path in roots or not chunk.defined or any(map(is_needed, chunk.defined)))]
        kept.update(new)
        for chunk in new:
            names |= chunk.names
            pasted |= chunk.pasted
    # A comment alone is about what follows; that of a file goes if most of the file does.
    stays, weights, next_of = [], {}, {}
    for _, path, chunk in chunks:
        weights[path] = weights.get(path, 0) + (chunk in kept) - (not chunk.is_comment) / 2
    for text, path, chunk in reversed(chunks):
        if not chunk.is_comment:
            next_of[path] = chunk
        if chunk in kept or chunk.is_comment and next_of.get(path) in kept and weights[path] >= 0:
            stays.insert(0, (text, (path, chunk.text)))
    return [[piece for text, piece in stays if text == number] for number in range(len(texts))]


class Expander:
    """Reads files as pieces, pairs of a path and a text. An include of ours becomes the pieces of
    that file, the first time; later ones are dropped. With folders, headers keep their includes."""

    def __init__(self, parts, folders, keeps_guards):
        self.parts = parts
        self.keeps_guards = keeps_guards
        self.folders = folders
        self.done = set()
        self.headers = []  # with folders, their pieces
        others = {header for part in PARTS.keys() - parts
                  for header in (part, *HEADERS.get(part, ()))}
        self.left_out = {f'#include <handle_map/{header}.h>\n' for header in others}
        self.without_sources = {f'#include <handle_map/{part}.h>\n' for part in PARTS
                                if not PARTS[part][0]}

    def public(self, name):
        pieces = self.file(os.path.join(INCLUDE, name))
        if self.folders:
            self.headers += pieces
            return [('', f'#include <{name}>\n')]
        return pieces

    def list_header(self, match):
        """Leaves a header that is not there out of the list of them."""
        is_there = f'#include <handle_map/{match.group(1)}.h>\n' not in self.left_out
        return match.group(0) if is_there else ''

    def file(self, path):
        path = os.path.normpath(path)
        if path in self.done:
            return []
        self.done.add(path)
        pieces, lines = [], []
        text = settle(without_licence(read(path)), {*self.parts, 'exhaustive'})
        if path.endswith(MAIN):
            text = LISTED.sub(self.list_header, text)
        elif not self.keeps_guards:
            text = GUARD.sub(r'\2', text)
        for line in text.splitlines(keepends=True):
            public, private = PUBLIC.fullmatch(line), PRIVATE.fullmatch(line)
            if line in self.left_out and (path.endswith(MAIN) or path.startswith(SOURCES) and
                                          line not in self.without_sources):
                continue
            if not public and not private:
                lines.append(line)
            elif self.folders and public:
                self.public(public.group(1))
                lines.append(line)
            else:
                included = (self.public(public.group(1)) if public else
                            self.file(os.path.join(os.path.dirname(path), private.group(1))))
                pieces += [(path, ''.join(lines)), *included]
                lines = []
        return [*pieces, (path, ''.join(lines))]


def join(pieces):
    """Returns the text, without the empty lines around what was left out."""
    return re.sub('\n{3,}', '\n\n', ''.join(text for _, text in pieces))


def bare(text):
    """Leaves out comments, with the empty lines that follow those on lines of their own."""
    def keep(match):
        return match.group(0) if match.group(0).startswith('"') else ''
    text = re.sub(r'^[ \t]*/\*(?:(?!\*/).)*\*/[ \t]*\n\n?', '', text,
                  flags=re.DOTALL | re.MULTILINE)
    return re.sub(r'[ \t]*/\*(?:(?!\*/).)*\*/|"(?:\\.|[^"\\\n])*"', keep, text, flags=re.DOTALL)


def include_once(text):
    """Leaves out what an include outside all conditions has brought already."""
    kept, seen, depth = [], set(), 0
    for line in text.splitlines(keepends=True):
        depth += bool(re.match(r'#\s*if', line)) - bool(re.match(r'#\s*endif', line))
        if line in seen:
            continue
        if depth == 0 and line.startswith('#include <'):
            seen.add(line)
        kept.append(line)
    return ''.join(kept)


def hide(text):
    """Makes the variables of private headers static, or as HM_API says, and static the functions of
    which each platform has one. Not every configuration uses all."""
    exported = re.findall(r'^extern HM_API .*\b(\w+);', text, re.MULTILINE)

    def define(match):
        return ('HM_API ' if match.group(2) in exported else 'static ') + match.group(0)
    text = re.sub(r'(?<=\n|[ ])(?:const )?(\w+) (hm_\w+(?:##\w+)?)(?= = )', define, text)
    text = re.sub(r'^extern (HM_API )?(?=[^;(]*;)',
                  lambda match: match.group(1) or 'HM_UNUSED static ', text, flags=re.MULTILINE)
    text = re.sub(r'^static (?!inline)(?=[^;=(]*\bhm_\w+\()', 'HM_UNUSED static ', text,
                  flags=re.MULTILINE)
    return re.sub(r'^(?!static|typedef|return)(?=(?:HM_COLD )?(?:HM_PRINTF\(\d, \d\)\s+)?(?!HM_)'
                  fr'[A-Za-z_][\w\s*]*[\s*]hm_\w+{PARAMETERS};\n)',
                  'HM_UNUSED static ', text, flags=re.MULTILINE)


def code_sub(pattern, replacement, text):
    """Replaces what matches outside comments and strings."""
    return re.sub(f'(?s:{NOISE.pattern})|{pattern}',
                  lambda match: match.group(0) if match.group(0)[0] in '/"' else replacement, text)


def one_header(what, header, source, features):
    """Returns the one header. All that it defines is renamed by macros, if there is a prefix."""
    names = sorted(set(re.findall(r'\bhm_\w+', NOISE.sub(' ', header + source))))
    # In some configurations a macro has the name.
    header, source = (re.sub(r'^#define (hm_\w+)', r'#undef \1\n\g<0>', text, flags=re.MULTILINE)
                      for text in (header, source))
    before, api, behind = header.partition('#if defined(_WIN32) && defined(HM_BUILD_SHARED)\n')
    assert api
    copy = re.sub(r'\W', '_', f'HM_COPY_{version()}_{what}')
    replaced = {'FEATURES': features, 'SOURCE': source, 'COPY': copy,
                'NAMES': ''.join(f'#define {name} HM_PREFIXED({name})\n' for name in names),
                'HEADER': before + ONE_API + '#el' + api[1:] + behind}
    return title(f'one header, {what}') + re.sub(
        r'@(COPY)@|@(\w+)@\n', lambda match: replaced[match.group(1) or match.group(2)],
        ONE_HEAD + ONE)


def keep_inside(text):
    """Makes the functions of private headers static. Only those are declared that something names
    before they are defined."""
    for declared in [*DECLARED.finditer(text)]:
        attribute, plain, name = declared.groups(default='')
        definitions = re.findall(fr'^{TYPE}{name}{PARAMETERS}\n{{', text, re.MULTILINE)
        if len(definitions) != 1:  # Each platform has one.
            continue
        before, _, behind = text.partition(declared.group(0))
        between, _, behind = behind.partition(definitions[0])
        static = f'static {attribute}'
        is_named = re.search(fr'\b{name}\b', between)
        text = (before + (static + plain if is_named else '') + between + static + definitions[0] +
                behind)
    return re.sub('\n{3,}', '\n\n', text)


def feature_macros(names):
    """They must come before the first system header, which may be another source's."""
    macros = set()
    for name in names:
        macros.update(FEATURE.findall(read(os.path.join(SOURCES, name))))
    return ''.join(f'#ifndef {macro}\n#define {macro}\n#endif\n' for macro in sorted(macros))


def write(directory, name, text):
    path = os.path.join(directory, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8', newline='\n') as file:
        file.write(text)


def amalgamate(directory, parts, form):
    """No parts: all of them, and the classes for C++."""
    folders, is_one = form == 'folders', form == 'one'
    chosen = complete(parts) if parts else PARTS.keys()
    what = ' '.join(part for part in PARTS if part in chosen) if parts else 'all'
    main = '#include <handle_map/handle_map.h>\n' if folders else '#include "handle_map.h"\n'
    is_shaken = parts or is_one
    expander = Expander(chosen, folders, folders or not parts)
    header = expander.public(MAIN)
    classes = join(expander.public('handle_map/handle_map.hpp')) if not parts else ''
    if folders:
        header, expander.folders = expander.headers, False
        expander.keeps_guards = not parts
    names = sources_of(chosen)
    poison = expander.file(os.path.join(SOURCES, 'memory/poison_private.h'))
    source = [piece for name in names for piece in expander.file(os.path.join(SOURCES, name))]
    if is_shaken:
        roots = {os.path.join(INCLUDE, 'handle_map', f'{name}.h')
                 for part in chosen for name in (*ALWAYS, part, *HEADERS.get(part, ()))}
        header, poison, source = shake([header, poison, source], roots, chosen, classes)
        header = [(path, bare(piece) if f'{os.sep}detail{os.sep}' in path else piece)
                  for path, piece in header]
    text = FEATURE.sub('', include_once(join(source)))
    early = join(poison)
    if is_shaken:  # Of what conditions keep, not all is used.
        early = bare(early)
        text = re.sub('^static inline', 'HM_UNUSED static inline', bare(text), flags=re.MULTILINE)
        text = keep_inside(text)
    public = LANGUAGE.sub(r'\1', join(header))
    if is_one:
        source = IF_C11 + early + hide(text) + '#endif\n'
        write(directory, 'handle_map.h', one_header(what, public, source, feature_macros(names)))
        classes = code_sub(r'\bhm(?=::|\n\{)', 'HM_NAMESPACE', classes)
    else:
        write(directory, 'handle_map.c',
              title(f'sources, {what}, to be compiled once, as C11', parts and not folders) + IF_C11 +
              feature_macros(names) + early + main + text + '#endif\n')
    if form is None:
        write(directory, 'handle_map.h', title(f'public headers, {what}') + public)
    if classes and not folders:
        write(directory, 'handle_map.hpp', title('classes for C++17') + main + classes)
    for path in dict(header) if folders else ():
        write(directory, os.path.relpath(path, INCLUDE),
              SPDX + join(piece for piece in header if piece[0] == path))


def main():
    options = argparse.ArgumentParser(usage='amalgamate.py [--folders | --one] DIR [PART...]',
                                      description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    form = options.add_mutually_exclusive_group()
    form.add_argument('--folders', dest='form', action='store_const', const='folders',
                      help='keep headers as files')
    form.add_argument('--one', dest='form', action='store_const', const='one',
                      help='put the sources into the header')
    options.add_argument('directory', metavar='DIR')
    options.add_argument('parts', metavar='PART', nargs='*', help=' '.join(PARTS))
    given = options.parse_args()
    for part in set(given.parts) - PARTS.keys():
        options.error(f'there is no part {part!r}; there are {" ".join(PARTS)}')
    try:
        amalgamate(given.directory, given.parts, given.form)
    except OSError as error:
        sys.exit(f'amalgamate.py: {error}')


if __name__ == '__main__':
    main()
