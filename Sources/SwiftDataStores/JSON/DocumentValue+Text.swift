import SwiftData

extension DocumentValue {
  /// The value as JSON.
  var text: String {
    var text = JSONText()
    text.append(self, indent: 0)
    return String(decoding: text.bytes, as: UTF8.self)
  }
}

/// Writes JSON with one value per line: members of objects sorted by name, indented by two spaces.
struct JSONText {
  private(set) var bytes: [UInt8] = []
  /// The key of a row that a link leads to. An identifier in an attribute may be one of a deleted
  /// row, which has none.
  var key: (PersistentIdentifier) -> String? = { _ in nil }

  mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

  mutating func append(_ text: StaticString) {
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(bytes text: [UInt8]) { bytes.append(contentsOf: text) }

  mutating func newLine(_ indent: Int) {
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * indent))
  }

  mutating func append(_ value: DocumentValue, indent: Int) {
    switch value {
    case .null: append("null")
    case .boolean(let value): if value { append("true") } else { append("false") }
    case .number(let text): bytes.append(contentsOf: text.utf8)
    case .string(let text): append(quoted: text)
    case .identifier(let identifier):
      append(quoted: "\(identifier.entityName)/\(key(identifier) ?? identifier.primaryKey)")
    case .list(let values):
      append(values, "[", "]", indent) { $0.append($1, indent: indent + 1) }
    case .object(let values):
      append(values.sorted { $0.key < $1.key }, "{", "}", indent) { text, member in
        text.append(quoted: member.key)
        text.append(": ")
        text.append(member.value, indent: indent + 1)
      }
    }
  }

  private mutating func append<Element>(
    _ elements: [Element], _ start: StaticString, _ end: StaticString, _ indent: Int,
    _ body: (inout JSONText, Element) -> Void
  ) {
    append(start)
    for (index, element) in elements.enumerated() {
      if index > 0 { append(",") }
      newLine(indent + 1)
      body(&self, element)
    }
    if !elements.isEmpty { newLine(indent) }
    append(end)
  }

  mutating func append(quoted text: String) {
    append("\"")
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\\"): append("\\\\")
      case UInt8(ascii: "\n"): append("\\n")
      case UInt8(ascii: "\r"): append("\\r")
      case UInt8(ascii: "\t"): append("\\t")
      case 0..<0x20, 0x7F:
        let digits = Array("0123456789abcdef".utf8)
        append("\\u00")
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    append("\"")
  }
}
