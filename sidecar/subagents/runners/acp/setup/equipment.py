"""Describe the equipment of a run in the types of the protocol's SDK, as far as the agent supports it."""

import base64
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from acp import schema

from sidecar.subagents.equipment.attachments import Attached, AttachedData, AttachedFile
from sidecar.subagents.equipment.media_types import IMAGE_TYPES
from sidecar.subagents.equipment.servers import McpServer, RemoteServer, Server
from sidecar.subagents.runners.acp.turn import AgentError


def server_list(servers: Iterable[Server], capabilities: schema.AgentCapabilities) -> list[Any]:
    """Return the servers for the request that opens a session. Raises AgentError, which names the server."""
    return [_server(each, capabilities) for each in servers]


def _server(server: Server, capabilities: schema.AgentCapabilities) -> Any:
    if isinstance(server, McpServer):
        program, *arguments = server.command
        env = [schema.EnvVariable(name=name, value=value) for name, value in server.env.items()]
        return schema.McpServerStdio(name=server.name, command=program, args=arguments, env=env)
    _require(server, capabilities)
    headers = [schema.HttpHeader(name=name, value=value) for name, value in server.headers.items()]
    kind = schema.HttpMcpServer if server.type == "http" else schema.SseMcpServer
    return kind(type=server.type, name=server.name, url=server.url, headers=headers)  # type: ignore[arg-type]


def _require(server: RemoteServer, capabilities: schema.AgentCapabilities) -> None:
    offered = capabilities.mcp_capabilities
    if offered is None or not getattr(offered, server.type):
        raise AgentError(
            f"mcpServers: {server.name}: the agent does not support servers of type {server.type}; use a "
            "server that is a command, use another agent, or remove the server from the definition"
        )


def directory_list(directories: Iterable[Path], capabilities: schema.AgentCapabilities) -> dict[str, Any]:
    """Return the member with the folders for the request that opens a session. Raises AgentError."""
    paths = [str(each) for each in directories]
    if not paths:
        return {}
    session = capabilities.session_capabilities
    if session is None or session.additional_directories is None:
        raise AgentError("the agent does not support additionalDirectories; omit them, or use another agent")
    return {"additional_directories": paths}


def attachment_blocks(
    attachments: Sequence[Attached],
    capabilities: schema.AgentCapabilities,
    *,
    loses_images: bool = False,
) -> Iterator[Any]:
    """Yield a block of the prompt for each attachment. Blocking. Raises AgentError, which names the index.

    An agent that `loses_images` next to files gets a link to them too, and reads them itself.
    """
    prompt = capabilities.prompt_capabilities or schema.PromptCapabilities()
    as_links = loses_images and not all(map(_is_image, attachments))
    for number, each in enumerate(attachments):
        try:
            if isinstance(each, AttachedFile):
                yield _file(each, takes_images=bool(prompt.image) and not as_links)
            elif as_links and _is_image(each):
                raise ValueError(
                    "the agent drops image data next to files; attach the image by its path, or alone"
                )
            else:
                yield _data(number, each, prompt)
        except ValueError as error:
            raise AgentError(f"attachments[{number}]: {error}") from None


def _is_image(attached: Attached) -> bool:
    return attached.mime_type in IMAGE_TYPES


def _file(file: AttachedFile, *, takes_images: bool) -> Any:
    """Return the image, if the file is one and the agent takes images, or else a link."""
    uri, mime_type = file.path.as_uri(), file.mime_type
    if takes_images and mime_type is not None and _is_image(file):
        return schema.ImageContentBlock(type="image", data=file.read(), mime_type=mime_type, uri=uri)
    file.check()
    return schema.ResourceContentBlock(
        type="resource_link", name=file.path.name, uri=uri, mime_type=mime_type, size=file.size
    )


def _data(number: int, data: AttachedData, prompt: schema.PromptCapabilities) -> Any:
    kind = data.mime_type.partition("/")[0]
    if _is_image(data) and prompt.image:
        return schema.ImageContentBlock(type="image", data=data.data, mime_type=data.mime_type)
    if kind == "audio" and prompt.audio:
        return schema.AudioContentBlock(type="audio", data=data.data, mime_type=data.mime_type)
    is_text = data.mime_type == "image/svg+xml"
    if (kind in ("image", "audio") and not is_text) or not prompt.embedded_context:
        raise ValueError(
            f"the agent does not support attached data of type {data.mime_type}; attach a file by its path, "
            "or use another agent"
        )
    return schema.EmbeddedResourceContentBlock(type="resource", resource=_resource(number, data))


def _resource(number: int, data: AttachedData) -> Any:
    uri = f"attachment:///{number}"
    try:
        text = base64.b64decode(data.data).decode()
    except UnicodeDecodeError:
        return schema.BlobResourceContents(uri=uri, blob=data.data, mime_type=data.mime_type)
    return schema.TextResourceContents(uri=uri, text=text, mime_type=data.mime_type)
