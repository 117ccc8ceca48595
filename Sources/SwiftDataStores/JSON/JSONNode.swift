/// A value of a JSON text, with the line on which it begins.
struct JSONNode {
  let content: Content
  let line: Int

  indirect enum Content {
    case value(DocumentValue)
    case list([JSONNode])
    /// The members in the order of the text; names are distinct.
    case object([(name: String, value: JSONNode)])
  }

  /// The value without lines.
  var value: DocumentValue {
    switch content {
    case .value(let value): value
    case .list(let elements): .list(elements.map(\.value))
    case .object(let members):
      .object(
        Dictionary(
          members.lazy.map { ($0.name, $0.value.value) }, uniquingKeysWith: { first, _ in first }))
    }
  }

  /// The members of an object; `nil` for other values.
  var members: [(name: String, value: JSONNode)]? {
    guard case .object(let members) = content else { return nil }
    return members
  }

  /// A member of an object.
  subscript(name: String) -> JSONNode? { members?.first { $0.name == name }?.value }

  var string: String? {
    guard case .value(.string(let text)) = content else { return nil }
    return text
  }

  var integer: Int? {
    guard case .value(.number(let text)) = content else { return nil }
    return Int(text)
  }
}
