import Foundation

/// Collects the values of the leaves while a value is encoded.
final class CompositeSink {
  let tree: CompositeTree
  var values: [_StoredValue]
  /// The active cases that have values.
  private var payloadCases: [Int] = []
  /// The first error in a function of the `Encoder` protocol that cannot throw.
  var error: (any Error)?
  /// Whether the leaves give back the value.
  private(set) var isExact = true

  init(_ tree: CompositeTree) {
    self.tree = tree
    values = Array(repeating: .null, count: tree.leaves.count)
  }

  func write(_ value: any Encodable, at position: Int) throws {
    guard let leaf = tree.nodes[position].leaf, tree.nodes[position].children.isEmpty else {
      if let duration = value as? Duration {
        try write(duration, at: position)
      } else {
        try value.encode(to: CompositeEncoder(sink: self, position: position))
      }
      return
    }
    switch tree.leaves[leaf].form {
    case .scalar:
      guard let scalar = value as? any ScalarCoding else {
        // An `Optional` is encoded as its wrapped value or as nothing.
        return try value.encode(to: CompositeEncoder(sink: self, position: position))
      }
      try store(scalar, at: leaf)
    case .rawValue:
      guard let raw = value as? any RawRepresentable, let scalar = Self.rawValue(of: raw) else {
        return try value.encode(to: CompositeEncoder(sink: self, position: position))
      }
      try store(scalar, at: leaf)
    case .encoded:
      try writeEncoded(value, at: position)
    case .enumCase:
      try value.encode(to: CompositeEncoder(sink: self, position: position))
    }
  }

  func writeScalar(_ value: some ScalarCoding, at position: Int) throws {
    guard let leaf = tree.nodes[position].leaf else { throw fault(at: position) }
    try store(value, at: leaf)
  }

  /// Stores a value as JSON in the column of a leaf.
  func writeEncoded(_ value: any Encodable, at position: Int) throws {
    guard let leaf = tree.nodes[position].leaf, case .encoded = tree.leaves[leaf].form else {
      throw fault(at: position)
    }
    let data = try EncodedCoding.encode(value)
    values[leaf] = data.elementsEqual("null".utf8) ? .null : .blob(data)
  }

  private func store<S: ScalarCoding>(_ scalar: S, at leaf: Int) throws {
    let value = scalar.storedValue
    let form = tree.leaves[leaf].form
    guard form == .scalar(S.scalarType) || form.keeps(value, of: S.self) else {
      throw fault(named: tree.leaves[leaf].codingPath.joined(separator: "."))
    }
    if case .real(let number) = value, number.isNaN, form == .scalar(.date) {
      throw SwiftDataError.modelValidationFailure.with(
        "A date that is not a number can't be stored, at '\(tree.leaves[leaf].name)'. Set a valid "
          + "date.")
    }
    switch value {
    // Absent in an optional part, where it is stored as null.
    case .real(let number) where number.isNaN && tree.leaves[leaf].optionalDepth != nil:
      isExact = false
    case .text where form == .scalar(.url) && (scalar as? URL)?.baseURL != nil: isExact = false
    default: break
    }
    values[leaf] = value
  }

  /// Called after an optional part was encoded: one without values is read as nil.
  func noteOptional(at position: Int) {
    let node = tree.nodes[position]
    if !node.isVisible, node.leaves.allSatisfy({ values[$0].isNull }) { isExact = false }
  }

  /// Records the active case of an enum, if the node is a case.
  func enterCase(at position: Int) {
    if tree.nodes[position].payloadCase != nil { payloadCases.append(position) }
    guard tree.form(at: position) == .enumCase, let leaf = tree.nodes[position].leaf else { return }
    values[leaf] = .text(tree.leaves[leaf].name)
  }

