"""Tokens recognized by their form: additions to gitleaks, or more tolerant of the length.

The prefixes are the issuers' own, from their public documentation of token formats.
"""

from typing import Final

from sidecar.history.export.redaction.rules.rule import GLUED, LEFT, Rule

_GLUED_SK: Final = r"(?=sk-(?:or-v1|proj|svcacct|admin)-|sk-[\w-]{0,20}(?:[A-Z][\w-]{0,20}){4})"
"""What distinguishes a key after other letters from the end of "task-1" or "disk-1"."""


def _prefixed(kind: str, prefixes: str, body: str, before: str = GLUED) -> Rule:
    """Make the rule of tokens that start with one of some literal prefixes, separated by blanks."""
    names = tuple(prefixes.split())
    heads = "|".join(name.replace(".", r"\.") for name in names)
    return Rule(kind, f"{before}(?:{heads}){body}", tuple(name.lower() for name in names))


TOKENS: Final = (
    Rule("jwt", r"eyJ[\w-]{8,1000}+\.[\w-]{8,8000}+(?:\.[\w-]{0,4000}+){1,3}+", ("eyj",)),
    _prefixed("anthropicKey", "sk-ant-", r"[\w-]{16,300}+", before=""),
    Rule(
        "openaiKey", rf"(?:{LEFT}|{_GLUED_SK})sk-(?=[\w-]{{0,80}}[0-9])[A-Za-z0-9][\w-]{{18,300}}+", ("sk-",)
    ),
    _prefixed("githubToken", "ghp_ gho_ ghu_ ghr_", r"[A-Za-z0-9]{20,255}+", before=""),
    _prefixed("githubToken", "ghs_", r"[\w.-]{20,2000}+", before=""),
    _prefixed("githubToken", "github_pat_", r"\w{20,255}+", before=""),
    _prefixed(
        "gitlabToken",
        "glpat- gldt- glrt- glcbt- glptt- gloas- glft- glimt- glagent- glsoat- glffct- glwt-",
        r"[\w.-]{16,300}+",
        before="",
    ),
    _prefixed(
        "slackToken", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", r"[\w%-]{10,400}+"
    ),
    _prefixed("awsKey", "AKIA ASIA ABIA ACCA AROA AIDA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _prefixed("googleKey", "AIza", r"[\w-]{30,45}+", before=""),
    _prefixed("googleToken", "ya29.", r"[\w-]{20,2000}+"),
    _prefixed("googleToken", "1//0", r"[\w-]{30,300}+"),
    _prefixed("googleClientSecret", "GOCSPX-", r"[\w-]{20,60}+"),
    _prefixed(
        "stripeKey",
        "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_",
        r"[A-Za-z0-9]{10,247}+",
        before=rf"(?:{LEFT}|(?=\w{{8}}[A-Za-z0-9]{{23}}))",
    ),
    _prefixed("stripeWebhookSecret", "whsec_", r"[A-Za-z0-9+/=]{20,100}+"),
    _prefixed("npmToken", "npm_", r"[A-Za-z0-9]{30,100}+"),
    _prefixed("pypiToken", "pypi-", r"[\w-]{50,1000}+"),
    _prefixed("huggingFaceToken", "hf_ api_org_", r"[A-Za-z0-9]{30,100}+", before=""),
    _prefixed("sendgridKey", "SG.", r"[\w-]{16,64}+\.[\w-]{16,64}+"),
    _prefixed("digitalOceanToken", "dop_v1_ doo_v1_ dor_v1_", r"[a-f0-9]{32,128}+"),
    _prefixed("databricksToken", "dapi", r"[a-f0-9]{32}(?:-\d)?(?![A-Za-z0-9])"),
    _prefixed("vaultToken", "hvs. hvb. hvr.", r"[\w-]{20,400}+"),
    _prefixed("sentryToken", "sntrys_ sntryu_", r"[\w+/=-]{30,500}+"),
    _prefixed("grafanaToken", "glsa_ glc_", r"[\w+/=-]{30,500}+"),
    _prefixed("shopifyToken", "shpat_ shpca_ shppa_ shpss_ shprt_", r"[a-fA-F0-9]{32}"),
    _prefixed("supabaseToken", "sbp_ sb_secret_", r"[\w-]{20,100}+"),
    _prefixed("tailscaleKey", "tskey-", r"[A-Za-z0-9-]{12,150}+"),
    _prefixed("dockerToken", "dckr_pat_ dckr_oat_", r"[\w-]{20,100}+"),
    _prefixed("linearKey", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{30,100}+"),
    _prefixed("notionToken", "ntn_", r"[A-Za-z0-9]{30,100}+"),
    _prefixed("figmaToken", "figd_ figo_ figu_", r"[\w-]{20,100}+"),
    _prefixed("modelKey", "gsk_ r8_ fw_ tgp_v1_ csk-", r"(?=[\w-]{0,60}[0-9])[\w-]{20,150}+"),
    _prefixed("modelKey", "xai- pplx- tvly- nvapi- jina_ voyage- fc-", r"(?=[\w-]{0,60}[0-9])[\w-]{24,200}+"),
    _prefixed("vercelToken", "vcp_ vci_ vca_ vcr_ vck_", r"[A-Za-z0-9]{24,100}+"),
    _prefixed("posthogKey", "phc_ phx_", r"[A-Za-z0-9]{30,100}+"),
    _prefixed("mailgunKey", "key-", r"[a-f0-9]{32}(?![A-Za-z0-9])"),
    _prefixed("twilioKey", "SK", r"[a-f0-9]{32}(?![A-Za-z0-9])"),
    _prefixed("airtableToken", "pat", r"[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    _prefixed("squareToken", "sq0atp- sq0csp-", r"[\w-]{22,60}+"),
    _prefixed("cratesToken", "cio", r"[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    Rule(
        "discordToken",
        r"[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40}+",
        needs=r"\.[\w-]{6}\.[\w-]{27}(?<=[\w-]{6}\.[\w-]{6}\.[\w-]{27})",
    ),
    Rule("telegramToken", r"(?<![0-9])[0-9]{8,10}:AA[\w-]{32,35}(?![\w-])", (":aa",), scan=True),
)
"""In this order: where two rules find the same text, the first one names it."""
