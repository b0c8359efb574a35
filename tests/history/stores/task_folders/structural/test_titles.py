from collections.abc import Callable
from typing import Any

import pytest

from tests.history.conftest import TASK_ID, Store

Make = Callable[..., dict[str, Any]]
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ""}}


def test_the_title_is_the_whole_prompt_on_one_line(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "  Fix\n\tthe   bug \u2028 " + "now " * 60)], api=[])
    assert store.task().title == "Fix the bug " + " ".join(["now"] * 60)


@pytest.mark.parametrize(
    ("images", "title"),
    [
        (None, "(no text)"),
        ([], "(no text)"),
        (["a"], "(no text, 1 image)"),
        (["a", "b"], "(no text, 2 images)"),
    ],
)
def test_a_prompt_without_words_is_described(store: Store, say: Make, images: object, title: str) -> None:
    store.write(ui=[say("text", " \n", images=images)], api=[])
    assert store.task().title == title


@pytest.mark.parametrize("tag", ["task", "user_message"])
def test_without_a_ui_file_the_wrapper_gives_the_prompt(store: Store, user: Make, tag: str) -> None:
    store.write(
        api=[user(f"<{tag}>\nWhat is </{tag}> for?\n</{tag}>", "<environment_details></environment_details>")]
    )
    assert store.task().title == f"What is </{tag}> for?"


def test_the_prompt_is_found_behind_images(store: Store, user: Make) -> None:
    message = user("<task>\nLook\n</task>")
    message["content"].insert(0, IMAGE)
    store.write(api=[message])
    assert store.task().title == "Look"


def test_the_word_that_a_template_prints_for_nothing_is_not_a_prompt(store: Store, user: Make) -> None:
    message = user("<user_message>\nundefined\n</user_message>")
    message["content"].append(IMAGE)
    store.write(api=[message])
    assert store.task().title == "(no text, 1 image)"


def test_a_message_of_plain_text_is_a_prompt(store: Store) -> None:
    store.write(api=[{"role": "user", "content": "Just this"}])
    assert store.task().title == "Just this"


def test_a_list_entry_gives_the_title_when_no_message_does(store: Store) -> None:
    store.write(history_item={"id": TASK_ID, "task": "From the list"})
    assert store.task().title == "From the list"
    assert store.history.get(TASK_ID)[1]["title"].source == "history_item.json"


def test_a_folder_without_messages_says_so(store: Store) -> None:
    store.write(history_item={"id": TASK_ID})
    task = store.task()
    assert (task.title, task.status, task.last_activity) == ("(no messages)", "unknown", None)


def test_a_title_can_always_be_encoded(store: Store) -> None:
    store.write(ui=b'[{"ts":1,"type":"say","say":"text","text":"half \\ud83d"}]', api=[])
    assert store.task().title == "half \ufffd"
