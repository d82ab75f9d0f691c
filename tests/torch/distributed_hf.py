"""One of two processes that train by the Trainer of transformers: FOLDER."""

import sys
from pathlib import Path

from tests.torch.distributed_exit import leave_together
from tests.torch.hf_model import make_trainer, rows_as_dicts


def main(folder):
    trainer = make_trainer(folder / "runs", train=rows_as_dicts(61), ddp_backend="gloo")
    trainer.train()
    if trainer.is_world_process_zero():
        trainer.accelerator.unwrap_model(trainer.model).save_pretrained(folder / "model")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    leave_together()
