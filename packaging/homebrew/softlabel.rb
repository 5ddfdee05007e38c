# SPDX-License-Identifier: GPL-3.0-or-later
# Not tried: in a tap of one's own, with the address of a clone of this repository as `head`; then `brew install --HEAD softlabel`.
# For Homebrew on Linux alone: the sandbox is made of Landlock and seccomp, which macOS does not have.
class Softlabel < Formula
  desc "From annotators' answers to label distributions, trained networks, and scores"
  head "file:///path/to/softlabel", using: :git, branch: "main"
  license "GPL-3.0-or-later"

  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "cmocka" => :build
  depends_on "apache-arrow"
  depends_on "apache-arrow-glib"
  depends_on "glib"
  depends_on "gsl"
  depends_on "jpeg-turbo"
  depends_on "libpng"
  depends_on :linux
  depends_on "onednn"
  depends_on "simdjson"
  depends_on "xxhash"

  def install
    system "meson", "setup", "build", "--wrap-mode=nodownload", *std_meson_args
    system "meson", "install", "-C", "build"
  end

  test do
    (testpath/"votes.csv").write "item,annotator,label\n1,x,cat\n1,y,dog\n"
    system bin/"softlabel", "ingest", "--from", "long", "votes.csv", "-o", "answers.parquet"
    assert_match "cat", shell_output("#{bin}/softlabel show answers.parquet")
  end
end
