"""Secrets recognized by the text around them: URLs, headers, command options, credential files."""

from collections.abc import Callable
from typing import Final

from sidecar.history.export.redaction.rules.plausible import bare_secret, credential, given, random_key
from sidecar.history.export.redaction.rules.rule import Rule

_GAP: Final = r"[ \t]{1,3}"
_BELOW: Final = r"[ \t]{0,3}\r?\n[ \t]{0,8}"
"""A console breaks a line at a blank if it can."""
_QUOTED: Final = r"\"[^\"\n]{3,200}+\"|'[^'\n]{3,200}+'"
_ARGUMENT: Final = rf"({_QUOTED}|[^\s\"'`,;|)]{{3,200}}+)"
_PAIR: Final = (
    r"(\"[^\"\n:]{1,80}+:[^\"\n]{1,120}+\"|'[^'\n:]{1,80}+:[^'\n]{1,120}+'"
    r"|[^\s\"'`:/]{1,80}+:[^\s\"'`]{1,120}+)"
)
_OPTION: Final = "(?<![A-Za-z0-9-])"
_VALUE: Final = r"[ ]{0,3}[:=][ ]{0,3}[\"'`]?"
_SCHEME: Final = "(?:token|apikey|api-key|bot|negotiate|key|ghtoken|bearer|basic)[ ]{1,3}"
_CRUMB: Final = r"[\w.-]{1,60}+=[^\s;\"'\\]{1,4000}+"
_PARAMETERS: Final = (
    "access_token|auth_token|id_token|refresh_token|oauth_token|private_token|token|api_key|apikey|api-key|"
    "client_secret|password|passwd|secret|signature|x-amz-signature|x-amz-security-token|x-goog-signature"
)
_CODES: Final = "key|code|sig|auth|session|jwt|assertion"


def _parameter(names: str, length: int, holds: Callable[[str], bool]) -> Rule:
    """Make the rule of parameters in the query of a URL."""
    pattern = rf"(?i)(?<=[?&;#])(?:{names})=([^\s&;#\"'<>`\\)\]]{{{length},4000}}+)"
    return Rule("urlToken", pattern, tuple(f"{name}=" for name in names.split("|")), holds=holds)


def _unredacted(value: str) -> bool:
    return not value.startswith("[redacted")


