# SPDX-License-Identifier: MIT
"""Runs commands that end with the script that runs them.

A test program with a bug may hang for ever, and so may its children. So each command has a session
of its own, and all of its processes are killed when its time is up, when it has ended itself, and
when a signal ends the script.

SIGKILL leaves the script no time for that. Then Linux kills the command itself, and a limit of
processor time ends those of its children that spin; a child that sleeps survives.
"""
import ctypes
import math
import os
import resource
import signal
import subprocess
import sys
import threading

PR_SET_PDEATHSIG = 1
ENDING_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# Loaded before any fork: the child of a threaded script must not wait for the loader's lock.
LIBC = ctypes.CDLL(None, use_errno=True)

running = set()  # the leaders of the sessions
changing = threading.Lock()  # held while a process starts and is added to `running`


def end_with_signals():
    """Must be called once, by the main thread of a script, before it runs anything. A signal that
    was ignored when the script started stays ignored."""
    heard = [s for s in ENDING_SIGNALS if signal.getsignal(s) != signal.SIG_IGN]
    for number in heard:
        signal.signal(number, signal.SIG_DFL)
    # A thread waits for them; a handler could run between the start of a process and its entry in
    # `running`.
    signal.pthread_sigmask(signal.SIG_BLOCK, heard)
    threading.Thread(target=wait_for_signal, args=(heard,), daemon=True).start()


def wait_for_signal(heard):
    number = signal.sigwait(heard)
    with changing:
        for leader in running:
            end_session(leader)
        # The script ends by the same signal, so that the sender sees that it worked.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, heard)
        os.kill(os.getpid(), number)


def end_session(leader):
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run(command, place, environment, limit, prepare=None):
    """Returns the exit code, or None when `limit` seconds were not enough. Output is dropped.
    `prepare` is called in the new process."""
    script = os.getpid()

    def begin():
        end_with_parent(script)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING_SIGNALS)
        # No program that is run here computes in several threads, so its processor time is at most
        # the elapsed time.
        lower_limit(resource.RLIMIT_CPU, math.ceil(limit) + 1)
        if prepare is not None:
            prepare()

    with changing:
        process = subprocess.Popen(command, cwd=place, env=environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True,
                                   preexec_fn=begin)
        running.add(process.pid)
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with changing:
            end_session(process.pid)
            running.discard(process.pid)
        process.wait()


def end_with_parent(parent):
    """Linux sends the signal when the thread that started the process ends; that thread waits."""
    if not sys.platform.startswith("linux"):
        return
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    # If the parent had ended before, no signal would ever come.
    if os.getppid() != parent:
        os._exit(1)


def lower_limit(kind, value):
    """Lowers a limit, or keeps an outer one that is lower already."""
    hard = resource.getrlimit(kind)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(kind, (value, value))
