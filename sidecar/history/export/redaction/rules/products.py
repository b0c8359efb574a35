"""Keys of services that gitleaks' rules do not know, or know only near the service's name.

The prefixes are the issuers' own, from their documentation of token formats and from the keys they issue.
"""

from typing import Final

from sidecar.history.export.redaction.rules.rule import GLUED, LEFT, Rule

_UNMISTAKABLE: Final = {
    "modelKey": (
        "lsv2_pt_ lsv2_sk_ sk-lf- llx- pcsk_ wandb_v1_ crsr_ ctx7sk- rqsty-sk- sgamp_user_ apify_api_ "
        "bb_live_ bb_test_ esecret_ tpuf_ nvapi- pplx- tvly- jina_ apk_user_ sk_car_ dapi_sk_ fal_sk_"
    ),
    "cloudToken": (
        "cfk_ cfut_ cfat_ vercel_blob_rw_ HRKU- napi_ mdb_sa_sk_ CCDB1_ essu_ tsec_ hcaik_ hcamk_ hcaic_ "
        "xaat- xapt- pylf_v1_ sntryi_"
    ),
    "buildToken": (
        "CCIPAT_ CCIPRJ_ bkua_ bkct_ ATATT3 ATCTT3 ATBB BBDC- snyk_uat. snyk_sat. dbtc_ dbtu_ rubygems_ "
        "packagist_uut_ packagist_oat_ codemagic_ pnu_ pnb_ depot_org_ depot_project_"
    ),
    "serviceKey": (
        "NRAK- NRJS- NRII- NRRA- NRIQ- NRAA- CFPAT- pat-na1- pat-na2- pat-eu1- pat-ap1- mlsn. os_v2_app_ "
        "os_v2_org_ pdl_live_apikey_ pdl_sdbx_apikey_ polar_oat_ polar_pat_ access-production- "
        "access-sandbox- access-development- FLWSECK- FLWSECK_TEST- scp-live- scp-test- secret-live- "
        "secret-test- tkn.v1_ dp.ct. dp.st. dp.sa. dp.scim. dp.audit. sq0idp- tfp_ storecove_ shltm_ "
        "xkeysib- xsmtpsib- whpk_ access_token$production$ access_token$sandbox$ phx_ phs_"
    ),
}
"""Prefixes that nothing else begins with."""
_SHORT: Final = {
    "modelKey": "e2b_ rpa_ cpk_ dtn_ bu_ psk- m0- ls__ rnd_ cog_ fk- ek_ sess- key_ sk_ glhf_ BSA nk- bt-st-",
    "cloudToken": "nfp_ nfc_ nfo_ nfb_ nfu_ ddp_ ddo_ ddw_ xau_ rnd_ odt_ ion_ tid_",
    "buildToken": "sqp_ squ_ sqa_ sgp_ slk_ sgd_ pul- oy2",
    "serviceKey": "aio_ ATTA secret_ hawk. KEY SCW AKID",
}
"""Prefixes that names of programs share: what follows must be one long run with digits in it."""
_LONG_RUN: Final = "(?=[A-Za-z]{0,60}[0-9][A-Za-z]{0,60}[0-9])[A-Za-z0-9]{24,200}+"
_CRYPT: Final = (
    r"\$(?:2[abxy]\$[0-9]{2}\$[A-Za-z0-9./]{53}"
    r"|(?:[1567y]|argon2(?:id?|d)|scrypt|krb5\w{2,8})\$[\w$=,.+/@:*-]{24,2000}+)"
)
_CRYPT_MARKS: Final = "$2a$ $2b$ $2x$ $2y$ $1$ $5$ $6$ $y$ $7$ $argon2 $scrypt$ $krb5"
_AZURE_SIGNS: Final = "+ASt AzFu AzSe ACDb +ACR +ASb +AEh AIoT AzCa"
"""What Azure puts after the random part of a key."""
_SHAPES: Final = "live prod sandbox api pat oat sk secret apikey token"
"""What issuers put between their name and the key, between underscores or hyphens."""


def _spelled(prefix: str) -> str:
    return prefix.replace(".", r"\.").replace("$", r"\$")


