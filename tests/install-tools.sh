#!/bin/sh
# What some tests need beside Python: a GL library, Chromium, and two Node packages. Installs what it may and never
# fails: tests whose tools are missing are skipped, with the reason in the summary.
cd "$(dirname "$0")" || exit 0

have() { command -v "$1" >/dev/null 2>&1; }
has_library() { ldconfig -p 2>/dev/null | grep -q "$1"; }

wanted=""
have chromium || have google-chrome || wanted="$wanted chromium"
have node || wanted="$wanted nodejs"
have npm || wanted="$wanted npm"
has_library libEGL.so.1 || wanted="$wanted libegl1"
{ has_library libEGL_mesa.so.0 || has_library libEGL_nvidia.so.0; } || wanted="$wanted libegl-mesa0 libgl1-mesa-dri"

if [ -n "$wanted" ] && have apt-get && [ "$(id -u)" = 0 ]; then
    echo "installing:$wanted"
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    { apt-get -qq update && apt-get -qq install -y --no-install-recommends $wanted; } >/tmp/gambol-apt.log 2>&1 \
        || echo "apt-get could not install them (see /tmp/gambol-apt.log); the tests that need them will be skipped"
elif [ -n "$wanted" ]; then
    echo "not installed, and apt-get may not be used here:$wanted; the tests that need them will be skipped"
fi

if have npm && [ ! -d node/node_modules/gltf-validator -o ! -d node/node_modules/playwright-core ]; then
    npm install --prefix node --no-audit --no-fund --no-package-lock --silent \
        || echo "npm could not install the Node packages; the tests that need them will be skipped"
fi
exit 0
