"""Write the redaction rules from gitleaks' configuration.

    python -m scripts.redaction_rules CHECKOUT/config/gitleaks.toml VERSION COMMIT

The rules are written for RE2. This translates what Python's `re` spells differently, drops the context in
front of a keyword (rules are tried where a keyword occurs) and marks the end of a secret in one way.
"""

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "sidecar/history/export/redaction/rules/gitleaks.json"

LEFT_CONTEXT = (r"[\w.-]{0,50}?(?i:[\w.-]{0,50}?", r"[\w.-]{0,50}?")
RIGHT_CONTEXT = re.compile(r"\(\?:\[\\x60'\"\\s;\]\|\\\\\[nr\]\|\$(?:\|\\b)?\)|\(\?:\[\^[^\]]+\]\|\\z\)|\\b$")
LEFT_EDGE, RIGHT_EDGE = "(?<![A-Za-z0-9])", "(?![A-Za-z0-9])"
ASSIGNMENT = r"(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)"

LEFT_OUT = {
    "curl-auth-header": "repeats without a bound; the sidecar has rules of its own for headers",
    "curl-auth-user": "repeats without a bound; the sidecar has a rule of its own for -u",
    "hashicorp-tf-password": "needs the name of the file",
    "private-key": "the sidecar finds armored keys in any layout",
    "sourcegraph-access-token": "takes every commit hash in a text that names the product",
}
SCANNED = {
    "azure-ad-client-secret",
    "hashicorp-tf-api-token",
    "maxmind-license-key",
    "microsoft-teams-webhook",
    "openai-api-key",
    "sidekiq-sensitive-url",
}
"""Rules whose keyword is in the middle of the secret."""
FAR = {"airtable-personnal-access-token", "facebook-access-token"}
"""Rules whose keyword may be anywhere in the text."""
WHOLE = {"jwt-base64", "microsoft-teams-webhook"}
"""Rules whose groups are parts of the secret."""

LOOSE = {"generic-api-key"}
"""Rules that recognize a secret only by its surroundings. They stay as narrow as in gitleaks."""
NARROW_EDGE = r"(?=[\x60'\"\s;&]|$)"


def main() -> None:
    """Read the configuration that the first argument names and write the data file."""
    source, version, commit = sys.argv[1:]
    config = tomllib.loads(Path(source).read_text())
    kept = [rule for rule in config["rules"] if "path" not in rule and rule["id"] not in LEFT_OUT]
    document = {
        "source": "gitleaks, config/gitleaks.toml",
        "version": version,
        "commit": commit,
        "license": "MIT, see gitleaks.LICENSE",
        "allow": {
            "patterns": [translated(each) for each in config["allowlist"]["regexes"]],
            "words": config["allowlist"]["stopwords"],
        },
        "rules": [entry(rule) for rule in kept],
    }
    TARGET.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    sys.stdout.write(f"{len(kept)} of {len(config['rules'])} rules\n")


def entry(rule: dict[str, Any]) -> dict[str, Any]:
    """Translate one rule, without the members that it does not need."""
    edge = NARROW_EDGE if rule["id"] in LOOSE else RIGHT_EDGE
    pattern = without_context(rule["regex"], edge)
    if rule["id"] in WHOLE:
        pattern = re.sub(r"\((?:\?P<\w+>|(?!\?))", "(?:", pattern)
    made_up_is_harmless = ASSIGNMENT not in rule["regex"] and min(map(len, rule["keywords"])) > 2
    lists = [each for each in rule.get("allowlists", ()) if "paths" not in each]
    result = {
        "kind": camel_case(rule["id"]),
        "keywords": [keyword.lower() for keyword in rule["keywords"]],
        "pattern": translated(pattern),
        "group": rule.get("secretGroup", 0),
        "scan": rule["id"] in SCANNED,
        "far": rule["id"] in FAR,
        "entropy": 0 if made_up_is_harmless else rule.get("entropy", 0),
        "allow": [] if made_up_is_harmless else patterns_of(lists, "secret"),
        "allowMatch": [] if made_up_is_harmless else patterns_of(lists, "match"),
        "allowWords": [] if made_up_is_harmless else words_of(lists),
    }
    re.compile(result["pattern"], re.ASCII)
    return {name: value for name, value in result.items() if value}


def patterns_of(lists: list[dict[str, Any]], target: str) -> list[str]:
    """Collect the patterns of allowlists that test the secret or the whole match."""
    chosen = (each for each in lists if each.get("regexTarget", "secret") == target)
    return [translated(pattern) for each in chosen for pattern in each.get("regexes", ())]


def words_of(lists: list[dict[str, Any]]) -> list[str]:
    """Collect the words of allowlists that no secret contains."""
    return sorted({word.lower() for each in lists for word in each.get("stopwords", ())})


def without_context(pattern: str, edge: str) -> str:
    """Drop what precedes a keyword, and mark the end of a secret by what may not follow."""
    flags, pattern = ("(?i)", pattern[4:]) if pattern.startswith("(?i)") else ("", pattern)
    for context in LEFT_CONTEXT:
        if pattern.startswith(context):
            pattern = ("(?i:" if "(?i:" in context else "") + pattern[len(context) :]
            break
    if pattern.startswith(r"\b"):
        pattern = LEFT_EDGE + pattern[2:]
    return flags + RIGHT_CONTEXT.sub(lambda _: edge, pattern)


def translated(pattern: str) -> str:
    """Spell an RE2 pattern as Python does: flags in the middle, the end of the text, named classes."""
    pattern = pattern.replace(r"\z", r"\Z").replace("[[:alnum:]]", "[A-Za-z0-9]")
    while (place := pattern.find("(?i)", 1)) > 0:
        end = end_of_group(pattern, place + 4)
        pattern = f"{pattern[:place]}(?i:{pattern[place + 4 : end]}){pattern[end:]}"
    return pattern


def end_of_group(pattern: str, place: int) -> int:
    """Find the parenthesis that closes the group around `place`, or the end of the pattern."""
    depth, in_class = 0, False
    while place < len(pattern):
        char = pattern[place]
        if char == "\\":
            place += 1
        elif in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if depth < 0:
                return place
        elif char == "|" and depth == 0:
            raise ValueError(f"a flag before an alternative in {pattern!r}: translate it by hand")
        place += 1
    return place


def camel_case(name: str) -> str:
    """Spell an id of gitleaks as kinds are spelled on the wire."""
    first, *others = name.split("-")
    return first + "".join(part.capitalize() for part in others)


if __name__ == "__main__":
    main()
