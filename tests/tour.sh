#!/usr/bin/env bash
# The part of docs/introduction.md that needs the Azure CLI: the files of the page, then its commands with `az`, as they are
# written. Afterwards the page of the server and the deployment must be there.
#
# usage: tests/tour.sh [PROGRAM]      PROGRAM is a built sinew; without it one is built
#
# AZ names an Azure CLI; without it one is installed from PyPI into a virtual environment, which takes some minutes.
# Nothing of the user's own Azure configuration is read or changed. The port 8443 must be free.
. "$(dirname "${BASH_SOURCE[0]}")/serve.sh"

az=${AZ:-}
if [ -z "$az" ]; then
  python_with azure-cli
  az=$work/venv/bin/az
fi
mkdir -p "$work/path" "$work/tour"
ln -s "$az" "$work/path/az"
ln -s "$program" "$work/path/sinew"
export PATH=$work/path:$PATH AZURE_CORE_COLLECT_TELEMETRY=false

python3 - "$root/docs/introduction.md" "$work/tour" << 'END'
import pathlib, re, sys
page, folder = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"), pathlib.Path(sys.argv[2])
for name, text in re.findall(r"^```bicep(?:param)? (\S+)\n(.*?)^```$", page, re.M | re.S):
    (folder / name).write_text(text)
commands = re.search(r"tests/tour\.sh runs this block -->\n```sh\n(.*?)^```$", page, re.M | re.S)
(folder / "commands.sh").write_text("set -e\n" + commands.group(1))
END

cd "$work/tour"
unset SINEW_HOME
. ./commands.sh
set +e
started+=($!)
state=$(az deployment group show --resource-group demo --name main --query properties.provisioningState --output tsv)
title=$(python3 -c '
import ssl, sys, urllib.request
context = ssl.create_default_context(cafile=sys.argv[1])
print("<title>" in urllib.request.urlopen("https://127.0.0.1:8443/", context=context).read().decode())
' "$REQUESTS_CA_BUNDLE")
echo "deployment: $state, page: $title"
[ "$state" = Succeeded ] && [ "$title" = True ]
