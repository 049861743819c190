# shellcheck shell=bash disable=SC2034
# Shared by the scripts: where the project is, what is installed, which Swift is used.
# Sourced, not run: . "$(dirname "$0")/lib.sh"

set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
SWIFT_NEEDED=6.3

# What a Swift toolchain that was only unpacked needs to start.
TOOLCHAIN_PACKAGES=(libncurses6 libxml2 libcurl4 libsqlite3-0)
# What the gateway is linked with and against, and what the tests and the demo call.
BUILD_PACKAGES=(
  g++ libssl-dev libyaml-dev libsqlite3-dev libmariadb-dev libcurl4-openssl-dev libidn2-dev libnghttp2-dev
  libfido2-dev pkg-config)
DEMO_PACKAGES=(python3 curl openssl)
TEST_PACKAGES=(python3 python3-jsonschema git curl openssl mariadb-server chromium chromium-driver nodejs esbuild)
BENCH_PACKAGES=(
  python3 python3-pip openssl gcc libssl-dev nginx libnginx-mod-http-lua lua-cjson haproxy nghttp2-client iproute2)

say() { printf '%s\n' "$*" >&2; }

die() {
  say "error: $*"
  exit 1
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "root is needed for: $*. Run it as root, then start this script again."
  fi
}

installed() {
  local status
  # A package with another architecture's suffix answers too, so every line is read.
  status=$(dpkg-query -W -f='${db:Status-Abbrev}\n' "$1" 2>/dev/null) || return 1
  case "$status" in *ii*) return 0 ;; *) return 1 ;; esac
}

# A command that is there, from wherever it came, is as good as its Debian package.
present() {
  case "$1" in
    # The headers and the linker of C and C++; Swift brings its own compilers.
    g++) command -v ld >/dev/null && [ -d /usr/include/c++ ] ;;
    python3-pip) python3 -m pip --version >/dev/null 2>&1 ;;
    gcc) command -v cc >/dev/null ;;
    python3 | git | curl | openssl | nginx | haproxy | pkg-config) PATH="$PATH:/usr/sbin" command -v "$1" >/dev/null ;;
    *) installed "$1" ;;
  esac
}

# Installs the packages that are missing, and nothing where none is.
install_missing() {
  local package missing=()
  if ! command -v apt-get >/dev/null; then
    say "note: no apt-get here; these must be present under your system's names: $*"
    return
  fi
  for package in "$@"; do
    present "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "Installing ${missing[*]} …"
  # Package lists may be absent or old: they are fetched only when the first attempt fails.
  apt_install "${missing[@]}" >/dev/null 2>&1 && return 0
  as_root apt-get -q -o DPkg::Lock::Timeout=120 update >/dev/null || die "apt-get update failed: is the network there?"
  apt_install "${missing[@]}" >/dev/null || die "could not install: ${missing[*]}"
}

# Installs without starting the services that nginx, HAProxy and MariaDB bring along:
# the scripts start their own, on loopback, and stop them.
apt_install() {
  local policy=/usr/sbin/policy-rc.d made='' status=0
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null && as_root chmod 755 "$policy" && made=yes
  fi
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=120 install --no-install-recommends "$@" || status=$?
  [ -z "$made" ] || as_root rm -f "$policy"
  return $status
}

# Puts a Swift toolchain of SWIFT_NEEDED or later on PATH.
find_swift() {
  local folder version
  if ! command -v swift >/dev/null; then
    for folder in "$HOME/.local/share/swiftly/bin" /opt/swift/usr/bin /usr/libexec/swift/bin /usr/share/swift/usr/bin; do
      [ -x "$folder/swift" ] && PATH="$folder:$PATH" && break
    done
  fi
  command -v swift >/dev/null || die "no Swift toolchain found. Install Swift $SWIFT_NEEDED (https://www.swift.org/install/linux/) and put swift on PATH."
  swift --version >/dev/null 2>&1 || install_missing "${TOOLCHAIN_PACKAGES[@]}"
  version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
  [ "$(printf '%s\n' "$SWIFT_NEEDED" "${version:-0}" | sort -V | head -n 1)" = "$SWIFT_NEEDED" ] ||
    die "Swift $SWIFT_NEEDED or later is needed; $(command -v swift) is ${version:-of an unknown version}."
}
