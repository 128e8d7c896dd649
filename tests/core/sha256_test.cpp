// SPDX-License-Identifier: Apache-2.0
#include "core/sha256.h"

#include <doctest/doctest.h>

#include "core/catalog.h"
#include "core/embedded.h"

namespace roofcast {
namespace {

// Vectors of FIPS 180-4's examples, and of NIST's SHA256ShortMsg for a single byte.
TEST_CASE("SHA-256 gives the published digests") {
  CHECK(Sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(Sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(Sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(Sha256("\xD3") == "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1");
  CHECK(Sha256(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("The padding is right at every length around a block") {
  // The digest of the digests of "", "a", "aa", ... up to 130 letters.
  std::string all;
  for (std::size_t length = 0; length <= 130; ++length) all += Sha256(std::string(length, 'a'));
  CHECK(Sha256(all) == "5eee4c50e1b5ec4f1a47f34c25ca988850b49da7904f5ab1b3abc5cc0ae66ef9");
}

TEST_CASE("The hash of the embedded catalog is what sha256sum gives") {
  std::string lines;
  for (const EmbeddedFile& file : EmbeddedFiles()) {
    if (file.path.starts_with("hardware/fits/")) continue;
    lines += Sha256(file.text) + "  " + std::string(file.path) + "\n";
  }
  CHECK(Sha256(lines) == EmbeddedHash("catalog"));
  CHECK(EmbeddedHash("nothing").empty());
}

}  // namespace
}  // namespace roofcast
