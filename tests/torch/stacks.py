"""One small training in each of five tools, by the same steps: fit, load, resume, validate.

A stack trains for two epochs in a folder, and saves its state after each in the tool's own way.
``fit`` returns a network; so do ``load``, from the last state, and ``resume``, from the first one.
"""

import lightning.pytorch as lightning
import safetensors.torch
import skorch
import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState, GradientState
from torch.utils.data import DataLoader, TensorDataset

from ordcut.torch import OptimalThresholds
from tests.torch.hf_model import PlainStages
from tests.torch.hf_model import make_trainer as make_hf_trainer
from tests.torch.lightning_module import make_trainer as make_lightning_trainer
from tests.torch.small_network import Network, find_thresholds, make_rows

N_EPOCHS = 2


def loader(seed=0, n=60):
    return DataLoader(TensorDataset(*make_rows(n, seed)), 16)


def optimiser_of(network):
    return torch.optim.Adam(network.parameters(), lr=0.05)


class PlainTorch:
    def fit(self, folder, network=None, optimiser=None, start=0):
        network = Network() if network is None else network
        optimiser = optimiser_of(network) if optimiser is None else optimiser
        for epoch in range(start, N_EPOCHS):
            for features, labels in loader():
                optimiser.zero_grad()
                network.loss(network.scores(features), labels).backward()
                optimiser.step()
            find_thresholds(network)
            safetensors.torch.save_model(network, folder / f"{epoch}.safetensors")
            torch.save(optimiser.state_dict(), folder / f"{epoch}.pt")
        return network

    def load(self, folder, epoch=N_EPOCHS - 1):
        network = Network()
        safetensors.torch.load_model(network, folder / f"{epoch}.safetensors")
        return network

    def resume(self, folder):
        network = self.load(folder, epoch=0)
        optimiser = optimiser_of(network)
        optimiser.load_state_dict(torch.load(folder / "0.pt", weights_only=True))
        return self.fit(folder, network, optimiser, start=1)

    def validate(self, folder):
        network = self.load(folder)
        features, labels = make_rows(40, 1)
        return network.tracker.evaluate(labels, network(features))


