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

  /// Texts are compared byte by byte, so that a row is read and written again when only the
  /// characters differ that compose an equal text. Values with equal bytes have equal hashes.
  static func == (lhs: DocumentValue, rhs: DocumentValue) -> Bool {
    switch (lhs, rhs) {
    case (.null, .null): true
    case (.boolean(let value), .boolean(let other)): value == other
    case (.number(let text), .number(let other)): text == other
    case (.string(let text), .string(let other)): text.utf8.elementsEqual(other.utf8)
    case (.list(let values), .list(let others)): values == others
    case (.object(let values), .object(let others)):
      values.count == others.count
        && values.allSatisfy { name, value in
          guard let other = others.index(forKey: name) else { return false }
          return name.utf8.elementsEqual(others[other].key.utf8) && value == others[other].value
        }
    case (.identifier(let identifier), .identifier(let other)): identifier == other
    case (.null, _), (.boolean, _), (.number, _), (.string, _), (.list, _), (.object, _),
      (.identifier, _):
      false
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
