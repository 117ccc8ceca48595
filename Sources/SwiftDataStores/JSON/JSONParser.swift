/// Reads a JSON text, strictly: what is not JSON by RFC 8259 is an error with its line, and so is an
/// object with two members of one name.
///
/// Numbers keep their digits. Foundation's parser knows neither lines nor repeated names, and reads
/// numbers as `Double`.
struct JSONParser {
  /// What is wrong, and on which line.
  struct Failure: Error, Hashable {
    let line: Int
    let reason: String
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0
  private var line = 1
  private var depth = 0

  /// More levels than any document has; each takes space on the stack.
  static var deepest: Int { 200 }

  private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// - Throws: `Failure`.
  static func parse(_ bytes: some Collection<UInt8>) throws -> JSONNode {
    func parse(_ buffer: UnsafeBufferPointer<UInt8>) throws -> JSONNode {
      var parser = JSONParser(buffer)
      return try parser.document()
    }
    return try bytes.withContiguousStorageIfAvailable(parse)
      ?? Array(bytes).withUnsafeBufferPointer(parse)
  }

  private mutating func document() throws -> JSONNode {
    // Some editors write a byte order mark.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    let node = try value()
    skipSpace()
    if let byte = current { throw unexpected(byte, "after the end of the document") }
    return node
  }

  // MARK: Values

  private mutating func value() throws -> JSONNode {
    skipSpace()
    let start = line
    func node(_ content: JSONNode.Content) -> JSONNode { JSONNode(content: content, line: start) }
    guard let byte = current else { throw ended }
    switch byte {
    case UInt8(ascii: "{"): return node(.object(try object()))
    case UInt8(ascii: "["): return node(.list(try list()))
    case UInt8(ascii: "\""): return node(.value(.string(try string())))
    case UInt8(ascii: "t"): return node(.value(try word("true", .boolean(true))))
    case UInt8(ascii: "f"): return node(.value(try word("false", .boolean(false))))
    case UInt8(ascii: "n"): return node(.value(try word("null", .null)))
    default: return node(.value(.number(try number())))
    }
  }

  private mutating func object() throws -> [(name: String, value: JSONNode)] {
    var members: [(name: String, value: JSONNode)] = []
    var names: Set<String> = []
    try elements(UInt8(ascii: "}")) { parser in
      guard parser.current == UInt8(ascii: "\"") else {
        throw parser.current.map { parser.unexpected($0, "instead of the name of a member") }
          ?? parser.ended
      }
      let start = parser.line
      let name = try parser.string()
      guard names.insert(name).inserted else {
        throw Failure(
          line: start,
          reason: "There are two members with the name \"\(name)\". Remove or rename one of them.")
      }
      parser.skipSpace()
      try parser.take(UInt8(ascii: ":"), "after the name \"\(name)\"")
      members.append((name, try parser.value()))
    }
    return members
  }

  private mutating func list() throws -> [JSONNode] {
    var values: [JSONNode] = []
    try elements(UInt8(ascii: "]")) { values.append(try $0.value()) }
    return values
  }

  /// Reads the elements between brackets, which commas separate.
  private mutating func elements(
    _ end: UInt8, _ element: (inout JSONParser) throws -> Void
  ) throws {
    index += 1
    depth += 1
    defer { depth -= 1 }
    if depth > JSONParser.deepest {
      throw Failure(line: line, reason: "There are more than \(JSONParser.deepest) levels.")
    }
    skipSpace()
    if current == end {
      index += 1
      return
    }
    while true {
      skipSpace()
      try element(&self)
      skipSpace()
      guard let byte = current else { throw ended }
      if byte == end {
        index += 1
        return
      }
      try take(UInt8(ascii: ","), "between two elements")
      skipSpace()
      if current == end {
        throw Failure(line: line, reason: "There is a comma after the last element. Remove it.")
      }
    }
  }

  private mutating func word(_ word: StaticString, _ value: DocumentValue) throws -> DocumentValue {
    let text = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    guard bytes[index...].starts(with: text) else {
      throw bytes.count - index < text.count
        ? ended : Failure(line: line, reason: "A value is none of true, false and null.")
    }
    index += text.count
    return value
  }

