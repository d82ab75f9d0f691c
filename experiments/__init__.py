"""The paper's experiment: ages from faces, with optimal thresholds at every epoch, and Table 1."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from experiments.published import PUBLISHED
    from experiments.run import resume_run, start_run
    from experiments.settings import Settings
    from experiments.study import resume_study, start_study

__all__ = ["PUBLISHED", "Settings", "resume_run", "resume_study", "start_run", "start_study"]

#: The module of each name, imported when the name is first used: the help of the command line must
#: not wait for PyTorch.
_MODULE_OF = {
    "PUBLISHED": "published",
    "Settings": "settings",
    "resume_run": "run",
    "resume_study": "study",
    "start_run": "run",
    "start_study": "study",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
