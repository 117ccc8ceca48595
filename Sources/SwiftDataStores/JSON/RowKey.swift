/// Keys of new rows of a document: ten random characters, such as `7k2m9qx4rt`.
///
/// * Two branches of a repository add rows without knowing of each other. Numbers would give
///   different rows one key. Of 1000 random keys on each of two branches, two are equal with a
///   probability of 10⁻⁹; and then the merged file is refused, because it has a key twice.
/// * Rows are sorted by key, so new rows stand at random places. Two branches seldom change
///   adjacent lines, so merges seldom conflict, which they would do at the end of a list.
/// * A key is short enough to be read and typed in a link.
enum RowKey {
  /// 32 characters: neither `i`, `l`, `o` and `u`, which look like others, nor upper-case ones.
  private static let characters = Array("0123456789abcdefghjkmnpqrstvwxyz")

  static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    var bits: UInt64 = generator.next()
    var key = ""
    for index in 0..<10 {
      // A key that begins with a letter is not mistaken for a number.
      let letters = characters[10...]
      let character =
        index == 0 ? letters[10 + Int(bits % 22)] : characters[Int(bits % 32)]
      key.append(character)
      bits /= 32
    }
    // `p` and digits would be the number of a row.
    return key.dropFirst().allSatisfy(\.isNumber) && key.first == "p" ? random() : key
  }
}
