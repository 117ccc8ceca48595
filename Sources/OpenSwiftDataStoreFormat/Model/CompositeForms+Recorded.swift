/// What the texts say that a file has recorded.
extension CompositeForms {
  /// The parts that may themselves be nil, as texts record them.
  package static func optionalParts(in texts: [String: String]) -> Set<String> {
    var parts: Set<String> = []
    for (name, text) in texts {
      for word in text.split(separator: " ") where word.hasSuffix("?") {
        guard let end = word.firstIndex(of: "=") else { continue }
        parts.insert("\(name).\(word[..<end])")
      }
    }
    return parts
  }

  /// The texts that describe a model. Earlier versions of this package keep the texts of a file when
  /// they change its composites.
  package static func valid(
    _ texts: [String: String], for model: ModelDescription
  ) -> [String: String] {
    if texts.isEmpty { return [:] }
    func sequence(_ text: String) -> [Substring] {
      text.split(separator: " ").compactMap { word in
        word.firstIndex(of: "=").map { word[$0...].dropFirst().prefix { $0 != "?" } }
      }
    }
    let current = CompositeForms(model).texts
    return texts.filter { name, text in
      current[name].map { sequence($0) == sequence(text) } ?? false
    }
  }

  /// Whether two texts of a composite have the parts that both contain in the same columns, so that a
  /// program may go on with either. Renamed parts keep their columns.
  /// - Parameter comparesNil: Whether the parts must also allow nil in the same way.
  package static func isSame(_ text: String, _ other: String, comparesNil: Bool) -> Bool {
    let (columns, otherColumns) = (columns(in: text), columns(in: other))
    for (path, column) in columns {
      guard let other = otherColumns[path] else { continue }
      if column.name != other.name || comparesNil && column.isOptional != other.isOptional {
        return false
      }
    }
    let optional = optionalComposites(in: text)
    return optional.symmetricDifference(optionalComposites(in: other)).allSatisfy { path in
      // An empty path is the whole value.
      if path.isEmpty { return false }
      return !comparesNil
        || ![columns, otherColumns].allSatisfy { columns in
          columns.keys.contains { $0 == path || $0.hasPrefix("\(path).") }
        }
    }
  }

  private static func columns(
    in text: String
  ) -> [Substring: (name: Substring, isOptional: Bool)] {
    var columns: [Substring: (name: Substring, isOptional: Bool)] = [:]
    for word in text.split(separator: " ") {
      guard let end = word.firstIndex(of: "=") else { continue }
      let name = word[end...].dropFirst()
      columns[word[..<end]] = (name.prefix { $0 != "?" }, name.hasSuffix("?"))
    }
    return columns
  }

  private static func optionalComposites(in text: String) -> Set<Substring> {
    Set(
      text.split(separator: " ").filter { $0.hasSuffix("?") && !$0.contains("=") }
        .map { $0.dropLast() })
  }
}