  /// Rejects a case without values in columns that would be read as nil or as another case.
  ///
  /// - Parameter isOptional: Whether the whole value may be nil.
  func checkCases(isOptional: Bool) throws {
    for position in payloadCases {
      let node = tree.nodes[position]
      guard let payloadCase = node.payloadCase, node.leaves.allSatisfy({ values[$0].isNull })
      else { continue }
      let mayBeNil = payloadCase.mayBeNil || (isOptional && node.parent == CompositeTree.root)
      let isAmbiguous = !payloadCase.mayBeEmpty || tree.emptyCases(of: node.parent).count > 1
      guard mayBeNil || isAmbiguous else { continue }
      let name = tree.nodes[node.parent].children.first { $1 == position }?.key ?? ""
      throw SwiftDataError.modelValidationFailure.with(
        "The case '\(name)' can't be stored without any of its values: it has no separate column, "
          + "so it would be read as \(mayBeNil ? "nil" : "no case or as another one"). "
          + (payloadCase.mayBeEmpty
            ? "Set one of the values, or add a case without values."
            : "Its values encode none of their members: encode them always, or mark the property "
              + "@Attribute(.codable), which stores it as one value."))
    }
  }

  func fault(at position: Int?, key: (any CodingKey)? = nil) -> SwiftDataError {
    let leaf = position.flatMap { tree.nodes[$0].leaves.first }
    let path = leaf.flatMap { tree.leaves[$0].codingPath.first }
    return fault(named: key?.stringValue ?? path ?? "")
  }

  private func fault(named name: String) -> SwiftDataError {
    SwiftDataError.modelValidationFailure.with(
      "A value encodes itself differently from its stored properties, at '\(name)'. "
        + "Mark the property @Attribute(.codable), which stores it as one value.")
  }

  private func write(_ duration: Duration, at position: Int) throws {
    let attoseconds = duration.attoseconds
    guard let high = tree.nodes[position].children["high"],
      let low = tree.nodes[position].children["low"]
    else { throw fault(at: position) }
    try writeScalar(Int64(truncatingIfNeeded: attoseconds >> 64), at: high)
    try writeScalar(Int64(truncatingIfNeeded: attoseconds), at: low)
  }

  private static func rawValue<T: RawRepresentable>(of value: T) -> (any ScalarCoding)? {
    value.rawValue as? any ScalarCoding
  }
}

private struct CompositeEncoder: Encoder {
  var sink: CompositeSink
  /// `nil` for values that are not stored.
  var position: Int?

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(CompositeKeyedEncoding<Key>(sink: sink, position: position))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    RejectingUnkeyedContainer(sink: sink, position: position)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    CompositeSingleEncoding(sink: sink, position: position)
  }
}

private struct CompositeKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  var sink: CompositeSink
  var position: Int?

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) throws {}

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    guard let child = child(for: key) else { throw sink.fault(at: position, key: key) }
    try sink.write(value, at: child)
  }

  func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
    guard let value else { return }
    guard let child = child(for: key) else { throw sink.fault(at: position, key: key) }
    try sink.write(value, at: child)
    sink.noteOptional(at: child)
  }

  // Common types avoid dynamic casts.

  func encode(_ value: Bool, forKey key: Key) throws { try write(value, key) }
  func encode(_ value: Int, forKey key: Key) throws { try write(value, key) }
  func encode(_ value: Double, forKey key: Key) throws { try write(value, key) }
  func encode(_ value: Float, forKey key: Key) throws { try write(value, key) }
  func encode(_ value: String, forKey key: Key) throws { try write(value, key) }

  // Without these the standard library throws. The types encode themselves with the same functions.

  func encode(_ value: Int128, forKey key: Key) throws { try writeEncoded(value, key) }
  func encode(_ value: UInt128, forKey key: Key) throws { try writeEncoded(value, key) }

  private func writeEncoded(_ value: some Encodable, _ key: Key) throws {
    guard let child = child(for: key) else { throw sink.fault(at: position, key: key) }
    try sink.writeEncoded(value, at: child)
  }

  private func write(_ value: some ScalarCoding & Encodable, _ key: Key) throws {
    guard let child = child(for: key) else { throw sink.fault(at: position, key: key) }
    if case .scalar = sink.tree.form(at: child) {
      try sink.writeScalar(value, at: child)
    } else {
      try sink.write(value, at: child)
    }
  }

  func nestedContainer<K: CodingKey>(
    keyedBy type: K.Type, forKey key: Key
  ) -> KeyedEncodingContainer<K> {
    KeyedEncodingContainer(CompositeKeyedEncoding<K>(sink: sink, position: enter(key)))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    RejectingUnkeyedContainer(sink: sink, position: enter(key))
  }

  func superEncoder() -> any Encoder {
    sink.error = sink.error ?? sink.fault(at: position)
    return CompositeEncoder(sink: sink, position: nil)
  }

  func superEncoder(forKey key: Key) -> any Encoder {
    CompositeEncoder(sink: sink, position: enter(key))
  }

  private func child(for key: Key) -> Int? {
    position.flatMap { sink.tree.child(of: $0, for: key) }
  }

  private func enter(_ key: Key) -> Int? {
    guard let child = child(for: key) else {
      sink.error = sink.error ?? sink.fault(at: position, key: key)
      return nil
    }
    sink.enterCase(at: child)
    return child
  }
}

