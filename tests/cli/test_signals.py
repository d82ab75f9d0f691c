"""Signals become errors, at once or after what must not be interrupted."""

import signal

import pytest

from ordcut.cli.signals import catch_signals, delay_signals


@pytest.fixture
def listening():
    """Listen to Ctrl-C, also where the tests run in the background and would not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listening")
def test_a_signal_waits_for_what_would_not_survive_it():
    survived = []

    def hold():
        with delay_signals():
            signal.raise_signal(signal.SIGINT)
            survived.append(True)

    with catch_signals() as seen:
        with pytest.raises(KeyboardInterrupt):
            hold()
        assert survived == [True]
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        assert seen == [signal.SIGINT, signal.SIGTERM]


@pytest.mark.usefixtures("listening")
def test_a_signal_of_an_earlier_run_does_not_interrupt_a_later_one():
    with catch_signals() as seen, pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    finished = False
    with delay_signals():
        finished = True
    assert finished
    assert seen == [signal.SIGINT]