CARRIERS: Final = (
    Rule("urlToken", r"://([\w.~%+-]{20,400}+)(?::x-oauth-basic|:)?@", ("://",), holds=bare_secret),
    Rule(
        "urlPassword",
        r"://(?![^\s/@]{0,200}\.[a-z]{2,10}(?::[0-9]{1,5})?/)[^\s/:@\"'<>`\\{}$]{0,100}+:(?![0-9]{1,5}(?:[/?#\"'\s]|$))"
        r"([^\s\"'<>`\\@{}$]{1,200}+(?:@[^\s\"'<>`\\@/{}$]{1,100}+(?=@)){0,4}+)@(?=[A-Za-z0-9_.\[-])",
        ("://",),
        holds=_unredacted,
    ),
    _parameter(_PARAMETERS, 6, given),
    _parameter(_CODES, 16, random_key),
    Rule(
        "webhook",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/+-]{20,120}+)",
        ("hooks.slack.com/",),
    ),
    Rule(
        "webhook",
        r"(?i)api/(?:v[0-9]{1,2}/)?webhooks/([0-9]{15,22}/[\w-]{30,100}+)",
        ("api/webhooks/", "api/v"),
    ),
    Rule("sentryDsn", r"://([a-f0-9]{32}(?::[a-f0-9]{32})?)@", ("://",)),
    Rule(
        "azureKey",
        r"(?i)(?:AccountKey|SharedAccessKey|SharedSecret)=([A-Za-z0-9+/=]{20,200}+)",
        ("accountkey=", "sharedaccesskey=", "sharedsecret="),
    ),
    Rule(
        "bearerToken", rf"(?i)bearer(?:{_GAP}|{_BELOW})([\w.~+/=-]{{8,4000}}+)", ("bearer",), holds=credential
    ),
    Rule(
        "basicCredentials",
        rf"(?i)(?<![a-z])basic{_GAP}([A-Za-z0-9+/]{{8,1000}}+={{0,2}})",
        ("basic",),
        holds=credential,
    ),
    Rule(
        "authorization",
        rf"(?i)authorization[\"']?{_VALUE}{_SCHEME}([\w.~+/=:-]{{8,4000}}+)",
        ("authorization",),
        holds=credential,
    ),
    Rule(
        "authorization",
        rf"(?i)authorization[\"']?{_VALUE}([\w.~+/=:-]{{12,4000}}+)",
        ("authorization",),
        holds=random_key,
    ),
    Rule(
        "cookie",
        rf"(?i)cookie[\"']?[ ]{{0,3}}:[ ]{{0,3}}[\"']?({_CRUMB}(?:;[ ]?{_CRUMB}){{0,50}}+)",
        ("cookie",),
    ),
    Rule(
        "sessionToken",
        rf"(?i)session_?token[\"']?{_VALUE}([\w+/=-]{{100,4000}}+)",
        ("session_token", "sessiontoken"),
    ),
    Rule(
        "optionSecret",
        rf"(?i){_OPTION}--?(?:[a-z]{{1,20}}-){{0,3}}(?:password|passwd|passphrase|pass|pwd|token|secret|key)"
        rf"(?:=|{_GAP}){_ARGUMENT}",
        ("-pass", "-pwd", "-token", "-secret", "-key"),
        scan=True,
        holds=given,
    ),
    Rule("optionSecret", rf"sshpass{_GAP}-p[ ]?{_ARGUMENT}", ("sshpass",)),
    Rule(
        "optionSecret",
        rf"mysql\w{{0,10}}+[^\n|;&]{{0,80}}?{_GAP}-p({_QUOTED}|[^\s\"'`;|-][^\s\"'`;|]{{3,100}}+)",
        ("mysql",),
    ),
    Rule(
        "optionSecret",
        rf"{_OPTION}(?:-u|-U|--user|--proxy-user|--auth|-a)(?:=|{_GAP})?{_PAIR}",
        ("-u", "--user", "--proxy-user", "--auth", "-a "),
        holds=lambda pair: not pair.replace(":", "").isdigit(),
    ),
    Rule("optionSecret", rf"lftp\b[^\n]{{0,80}}?{_GAP}-u{_GAP}([^\s,]{{1,60}},[^\s\"']{{2,100}})", ("lftp",)),
    Rule(
        "netrcPassword",
        r"(?i)login\s{1,8}\S{1,100}\s{1,8}(?:account\s{1,8}\S{1,100}\s{1,8})?password\s{1,8}(\S{3,200}+)",
        ("login",),
    ),
    Rule(
        "pgpassPassword",
        r":[0-9*]{1,5}:[^\s:]{1,63}:[^\s:]{1,63}:([^\s:\"'`]{3,200}+)(?=[\s\"'`]|$)",
        (":5432:", ":5433:", ":6432:", ":*:"),
    ),
    Rule("dockerAuth", r"auth\"[ ]{0,4}:[ ]{0,4}\"([A-Za-z0-9+/]{12,2000}+={0,2})\"", ("auth",)),
    Rule(
        "npmAuth",
        r"(?i)(?<!\w)_(?:auth|authtoken|password)[ ]?=[ ]?\"?([\w+/=.-]{8,400}+)",
        ("_auth", "_password"),
        holds=given,
    ),
    Rule(
        "kubernetesKey", r"client-key-data:\s{0,4}\"?([A-Za-z0-9+/]{20,20000}+={0,2})", ("client-key-data",)
    ),
    Rule(
        "jsonWebKey",
        r"\"(?:d|k|p|q|dp|dq|qi)\"[ ]{0,2}:[ ]{0,2}\"([\w-]{20,2000}+)\"",
        ('"d"', '"k"', '"p"', '"q"', '"dp"', '"dq"', '"qi"'),
    ),
)
"""In this order: where two rules find the same text, the first one names it."""
