import SwiftData

/// A value in the form that readable texts have. Numbers are texts, so that none loses digits.
indirect enum DocumentValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case number(String)
  case string(String)
  case list([DocumentValue])
  case object([String: DocumentValue])
  /// A row of the same store, or a new row of a save.
  case identifier(PersistentIdentifier)
}

extension DocumentValue {
  var isNull: Bool { self == .null }

  /// Whether both are equal, and their texts byte by byte: equal texts may be composed of different
  /// characters.
  func hasBytes(of other: DocumentValue) -> Bool {
    switch (self, other) {
    case (.string(let text), .string(let other)): text.utf8.elementsEqual(other.utf8)
    case (.list(let values), .list(let others)):
      values.elementsEqual(others) { $0.hasBytes(of: $1) }
    case (.object(let values), .object(let others)):
      values.count == others.count
        && values.allSatisfy { name, value in others[name]?.hasBytes(of: value) ?? false }
    default: self == other
    }
  }

  /// The number of lists and objects around the innermost part.
  var depth: Int {
    switch self {
    case .list(let values): 1 + (values.lazy.map(\.depth).max() ?? 0)
    case .object(let values): 1 + (values.values.lazy.map(\.depth).max() ?? 0)
    default: 0
    }
  }

  /// The rows that a relationship refers to.
  var identifiers: [PersistentIdentifier] {
    switch self {
    case .identifier(let identifier): [identifier]
    case .list(let values): values.flatMap(\.identifiers)
    default: []
    }
  }

  /// The value of an attribute as a row stores it. The identifier of a model that has no row is
  /// stored in parts, as one of another store is.
  /// - Parameter current: The identifier of the row that another identifier stands for.
  /// - Throws: What an identifier throws while it encodes itself.
  func stored(
    _ current: (PersistentIdentifier) -> PersistentIdentifier = \.resolved
  ) throws -> DocumentValue {
    switch self {
    case .identifier(let identifier):
      let row = current(identifier)
      if row.storeIdentifier != nil { return .identifier(row) }
      return .object(try DocumentEncoder.values(of: row, storeIdentifier: ""))
    case .list(let values): return .list(try values.map { try $0.stored(current) })
    case .object(let values): return .object(try values.mapValues { try $0.stored(current) })
    default: return self
    }
  }

  /// The value of a to-many relationship, in a stable order.
  static func members(_ identifiers: some Sequence<PersistentIdentifier>) -> DocumentValue {
    .list(Set(identifiers).sorted().map(DocumentValue.identifier))
  }

  /// What a value is, for error messages, which contain no stored values.
  var kind: String {
    switch self {
    case .null: "null"
    case .boolean: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .list: "a list"
    case .object: "an object"
    case .identifier: "a link"
    }
  }
}
