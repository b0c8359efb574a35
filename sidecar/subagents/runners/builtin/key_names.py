"""Recognize environment variables that usually contain keys of model providers, by name only."""

import re

_PROVIDERS = (
    "AI21|AIHUBMIX|ANTHROPIC|ANYSCALE|AZURE_?AI|BAICHUAN|BASETEN|BEDROCK|CEREBRAS|CHUTES|CLAUDE|CODESTRAL|"
    "COHERE|COPILOT|DASHSCOPE|DATABRICKS|DEEP_?INFRA|DEEP_?SEEK|ELEVEN_?LABS|FEATHERLESS|FIREWORKS|FRIENDLI|"
    "GEMINI|GLM|GOOGLE_AI|GOOGLE_GENERATIVE_AI|GROK|GROQ|HELICONE|HF|HUGGING_?FACE|HUGGING_?FACE_?HUB|"
    "HYPERBOLIC|INFERENCE|INFERENCE_NET|KIMI|LANGDOCK|LANGFUSE|LANGSMITH|LITE_?LLM|LLAMA|LLM|LM_?STUDIO|"
    "MINIMAX|MISTRAL|MISTRAL_?AI|MODAL|MODELSCOPE|MOONSHOT|NEBIUS|NIM|NOVITA|NVIDIA|OLLAMA|OPEN_?AI|"
    "OPEN_?CODE|OPEN_?ROUTER|PERPLEXITY|PORTKEY|PPLX|QIANFAN|QWEN|REPLICATE|REQUESTY|RUNPOD|SAMBANOVA|"
    "SCALEWAY_AI|SILICON_?FLOW|STABILITY|STEPFUN|TOGETHER|TOGETHER_?AI|UNBOUND|UPSTAGE|VENICE|VERCEL_AI|"
    "VERTEX|VOLC_?ENGINE|VOYAGE|WATSONX|WRITER|XAI|YI|ZAI|Z_AI|ZHIPU|ZHIPU_?AI"
)
"""Providers and gateways of models, as variables name them."""
_SECRETS = r"KEYS?|TOKEN|SECRETS?|PASSWORD|CREDENTIALS?|API_?KEYS?|(?:AUTH|ACCESS|API)_?TOKEN|PAT"
_KEY = re.compile(
    rf"(?:.*_)?API_?KEYS?(?:_?[0-9]+|_.*)?"
    rf"|(?:.*_)?(?:{_PROVIDERS})[0-9]*_?(?:.*_)?(?:{_SECRETS})(?:_?[0-9]+|_.*)?"
    rf"|(?:.*_)?(?:BEARER_)?TOKEN_(?:{_PROVIDERS})"
)
_NO_KEY = re.compile(
    r".*_(?:FILE|PATH|DIR|NAME|VARIABLE|VAR|ID|URL|URI|ENDPOINT|HELPER|COMMAND|LIMIT|BUDGET|COUNT|TTL|TTL_MS)"
)
"""Names of files, programs, addresses and numbers that concern a key."""


def is_model_key(name: str) -> bool:
    """Return whether a variable of this name usually contains the key of a model provider.

    The name contains `API_KEY` or `APIKEY`, or a provider and then a word such as `KEY`, `TOKEN` or `SECRET`.
    """
    upper = name.upper().replace("-", "_")
    return _KEY.fullmatch(upper) is not None and _NO_KEY.fullmatch(upper) is None
