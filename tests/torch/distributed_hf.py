"""One of two processes that train by the Trainer of transformers: FOLDER."""

import os
import sys
from pathlib import Path

from hf_model import make_trainer, rows_as_dicts
from torch import distributed


def main(folder):
    trainer = make_trainer(folder / "runs", train=rows_as_dicts(61), ddp_backend="gloo")
    trainer.train()
    if trainer.is_world_process_zero():
        trainer.accelerator.unwrap_model(trainer.model).save_pretrained(folder / "model")
    distributed.barrier()
    distributed.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    sys.stdout.flush()
    sys.stderr.flush()
    # In a normal exit, a thread of torch that is still running can abort the process.
    os._exit(0)