private struct CompositeSingleEncoding: SingleValueEncodingContainer {
  var sink: CompositeSink
  var position: Int?

  var codingPath: [any CodingKey] { [] }

  func encodeNil() throws {}

  func encode<T: Encodable>(_ value: T) throws {
    guard let position else { throw sink.fault(at: nil) }
    if let scalar = value as? any ScalarCoding {
      try sink.writeScalar(scalar, at: position)
    } else {
      try sink.write(value, at: position)
    }
  }

  func encode(_ value: Int128) throws { try writeEncoded(value) }
  func encode(_ value: UInt128) throws { try writeEncoded(value) }

  private func writeEncoded(_ value: some Encodable) throws {
    guard let position else { throw sink.fault(at: nil) }
    try sink.writeEncoded(value, at: position)
  }
}

/// Rejects lists: a list is stored in a single column and is never encoded into leaves.
private struct RejectingUnkeyedContainer: UnkeyedEncodingContainer {
  var sink: CompositeSink
  var position: Int?

  var codingPath: [any CodingKey] { [] }
  var count: Int { 0 }

  func encodeNil() throws { throw sink.fault(at: position) }
  func encode<T: Encodable>(_ value: T) throws { throw sink.fault(at: position) }

  func nestedContainer<K: CodingKey>(keyedBy keyType: K.Type) -> KeyedEncodingContainer<K> {
    sink.error = sink.error ?? sink.fault(at: position)
    return KeyedEncodingContainer(CompositeKeyedEncoding<K>(sink: sink, position: nil))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    sink.error = sink.error ?? sink.fault(at: position)
    return self
  }

  func superEncoder() -> any Encoder {
    sink.error = sink.error ?? sink.fault(at: position)
    return CompositeEncoder(sink: sink, position: nil)
  }
}

extension LeafStorageForm {
  /// Whether the column of the leaf returns a scalar that it is not declared for. Such a value comes from an
  /// `encode(to:)` that writes a property as another type.
  fileprivate func keeps<S: ScalarCoding>(_ value: _StoredValue, of type: S.Type) -> Bool {
    let kept: _StoredValue?
    switch (column, value) {
    case (.integer, .integer), (.boolean, .integer), (.real, .real), (.date, .real),
      (.text, .text), (.uri, .text), (.uuid, .blob), (.binary, .blob):
      return true
    // Numbers are read from the column of a decimal too.
    case (.decimal, .integer), (.decimal, .real), (.decimal, .text): return true
    case (.real, .integer(let number)), (.date, .integer(let number)): kept = .real(Double(number))
    case (.integer, .real(let number)), (.boolean, .real(let number)):
      kept = Int64(exactly: number).map { .integer($0) }
    case (.text, .integer(let number)): kept = .text("\(number)")
    case (.text, .real(let number)): kept = .text("\(number)")
    case (.text, .blob(let bytes)), (.uri, .blob(let bytes)), (.decimal, .blob(let bytes)):
      kept = String(validating: bytes, as: UTF8.self).map { .text($0) }
    default: kept = nil
    }
    guard let kept else { return false }
    return S(storedValue: kept)?.storedValue == value
  }

  private var column: ScalarColumn {
    switch self {
    case .scalar(let type), .rawValue(let type): type.traits.column
    case .encoded: .binary
    case .enumCase: .text
    }
  }
}
