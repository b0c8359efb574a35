"""The idioms to avoid, each with what to write instead."""

import re
from dataclasses import dataclass
from functools import cached_property

_START = r"(?:(?<![A-Za-z])|(?-i:(?<=[a-z])(?=[A-Z])))"
_END = r"(?-i:(?![a-z]))(?!(?-i:(?<=[A-Z])[A-Z]))"
_BREAK = r"""(?:[\s#/*>_-]|["'`]\s*\+?\s*\n\s*[a-z]?["'`])+"""
"""Between two words: blanks, marks of comments, and the end of a string that continues on the next line."""
_VERBS = (
    "normal|initial|serial|recogn|organ|optim|minim|maxim|summar|synchron|canonical|util|author|final|token|"
    "general|special|categor|prior|custom|stabil|visual|parallel|item|penal"
)


@dataclass(frozen=True)
class Idiom:
    """Words as a regular expression; a space matches any break between words, also across lines.

    `fine` matches longer phrases in which the words are right.
    """

    words: str
    better: str
    fine: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Match whole words; the parts of `snake_case` and `camelCase` names count as words."""
        return _compiled(
            f"(?:{self.fine})|(?P<idiom>{self.words})" if self.fine else f"(?P<idiom>{self.words})"
        )

    @cached_property
    def candidate(self) -> re.Pattern[str]:
        """Match wherever the idiom may be in a text from `simplified`."""
        return re.compile(f" (?:{self.words})(?![a-z])")


def simplified(text: str) -> str:
    """Return the words of a text in lower case, with a space before each and other characters as semicolons.

    A search for a literal space is several times as fast as one for the beginnings of words.
    """
    parts = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower()
    return " " + re.sub(r"[^a-z ]+", " ; ", re.sub(_BREAK, " ", parts))


def _compiled(words: str) -> re.Pattern[str]:
    return re.compile(f"{_START}(?:{words.replace(chr(32), _BREAK)}){_END}", re.IGNORECASE)


IDIOMS = (
    Idiom("(un)?told", "reported, notified; a message"),
    Idiom("tells? (of|whether)", "report, return whether"),
    Idiom("said", "output, reported, stated"),
    Idiom(
        "(is|are|was|were|be|been) no",
        "is not a, has no",
        fine="there (is|are|was|were) no|(is|are|was|were|be) no (longer|more|less|later|fewer|larger)",
    ),
    Idiom("look(s|ed|ing)? (at|whether)", "check, read, examine"),
    Idiom("news", "changes, events, messages"),
    Idiom("anew", "again"),
    Idiom("pass(es|ed|ing)? over", "ignore, skip"),
    Idiom("for good", "permanently"),
    Idiom("shall", "should, must, will"),
    Idiom("lie|lies|lay|lain|lying", "is, is in, is stored"),
    Idiom("so many|so much|so long", "this many, N", fine="so long as"),
    Idiom("(go|goes|going|gone|went) on", "continue"),
    Idiom("beside", "next to, as well as"),
    Idiom("as it comes", "unchanged, in order of arrival"),
    Idiom("bec(omes?|ame) of", "happens to"),
    Idiom("stand|stands|stood|standing", "is, remains", fine="stands? for|long standing"),
    Idiom("faults?", "error, problem", fine="page faults?|segmentation fault"),
    Idiom("seldom", "rarely"),
    Idiom("thereof|therein|wherein|whereby|hitherto|lest|nought|aught", "plain words"),
    Idiom("to be had", "available"),
    Idiom("asks? leave|leave for|(question|request)s? (of|for) leave", "permission"),
    Idiom("put(s|ting)? away", "remove, move to the trash"),
    Idiom("(fell|falls?|keeps?|kept) silent", "has no output"),
    Idiom("hasten(s|ed)?|heed(s|ed)?", "shorten, follow"),
    Idiom("without a word", "silently"),
    Idiom("may (it|he|they|I)", "rephrase as a statement"),
    Idiom("in vain", "without success"),
    Idiom("also (if|when|while|after|where)", "even if, even when"),
    Idiom("need be", "if necessary"),
    Idiom(
        r"(un|dis)?(behavi|col|fav|flav|hon|hum|lab|neighb|harb|rum|endeav)our\w*",
        "American spelling",
        "behaviour( )?prompts",
    ),
    Idiom(r"catalogu\w+", "catalog"),
    Idiom(rf"\w*({_VERBS})is(e[drs]?|ing|ations?)", "-ize"),
    Idiom(
        "analys(e|ed|ing)|centred?|grey(ed)?|artefacts?|licences?|whilst|amongst|judgement",
        "American spelling",
    ),
    Idiom("(label|model|travel|signal|total|tunnel|unmarshal|marshal)l(ed|ing|er)", "one l"),
)
