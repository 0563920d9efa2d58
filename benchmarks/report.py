#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report.py DIRECTORY: makes tables of the figures of suite, fresh and count.

Reads every suite-*.json, fresh-*.json and callgrind.out.* of the directory and prints the tables.
It writes them to report.md there too, of which docs/figures/suite.md is a copy, with the data files
that suite.gp draws. Figures are medians of the repetitions, with the least and the greatest; ratios
are of medians, ours to theirs, so that less is better. A ratio within 15% of 1 is a tie and marked
with ~; a goal missed by less than 15% is a tie with the goal.
"""

import collections
import glob
import json
import os
import statistics
import sys

HEAD = '''# Figures of the suite

What `benchmarks/report.py` makes of the figures of `suite`, `fresh` and `count`.
[benchmarks.md](../benchmarks.md) says how they are measured and read.

'''
TIE = 1.15
SIZE, ITEMS = 40, 1000000  # in the tables that show one size only
ARTICLE_ITEMS = 100000
ARRAY, VECTOR, POINTERS = 'plain array', 'std::vector', 'vector of unique_ptr'
DENSE = ['vector-backed map', 'Rust DenseSlotMap', 'std::unordered_map', 'absl::flat_hash_map']
HOLED = ['Rust SlotMap', 'Rust HopSlotMap', 'plf::colony']
POOLS = ['hm_pool', 'hm_pool fixed', 'hm_pool growing', 'hm_pool batch']
BATCH, HUGE = 'hm_map batch', 'hm_map huge pages'
FORMS = ['hm_map', 'hm_map untyped', BATCH, HUGE]
ROWS = ['insert fresh', 'create', 'insert warm', 'iterate', 'lookup in order', 'lookup random',
        'lookup half stale', 'validity half stale', 'churn', 'pair at one slot',
        'churn in batches', 'erase all', 'refill', 'clear', 'worst insert']
SMALL = 'create again'  # only in small containers
# The rows of ratios.svg, as it names them. The worst insert and clear are left out: their ratios
# would need a far longer axis.
IN_WORDS = {
    'insert fresh': 'insert, new process', 'create': 'init, then insert',
    'insert warm': 'insert after a clear', 'iterate': 'visit all',
    'lookup in order': 'look up, in order', 'lookup random': 'look up, random',
    'lookup half stale': 'look up, half stale', 'validity half stale': 'is it alive, half stale',
    'churn': 'erase 1, insert 1', 'churn in batches': 'erase 256, insert 256',
    'erase all': 'erase all, random', 'refill': 'fill up again',
}
GROWN = ['insert warm', 'iterate', 'lookup random', 'churn']  # the rows of growth.svg

# Goals of hm_map: its time at most, as a share of the named container's.
PEER = 'the best dense peer'
MAP_GOALS = {
    'insert fresh': (0.6, PEER), 'iterate': (1.1, ARRAY), 'lookup in order': (1.0, PEER),
    'lookup random': (1.0, PEER), 'lookup half stale': (0.9, PEER), 'churn': (1.0, PEER),
    'churn in batches': (0.5, PEER),
    'erase all': (0.65, PEER), 'refill': (0.4, PEER), 'worst insert': (1 / 50, VECTOR),
}
# Goals of hm_pool: its time at most, as a share of each named container's.
POOL_GOALS = [
    ('insert fresh', 1 / 2, [VECTOR]), ('worst insert', 1 / 50, [VECTOR]),
    ('iterate', 1.05, [ARRAY]), ('lookup random', 1.0, ['Rust SlotMap']),
    ('erase all', 1 / 1.3, ['vector-backed map', 'hm_map']),
    ('erase all', 1 / 1.2, ['Rust SlotMap']), ('refill', 1 / 1.5, HOLED),
]
# Goals of single calls and small containers: at most a share of the best of these containers' times.
# Size and number 0: wherever the row was measured with at most ARTICLE_ITEMS.
SINGLE_GOALS = [
    ('erase all', SIZE, ITEMS, 'hm_map', DENSE, 1.0),
    ('churn', SIZE, ITEMS, 'hm_map', DENSE, 0.9),
    ('validity half stale', SIZE, ITEMS, 'hm_map', DENSE, 1.2),
    ('lookup in order', 0, 0, 'hm_map', DENSE, 1.05),
    ('lookup random', 0, 0, 'hm_map', DENSE, 1.05),
    (SMALL, 8, 1000, 'hm_map arena', DENSE + HOLED + [VECTOR], 2.0),
    ('churn', SIZE, ITEMS, 'hm_pool', ['Rust SlotMap'], 1.1),
    ('churn in batches', SIZE, ITEMS, 'hm_pool', ['Rust SlotMap'], 1.3),
    ('erase all', SIZE, 10 * ITEMS, 'hm_pool', ['Rust SlotMap'], 1.2),
]
LONGEST_PAUSE = 30000  # ns: the p99.99 of single inserts into a map that grows from nothing


class Figures:
    """values[size, items][row][container]: the repetitions, in ns an operation or bytes an item."""

    def __init__(self, directory):
        self.values = collections.defaultdict(
            lambda: collections.defaultdict(lambda: collections.defaultdict(list)))
        self.missing = set()
        for path in sorted(glob.glob(os.path.join(directory, 'suite-*.json'))):
            self.read_suite(json.load(open(path, encoding='utf-8')))
        for path in sorted(glob.glob(os.path.join(directory, 'fresh-*.json'))):
            self.read_fresh(json.load(open(path, encoding='utf-8')))

    def place(self, data):
        return self.values[int(data['context']['item_size']), int(data['context']['items'])]

    def read_suite(self, data):
        self.missing.update(data['context']['missing'].split(','))
        for run in data['benchmarks']:
            if run['run_type'] != 'iteration':
                continue
            for row in ROWS + [SMALL]:
                if row in run:
                    container = run['run_name'].split('/')[1]
                    self.place(data)[row][container].append(run[row])

    def read_fresh(self, data):
        names = {'ns': 'insert fresh', 'worst': 'worst insert'}
        for entry in data['fresh']:
            for process in entry['processes']:
                for name, value in process.items():
                    if entry['container'] == BATCH and name in ('worst', 'p50', 'p99.99'):
                        continue  # a batch of one is none
                    row = names.get(name, name)
                    self.place(data)[row][entry['container']].append(value)

    def all(self, where, row, container):
        return self.values.get(where, {}).get(row, {}).get(container, [])

    def median(self, where, row, container):
        """None if it was not measured."""
        values = self.all(where, row, container)
        return statistics.median(values) if values else None

    def best(self, where, row, containers):
        """The fastest of the containers, or None."""
        measured = [c for c in containers if self.all(where, row, c)]
        return min(measured, key=lambda c: self.median(where, row, c), default=None)

    def ratio(self, where, row, ours, theirs):
        a = self.median(where, row, ours)
        b = self.median(where, row, theirs) if theirs else None
        return a / b if a is not None and b else None

    def places(self, size, row):
        """The numbers of items at which a row was measured."""
        return sorted(n for s, n in self.values if s == size and self.values[s, n].get(row))

    def where(self, row):
        """The size and number of items at which the tables of one size show a row."""
        measured = self.places(SIZE, row)
        if row == 'worst insert' and measured:
            return SIZE, measured[-1]
        return SIZE, ITEMS if ITEMS in measured or not measured else measured[-1]


def number(value):
    if value is None:
        return '-'
    digits = 0 if value >= 1000 else 1 if value >= 100 else 2 if value >= 0.1 else 4
    return f'{value:,.{digits}f}'


def spread(figures, where, row, container):
    values = figures.all(where, row, container)
    if not values:
        return '-'
    return f'{number(statistics.median(values))} ({number(min(values))}..{number(max(values))})'


def ratio_text(ratio):
    if ratio is None:
        return '-'
    return f'{ratio:.{3 if ratio < 0.1 else 2}f}' + ('~' if 1 / TIE < ratio < TIE else '')


def verdict(ratio, bound):
    if ratio is None:
        return '-'
    return 'met' if ratio <= bound else 'tie' if ratio <= bound * TIE else 'MISSED'


def table(title, head, rows):
    """Markdown, aligned so that its source can be read."""
    rows = [row for row in rows if any(cell not in ('-', '') for cell in row[1:])]
    if not rows:
        return ''
    widths = [max(len(str(row[i])) for row in [head] + rows) for i in range(len(head))]

    def line(cells):
        first = str(cells[0]).ljust(widths[0])
        return '| ' + ' | '.join([first] + [str(c).rjust(w) for c, w in
                                            list(zip(cells, widths))[1:]]) + ' |\n'
    ruler = '|' + '|'.join(('-' * (w + 1) + ':') if i else '-' * (w + 2)
                           for i, w in enumerate(widths)) + '|\n'
    return f'## {title}\n\n' + line(head) + ruler + ''.join(map(line, rows)) + '\n'


def count_text(n):
    return f'{n:,}'


def label(figures, row):
    n = figures.where(row)[1]
    return row if n == ITEMS else f'{row}, {count_text(n)}'


def map_table(figures):
    rows = []
    for row in ROWS:
        where = figures.where(row)
        peer = figures.best(where, row, DENSE)
        bound, against = MAP_GOALS.get(row, (None, None))
        rival = peer if against == PEER else against

        def answer(ours):
            ratio = figures.ratio(where, row, ours, rival)
            if bound is None or ratio is None:
                return '-'
            return f'{ratio_text(ratio)} {verdict(ratio, bound)}'
        rows.append([label(figures, row), spread(figures, where, row, 'hm_map'),
                     spread(figures, where, row, BATCH), spread(figures, where, row, ARRAY),
                     spread(figures, where, row, peer), peer or '-',
                     ratio_text(figures.ratio(where, row, 'hm_map', ARRAY)),
                     ratio_text(figures.ratio(where, row, 'hm_map', peer)),
                     ratio_text(figures.ratio(where, row, BATCH, peer)),
                     f'{bound:.2f} of {against}' if bound else '-', answer('hm_map'),
                     answer(BATCH)])
    head = ['ns an operation', 'hm_map', BATCH, ARRAY, 'best dense peer', 'which', 'to the array',
            'to the peer', 'batch to the peer', 'goal', 'single calls', 'batch']
    return table(f'hm_map, {count_text(ITEMS)} items of {SIZE} bytes', head, rows)


def pool_table(figures):
    rows = []
    for row in ROWS:
        where = figures.where(row)
        best = figures.best(where, row, HOLED)
        rows.append([label(figures, row)] + [spread(figures, where, row, c) for c in POOLS] +
                    [number(figures.median(where, row, c)) for c in HOLED + [ARRAY]] +
                    [ratio_text(figures.ratio(where, row, c, best)) for c in POOLS])
    head = ['ns an operation'] + POOLS + HOLED + [ARRAY] + \
        ['ratio to the best'] + [p.replace('hm_pool ', '') for p in POOLS[1:]]
    return table(f'hm_pool, {count_text(ITEMS)} items of {SIZE} bytes', head, rows)


def pool_goals(figures):
    rows = []
    for row, bound, rivals in POOL_GOALS:
        for n in figures.places(SIZE, row):
            for rival in rivals if n >= ITEMS else []:
                ratios = [figures.ratio((SIZE, n), row, pool, rival) for pool in POOLS]
                if any(ratio is not None for ratio in ratios):
                    rows.append([f'{row}, {count_text(n)}', rival, f'{bound:.2f}'] +
                                ['-' if r is None else f'{ratio_text(r)} {verdict(r, bound)}'
                                 for r in ratios])
    return table('Goals of hm_pool: ratio at most', ['', 'against', 'goal'] + POOLS, rows)


def single_goals(figures):
    rows = []
    for row, size, items, ours, rivals, bound in SINGLE_GOALS:
        for where in sorted(figures.values):
            if where != (size, items) and (size or where[1] > ARTICLE_ITEMS):
                continue
            peer = figures.best(where, row, rivals)
            ratio = figures.ratio(where, row, ours, peer)
            if ratio is not None:
                rows.append([f'{row}, {count_text(where[1])} of {where[0]} bytes', ours,
                             spread(figures, where, row, ours), peer,
                             spread(figures, where, row, peer), f'{bound:.2f}',
                             f'{ratio_text(ratio)} {verdict(ratio, bound)}'])
    where = figures.where('worst insert')
    pause = figures.median(where, 'p99.99', 'hm_map')
    if pause is not None:
        rows.append([f'p99.99 of inserts, {count_text(where[1])} of {where[0]} bytes', 'hm_map',
                     spread(figures, where, 'p99.99', 'hm_map'), '-', '-',
                     f'{number(LONGEST_PAUSE)} ns', verdict(pause / LONGEST_PAUSE, 1)])
    return table('Goals of single calls and of small containers',
                 ['', 'ours', 'ns', 'the best of its peers', 'ns', 'goal', ''], rows)


def article_table(figures):
    where = SIZE, ARTICLE_ITEMS
    containers = [POINTERS, VECTOR, 'std::unordered_map', 'vector-backed map'] + FORMS
    shown = ['create', 'insert warm', 'iterate', 'lookup in order', 'lookup random', 'clear']
    rivals = {'create': POINTERS, 'insert warm': POINTERS, 'lookup in order': 'std::unordered_map',
              'lookup random': 'std::unordered_map'}
    rows = []
    for row in shown:
        best = figures.best(where, row, FORMS)
        ratio = figures.ratio(where, row, best, rivals.get(row))
        goal = f'20 times {rivals[row]}' if row in rivals else \
            'constant time' if row == 'clear' else '-'
        measured = f'{1 / ratio:.1f} times ({best})' if ratio else '-'
        if row == 'clear':
            totals = [(n, figures.median((SIZE, n), row, 'hm_map')) for n in
                      figures.places(SIZE, row)]
            measured = ', '.join(f'{ns * n:.0f} ns at {count_text(n)}' for n, ns in totals
                                 if ns is not None)
        rows.append([row] + [number(figures.median(where, row, c)) for c in containers] +
                    [goal, measured])
    title = f"The rows of Kiah's article, {count_text(ARTICLE_ITEMS)} items of {SIZE} bytes, " \
            'ns an item'
    return table(title, [''] + containers + ['goal', 'best form of hm_map'], rows)


def forms_table(figures):
    rows = []
    for row in ROWS:
        where = figures.where(row)
        rows.append([label(figures, row)] + [spread(figures, where, row, c) for c in FORMS] +
                    [ratio_text(figures.ratio(where, row, c, 'hm_map')) for c in FORMS[1:]] +
                    [ratio_text(figures.ratio(where, row, HUGE, figures.best(where, row, DENSE)))])
    return table(f'Forms of call, {count_text(ITEMS)} items of {SIZE} bytes, ns an operation',
                 [''] + FORMS + ['untyped / typed', 'batch / typed', 'huge / typed',
                                 'huge / best dense peer'], rows)


def fresh_table(figures):
    where = figures.where('worst insert')
    containers = sorted(figures.values.get(where, {}).get('insert fresh', {}),
                        key=lambda c: figures.median(where, 'insert fresh', c))
    names = ['insert fresh', 'p50', 'p99.99', 'worst insert', 'bytes', 'most bytes']
    rows = [[c] + [spread(figures, where, names[0], c)] +
            [number(figures.median(where, name, c)) for name in names[1:]] for c in containers]
    return table(f'Filling from nothing, a process each: {count_text(where[1])} items of '
                 f'{where[0]} bytes',
                 ['', 'ns an insert', 'single: p50', 'p99.99', 'worst, ns',
                  'resident bytes an item', 'at most'], rows)


def small_table(figures):
    measured = [where for where in sorted(figures.values) if figures.values[where].get(SMALL)]
    rows = []
    for where in measured:
        for c in sorted(figures.values[where][SMALL],
                        key=lambda c: figures.median(where, SMALL, c)):
            rows.append([f'{count_text(where[1])} of {where[0]} bytes', c,
                         spread(figures, where, SMALL, c)] +
                        [ratio_text(figures.ratio(where, SMALL, c, figures.best(
                            where, SMALL, rivals))) for rivals in (DENSE, [VECTOR])])
    return table('Small containers, made, filled and dropped again and again',
                 ['items', '', 'ns an item', 'to the best dense peer', 'to std::vector'], rows)


def read_counts(directory):
    """Returns container -> row -> instructions, reads and writes of an operation, from callgrind's
    dumps: a file for each container and row."""
    counts = collections.defaultdict(dict)
    for path in glob.glob(os.path.join(directory, 'callgrind.out.*')):
        wanted = 'desc: Trigger: Client Request: ', 'events: ', 'totals: '
        lines = dict(line.rstrip('\n').split(': ', 1) for line in open(path, encoding='utf-8')
                     if line.startswith(wanted))
        name = lines.get('desc', '').replace('Trigger: Client Request: ', '')
        if name.count('/') != 2:
            continue
        container, row, operations = name.split('/')
        totals = dict(zip(lines['events'].split(), map(int, lines['totals'].split())))
        counts[container][row] = [totals[event] / int(operations) for event in ('Ir', 'Dr', 'Dw')]
    return counts


def count_text_of(counts, container, row):
    values = counts.get(container, {}).get(row)
    return ' / '.join(f'{value:.0f}' for value in values) if values else '-'


def count_table(counts):
    head = ['lookup random', 'churn', 'erase', 'refill']
    rows = [[container] + [count_text_of(counts, container, row) for row in head]
            for container in sorted(counts) if ' in C' not in container]
    return table(f'Instructions / reads / writes of memory, an operation, items of {SIZE} bytes',
                 [''] + head, rows)


def classes_table(counts):
    shown = ['insert', 'create', 'get', 'has', 'replace', 'iterate', 'each', 'each as a range',
             'erase', 'destroy']
    rows = [[f'{kind}: {row}'] + [count_text_of(counts, f'{kind} in {language}', row)
                                  for language in ('C', 'C++')]
            for kind in ('map', 'pool', 'world') for row in shown]
    return table('C++ against C, instructions / reads / writes of memory, an operation',
                 ['', 'C', 'C++'], rows)


def grid_table(figures, title, ours, rivals):
    places = [where for where in sorted(figures.values)
              if any(figures.values[where].get(row) for row in ROWS)]
    if len(places) < 3:
        return ''
    rows = []
    for row in ROWS:
        cells = [ratio_text(figures.ratio(w, row, ours, figures.best(w, row, rivals)))
                 for w in places]
        rows.append([row] + cells)
    return table(title, [''] + [f'{s} B x {count_text(n)}' for s, n in places], rows)


def write_data(figures, directory):
    """ratios.dat: the row; the ratios of hm_map and its batch form to the best dense peer, and that
    peer; the ratios of the three pools to the best peer with holes, and that peer.
    ratios.gp: the number of rows, the least ratio and the greatest.
    growth.dat: a block for each row, with the number of items, and hm_map, array, best dense peer
    and hm_map's batch form in ns an operation.
    growth.gp: the names of these rows, and the columns of array and batch form; if a row has none,
    the column of hm_map, whose line hides it."""
    def plain(value):
        return 'nan' if value is None else f'{value:.6g}'
    lines, ratios = [], []
    for row, words in IN_WORDS.items():
        where = figures.where(row)
        dense, holed = (figures.best(where, row, peers) for peers in (DENSE, HOLED))
        if not figures.all(where, row, 'hm_map'):
            continue
        cells = [figures.ratio(where, row, ours, dense) for ours in ('hm_map', BATCH)] + \
            [figures.ratio(where, row, pool, holed) for pool in POOLS[:3]]
        ratios += [ratio for ratio in cells if ratio is not None]
        texts = list(map(plain, cells))
        lines.append(f'"{words}" {" ".join(texts[:2])} "{dense or "-"}" {" ".join(texts[2:])} '
                     f'"{holed or "-"}"\n')
    with open(os.path.join(directory, 'ratios.dat'), 'w', encoding='utf-8') as file:
        file.writelines(lines)
    with open(os.path.join(directory, 'ratios.gp'), 'w', encoding='utf-8') as file:
        file.write(f'rows = {len(lines)}\nlow = {min(ratios):.6g}\nhigh = {max(ratios):.6g}\n')
    grown = [row for row in GROWN if figures.places(SIZE, row)]
    with open(os.path.join(directory, 'growth.dat'), 'w', encoding='utf-8') as file:
        for row in grown:
            for n in figures.places(SIZE, row):
                peer = figures.best((SIZE, n), row, DENSE)
                medians = [figures.median((SIZE, n), row, c)
                           for c in ('hm_map', ARRAY, peer, BATCH)]
                file.write(f'{n} {" ".join(map(plain, medians))}\n')
            file.write('\n\n')
    with open(os.path.join(directory, 'growth.gp'), 'w', encoding='utf-8') as file:
        file.write('rows = "' + ' '.join(f"'{IN_WORDS[row]}'" for row in grown) + '"\n')
        for name, container, column in ('array', ARRAY, '3'), ('batch', BATCH, '5'):
            columns = [column if any(figures.all((SIZE, n), row, container)
                                     for n in figures.places(SIZE, row)) else '2' for row in grown]
            file.write(f'{name}_columns = "{" ".join(columns)}"\n')


def left_out(figures):
    """Lists the containers that were not measured at each size."""
    def containers(where):
        return {c for row in figures.values[where].values() for c in row}
    everything = set().union(*map(containers, figures.values))
    text = ''
    for size, n in sorted(figures.values):
        absent = sorted(everything - containers((size, n)))
        if absent:
            text += f'- Not measured with {count_text(n)} items of {size} bytes: ' \
                    f'{", ".join(absent)}.\n'
    missing = sorted(figures.missing - {''})
    if missing:
        text += f'- Not on this machine, so left out: {", ".join(missing)}.\n'
    return text


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    figures = Figures(sys.argv[1])
    if not figures.values:
        sys.exit(f'report.py: no figures in {sys.argv[1]}')
    counts = read_counts(sys.argv[1])
    text = ''.join([
        HEAD, map_table(figures), pool_table(figures), pool_goals(figures), single_goals(figures),
        article_table(figures),
        forms_table(figures), fresh_table(figures), small_table(figures),
        count_table(counts), classes_table(counts),
        grid_table(figures, 'hm_map to the best dense peer, everywhere', 'hm_map', DENSE),
        grid_table(figures, 'hm_map to the plain array, everywhere', 'hm_map', [ARRAY]),
        grid_table(figures, 'hm_pool to the best of ' + ', '.join(HOLED), 'hm_pool', HOLED),
        left_out(figures),
    ])
    print(text, end='')
    with open(os.path.join(sys.argv[1], 'report.md'), 'w', encoding='utf-8') as file:
        file.write(text)
    write_data(figures, sys.argv[1])


if __name__ == '__main__':
    main()
