# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2154  # sourced by tools/setup: cache, arrow_minimum, full_source
#
# build_arrow: Arrow GLib into $cache/arrow-VERSION.
#
# The source is the package apache-arrow of Debian's unstable, or of the Ubuntu to come. The C++ libraries below
# them are those of PyPI's pyarrow wheel of the same version; where there is none, they are compiled too.
# Everything is made in a folder beside the result and renamed when done, so a result is always whole.

build_arrow () {
  local version final began=$SECONDS
  # Its name is in what is linked there: the same each time.
  tmp=$cache/tmp.arrow
  mkdir "$tmp"
  trap 'rm -rf "$tmp"' EXIT
  : >"$cache/log/arrow.log"
  fetch_source
  final=$cache/arrow-$version
  if [ -n "$full_source" ]; then
    compile_libraries
  elif ready_made_libraries; then
    say "building Arrow GLib $version (about two minutes, once)"
  else
    say "no ready-made libraries of Arrow $version for this machine ($cache/log/arrow.log)"
    compile_libraries
  fi
  build_glib
  point_to "$final"
  # A finished one is replaced only by --full-source.
  [ ! -e "$final" ] || mv "$final" "$tmp/replaced"
  mv "$tmp/arrow" "$final"
  say "Arrow GLib $version is in $final ($((SECONDS - began)) s)"
}

# archives [FILTER]: the addresses that apt installs from.
archives () {
  # shellcheck disable=SC2016  # apt's variable
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "$@"
}

# private_apt TYPE ARG…: apt-get on the next release of the archive that this machine installs from, with lists
# and files of its own, so that the machine's settings stay as they are. Signatures are checked; the age of
# the index is not, since a mirror may be a snapshot and an older release of the source is as good.
private_apt () {
  local type=$1 archive label=Debian suite='sid main' dir=$tmp/apt-$1
  shift
  if [ ! -d "$dir" ]; then
    if [ -n "$(archives 'Label: Ubuntu')" ]; then
      label=Ubuntu suite='devel universe'
    fi
    archive=$(archives "Label: $label" | sed -n 1p)
    archive=${archive:-$(archives | sed -n 1p)} # before the first update apt knows no labels
    mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
    echo "$type [signed-by=/usr/share/keyrings/${label,,}-archive-keyring.gpg] $archive $suite" \
      >"$dir/sources.list"
    private_apt "$type" update
  fi
  (cd "$tmp" && logged arrow apt-get -o APT::Sandbox::User="$(id -un)" -o Acquire::Check-Valid-Until=false \
    -o Dir::Etc::SourceParts=- -o Dir::Etc::SourceList="$dir/sources.list" -o Dir::State::Lists="$dir/lists" \
    -o Dir::Cache="$dir/cache" "$@")
}

