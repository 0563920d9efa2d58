#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""command_lines.py PROGRAM...: runs the examples as a user would. They print their options with
--help, refuse what is wrong before any work and name it, and say on long work how far they are. The
demo has a check of its own, since it has more to show."""

import os
import re
import subprocess
import sys
import tempfile
import threading
import time

from counted import check, print_count

HANG = 900  # seconds: a limit that only ends a hang

# Options for little work, those that replace them for work without an end, and those that name a
# file.
PROGRAMS = {
    'broadphase': (['--count', '300', '--frames', '5', '--runs', '1', '--changes', '3'],
                   ['--frames', '1000000'], ['--csv']),
    'parallel': (['--count', '300', '--frames', '5'], ['--frames', '10000000'], []),
    'particles': (['--count', '300', '--frames', '5', '--repetitions', '1'],
                  ['--frames', '1000000'], ['--out']),
    'resources': (['--files', '20', '--seconds', '1', '.'], ['--seconds', '1000000', '.'], []),
    'rollback': (['--drones', '50', '--frames', '30'], ['--frames', '10000000'], ['--csv']),
    'streamer': (['--props', '300', '--frames', '5'], ['--frames', '1000000'], ['--dir']),
    'undo': (['--shapes', '300', '--changes', '50'],
             ['--shapes', '10000000', '--changes', '10000000'], []),
    'world': (['--count', '300', '--frames', '5'], ['--frames', '10000000'], []),
}


class Example:
    def __init__(self, path, directory):
        self.path = os.path.abspath(path)
        self.name = os.path.basename(path)
        self.directory = directory
        self.little, self.endless, self.files = PROGRAMS[self.name]

    def run(self, *arguments):
        return subprocess.run([self.path, *arguments], cwd=self.directory, capture_output=True,
                              stdin=subprocess.DEVNULL, text=True, timeout=HANG, check=False)

    def refuses(self, arguments, *named):
        before = sorted(os.listdir(self.directory))
        result = self.run(*arguments)
        what = f'{self.name} {arguments}'
        check(result.returncode == 2, f'{what}: refused with 2', result)
        message = result.stderr
        check(message.startswith(f'{self.name}: '), f'{what}: says who refuses', message)
        check(all(text in message for text in named), f'{what}: {named} is named', message)
        check(result.stdout == '', f'{what}: nothing was done', result.stdout)
        check(sorted(os.listdir(self.directory)) == before, f'{what}: no file was made')

    def check_help(self):
        for arguments in (['--help'], [*self.little[:2], '--help']):
            result = self.run(*arguments)
            check(result.returncode == 0 and result.stderr == '', f'{self.name}: helps', result)
            usage = result.stdout
            check(usage.startswith(f'usage: {self.name} '), f'{self.name}: usage', usage)
        options = re.findall(r'^  (--[a-z-]+)', usage, re.M)
        used = {text for text in [*self.little, *self.files] if text.startswith('--')}
        check(used <= set(options), f'{self.name}: --help lists {used}', usage)
        for option in set(options) - {'--help'}:
            self.refuses([option], option)
        return set(options) - {'--help', *self.files}

    def check_wrong(self, numbers):
        self.refuses(['--nosuch', '5'], "'--nosuch'")
        self.refuses(['-x'], "'-x'")
        for option in numbers:
            for value in ('x', '-1', '', '5,', '1e3', '9' * 30, '4294967296'):
                self.refuses([option, value], option, f"'{value}'")
        if self.name == 'resources':
            self.refuses([*self.little, 'missing'], 'missing')
        else:
            self.refuses(['surplus', *self.little], "'surplus'")
        for option in self.files:
            self.refuses([*self.little, option, 'missing/file'], option, 'missing/file')

    def check_runs(self):
        start = time.monotonic()
        result = self.run(*self.little)
        check(result.returncode == 0, f'{self.name}: runs', result)
        if time.monotonic() - start < 1:
            check(result.stderr == '', f'{self.name}: little work has no progress', result.stderr)

    def check_progress(self):
        arguments = [self.path, *self.little, *self.endless]
        with subprocess.Popen(arguments, cwd=self.directory, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as process:
            watchdog = threading.Timer(HANG, process.kill)
            watchdog.start()
            line = process.stderr.readline()
            watchdog.cancel()
            process.kill()
        check(re.match(self.name + r': .*\b[0-9]+ of [0-9]+', line), f'{self.name}: progress', line)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as directory:
            for number in range(20):
                with open(os.path.join(directory, f'file{number}'), 'w', encoding='ascii') as file:
                    file.write('content')
            example = Example(path, directory)
            example.check_wrong(example.check_help())
            example.check_runs()
            example.check_progress()
    print_count()


main()
