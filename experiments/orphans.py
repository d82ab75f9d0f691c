"""End worker processes together with the process that started them, even if it was killed."""

from __future__ import annotations

import os
from multiprocessing import parent_process
from threading import Thread


def end_with_parent() -> None:
    """End this process when its parent ends.

    Otherwise a worker could write to the folder of a run that has been resumed, or wait for ever.
    """
    Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