# Sets version; unpacks into $tmp/source.
fetch_source () {
  local archive
  command -v apt-get >/dev/null ||
    fail "Arrow GLib and Parquet $arrow_minimum or newer are needed (pkg-config: arrow-glib, parquet-glib)"
  say "fetching the source of Arrow"
  private_apt deb-src source --download-only apache-arrow
  archive=$(find "$tmp" -maxdepth 1 -name 'apache-arrow_*.orig.tar.*' ! -name '*.asc')
  version=${archive##*/apache-arrow_}
  version=${version%.orig.tar.*}
  version=${version%%[+~]*}
  dpkg --compare-versions "$version" ge "$arrow_minimum" ||
    fail "Arrow $arrow_minimum or newer is needed; Debian's newest source is $version"
  mkdir "$tmp/source"
  logged arrow tar -xf "$archive" -C "$tmp/source" --strip-components=1
}

# The C++ libraries and headers of pyarrow's wheel.
ready_made_libraries () {
  local name file prefix=$tmp/arrow abi=0
  quietly arrow python3 -m venv "$tmp/venv" &&
    quietly arrow "$tmp/venv/bin/pip" download --retries 2 --no-deps --only-binary :all: \
      --dest "$tmp" "pyarrow==$version" &&
    quietly arrow python3 -m zipfile -e "$tmp"/pyarrow-*.whl "$tmp/wheel" || return
  mkdir -p "$prefix/lib/pkgconfig"
  cp -R "$tmp/wheel/pyarrow/include" "$prefix/" || return
  for name in arrow arrow_compute arrow_acero parquet; do
    file=$(echo "$tmp/wheel/pyarrow/lib$name".so.*)
    cp "$file" "$prefix/lib/" || return
    ln -s "${file##*/}" "$prefix/lib/lib$name.so"
  done
  # Which of libstdc++'s two string types they were compiled with.
  if grep -q __cxx11 "$prefix/lib/libparquet.so"; then
    abi=1
  fi
  describe arrow '' "-larrow" "-D_GLIBCXX_USE_CXX11_ABI=$abi"
  describe arrow-compute arrow -larrow_compute
  describe arrow-acero arrow-compute -larrow_acero
  describe arrow-csv arrow
  describe arrow-filesystem arrow
  describe arrow-json arrow
  describe parquet arrow -lparquet
}

# describe MODULE REQUIRES [LIBRARY [DEFINITION]]: writes its pkg-config file.
describe () {
  local module=$1 requires=$2 library=${3-} definition=${4-}
  cat >"$tmp/arrow/lib/pkgconfig/$module.pc" <<END
prefix=$tmp/arrow
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: $module
Description: Apache Arrow
Version: $version
Requires: $requires
Libs: -L\${libdir} $library
Cflags: -I\${includedir} $definition
END
}

# The same from source.
compile_libraries () {
  local packages=(cmake libboost-dev liblz4-dev libsnappy-dev libthrift-dev libzstd-dev
    rapidjson-dev zlib1g-dev)
  rm -rf "$tmp/arrow"
  dpkg-query --show "${packages[@]}" >/dev/null 2>&1 || apt_install "${packages[@]}"
  say "building Arrow $version from source (about a quarter of an hour on two processors, once; log: $cache/log/arrow.log)"
  # Headers only, and newer ones than Debian 12 has.
  private_apt deb download libxsimd-dev
  logged arrow dpkg-deb --extract "$tmp"/libxsimd-dev_*.deb "$tmp/xsimd"
  logged arrow cmake -G Ninja -S "$tmp/source/cpp" -B "$tmp/build-cpp" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DCMAKE_INSTALL_PREFIX="$tmp/arrow" \
    -DCMAKE_INSTALL_LIBDIR=lib -DARROW_RPATH_ORIGIN=ON \
    -DARROW_DEPENDENCY_SOURCE=SYSTEM -DCMAKE_PREFIX_PATH="$tmp/xsimd/usr" -DXSIMD_ENABLE_XTL_COMPLEX=OFF \
    -DARROW_BUILD_STATIC=OFF -DARROW_MIMALLOC=OFF -DARROW_USE_CCACHE=OFF \
    -DARROW_ACERO=ON -DARROW_COMPUTE=ON -DARROW_CSV=ON -DARROW_FILESYSTEM=ON -DARROW_IPC=ON \
    -DARROW_JSON=ON -DARROW_PARQUET=ON -DARROW_WITH_LZ4=ON -DARROW_WITH_SNAPPY=ON \
    -DARROW_WITH_ZLIB=ON -DARROW_WITH_ZSTD=ON -DARROW_WITH_RE2=OFF -DARROW_WITH_UTF8PROC=OFF
  NINJA_STATUS='%p ' ninja -C "$tmp/build-cpp" install </dev/null 2>&1 9>&- |
    tee -a "$cache/log/arrow.log" | show_tenths ||
    { tail -n 25 "$cache/log/arrow.log" >&2; fail "Arrow does not build (the whole log: $cache/log/arrow.log)"; }
}

# Says every tenth part of what ninja reports.
show_tenths () {
  local part rest next=10
  while read -r part rest; do
    [[ $part =~ ^([0-9]+)%$ ]] || continue
    if [ "${BASH_REMATCH[1]}" -ge $next ]; then
      say "  $next % after $SECONDS s"
      next=$((BASH_REMATCH[1] / 10 * 10 + 10))
    fi
  done
}

# The GLib wrappers, on the libraries in $tmp/arrow.
build_glib () {
  local PKG_CONFIG_PATH=$tmp/arrow/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2016  # the loader's $ORIGIN
  logged arrow meson setup "$tmp/build-glib" "$tmp/source/c_glib" --prefix="$tmp/arrow" --libdir=lib \
    --wrap-mode=nodownload --buildtype=plain -Dcpp_args=-O1 -Dcpp_link_args='-Wl,-rpath,$ORIGIN' \
    -Ddoc=false -Dvapi=false
  logged arrow ninja -C "$tmp/build-glib" install
  cp "$tmp/source/NOTICE.txt" "$tmp/arrow/share/arrow-glib/"
  # What links and loads with what pkg-config says.
  echo '#include <arrow-glib/arrow-glib.h>
    int main (void) { return garrow_table_get_type () == 0; }' >"$tmp/try.c"
  # shellcheck disable=SC2046  # flags are words
  logged arrow gcc -o "$tmp/try" "$tmp/try.c" $(pkg-config --cflags --libs arrow-glib parquet-glib) \
    -Wl,-rpath,"$tmp/arrow/lib"
  logged arrow "$tmp/try"
}

# point_to PREFIX: makes the pkg-config files those of an installation there, whose programs find their
# libraries without being told.
point_to () {
  # shellcheck disable=SC2016  # pkg-config's ${libdir}
  sed -i -e "s|$tmp/arrow|$1|g" -e 's|^Libs: -L${libdir}|& -Wl,-rpath,${libdir}|' \
    "$tmp"/arrow/lib/pkgconfig/*.pc
}
