#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""filter.py FILE: prints a header, or a page in Markdown, as Doxygen wants to read it.

The headers are written for readers, with plain comments. Doxygen takes only those that begin in its
own way: /** before a declaration, /**< behind a field, and @file for that of the whole file. Indented
lines, which are pictures and examples, become code. A comment with an empty line after it belongs to
no declaration, and is left out. A line that defines typed functions becomes what the compiler, $CC
or cc, makes of it, without the functions' bodies.

In Markdown each heading gets the name that links to it use.
"""

import os
import re
import subprocess
import sys

# Typed functions whose untyped form has another name or other parameters.
OWN_TEXT = {
    'hm_handle_null': 'Returns the null handle.',
    'hm_map_init': 'Calls hm_map_init() with this capacity and the defaults.',
    'hm_map_init_desc': 'Calls hm_map_init(), which ignores the size and the alignment in desc.\n\n'
                        '@copydoc hm_map_init',
}


def escaped(text):
    """Words that Doxygen would take for a command, a tag or a link. Code between backticks has only
    its ampersands replaced."""
    parts = text.split('`')
    for i, part in enumerate(parts):
        if i % 2 == 1:
            parts[i] = part.replace('&', '&amp;')
            continue
        part = re.sub(r'([\\@&$#<>])', r'\\\1', part)
        parts[i] = part.replace('::', r'\::').replace('%', r'\%').replace('"', r'\"')
    return '`'.join(parts)


def body(lines):
    """The text of a comment, without its frame."""
    first = re.sub(r'^\s*/\* ?', '', lines[0])
    rest = [re.sub(r'^\s*\*? ?', '', line, count=1) if re.match(r'^\s*\*(?!/)', line)
            else line.strip() for line in lines[1:]]
    text = [first, *rest]
    text[-1] = re.sub(r'\s*\*/\s*$', '', text[-1])
    return text


def documented(text):
    """Indented lines become code after "example:", else a picture; the rest is escaped."""
    result, end = [], None
    for line in text:
        # Within a picture a line may begin further to the left than the first.
        is_indented = line.startswith('    ' if end is None else ' ')
        if is_indented and end is None:
            before = ' '.join(result[-2:]).rstrip().lower()
            end = '@endcode' if before.endswith('example:') else '@endverbatim'
            result.append('@code{.c}' if end == '@endcode' else '@verbatim')
        if end is not None and line.strip() and not is_indented:
            while not result[-1].strip():
                result.pop()
            result += [end, '']
            end = None
        result.append(escaped(line) if end is None else line)
    if end is not None:
        result.append(end)
    return result


def comment(lines, opening):
    result, is_picture = [opening], False
    for line in documented(body(lines)):
        # Doxygen strips the frame from all but pictures.
        result.append(line if is_picture else f' * {line}'.rstrip())
        is_picture = line == '@verbatim' or (is_picture and line != '@endverbatim')
    return [*result, ' */']


def trailing(line, rest):
    """A comment behind a field or a constant, which may go on in the next lines."""
    before, _, after = line.partition('/*')
    text = ' '.join(part.strip() for part in [after, *rest])
    text = re.sub(r'\s*\*/\s*$', '', text)
    return f'{before}/**< {escaped(text.strip())} */'


def take_comment(lines, at):
    end = at
    while '*/' not in lines[end]:
        end += 1
    return end


