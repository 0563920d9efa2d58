#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""inspect.py WORLD DEMO DIRECTORY: what the examples show of themselves with --inspect is the report, items and
handles, to who knows the address; wrong questions are refused, and neither they nor a hundred
connections nor readers that never read stop the program. Skipped without libmicrohttpd."""

import json
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.request

from counted import check, print_count

HANG = 300  # seconds: a limit that only ends a hang


class Program:
    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        text=True)
        line = self.process.stderr.readline()
        if 'built without libmicrohttpd' in line:
            self.process.kill()
            print('no libmicrohttpd')
            sys.exit(77)
        self.address = re.search(r'open (http://\S+/) to look inside', line).group(1)
        self.port = int(re.search(r':(\d+)/', self.address).group(1))
        self.path = re.search(r':\d+(/\w+/)', self.address).group(1)

    def ask(self, question, method='GET', headers=(), address=None):
        """Returns status and text."""
        request = urllib.request.Request((address or self.address) + question, method=method,
                                         headers=dict(headers))
        try:
            with urllib.request.urlopen(request, timeout=HANG) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def connect(self, sent=b''):
        line = socket.create_connection(('127.0.0.1', self.port), timeout=HANG)
        line.sendall(sent)
        return line

    def goes_on(self, what):
        """It says now and then how far it is."""
        for _ in range(2):
            line = self.process.stderr.readline()
            check(re.search(r'frame \d+', line), f'frames go on {what}', line)

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()


def check_answers(world):
    status, page = world.ask('')
    check(status == 200 and page.startswith('<!DOCTYPE html>'), 'the page', page[:100])
    status, words = world.ask('report')
    told = json.loads(words)['containers']
    check(status == 200 and [one['kind'] for one in told] == ['world'], 'the report', words)
    identity = told[0]['id']
    status, words = world.ask(f'items?id={identity}&first=5&most=7')
    lines = words.split('\n')
    check(status == 200 and len(lines) == 9 and lines[8] == '', 'seven items', words)
    status, all_words = world.ask(f'items?id={identity}&most=4000000000')
    check(status == 200 and all_words.count('\n') == 1001, 'no more than a thousand items')
    status, words = world.ask(f'items?id={identity}&component=gun')
    check(all(' | gun fires in ' in line for line in words.split('\n')[1:-1]), 'by component', words)
    status, words = world.ask(f'items?id={identity}&component=no%20such')
    check(status == 200 and words.count('\n') == 1, 'by none', words)
    status, words = world.ask(f'handle?bits={lines[1][:18]}')
    check(status == 200 and words.startswith('world, '), 'a handle', words)
    for question, expected in (('items?id=99', 404), ('items?id=-1', 400), ('items?id=x', 400),
                               ('items', 404), ('items?id=4294967296', 400), ('handle?bits=', 400),
                               ('handle?bits=0x', 400), ('handle?bits=12345678901234567', 400),
                               ('nothing', 404), ('report/', 404), ('../report', 404),
                               ('%2e%2e/report', 404), ('items?id=1&id=2&first=%00', 400)):
        status, words = world.ask(question)
        check(status == expected, f'{question} is answered by {expected}', f'{status} {words}')


def check_strangers(world):
    """Who does not know the address, or asks by another name, learns nothing."""
    host = f'http://127.0.0.1:{world.port}/'
    wrong = world.path[1:-2] + ('0' if world.path[-2] != '0' else '1')
    for question in ('', 'report', wrong + '/report', wrong, world.path[1:-2], 'x' * 3000):
        status, words = world.ask(question, address=host)
        check(status == 403 and 'token' in words, f'/{question} is refused', f'{status} {words}')
    status, words = world.ask('report', headers={'Host': 'example.com'})
    check(status == 403, 'another host is refused', words)
    for method in ('POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'NONSENSE'):
        status, words = world.ask('report', method=method)
        check(status == 405, f'{method} is refused', f'{status} {words}')


def check_hostile(world):
    get = f'GET {world.path}items?id=1 HTTP/1.1\r\nHost: 127.0.0.1:{world.port}\r\n\r\n'.encode()
    post = get.replace(b'GET', b'POST').replace(b'\r\n\r\n', b'\r\nContent-Length: 99999999999\r\n\r\n')
    sent = {'after garbage': b'\0\xff\x16\x03' * 500, 'after half a request': get[:20],
            'after a long header': get[:-2] + b'X: ' + b'x' * 100000,
            'after a body that never ends': post, 'after many requests at once': get * 200}
    for what, words in sent.items():
        try:
            line = world.connect(words)
            world.goes_on(what)
            line.close()
        except ConnectionError:
            world.goes_on(what)
    idle = [world.connect() for _ in range(100)]
    world.goes_on('beside a hundred idle connections')
    slow = [world.connect(get) for _ in range(50)]
    world.goes_on('beside fifty readers that never read')
    for line in idle + slow:
        line.close()
    status, words = world.ask('report')
    check(status == 200 and json.loads(words), 'the report is answered afterwards', words)


def check_demo(demo):
    status, words = demo.ask('report')
    told = json.loads(words)['containers']
    kinds = [(one['kind'], one['name']) for one in told]
    check(kinds == [('map', 'scene'), ('secondary', 'material'), ('secondary', 'draw')],
          'the demo shows nodes, materials and the draw list', kinds)
    for one, word in zip(told, ('parent 0x', 'material ', 'distance ')):
        for _ in range(10000):  # At first nothing may be in view.
            _, words = demo.ask(f"items?id={one['id']}&most=1")
            if word in words:
                break
        check(word in words, f"items of {one['name']}", words)


def main():
    world = Program(sys.argv[1], '--count', '2000', '--frames', '10000000', '--inspect', '0')
    check_answers(world)
    check_strangers(world)
    check_hostile(world)
    world.end()
    demo = Program(sys.argv[2], '--nodes', '3000', '--frames', '1000000', '--runs', '1', '--models', 'none',
                   '--out', sys.argv[3], '--plain', '--inspect', '0')
    check_demo(demo)
    demo.end()
    print_count()


if __name__ == '__main__':
    main()
