extension String {
  /// How often `part` occurs.
  func components(of part: String) -> Int { ranges(of: part).count }
}
