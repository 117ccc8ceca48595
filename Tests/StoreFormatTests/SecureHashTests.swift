import Foundation
import OpenSwiftDataStoreFormat
import Testing

struct SecureHashTests {
  private func hex(_ data: Data) -> String {
    data.map { String(format: "%02x", $0) }.joined()
  }

  /// The examples of the standard.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func sha256(_ text: String, _ hash: String) {
    #expect(hex(SHA256.hash(of: Data(text.utf8))) == hash)
  }

  @Test(arguments: [
    (
      "",
      "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
        + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
    ),
    (
      "abc",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
        + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
        + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
    ),
  ])
  func sha512(_ text: String, _ hash: String) {
    #expect(hex(SHA512.hash(of: Data(text.utf8))) == hash)
  }

  @Test func everyLengthAroundABlockIsPadded() {
    // Made with another implementation: the hash of all the hashes of n letters.
    var (short, long) = (Data(), Data())
    for count in 0...260 {
      short += SHA256.hash(of: Data(repeating: 97, count: count))
      long += SHA512.hash(of: Data(repeating: 97, count: count))
    }
    #expect(
      hex(SHA256.hash(of: short))
        == "bb1d6350a010747691407a8d005ae593c312035fffd871290fbf5832f7c828ef")
    #expect(
      hex(SHA256.hash(of: long))
        == "77d95416d33d0b41987bc241b9ac396744f542ad445d9a2118acd3d3da4583b0")
  }
}