  private mutating func number() throws -> String {
    let start = index
    func digits(_ parser: inout JSONParser) throws {
      let first = parser.index
      while let byte = parser.current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
        parser.index += 1
      }
      if parser.index > first { return }
      throw parser.current.map { parser.unexpected($0, "instead of a value") } ?? parser.ended
    }
    if current == UInt8(ascii: "-") { index += 1 }
    let isZero = current == UInt8(ascii: "0")
    let first = index
    try digits(&self)
    if isZero, index > first + 1 {
      throw Failure(line: line, reason: "A number begins with 0.")
    }
    if current == UInt8(ascii: ".") {
      index += 1
      try digits(&self)
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      index += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
      try digits(&self)
    }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  // MARK: Texts

  private mutating func string() throws -> String {
    index += 1
    let start = index
    while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      index += 1
    }
    if current == UInt8(ascii: "\"") {
      defer { index += 1 }
      return try text(bytes[start..<index])
    }
    var found = Array(bytes[start..<index])
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        return try text(found)
      case UInt8(ascii: "\\"): try escape(into: &found)
      case 0..<0x20:
        throw Failure(
          line: line, reason: "A text has no end on its line, or contains a control character.")
      default:
        found.append(byte)
        index += 1
      }
    }
    throw ended
  }

  private func text(_ bytes: some Collection<UInt8>) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure(line: line, reason: "A text is not UTF-8.")
    }
    return text
  }

  private mutating func escape(into found: inout [UInt8]) throws {
    index += 1
    guard let byte = current else { throw ended }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): found.append(byte)
    case UInt8(ascii: "b"): found.append(0x08)
    case UInt8(ascii: "f"): found.append(0x0C)
    case UInt8(ascii: "n"): found.append(0x0A)
    case UInt8(ascii: "r"): found.append(0x0D)
    case UInt8(ascii: "t"): found.append(0x09)
    case UInt8(ascii: "u"): found.append(contentsOf: String(try scalar()).utf8)
    default: throw Failure(line: line, reason: "A text contains an unknown escape.")
    }
  }

  private mutating func scalar() throws -> Character {
    let first = try codeUnit()
    var number = UInt32(first)
    if UTF16.isLeadSurrogate(first) {
      guard current == UInt8(ascii: "\\") else { throw ended(or: surrogate) }
      index += 1
      guard current == UInt8(ascii: "u") else { throw ended(or: surrogate) }
      index += 1
      let second = try codeUnit()
      guard UTF16.isTrailSurrogate(second) else { throw surrogate }
      number = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(number) else { throw surrogate }
    return Character(scalar)
  }

  private mutating func codeUnit() throws -> UInt16 {
    var number: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = current else { throw ended }
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw Failure(line: line, reason: "An escape \\u has no four hexadecimal digits.")
      }
      number = number << 4 + UInt16(digit)
      index += 1
    }
    return number
  }

  private var surrogate: Failure {
    Failure(line: line, reason: "A text contains one half of a pair of surrogates.")
  }

  // MARK: Bytes

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipSpace() {
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\n"): line += 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
      default: return
      }
      index += 1
    }
  }

  private mutating func take(_ byte: UInt8, _ place: String) throws {
    guard let found = current else { throw ended }
    guard found == byte else {
      throw Failure(
        line: line,
        reason: "There is no '\(Character(Unicode.Scalar(byte)))' \(place).")
    }
    index += 1
  }

  private func unexpected(_ byte: UInt8, _ place: String) -> Failure {
    let isVisible = (0x21..<0x7F).contains(byte)
    let shown = isVisible ? "'\(Character(Unicode.Scalar(byte)))'" : "a character"
    return Failure(line: line, reason: "There is \(shown) \(place).")
  }

  private var ended: Failure {
    Failure(line: line, reason: "The file ends in the middle of a value; its end is missing.")
  }

  private func ended(or failure: Failure) -> Failure { current == nil ? ended : failure }
}
