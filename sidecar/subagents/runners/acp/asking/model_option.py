"""A model as an argument of an agent's command: pure."""

import re

_NAME = re.compile(r"[A-Za-z0-9][\w.:/@+-]*", re.ASCII)


def model_option(flag: str, model: str) -> str:
    """Return the argument that chooses a model: one word, which no command line takes for another option.

    Raises ValueError, which names the model, when it cannot be the name of one.
    """
    if _NAME.fullmatch(model) is None:
        raise ValueError(
            f"model {model!r} is not a name: it has to begin with a letter or digit and hold only letters, "
            "digits and _ . : / @ + -"
        )
    return f"{flag}={model}"
