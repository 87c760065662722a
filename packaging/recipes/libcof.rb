# SPDX-License-Identifier: BSD-2-Clause
# Not yet published. A formula for Homebrew: the library, the command and the libvips module.
class Libcof < Formula
  desc "Co-occurrence Filter: smooths textures, keeps the boundaries between them"
  homepage "https://libcof.example"
  url "https://libcof.example/releases/libcof-1.0.0.tar.xz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "BSD-2-Clause"

  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "scdoc" => :build
  depends_on "glib"
  depends_on "libtiff"
  depends_on "vips"

  def install
    system "meson", "setup", "build", "-Dauto_features=disabled", "-Dcli=enabled", "-Dvips=enabled",
           "-Dopencl=enabled", *std_meson_args
    system "meson", "compile", "-C", "build", "--verbose"
    system "meson", "install", "-C", "build"
  end

  test do
    system bin/"cof", "--window", "5", test_fixtures("test.png"), "out.png"
    assert_path_exists testpath/"out.png"
    assert_match "libcof", shell_output("#{bin}/cof --version")
  end
end
