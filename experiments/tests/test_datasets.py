"""The face data sets: real JPEG files in each layout, and all that can be wrong with them."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from experiments.datasets import DatasetError, load_faces
from experiments.layouts import LAYOUTS
from experiments.pictures import Batches, EpochOrder, Pictures
from experiments.settings import Settings
from experiments.splits import split, write_split
from experiments.synthetic import draw_faces
from experiments.tests.faces import PATHS, make_folder, write_jpeg

SIZE = 16


def load(root, dataset, **options):
    return load_faces(Settings(dataset, str(root), image_size=SIZE, **options))


def problems_of(root, dataset, **options):
    with pytest.raises(DatasetError) as caught:
        load(root, dataset, **options)
    return caught.value.problems


def all_names(data):
    return sorted(data.training.names + data.validation.names)


@pytest.mark.parametrize("dataset", LAYOUTS)
def test_a_folder_in_each_layout_loads_with_the_age_of_every_picture(tmp_path, dataset):
    layout = LAYOUTS[dataset]
    data = load(make_folder(tmp_path, dataset), dataset)
    assert data.n_classes == layout.n_classes
    (warning,) = data.notes
    paper = LAYOUTS[dataset].n_pictures
    assert f"Warning: the paper used {paper} pictures of {LAYOUTS[dataset].title}" in warning
    n = 2 * layout.n_classes
    assert (len(data.training), len(data.validation)) == (round(0.9 * n), n - round(0.9 * n))
    expected = sorted(
        PATHS[dataset](layout.youngest + k, number).removeprefix("AFAD-Full/")
        for k in range(layout.n_classes)
        for number in range(2)
    )
    assert all_names(data) == expected
    for number, label in enumerate(data.training.labels):
        square = data.training.square(number)
        assert square.shape == (SIZE, SIZE, 3)
        assert abs(int(square[8, 8, 0]) - 2 * (layout.youngest + label)) <= 2  # as grey as old


def test_class_numbers_are_those_of_the_paper():
    assert {name: layout.n_classes for name, layout in LAYOUTS.items()} == {
        "morph2": 55,
        "cacd": 49,
        "afad": 26,
    }
    assert LAYOUTS["cacd"].parse("23_Mika_Boorem_0001.jpg") == (23, "Mika_Boorem")
    assert LAYOUTS["morph2"].parse("009055_1M54.JPG") == (54, "009055")
    assert LAYOUTS["morph2"].parse("Album2/009055_1M54.JPG") == (54, "009055")
    for wrong in ["52346_07M46.jpg", "052346_07X46.jpg", "052346_07M4.jpg", "052346_07M46.png"]:
        assert LAYOUTS["morph2"].parse(wrong) is None
    assert LAYOUTS["afad"].parse("20/113/a.jpg") is None


def test_a_warning_counts_the_pictures_of_the_paper():
    numbers = {name: layout.n_pictures for name, layout in LAYOUTS.items()}
    assert numbers == {"morph2": 55_013, "cacd": 159_402, "afad": 164_418}


@pytest.mark.parametrize("folder", ["Album2", "MORPH/Album2"])
def test_nested_folders_of_morph2_are_read(tmp_path, folder):
    make_folder(tmp_path / folder, "morph2")
    assert len(all_names(load(tmp_path, "morph2"))) == 110


def test_a_sample_of_the_pictures_is_random_and_the_same_for_the_same_seed(tmp_path):
    make_folder(tmp_path, "afad")
    given = {"sample": 20, "allow_empty": True}
    names = all_names(load(tmp_path, "afad", **given))
    assert len(set(names)) == 20
    assert sorted(names) == sorted(all_names(load(tmp_path, "afad", **given)))
    assert sorted(names) != sorted(all_names(load(tmp_path, "afad", seed=1, **given)))


def test_the_top_folder_of_afad_may_be_the_root_itself(tmp_path):
    make_folder(tmp_path, "afad")
    assert all_names(load(tmp_path, "afad")) == all_names(load(tmp_path / "AFAD-Full", "afad"))


def test_ages_that_are_not_used_are_left_out_and_said_to_be(tmp_path):
    make_folder(tmp_path, "morph2")
    write_jpeg(tmp_path / "000009_01F71.jpg")
    write_jpeg(tmp_path / "000009_02F15.jpg")
    data = load(tmp_path, "morph2")
    assert len(all_names(data)) == 110
    assert data.notes[:-1] == ["2 of 112 pictures left out, whose ages are not 16 to 70."]


def test_other_files_are_not_looked_at(tmp_path):
    make_folder(tmp_path, "cacd")
    (tmp_path / "readme.txt").write_text("no picture")
    assert len(all_names(load(tmp_path, "cacd"))) == 2 * 49


def test_names_that_do_not_parse_are_refused_or_skipped(tmp_path):
    make_folder(tmp_path, "cacd")
    for number in range(7):
        write_jpeg(tmp_path / f"unknown_{number}.jpg")
    (problem,) = problems_of(tmp_path, "cacd")
    assert problem.startswith("7 of 105 file names are not such as 23_Mika_Boorem_0001.jpg")
    assert "unknown_0.jpg, unknown_1.jpg" in problem
    assert "and 2 more" in problem
    assert "--skip-unparsed" in problem
    data = load(tmp_path, "cacd", skip_unparsed=True)
    assert len(all_names(data)) == 98
    assert data.notes[0].startswith("7 of 105 file names")


def test_a_missing_and_an_empty_folder_are_named(tmp_path):
    (problem,) = problems_of(tmp_path / "nowhere", "morph2")
    assert "nowhere is not one" in problem
    (problem,) = problems_of(tmp_path, "morph2")
    assert problem.startswith("There must be .jpg files such as 052346_07M46.jpg")


def test_classes_without_a_picture_are_refused_or_allowed(tmp_path):
    make_folder(tmp_path, "afad")
    for age in (17, 40):
        for file in (tmp_path / f"AFAD-Full/{age}").rglob("*.jpg"):
            file.unlink()
    (problem,) = problems_of(tmp_path, "afad")
    assert problem.startswith("2 of 26 classes have no picture: ages 17, 40.")
    data = load(tmp_path, "afad", allow_empty=True)
    assert data.n_classes == 26
    assert len(all_names(data)) == 48
    assert data.notes[:-1] == ["2 of 26 classes have no picture: ages 17, 40."]


def damage(root):
    """Make one picture short, one something else and one nothing; return their names."""
    names = [PATHS["cacd"](20, 0), PATHS["cacd"](30, 1), PATHS["cacd"](40, 0)]
    file = root / names[0]
    file.write_bytes(file.read_bytes()[:300])
    (root / names[1]).write_text("this is no picture")
    (root / names[2]).write_bytes(b"")
    return names


@pytest.mark.parametrize("workers", [0, 2])
def test_damaged_pictures_are_refused_or_skipped(tmp_path, workers):
    make_folder(tmp_path, "cacd")
    names = damage(tmp_path)
    (problem,) = problems_of(tmp_path, "cacd", workers=workers)
    assert problem.startswith("3 of 98 pictures are damaged: ")
    assert all(name in problem for name in names)
    assert "truncated" in problem.lower()
    assert "--skip-damaged" in problem
    data = load(tmp_path, "cacd", skip_damaged=True, workers=workers)
    assert not set(names) & set(all_names(data))
    assert len(all_names(data)) == 95
    assert data.notes[0].startswith("3 of 98 pictures are damaged")


def test_everything_that_is_wrong_comes_in_one_message(tmp_path):
    make_folder(tmp_path, "cacd")
    damage(tmp_path)
    write_jpeg(tmp_path / "nameless.jpg")
    for number in range(2):
        (tmp_path / PATHS["cacd"](62, number)).unlink()
    with pytest.raises(DatasetError) as caught:
        load(tmp_path, "cacd")
    message = str(caught.value)
    assert message.startswith(f"CACD in {tmp_path} cannot be used, 3 problems:\n- 1 of 97 file")
    assert "- 3 of 96 pictures are damaged" in message
    assert "- 1 of 49 classes have no picture: ages 62." in message
    assert str(pickle.loads(pickle.dumps(caught.value))) == message


@pytest.mark.parametrize("dataset", ["morph2", "cacd"])
def test_a_split_by_subject_keeps_each_person_in_one_part(tmp_path, dataset):
    data = load(make_folder(tmp_path, dataset, per_age=3), dataset, split_by="subject")
    held_out, trained = set(data.validation.subjects), set(data.training.subjects)
    assert held_out
    assert trained
    assert not held_out & trained
    assert len(all_names(data)) == 3 * LAYOUTS[dataset].n_classes


def test_a_split_by_subject_needs_subjects(tmp_path):
    (problem,) = problems_of(make_folder(tmp_path, "afad"), "afad", split_by="subject")
    assert "--split-by subject" in problem


def test_a_split_depends_on_the_seed_alone():
    pictures = Pictures([f"{i}" for i in range(50)], np.arange(50), SIZE)
    first, again, other = (split(pictures, seed)[1].names for seed in (0, 0, 1))
    assert first == again
    assert first != other


NUMBERS = st.integers(0, 5)


@given(st.lists(NUMBERS, min_size=12, max_size=60), st.booleans(), st.integers(2, 4), NUMBERS)
def test_folds_are_disjoint_and_hold_every_picture_once(people, by_subject, folds, seed):
    people = [*people, *range(12)]  # enough persons for all parts
    names = [str(number) for number in range(len(people))]
    pictures = Pictures(names, np.zeros(len(people), int), SIZE, subjects=[*map(str, people)])
    tested = []
    for fold in range(1, folds + 1):
        parts = split(pictures, seed, by_subject=by_subject, folds=folds, fold=fold)
        assert sorted(name for part in parts for name in part.names) == sorted(names)
        tested += parts[2].names
        if by_subject:
            subjects = [set(part.subjects) for part in parts]
            assert sum(map(len, subjects)) == len(set().union(*subjects))
    assert sorted(tested) == sorted(names)


@given(st.integers(20, 200), st.sampled_from([0.1, 0.2, 0.5]), NUMBERS)
def test_a_test_share_is_taken_off_before_the_rest_is_split_nine_to_one(n, share, seed):
    pictures = Pictures([str(i) for i in range(n)], np.arange(n), SIZE)
    training, validation, test = split(pictures, seed, test_share=share)
    assert len(test) == n - round(n * (1 - share))
    assert len(training) == round(0.9 * (n - len(test)))
    assert sorted(training.names + validation.names + test.names) == sorted(pictures.names)


def test_too_few_persons_for_all_parts_are_refused(tmp_path):
    root = make_folder(tmp_path, "cacd")  # of two persons
    (problem,) = problems_of(root, "cacd", split_by="subject", test_share=0.2)
    assert problem == "There must be pictures for all parts, got too few persons to split."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 5, "test_share": 0.1}, "--test-share must be left out, got 0.1"),
        ({"folds": 1}, "--folds must be 2 or more"),
        ({"folds": 3, "fold": 4}, "got 3 folds and fold 4"),
        ({"training_csv": "a"}, "must be given together, got one"),
        ({"training_csv": "a", "validation_csv": "b", "folds": 2}, "list the test set in --test"),
        ({"test_csv": "a"}, "--test-csv needs --training-csv"),
        ({"devices": 2, "batch_size": 3}, "at least 2 for each of 2 devices, got 3"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Settings("afad", **options)


@pytest.mark.parametrize("column", ["file", "path"])
def test_lists_of_pictures_replace_the_scan(tmp_path, column):
    root = make_folder(tmp_path / "faces", "afad")
    whole = load(root, "afad")
    files = {}
    for name in ("training", "validation"):
        files[f"{name}_csv"] = str(tmp_path / f"{name}.csv")
        write_split(getattr(whole, name), tmp_path / f"{name}.csv")
        text = (tmp_path / f"{name}.csv").read_text()
        (tmp_path / f"{name}.csv").write_text(text.replace("path,age", f"{column},age"))
    listed = load(root, "afad", seed=5, **files)
    for name in ("training", "validation"):
        ours, theirs = getattr(listed, name), getattr(whole, name)
        assert ours.names == theirs.names
        assert (ours.labels == theirs.labels).all()


def test_a_third_list_is_the_test_part(tmp_path):
    root = make_folder(tmp_path / "faces", "afad")
    whole = load(root, "afad", test_share=0.2)
    files = {}
    for name, part in whole.parts.items():
        files[f"{name}_csv"] = str(tmp_path / f"{name}.csv")
        write_split(part, tmp_path / f"{name}.csv")
    listed = load(root, "afad", seed=5, **files)
    assert {name: part.names for name, part in listed.parts.items()} == {
        name: part.names for name, part in whole.parts.items()
    }


def test_everything_that_is_wrong_with_lists_comes_in_one_message(tmp_path):
    root = make_folder(tmp_path / "faces", "afad")
    good = PATHS["afad"](15, 0).removeprefix("AFAD-Full/")
    training, validation = tmp_path / "a.csv", tmp_path / "b.csv"
    training.write_text(f"path,age\n{good},0\n{good},26\n{good},old\nlost.jpg,3\n")
    validation.write_text(f"path,age\n{good},0\n")
    problems = problems_of(root, "afad", training_csv=str(training), validation_csv=str(validation))
    assert "ages must be classes 0 to 25" in problems[0]
    assert "others in 2 of 4 rows" in problems[0]
    assert problems[1].startswith("a.csv: 1 of 4 files are not in")
    assert "lost.jpg" in problems[1]
    assert problems[2].startswith("A picture must be in one part only; 1 are in two")
    assert problems[3].startswith("25 of 26 classes have no picture")


def test_lists_that_are_no_lists_are_named(tmp_path):
    root = make_folder(tmp_path / "faces", "afad")
    training, validation = tmp_path / "a.csv", tmp_path / "b.csv"
    training.write_text("name,years\nx,1\n")
    options = {"training_csv": str(training), "validation_csv": str(validation)}
    problems = problems_of(root, "afad", **options)
    assert 'must have a column "file" or "path" and a column "age", got name, years.' in problems[0]
    assert "b.csv must be a CSV file, but does not exist." in problems[1]
    validation.write_text("path,age\n")
    assert "must list at least one picture" in problems_of(root, "afad", **options)[1]


def coloured(n, size):
    pixels = np.random.default_rng(0).integers(0, 256, (n, size, size, 3), dtype=np.uint8)
    return Pictures([str(i) for i in range(n)], np.arange(n), size, pixels=pixels)


def test_the_centre_of_every_picture_comes_in_order():
    pictures = coloured(7, 16)
    batches = list(Batches(pictures, 12, seed=0, batch_size=3, workers=0).centred())
    assert [len(labels) for _, labels in batches] == [3, 4]  # no batch of one
    images = np.concatenate([images.numpy() for images, _ in batches])
    np.testing.assert_array_equal(images, pictures.pixels[:, 2:14, 2:14].transpose(0, 3, 1, 2))
    assert np.concatenate([labels for _, labels in batches]).tolist() == list(range(7))


def test_random_crops_are_parts_of_their_pictures_and_move_from_epoch_to_epoch():
    pictures = coloured(4, 16)
    positions = set()
    for epoch in range(1, 9):
        for images, labels in Batches(pictures, 12, 0, 2, 0).shuffled(epoch):
            for image, number in zip(images.numpy(), labels.numpy(), strict=True):
                whole = pictures.pixels[number].transpose(2, 0, 1)
                matches = [
                    (top, left)
                    for top in range(5)
                    for left in range(5)
                    if (whole[:, top : top + 12, left : left + 12] == image).all()
                ]
                assert len(matches) == 1
                positions |= set(matches)
    assert len(positions) > 10


def test_worker_processes_change_nothing():
    pictures = coloured(9, 16)
    alone, helped = (Batches(pictures, 12, 3, 4, workers) for workers in (0, 2))
    for take in (lambda b: b.shuffled(1), lambda b: b.centred(), lambda b: b.shuffled(2)):
        for (images, labels), (other_images, other_labels) in zip(
            take(alone), take(helped), strict=True
        ):
            assert (images == other_images).all()
            assert (labels == other_labels).all()


def test_every_epoch_has_every_picture_once_in_an_order_of_its_own():
    order = EpochOrder(10, seed=0, batch_size=4)
    orders = []
    for epoch in (1, 2, 1):
        order.epoch = epoch
        orders.append([number for batch in order for _, number in batch])
        assert sorted(orders[-1]) == list(range(10))
    assert orders[0] == orders[2]
    assert orders[0] != orders[1]


def test_a_picture_that_is_lost_in_the_meantime_is_named(tmp_path):
    write_jpeg(tmp_path / "a.jpg")
    batches = Batches(Pictures(["a.jpg"], np.array([0]), SIZE, tmp_path), 12, 0, 2, 0)
    (tmp_path / "a.jpg").unlink()
    with pytest.raises(RuntimeError, match=r"a\.jpg can no longer be read"):
        list(batches.centred())


def test_grey_pictures_and_those_with_a_palette_become_three_colours(tmp_path):
    for mode in ("L", "P", "RGBA"):
        Image.new(mode, (9, 9)).save(tmp_path / f"{mode}.png")
        pictures = Pictures([f"{mode}.png"], np.array([0]), SIZE, tmp_path)
        assert pictures.square(0).shape == (SIZE, SIZE, 3)


def test_drawn_faces_depend_on_the_seed_and_grow_old():
    faces, again, other = (draw_faces(400, 8, 24, seed) for seed in (0, 0, 1))
    assert (faces.pixels == again.pixels).all()
    assert (faces.labels == again.labels).all()
    assert not (faces.pixels == other.pixels).all()
    assert set(faces.labels) == set(range(8))
    hair = faces.pixels[:, 3:5, 12].mean(axis=(1, 2))  # near the top of the middle column
    assert np.corrcoef(hair, faces.labels)[0, 1] > 0.3


def test_too_few_faces_for_the_classes_are_refused():
    with pytest.raises(ValueError, match="n-images must be at least one per class, 8, got 5"):
        draw_faces(5, 8, 16, 0)
