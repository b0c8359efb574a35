"""Patterns of home directories, for texts in which every separator is spelled as a slash."""

import re
from typing import Final

from sidecar.patterns import compiled

_NAME: Final = (
    r"(?!(?:Shared|Public|Default|All Users|Default User)\b|\.{{1,2}}/)"
    # An apostrophe belongs to a name after its first letter, as in "o'neil"; elsewhere it ends a quotation.
    r"(?P<{0}>(?:[^\s/\"'<>|:*?,;()\[\]{{}}$%`#&=@!~]|(?<=[/\\_.-][A-Za-z])'(?=[A-Za-z]{{3}})){{1,64}}+"
    # A name of several words continues with capitals, perhaps after a "van", and ends at a slash.
    r"(?:(?:(?:[ ][a-z]{{1,3}})?[ ][^\W\d_a-z][\w.-]{{0,40}}+){{1,3}}+(?=/))?+)"
)
_LEFT: Final = r"(?:(?<![A-Za-z0-9_.~}})])|(?<=[^A-Za-z0-9]-[A-Za-z])|(?<=^-[A-Za-z])|(?<=/\.\.))"
_SLASH: Final = r"/{1,2}(?:\./{1,2})?(?:\$?[\"'](?=[\w.-]{1,40}[\"']/)|\{(?=[\w.-]{1,40},))?"
_MOUNTS: Final = (
    r"(?:/(?:var|usr|exports?|data|nfs|net|mnt|srv|opt|tmp|private|vol[0-9]{0,3}|volume[0-9]{0,3}|gpfs|lustre|scratch"
    r"|afs|cluster|nas|pool|tank|zfs|ceph|cephfs|beegfs|work|rds|storage|disk[0-9]{0,3}|rootfs|sysroot|chroot|host"
    r"|proc|\.?snapshots?|timeshift|backups?|media|fs[0-9]{0,3}|cifs|smb|ifs|netapp|remote|System|Volumes|Network)"
    r"(?:/[^/\s\"']{1,60}|/Macintosh HD){0,6}?)"
)
"""Where other file systems, snapshots and containers are mounted, and up to six folders in them."""
_LEVELS: Final = (
    r"(?:(?:users|people|staff|students?|faculty|grad|ugrad|members|accounts"
    r"|[A-Z][A-Z0-9_.-]{1,30}|[a-z0-9-]{1,40}(?:\.[a-z0-9-]{1,40}){0,4}\."
    r"(?:com|net|org|edu|local|lan|corp|internal|intra|ad|[a-z]{2})|[a-z0-9](?:/[a-z0-9]{2})?)/{1,2}(?=[^\s/]))?"
)
"""Domains, initials and classes of users between the folder of all homes and one of them."""
_ROOTS: Final = "(?:home[0-9]{0,2}|HOME|Users|USERS)"
_DRIVE: Final = "(?i:Users|Documents and Settings|DOCUME~1|(?:WINNT/|Windows/)?Profiles)"
_SCHEME: Final = r"(?<![A-Za-z0-9])(?!https?:|wss?:)[a-z][a-z0-9+.-]{1,30}"

_SLASHED: Final = (
    rf"{_LEFT}(?:/\.)?{_MOUNTS}?/{_ROOTS}{_SLASH}{_LEVELS}{_NAME.format('posix')}"
    rf"|{_LEFT}{_MOUNTS}/(?:homes|users?|people)/{{1,2}}{_LEVELS}(?=[^/\s]{{0,60}}[A-Za-z]){_NAME.format('mounted')}"
    rf"|{_LEFT}/run/media/{_NAME.format('run')}"
    rf"|{_LEFT}/(?:media|homes|u|Home)/{_NAME.format('doubtful')}"
    rf"|(?<![A-Za-z0-9])(?:/{{1,3}}[?.]/[A-Za-z]:|/{{1,2}}(?:[\w.-]{{1,60}}/[A-Za-z]\$"
    rf"|[\w.-]{{1,60}}(?=/(?:Users|USERS)/)))/{{1,2}}{_DRIVE}/{{1,2}}{_NAME.format('drive')}"
    rf"|(?<![:\w/])//[\w.-]{{1,60}}/(?i:homes?|users|profiles)\$?/{{1,2}}{_NAME.format('share')}"
    rf"|(?<![:\w/])//[\w.-]{{1,60}}/(?!(?i:admin|ipc|print|fax|sysvol|home|homes|users|profiles)\$)"
    r"(?P<hidden>[\w.-]{2,40})(?=\$(?:/|$))"
    rf"|{_LEFT}(?:/(?:mnt|cygdrive|host_mnt|run/desktop/mnt/host|proc/cygdrive))?/[A-Za-z]/{_DRIVE}/"
    rf"{_NAME.format('mount')}"
    rf"|/{{1,2}}wsl(?:\.localhost|\$)/[\w.-]{{1,40}}/home/{_NAME.format('wsl')}"
    r"|(?<![\w.~<-])(?P<root>/root|/var/root)(?![\w.-])"
)
_TILDES: Final = (
    r"(?<![\w)\]~.])~(?=[A-Za-z_])(?P<tilde>[A-Za-z_][\w.-]{1,31}+)(?=/)"
    r"|(?<=cd )~(?P<shell>[a-z_][\w.-]{1,31}+)(?![\w/])"
)
PATHS: Final = compiled(
    rf"(?=/)(?:{_SLASHED})|(?=~)(?:{_TILDES})"
    rf"|(?=[A-Za-z]:)(?<![A-Za-z0-9])[A-Za-z]:/{{1,2}}"
    rf"(?:{_DRIVE}|(?i:(?:cygwin|msys)(?:32|64)?/{{1,2}}home))/{{1,2}}{_NAME.format('letter')}"
    rf"|(?=[A-Za-z]:)(?<![A-Za-z0-9])[A-Za-z]:/{{1,2}}(?i:homes?)/{{1,2}}{_NAME.format('folder')}"
    rf"|{_SCHEME}://[^/\s\"']{{1,120}}/(?:home[0-9]?|Users|[A-Za-z][:|]/Users)/{{1,2}}{_LEVELS}{_NAME.format('remote')}"
    rf"|(?=Users/)(?<![\w/])Users/{{1,2}}{_NAME.format('relative')}(?=/AppData(?:/|\b))"
)
"""Each alternative begins with a literal character, so that the engine skips most of a text."""
SLUGS: Final = compiled(
    r"(?m)(?:(?<![\w-])|(?<=^-))-(?:(?:mnt|cygdrive)-[a-z]-Users|(?:(?:var|private|export|gpfs|lustre|data|mnt|nfs|usr"
    r"|net-[a-z0-9]{1,30})-)?home[0-9]?(?:-users|-[A-Z][A-Z0-9]{1,30})?|run-media|Users|[a-z]-Users)-"
    r"(?P<unix>[A-Za-z0-9_.]{1,40}+)"
    r"|(?<![A-Za-z0-9])[A-Za-z]-{1,2}Users-(?P<windows>[A-Za-z0-9_.]{1,40}+)"
)
"""Folders that agents name after a project's path, with hyphens for what a file name cannot hold."""
FILE: Final = compiled(
    r"\.(?:[jt]sx?|[cm]js|py|html?|s?css|less|vue|svelte|mdx?|json|php|rb|go|rs|java|kt|swift|png|jpe?g|gif|svg|webp"
    r"|mp[34]|pdf|zip|txt|xml|ya?ml|aspx?|cshtml|jsp|ico)$",
    re.IGNORECASE,
)
"""A file of a web site or program, which is not the name of a person."""