def _rule(kind: str, prefixes: str, body: str) -> Rule:
    listed = tuple(prefixes.split())
    heads = "|".join(
        f"{LEFT if each.isalnum() and len(each) < 4 else GLUED}{_spelled(each)}" for each in listed
    )
    return Rule(kind, f"(?:{heads}){body}", tuple(prefix.lower() for prefix in listed))


PRODUCTS: Final = (
    *(
        _rule(kind, each, r"(?=[\w.-]{0,60}(?:[0-9]|[a-z][A-Z]))[\w.-]{16,300}+")
        for kind, each in _UNMISTAKABLE.items()
    ),
    *(_rule(kind, each, rf"{_LONG_RUN}(?:[_-][A-Za-z0-9]{{8,100}}+)?+") for kind, each in _SHORT.items()),
    Rule("resendKey", rf"{GLUED}re_[A-Za-z0-9]{{6,12}}_[A-Za-z0-9]{{16,40}}", ("re_",)),
    Rule("resendKey", rf"{GLUED}re_(?=[A-Za-z]{{0,40}}[0-9])[A-Za-z0-9]{{20,60}}+", ("re_",)),
    Rule("googleToken", rf"{GLUED}AQ\.[\w-]{{36,200}}+", ("aq.",)),
    Rule("dropboxToken", rf"{GLUED}sl\.(?:u\.)?[\w-]{{100,2000}}+", ("sl.",)),
    Rule("clickUpToken", rf"{GLUED}pk_[0-9]{{5,12}}_[A-Z0-9]{{32}}", ("pk_",)),
    Rule("mapboxToken", rf"{GLUED}[st]k\.eyJ[\w-]{{20,400}}+\.[\w-]{{16,100}}+", ("sk.eyj", "tk.eyj")),
    Rule("tunnelToken", rf"{GLUED}eyJhIjoi[A-Za-z0-9+/=_-]{{60,400}}+", ("eyjhijoi",)),
    Rule("facebookToken", rf"{LEFT}EAA[A-Z][A-Za-z0-9]{{80,400}}+", ("eaa",)),
    Rule("buildToken", rf"{GLUED}sgp_(?:[a-fA-F0-9]{{16}}_|local_){{1,2}}[a-fA-F0-9]{{40}}", ("sgp_",)),
    Rule("trelloToken", rf"{GLUED}ATTA[a-f0-9]{{64,80}}", ("atta",)),
    Rule(
        "mailgunKey",
        rf"{GLUED}[a-f0-9]{{32}}-[a-f0-9]{{8}}-[a-f0-9]{{8}}(?![A-Za-z0-9])",
        ("mailgun",),
        far=True,
    ),
    Rule("mailchimpKey", rf"{GLUED}[a-f0-9]{{32}}-us[0-9]{{1,2}}(?![A-Za-z0-9])", ("-us",), scan=True),
    Rule("azureKey", rf"{GLUED}[A-Za-z0-9]{{40,60}}JQQJ99[A-Za-z0-9]{{20,40}}", ("jqqj99",), scan=True),
    Rule(
        "azureKey",
        rf"{GLUED}[A-Za-z0-9+/]{{33,80}}(?:{_AZURE_SIGNS.replace(' ', '|').replace('+', '[+]')})"
        r"[A-Za-z0-9+/]{5,10}={0,2}",
        tuple(_AZURE_SIGNS.lower().split()),
        scan=True,
    ),
    Rule("azureClientSecret", r"[\w~.]{3}[0-9]Q~[\w~.-]{31,34}", ("q~",), scan=True),
    Rule("oktaToken", r"(?i:SSWS)[ ]{1,3}(00[\w-]{38,42})", ("ssws",)),
    Rule("flyToken", r"FlyV1[ ]{1,2}(fm[0-9][a-z]?_[\w+/=,-]{40,2000}+)", ("flyv1",)),
    Rule("passwordHash", _CRYPT, tuple(_CRYPT_MARKS.split())),
    Rule(
        "serviceKey",
        rf"{GLUED}[A-Za-z][A-Za-z0-9]{{1,11}}[_-](?:{_SHAPES.replace(' ', '|')})[_-]{_LONG_RUN}",
        tuple(f"{joint}{shape}{joint}" for shape in _SHAPES.split() for joint in "_-"),
        scan=True,
    ),
)
"""In this order: where two rules find the same text, the first one names it."""
