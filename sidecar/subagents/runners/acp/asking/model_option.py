"""Pass a model as a command-line argument. No I/O."""

import re

_NAME = re.compile(r"[A-Za-z0-9][\w.:/@+-]*", re.ASCII)


def model_option(flag: str, model: str) -> str:
    """Return the argument that selects a model, in a form that cannot be mistaken for another option.

    Raises ValueError, which names the model, if it is not a valid model name.
    """
    if _NAME.fullmatch(model) is None:
        raise ValueError(
            f"{model!r} is not a valid model name: it must start with a letter or digit and contain only "
            "letters, digits and _ . : / @ + -"
        )
    return f"{flag}={model}"
