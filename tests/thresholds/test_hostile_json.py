"""JSON of thresholds that nobody's ``to_json`` wrote: one short error that names the field."""

import json
import subprocess
import sys

import pytest

import ordcut

WRITTEN = ordcut.optimal_thresholds([1.0, 2.0, 3.0, 4.0], [0, 1, 1, 2], review=0.25).to_json()
HUGE = 10**400


def changed(**fields):
    return json.dumps({**json.loads(WRITTEN), **fields})


HOSTILE = {
    "huge threshold": (changed(thresholds=[1.5, 2.5, 3.5, HUGE]), "thresholds must be numbers"),
    "huge range": (changed(ranges=[[1, 2], [2, HUGE]]), "ranges must be numbers"),
    "huge value": (changed(value=HUGE), "value must be numbers"),
    "digits beyond what Python reads": (
        changed(value=7).replace(": 7,", ": 1" + "0" * 5000 + ","),
        "other text: Exceeds the limit",
    ),
    "infinite value": (changed(value="inf"), "value must be a finite number"),
    "NaN": (changed(value=float("nan")), "value must be numbers"),
    "deep": ("{" + '"a":[' * 100_000, "got other text: "),
    "deep field": (changed(thresholds=json.loads("[" * 500 + "]" * 500)), "thresholds must be"),
    "many thresholds": (changed(thresholds=[1.0] * 10_000_000), "thresholds must be numbers"),
    "many classes": (changed(classes=list(range(100_000))), "classes must be at most 65535"),
    "long name": (changed(version="x" * 10**6), "version must be 3"),
    "long field": (changed(objective=["x" * 10**6] * 9), "objective must be a str"),
    "text as numbers": (changed(thresholds=["1", "2", "3", "4"]), "thresholds must be numbers"),
    "booleans as numbers": (changed(ranges=[[False, True]] * 4), "ranges must be numbers"),
    "boolean value": (changed(value=True), "value must be numbers"),
    "review of more than all": (changed(review_share=7.0), "review_share must be between 0 and 1"),
    "review as text": (changed(review_share="0.5"), "review_share must be numbers"),
    "boolean version": (changed(version=True), "version must be 3, got True"),
    "no classes": (changed(classes=[None, {}]), "classes must be at most"),
    "smoothing of more than all": (
        changed(proof={"verified": "convex", "smoothing": 3}),
        "proof must hold the fields",
    ),
    "boolean steps": (changed(proof={"verified": "convex", "n_steps": True}), "proof must hold"),
    "no proof": (changed(proof=None), "proof must be a dict"),
    "a long name among many": (
        changed(classes=["x" * 50_000, *map(str, range(7000))]),
        "classes must be short names",
    ),
    "a longer name among more": (
        changed(decisions=["x" * 10**6, *map(str, range(60_000))]),
        "decisions must be short names: 60001 of them",
    ),
    "another type": ("[1, 2]", 'with "schema"'),
}


def test_what_was_written_is_read():
    assert ordcut.Thresholds.from_json(changed()).to_json() == WRITTEN


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_json_is_refused_in_few_words(name):
    text, message = HOSTILE[name]
    with pytest.raises(ValueError, match=message) as refusal:
        ordcut.Thresholds.from_json(text)
    assert len(str(refusal.value)) < 1100


READ = """
import sys
import ordcut
text = sys.stdin.read()
try:
    ordcut.Thresholds.from_json(text)
except ValueError:
    print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")
@pytest.mark.parametrize("name", ["a long name among many", "a longer name among more"])
def test_hostile_json_takes_little_memory(name):
    done = subprocess.run(
        [sys.executable, "-c", READ], input=HOSTILE[name][0], capture_output=True, text=True
    )
    assert int(done.stdout.split()[1]) < 200_000, done.stderr  # KiB