def compiled(line):
    """What the compiler makes of a line that is in C, with the library's macros."""
    mark = 'after_the_headers'
    made = subprocess.run(
        [os.environ.get('CC', 'cc'), '-std=c11', '-E', '-P', '-I', 'include', '-x', 'c', '-'],
        input=f'#include <handle_map/handle_map.h>\n{mark}\n{line}\n',
        stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout
    made = ' '.join(made.split(mark)[1].split())
    for internal, public in (('hm_self', 'map'), ('hm_named', 'handle'), ('_Bool', 'bool')):
        made = re.sub(fr'\b{internal}\b', public, made)
    made = re.sub(r'\bhm_(\w+)(?=[,)])', r'\1', made)  # the names of parameters
    return re.sub(r'\* +', '*', made)


def typed(line):
    """Declares the functions that a line defines; each has the text of its untyped form."""
    prefix = re.match(r'\w+\((\w+)', line).group(1)
    made = compiled(line)
    result = []
    for struct, name in re.findall(r'(struct (\w+) \{[^}]*\}) \2;', made):
        if not name.endswith('_call'):
            result += [f'/** Defined by {escaped(line)}. */', f'typedef {struct} {name};']
    for kind, name, parameters in re.findall(
            r'static inline ([^;{}()]*?) ?(\w+) ?(\((?:[^()]|\([^()]*\))*\)) \{', made):
        untyped = re.sub(f'^{prefix}_', 'hm_', name)
        if not name.endswith('_ask'):
            text = OWN_TEXT.get(untyped, f'The typed form of {untyped}.\n\n@copydoc {untyped}')
            result += [f'/** {text} */', f'static inline {kind} {name}{parameters};']
    return result


def anchor(page, title):
    """The name of a heading: unlike elsewhere, one name space holds those of all pages."""
    words = re.sub(r'[^\w\- ]', '', title.strip().lower()).replace(' ', '-')
    return f'{page}-{words}'


def prose(page, text, used):
    """Markdown without blocks of code. Doxygen takes a single quote for the end of code in single
    backticks, and shows a link to a file that is no page as it is written."""
    def named(heading):
        name = anchor(page, heading.group(2))
        times = used[name] = used.get(name, -1) + 1  # a name's second heading ends with -1
        return f'{heading.group(0)} {{#{name}-{times}}}' if times else \
            f'{heading.group(0)} {{#{name}}}'

    text = re.sub(r"`((?:[^`\n]|\n(?!\n))*)`", lambda code:
                  f'``{code.group(1)}``' if "'" in code.group(1) else code.group(0), text)
    text = re.sub(r'(?m)^(#{2,}) (.*)$', named, text)
    text = re.sub(r'!\[([^]]+)\]', lambda alt: f'![{" ".join(alt.group(1).split())}]', text)
    text = re.sub(r'\]\(#([^)]+)\)', fr'](#{page}-\1)', text)
    text = re.sub(r'\]\((?:\w+/|\.\./)?(\w+)\.md#([^)]+)\)',
                  lambda link: f'](#{link.group(1).lower()}-{link.group(2)})', text)
    text = re.sub(r'\]\((?:docs|\.\.)/(\w+\.(?:png|svg))\)', r'](\1)', text)  # beside the pages
    # What is neither a page nor a picture is not in the reference.
    return re.sub(r'(?<!!)\[([^]]+)\]\((?!\w+:|#|[^)]+\.md\))[^)]+\)', r'\1', text)


def markdown(path, lines):
    page = os.path.splitext(os.path.basename(path))[0].lower()
    used = {}
    parts = re.split(r'(?ms)(^```.*?^```$)', '\n'.join(lines))  # every second one is code
    parts[::2] = [prose(page, part, used) for part in parts[::2]]
    return ''.join(parts).split('\n')


def header(lines):
    result, at, is_file = [], 0, True
    while at < len(lines):
        line = lines[at]
        stripped = line.strip()
        if stripped.startswith('/* SPDX'):
            at += 1
            continue
        if re.match(r'HM_\w+_DEFINE\(', line):
            result += typed(line)
            at += 1
            continue
        if stripped.startswith('/*'):
            end = take_comment(lines, at)
            if is_file or lines[end + 1].strip():
                result += comment(lines[at:end + 1], '/** @file' if is_file else '/**')
            is_file = False
            at = end + 1
            continue
        if '/*' in line and not line.rstrip().endswith('\\') and not stripped.startswith('#'):
            end = take_comment(lines, at)
            result.append(trailing(line, lines[at + 1:end + 1]))
            at = end + 1
            continue
        result.append(line)
        at += 1
    return result


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    path = sys.argv[1]
    with open(path, encoding='utf-8') as file:
        lines = file.read().split('\n')
    print('\n'.join(markdown(path, lines) if path.endswith('.md') else header(lines)))


if __name__ == '__main__':
    main()
