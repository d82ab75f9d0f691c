"""Pieces of work are done once each, by threads that are kept for the next call."""

import functools
import os
import subprocess
import sys
import threading
import time
import weakref

import pytest

from ordcut._core.numerics import threads
from ordcut._core.numerics.threads import count_cores, count_threads, run_all, split


def test_minus_one_means_every_core_and_none_the_default(monkeypatch):
    assert count_threads(-1) == count_cores() >= 1
    assert (count_threads(None), count_threads(None, 5), count_threads(1), count_threads(7)) == (
        1,
        5,
        1,
        7,
    )
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert count_cores() == count_threads(-1) == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert count_cores() == 1


@pytest.mark.parametrize("bad", [0, -2, True, False, 1.0, "2"])
def test_other_numbers_of_threads_are_refused(bad):
    with pytest.raises(ValueError, match=f"or -1 for one per core, got {bad!r}"):
        count_threads(bad)


def test_as_many_threads_work_as_there_are_pieces_and_no_more():
    for n_threads, n_pieces in ((3, 3), (3, 5), (5, 3), (2, 2)):
        at_once = threading.Barrier(min(n_threads, n_pieces), timeout=60)
        names = set()

        def work(piece, names=names, at_once=at_once):
            names.add(threading.current_thread().name + str(threading.get_ident()))
            if piece < at_once.parties:
                at_once.wait()

        run_all(work, range(n_pieces), n_threads)
        assert len(names) == min(n_threads, n_pieces)


def test_the_slowest_piece_is_waited_for():
    caller, done = threading.get_ident(), []
    both = threading.Barrier(2, timeout=60)

    def work(piece):
        both.wait()
        if threading.get_ident() != caller:
            time.sleep(0.2)
        done.append(piece)

    for _ in range(2):
        run_all(work, range(2), 2)
        assert sorted(done) == [0, 1]
        done.clear()


def test_work_of_one_thread_is_done_in_order_by_the_caller():
    done = []
    run_all(lambda piece: done.append((piece, threading.get_ident())), range(5), 1)
    assert done == [(piece, threading.get_ident()) for piece in range(5)]


def test_threads_that_wait_keep_no_work_and_end_with_the_program():
    class Large:
        pass

    large = Large()
    kept = weakref.ref(large)
    run_all(lambda _, large=large: large, range(2), 2)
    del large
    deadline = time.monotonic() + 60
    while kept() is not None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert kept() is None
    assert threads._idle
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "ordcut")


@pytest.mark.parametrize("n_threads", [1, 2, 3, 8])
@pytest.mark.parametrize("n_pieces", [0, 1, 2, 50])
def test_every_piece_is_done_once(n_threads, n_pieces):
    done = []
    run_all(done.append, range(n_pieces), n_threads)
    assert sorted(done) == list(range(n_pieces))


def test_several_threads_work_at_once_and_are_kept():
    names = []
    both = threading.Barrier(2, timeout=60)  # which nobody passes alone

    def work(_):
        names.append(threading.current_thread().name)
        both.wait()

    before = threading.active_count()
    for _ in range(20):
        run_all(work, range(2), 2)
    assert len(set(names)) == 2
    assert threading.active_count() <= before + 1


@pytest.mark.parametrize("bad", [0, 1, 2, 3])
def test_the_error_of_any_thread_is_raised_and_the_next_call_works(bad):
    both = threading.Barrier(2, timeout=60)

    def work(piece):
        if piece < 2:  # so that each thread has one of the first two
            both.wait()
        if piece == bad:
            raise ValueError(f"piece {piece}")

    with pytest.raises(ValueError, match=f"piece {bad}"):
        run_all(work, range(4), 2)
    done = []
    run_all(done.append, range(4), 2)
    assert sorted(done) == [0, 1, 2, 3]


def test_work_that_hands_out_work_ends():
    done = []
    run_all(lambda i: run_all(lambda j: done.append((i, j)), range(5), 4), range(4), 4)
    assert sorted(done) == [(i, j) for i in range(4) for j in range(5)]


def test_calls_of_several_threads_do_not_mix_their_pieces():
    done_by = {}

    def call(number):
        done = []
        for _ in range(50):
            run_all(lambda piece: done.append(number * 1000 + piece), range(6), 3)
        done_by[number] = sorted(set(done))

    callers = [threading.Thread(target=call, args=(number,)) for number in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(timeout=60)
    assert done_by == {n: [n * 1000 + piece for piece in range(6)] for n in range(4)}


FORK = """
import os
from ordcut._core.numerics.threads import run_all
run_all(print, ["before", "before"], 2)
child = os.fork()
if child == 0:
    run_all(lambda piece: None, range(4), 2)
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_process_that_was_forked_makes_threads_of_its_own():
    command = [sys.executable, "-W", "ignore", "-c", FORK]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "7"


FORK_WHILE_COMPUTING = """
import os, signal, threading
import numpy as np
import ordcut

labels = np.arange(20_000) % 5
scores = labels + np.sin(np.arange(20_000))

def solve():
    for objective in ("absolute", "quadratic_kappa"):
        ordcut.optimal_thresholds(scores, labels, objective=objective, n_jobs=2)
        ordcut.optimal_thresholds(scores, labels, objective=objective, constraints=["digits 1"])

def solve_on():
    while True:
        solve()

ordcut.optimal_thresholds([1, 2], [0, 1], constraints=["digits 1"])  # imports, compiles nothing
for _ in range(2):
    threading.Thread(target=solve_on, daemon=True).start()
codes = []
for _ in range(12):
    child = os.fork()
    if child == 0:
        signal.alarm(120)
        solve()
        os._exit(7)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(codes, flush=True)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_processes_that_are_forked_while_threads_compute_do_not_hang():
    command = [sys.executable, "-W", "ignore", "-c", FORK_WHILE_COMPUTING]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600)
    assert done.stdout.strip() == str([7] * 12)


FORK_WHILE_IMPORTING = """
import os, signal, sys, threading, time
import ordcut

is_importing = threading.Event()

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "ordcut._core.solve":
            is_importing.set()
            time.sleep(0.5)  # the process is forked meanwhile, if that is possible

def solve():
    ordcut.optimal_thresholds([1, 2], [0, 1])

sys.meta_path.insert(0, Finder)
threading.Thread(target=solve).start()
is_importing.wait()
child = os.fork()
if child == 0:
    signal.alarm(60)
    solve()
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_process_that_is_forked_while_a_thread_first_imports_does_not_hang():
    command = [sys.executable, "-W", "ignore", "-c", FORK_WHILE_IMPORTING]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600)
    assert done.stdout.strip() == "7"


def test_properties_that_are_computed_once_hold_no_lock():
    for module in [module for name, module in sys.modules.items() if name.startswith("ordcut")]:
        for owner in [value for value in vars(module).values() if isinstance(value, type)]:
            if owner.__module__.startswith("ordcut"):
                for name, member in vars(owner).items():
                    if isinstance(member, functools.cached_property):
                        assert isinstance(member, threads.cached_property), (owner, name)


def test_pieces_are_of_nearly_equal_size_and_cover_everything():
    for n in range(30):
        for n_pieces in range(1, 8):
            pieces = split(n, n_pieces)
            assert [i for a, b in pieces for i in range(a, b)] == list(range(n))
            sizes = [b - a for a, b in pieces]
            assert max(sizes) - min(sizes) <= 1
            assert sizes == sorted(sizes, reverse=True)
            assert len(pieces) == max(1, min(n, n_pieces))
