"""Formats of secrets as their issuers and programs write them, filled with generated characters."""

import re
from dataclasses import dataclass
from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import Final

_ALPHABETS: Final = {
    "an": ascii_letters + digits,
    "lo": ascii_lowercase + digits,
    "up": ascii_uppercase + digits,
    "b32": ascii_uppercase + "234567",
    "AZ": ascii_uppercase,
    "az": ascii_lowercase,
    "let": ascii_letters,
    "hex": digits + "abcdef",
    "HEX": digits + "ABCDEF",
    "d": digits,
    "w": ascii_letters + digits + "_-",
    "b64": ascii_letters + digits + "+/",
    "age": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}
_FILL: Final = re.compile(r"\{(\w+?):(\d+)\}")

# name: text, with the secret between « and »; {alphabet:length} is generated.
TOKENS: Final = {
    "aws": "«AKIA{b32:16}»",
    "awsTemporary": "«ASIA{b32:16}»",
    "githubClassic": "«ghp_{an:36}»",
    "githubFineGrained": "«github_pat_{an:22}_{an:59}»",
    "openai": "«sk-proj-{w:74}T3BlbkFJ{w:74}»",
    "anthropic": "«sk-ant-api03-{w:93}AA»",
    "google": "«AIzaSy{w:33}»",
    "slack": "«xoxb-{d:12}-{d:13}-{an:24}»",
    "stripe": "«sk_live_{an:99}»",
    "npm": "«npm_{an:36}»",
    "jwt": "«eyJhbGciOiJIUzI1NiJ9.eyJ{an:60}.{w:43}»",
    "githubOauth": "«gho_{an:36}»",
    "githubUser": "«ghu_{an:36}»",
    "githubServer": "«ghs_{an:36}»",
    "githubRefresh": "«ghr_{an:76}»",
    "openaiOld": "«sk-{an:20}T3BlbkFJ{an:20}»",
    "openaiService": "«sk-svcacct-{w:74}T3BlbkFJ{w:74}»",
    "openrouter": "«sk-or-v1-{hex:64}»",
    "anthropicAdmin": "«sk-ant-admin01-{w:93}AA»",
    "googleOauth": "«ya29.a0{w:120}»",
    "googleClientSecret": "«GOCSPX-{w:28}»",
    "slackUser": "«xoxp-{d:12}-{d:12}-{d:13}-{hex:32}»",
    "slackApp": "«xapp-1-A{up:10}-{d:13}-{hex:64}»",
    "slackWebhook": "https://hooks.slack.com/services/«T{up:10}/B{up:10}/{an:24}»",
    "discordWebhook": "https://discord.com/api/webhooks/«{d:19}/{w:68}»",
    "discordBot": "«M{an:25}.{w:6}.{w:38}»",
    "telegram": "«{d:10}:AA{w:33}»",
    "stripeTest": "«sk_test_{an:24}»",
    "stripeRestricted": "«rk_live_{an:24}»",
    "stripeWebhook": "«whsec_{an:32}»",
    "pypi": "«pypi-AgEIcHlwaS5vcmc{w:150}»",
    "huggingFace": "«hf_{let:34}»",
    "gitlab": "«glpat-{w:20}»",
    "gitlabDeploy": "«gldt-{w:20}»",
    "gitlabRunner": "«glrt-{w:20}»",
    "gitlabJob": "«glcbt-64_{w:20}»",
    "gitlabTrigger": "«glptt-{hex:40}»",
    "sendgrid": "«SG.{w:22}.{w:43}»",
    "mailgun": "«key-{hex:32}»",
    "mailchimp": "mailchimp_api_key = '«{hex:32}-us12»'",
    "twilio": "«SK{hex:32}»",
    "digitalOcean": "«dop_v1_{hex:64}»",
    "digitalOceanOauth": "«doo_v1_{hex:64}»",
    "databricks": "«dapi{hex:32}»",
    "vault": "«hvs.{w:95}»",
    "vaultBatch": "«hvb.{w:150}»",
    "terraform": "«{an:14}.atlasv1.{w:64}»",
    "sentryUser": "«sntryu_{hex:64}»",
    "sentryDsn": "https://«{hex:32}»@o{d:6}.ingest.sentry.io/{d:7}",
    "grafanaService": "«glsa_{an:32}_{hex:8}»",
    "grafanaCloud": "«glc_{b64:60}»",
    "shopify": "«shpat_{hex:32}»",
    "shopifySecret": "«shpss_{hex:32}»",
    "supabase": "«sbp_{hex:40}»",
    "tailscale": "«tskey-auth-k{an:11}-{an:32}»",
    "docker": "«dckr_pat_{w:27}»",
    "linear": "«lin_api_{an:40}»",
    "notion": "«ntn_{d:11}{an:35}»",
    "figma": "«figd_{w:40}»",
    "groq": "«gsk_{an:52}»",
    "xai": "«xai-{an:80}»",
    "perplexity": "«pplx-{an:48}»",
    "tavily": "«tvly-dev-{an:32}»",
    "replicate": "«r8_{an:37}»",
    "nvidia": "«nvapi-{w:64}»",
    "age": "«AGE-SECRET-KEY-1{age:58}»",
    "onePassword": "«A3-{up:6}-{up:11}-{up:5}-{up:5}-{up:5}»",
    "artifactory": "«AKCp{an:69}»",
    "alibaba": "«LTAI{an:20}»",
    "postman": "«PMAK-{hex:24}-{hex:34}»",
    "pulumi": "«pul-{hex:40}»",
    "rubygems": "«rubygems_{hex:48}»",
    "newRelic": 'new_relic_key = "«NRAK-{up:27}»"',
    "dynatrace": "«dt0c01.{up:24}.{up:64}»",
    "doppler": "«dp.pt.{an:43}»",
    "easypost": "«EZAK{an:54}»",
    "flyio": "«fo1_{w:43}»",
    "planetscale": "«pscale_tkn_{w:43}»",
    "prefect": "«pnu_{an:36}»",
    "readme": "«rdme_{lo:70}»",
    "shippo": "«shippo_live_{hex:40}»",
    "square": "«sq0atp-{w:22}»",
    "clojars": "«CLOJARS_{lo:60}»",
    "brevo": "«xkeysib-{hex:64}-{an:16}»",
    "typeform": "typeform_token: «tfp_{an:59}»",
    "octopus": "«API-{up:26}»",
    "openshift": "«sha256~{w:43}»",
    "maxmind": "«{an:6}_{an:29}_mmk»",
    "azureClientSecret": '"«{an:3}8Q~{an:34}»"',
    "posthog": "«phx_{an:43}»",
    "cloudflareOrigin": "«v1.0-{hex:24}-{hex:146}»",
}
CARRIED: Final = {
    "pem": "-----BEGIN RSA PRIVATE KEY-----\n«{b64:64}\n{b64:64}\n{b64:40}==»\n-----END RSA PRIVATE KEY-----",
    "bearer": "Authorization: Bearer «{w:40}»",
    "urlCredentials": "postgres://app:«{an:16}»@db.example.com:5432/app",
    "openssh": "-----BEGIN OPENSSH PRIVATE KEY-----\n«{b64:70}\n{b64:70}»\n-----END OPENSSH PRIVATE KEY-----",
    "pemCut": "-----BEGIN PRIVATE KEY-----\n«{b64:64}\n{b64:64}\n{b64:64}»",
    "pgp": "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n«{b64:64}\n{b64:64}»\n"
    "-----END PGP PRIVATE KEY BLOCK-----",
    "basic": "Authorization: Basic «{b64:32}»",
    "bearerLetters": "Authorization: Bearer «{let:32}»",
    "authorizationToken": "Authorization: token «{hex:40}»",
    "apiKeyHeader": "X-Api-Key: «{an:32}»",
    "cookie": "Cookie: theme=dark; session=«{an:32}»",
    "urlPasswordAt": "https://bob:«{an:8}@{an:8}»@example.com/x",
    "urlPasswordSlash": "https://bob:«{an:8}/{an:8}»@example.com/x",
    "urlTokenOnly": "https://«{an:32}»@git.example.com/x.git",
    "urlAccessToken": "https://example.com/?access_token=«{an:32}»&x=1",
    "urlKey": "https://example.com/v1?key=«{an:32}»",
    "azureSas": "https://x.blob.core.windows.net/c?sv=2024&sig=«{an:43}»",
    "azureAccountKey": "AccountName=x;AccountKey=«{b64:86}==»;",
    "awsSecret": "aws_secret_access_key = «{b64:40}»",
    "awsSecretJson": '"SecretAccessKey": "«{b64:40}»"',
    "awsSession": "AWS_SESSION_TOKEN=«{b64:200}»",
    "gcpKey": '"private_key_id": "«{hex:40}»"',
    "envPassword": "DB_PASSWORD=«{an:14}»",
    "envPasswordLetters": "DB_PASSWORD=«{az:12}»",
    "envPasswordShort": "PASSWORD=«{an:6}»",
    "envPass": "SMTP_PASS=«{an:12}»",
    "connectionString": "Server=db;User Id=sa;Pwd=«{an:12}»;",
    "passphrase": "passphrase: «{an:16}»",
    "yamlBlanks": 'password: "«{az:6} {az:7} {az:5} {az:6}»"',
    "pythonArgument": 'connect(password="«{an:14}»")',
    "jsToken": 'const token = "«{an:24}»";',
    "clientSecret": '"client_secret": "«{an:32}»"',
    "encryptionKey": "ENCRYPTION_KEY=«{hex:32}»",
    "masterKey": "MASTER_KEY=«{hex:64}»",
    "cliPassword": "tool login --password «{an:12}»",
    "cliToken": "tool login --token «{an:24}»",
    "cliTokenEquals": "tool login --api-key=«{an:24}»",
    "curlUser": "curl -u admin:«{an:12}» https://example.com",
    "sshpass": "sshpass -p '«{an:12}»' ssh host",
    "lftp": "lftp -u deploy,«{an:12}» host",
    "netrc": "machine example.com login bob password «{an:14}»",
    "pgpass": "db.example.com:5432:app:bob:«{an:14}»",
    "xml": "<password>«{an:12}»</password>",
    "dockerAuth": '{"auths": {"x": {"auth": "«{b64:40}»"}}}',
    "kubeconfig": "client-key-data: «{b64:200}»",
    "npmrc": "//registry.example.com/:_authToken=«{an:36}»",
    "npmrcAuth": "_auth=«{b64:32}»",
    "promptAnswer": "Password:\n«{an:12}»",
    "secretKeyBase": "SECRET_KEY_BASE=«{hex:64}»",
    "jwtSecret": "JWT_SECRET: «{an:24}»",
    "putty": "Private-Lines: 2\n«{b64:64}\n{b64:64}»\nPrivate-MAC: x",
}
COMMONEST: Final = [
    "aws",
    "githubClassic",
    "githubFineGrained",
    "openai",
    "anthropic",
    "google",
    "slack",
    "stripe",
    "npm",
    "jwt",
    "pem",
    "bearer",
    "urlCredentials",
]


@dataclass(frozen=True)
class Sample:
    """A text, and the pieces of it that are secret: generated, one for each line."""

    name: str
    text: str
    secrets: tuple[str, ...]


def samples(seed: int) -> list[Sample]:
    """Fill every format with characters of one seed."""
    random = Random(seed)
    return [_sample(name, template, random) for name, template in {**TOKENS, **CARRIED}.items()]


def _sample(name: str, template: str, random: Random) -> Sample:
    def fill(match: re.Match[str]) -> str:
        return "".join(random.choices(_ALPHABETS[match[1]], k=int(match[2])))

    before, secret, after = re.split("[«»]", _FILL.sub(fill, template))
    return Sample(name, before + secret + after, tuple(secret.split("\n")))
