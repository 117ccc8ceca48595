extension String {
  /// How often `part` occurs.
  func components(of part: String) -> Int { ranges(of: part).count }

  /// The lines without the spaces at their beginnings.
  var withoutIndentation: [Substring] {
    split(separator: "\n").map { $0.drop { $0 == " " } }
  }
}
