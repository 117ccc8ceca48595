extension DataStoreValue {
  /// The plain form of a value with the parts that it leaves out when it encodes itself, as columns have them:
  /// queries compare the value that a model shows.
  func completed(of value: any Encodable) -> DataStoreValue {
    guard case .composite = self, let coding = CompositeCoding.coding(of: type(of: value)),
      coding.requiredParts.contains(where: lacks),
      let values = try? coding.flattenCompletely(value)
    else { return self }
    var completed = self
    for (leaf, value) in zip(coding.leaves, values) where !value.isNull {
      if let part = leaf.plainForm(of: value) { completed.add(part, at: leaf.codingPath[...]) }
    }
    return completed
  }

  private func lacks(_ part: CompositeTree.RequiredPart) -> Bool {
    var value = self
    for (depth, key) in part.codingPath.enumerated() {
      guard case .composite(let parts) = value else { return false }
      guard let next = parts[key] else { return depth >= part.optional?.depth ?? 0 }
      value = next
    }
    return false
  }

  /// Adds a part where there is none.
  private mutating func add(_ part: DataStoreValue, at path: ArraySlice<String>) {
    guard let key = path.first, case .composite(var parts) = self else { return }
    if path.count == 1 {
      parts[key] = parts[key] ?? part
    } else {
      parts[key, default: .composite([:])].add(part, at: path.dropFirst())
    }
    self = .composite(parts)
  }
}

extension CompositeLeaf {
  fileprivate func plainForm(of stored: _StoredValue) -> DataStoreValue? {
    let value: Any?
    switch form {
    case .scalar(let type), .rawValue(let type):
      value = ValueDecoding.scalar(type.swiftType, stored)
    case .encoded:
      guard let type = valueType as? any Decodable.Type, let bytes = stored.encodedBytes else {
        return nil
      }
      value = ValueDecoding.encoded(type, bytes: bytes)
    case .enumCase: return .composite([:])
    }
    return value.flatMap { try? DataStoreValue.form(ofAny: $0) }
  }
}