class LightningNetwork(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.network = Network()

    def forward(self, features):
        return self.network.scores(features)

    def training_step(self, batch, _):
        return self.network.loss(self(batch[0]), batch[1])

    def validation_step(self, batch, _):
        return {"scores": self(batch[0]), "labels": batch[1]}

    def configure_optimizers(self):
        return optimiser_of(self)


class Lightning:
    def trainer(self, folder):
        each = lightning.callbacks.ModelCheckpoint(folder, "{epoch}", save_top_k=-1)
        callbacks = [OptimalThresholds(), each]
        return make_lightning_trainer(
            folder, *callbacks, max_epochs=N_EPOCHS, enable_checkpointing=True
        )

    def file(self, folder, epoch):
        return str(folder / f"epoch={epoch}.ckpt")

    def fit(self, folder, checkpoint=None):
        module = LightningNetwork()
        self.trainer(folder).fit(
            module, loader(), loader(1, 40), ckpt_path=checkpoint, weights_only=True
        )
        return module.network

    def load(self, folder):
        file = self.file(folder, N_EPOCHS - 1)
        return LightningNetwork.load_from_checkpoint(file, weights_only=True).network

    def resume(self, folder):
        return self.fit(folder, self.file(folder, 0))

    def validate(self, folder):
        (values,) = self.trainer(folder).validate(
            LightningNetwork(), loader(1, 40), self.file(folder, N_EPOCHS - 1), verbose=False,
            weights_only=True,
        )  # fmt: skip
        return values["val_absolute_optimal"]


class Accelerate:
    def prepared(self):
        AcceleratorState._reset_state(reset_partial_state=True)
        GradientState._reset_state()
        accelerator = Accelerator(cpu=True)
        network = Network()
        parts = accelerator.prepare(network, optimiser_of(network), loader(), loader(1, 40))
        return accelerator, *parts

    def fit(self, folder, start=0):
        accelerator, network, optimiser, train, _ = self.prepared()
        if start:
            accelerator.load_state(str(folder / f"{start - 1}"))
        for epoch in range(start, N_EPOCHS):
            for features, labels in train:
                optimiser.zero_grad()
                accelerator.backward(network.loss(network.scores(features), labels))
                optimiser.step()
            network.tracker.reset()
            with torch.no_grad():
                for features, labels in train:
                    result = network.scores(features), labels
                    network.tracker.update(*accelerator.gather_for_metrics(result))
            network.tracker.compute()
            accelerator.save_state(str(folder / f"{epoch}"))
        accelerator.save_model(network, str(folder / "model"))
        return accelerator.unwrap_model(network)

    def load(self, folder):
        network = Network()
        safetensors.torch.load_model(network, folder / "model" / "model.safetensors")
        return network

    def resume(self, folder):
        return self.fit(folder, start=1)

    def validate(self, folder):
        accelerator, network, _, _, held_out = self.prepared()
        accelerator.load_state(str(folder / f"{N_EPOCHS - 1}"))
        rows = [
            accelerator.gather_for_metrics((network(features), labels))
            for features, labels in held_out
        ]
        predicted, labels = (torch.cat(part) for part in zip(*rows, strict=True))
        return network.tracker.evaluate(labels, predicted)


class ScoredStages(PlainStages):
    """The model for transformers with the methods of the other networks."""

    def scores(self, features):
        return self.layer(features).squeeze(1)


class Labels(torch.nn.Module):
    """What is exported of a model for transformers: features in, labels out."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, features):
        return self.model.tracker(self.model(features)["logits"])


class Transformers:
    def trainer(self, folder, model):
        return make_hf_trainer(
            folder, model, num_train_epochs=N_EPOCHS, lr_scheduler_type="constant"
        )

    def fit(self, folder, checkpoint=None):
        torch.manual_seed(0)
        trainer = self.trainer(folder, ScoredStages())
        trainer.train(resume_from_checkpoint=checkpoint)
        return trainer.model

    def load(self, folder):
        model = ScoredStages()
        safetensors.torch.load_model(model, folder / "checkpoint-8" / "model.safetensors")
        return model

    def resume(self, folder):
        return self.fit(folder, str(folder / "checkpoint-4"))

    def validate(self, folder):
        return self.trainer(folder, self.load(folder)).evaluate()["eval_optimal"]


class ScoreNetwork(Network):
    """The network with scores as output, which a loss gets in skorch."""

    def forward(self, features):
        return self.scores(features)


class SkorchNet(skorch.NeuralNet):
    def get_loss(self, y_pred, y_true, *_, **__):
        return self.module_.loss(y_pred, y_true)

    def predict(self, X):
        return self.module_.tracker(self.forward(X)).numpy()


class FindThresholds(skorch.callbacks.Callback):
    def on_epoch_end(self, net, dataset_train=None, **_):
        tracker = net.module_.tracker
        tracker.reset()
        batches = zip(net.get_iterator(dataset_train), net.forward_iter(dataset_train), strict=True)
        for (_, labels), scores in batches:
            tracker.update(scores, labels)
        tracker.compute()


class Skorch:
    def net(self, folder):
        last = skorch.callbacks.Checkpoint(
            dirname=str(folder), monitor=None, use_safetensors=True, f_optimizer=None,
            f_criterion=None, f_params="{last_epoch[epoch]}.safetensors",
            f_history=None,
        )  # fmt: skip
        return SkorchNet(
            ScoreNetwork, torch.nn.Identity, optimizer=torch.optim.SGD, lr=0.05,
            batch_size=16, max_epochs=N_EPOCHS, train_split=None, verbose=0,
            callbacks=[FindThresholds(), last],
        )  # fmt: skip

    def loaded(self, folder, epoch):
        net = self.net(folder).initialize()
        net.load_params(f_params=folder / f"{epoch}.safetensors", use_safetensors=True)
        return net

    def fit(self, folder):
        return self.net(folder).fit(*make_rows()).module_

    def load(self, folder):
        return self.loaded(folder, N_EPOCHS).module_

    def resume(self, folder):
        return self.loaded(folder, 1).partial_fit(*make_rows(), epochs=1).module_

    def validate(self, folder):
        net = self.loaded(folder, N_EPOCHS)
        features, labels = make_rows(40, 1)
        return net.module_.tracker.evaluate(labels, torch.as_tensor(net.predict(features)))


STACKS = [PlainTorch, Lightning, Accelerate, Transformers, Skorch]


def labels_of(network):
    """Return a module that labels features, as it would be exported."""
    if isinstance(network, ScoredStages):
        return Labels(network).eval()
    if isinstance(network, ScoreNetwork):
        labels = Network()
        labels.load_state_dict(network.state_dict())
        return labels.eval()
    return network.eval()
