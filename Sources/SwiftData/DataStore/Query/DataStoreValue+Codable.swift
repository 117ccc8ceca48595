import Foundation

extension DataStoreValue: Codable {
  private enum Keys: String, CodingKey, CaseIterable {
    case null, boolean, integer, unsigned, double, decimal, string, data, date, uuid, url,
      identifier, list, composite
  }

  /// Decodes an object with one key: the name of the case.
  ///
  /// - Throws: A `DecodingError`, also for values that are nested too deeply.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    guard decoder.codingPath.count <= DataStoreQuery.Expression.depthLimit else {
      throw DecodingError.tooDeep(decoder.codingPath)
    }
    guard let key = container.allKeys.first, container.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "A value has exactly one key, the name of its kind."))
    }
    func parsed<V>(_ parse: (String) -> V?) throws -> V {
      guard let value = parse(try container.decode(String.self, forKey: key)) else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container, debugDescription: "The text is not a \(V.self).")
      }
      return value
    }
    func number() throws -> Double {
      if let number = try? container.decode(Double.self, forKey: key) { return number }
      return try parsed { Self.unusualNumbers[$0] }
    }
    switch key {
    case .null: self = .null
    case .boolean: self = .boolean(try container.decode(Bool.self, forKey: key))
    case .integer: self = .integer(try container.decode(Int64.self, forKey: key))
    case .unsigned: self = .unsigned(try container.decode(UInt64.self, forKey: key))
    case .double: self = .double(try number())
    case .decimal: self = .decimal(try parsed(Self.decimal))
    case .string: self = .string(try container.decode(String.self, forKey: key))
    case .data: self = .data(try parsed { Data(base64Encoded: $0) })
    case .date: self = .date(Date(timeIntervalSinceReferenceDate: try number()))
    case .uuid: self = .uuid(try parsed { UUID(uuidString: $0) })
    case .url: self = .url(try parsed { URL(string: $0) })
    case .identifier:
      self = .identifier(try container.decode(PersistentIdentifier.self, forKey: key))
    case .list: self = .list(try container.decode([DataStoreValue].self, forKey: key))
    case .composite:
      self = .composite(try container.decode([String: DataStoreValue].self, forKey: key))
    }
  }

  /// Encodes an object with one key: the name of the case.
  ///
  /// - Throws: Errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    func encode(_ number: Double, _ key: Keys) throws {
      if let text = Self.text(ofUnusual: number) {
        try container.encode(text, forKey: key)
      } else {
        try container.encode(number, forKey: key)
      }
    }
    switch self {
    case .null: try container.encode(true, forKey: .null)
    case .boolean(let value): try container.encode(value, forKey: .boolean)
    case .integer(let value): try container.encode(value, forKey: .integer)
    case .unsigned(let value): try container.encode(value, forKey: .unsigned)
    case .double(let value): try encode(value, .double)
    case .decimal(let value): try container.encode(value.description, forKey: .decimal)
    case .string(let value): try container.encode(value, forKey: .string)
    case .data(let value): try container.encode(value.base64EncodedString(), forKey: .data)
    case .date(let value): try encode(value.timeIntervalSinceReferenceDate, .date)
    case .uuid(let value): try container.encode(value.uuidString, forKey: .uuid)
    case .url(let value): try container.encode(value.absoluteString, forKey: .url)
    case .identifier(let value): try container.encode(value, forKey: .identifier)
    case .list(let values): try container.encode(values, forKey: .list)
    case .composite(let values): try container.encode(values, forKey: .composite)
    }
  }

  /// Numbers that JSON does not have, or of which encoders may lose the sign.
  private static let unusualNumbers: [String: Double] = [
    "Infinity": .infinity, "-Infinity": -.infinity, "NaN": .nan, "-0.0": -0.0,
  ]

  private static func text(ofUnusual number: Double) -> String? {
    if number.isNaN { return "NaN" }
    if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
    return number == 0 && number.sign == .minus ? "-0.0" : nil
  }

  /// `Decimal(string:)` ignores what follows a number.
  private static func decimal(_ text: String) -> Decimal? {
    if text == "NaN" { return .nan }
    guard text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil else { return nil }
    return Decimal(string: text, locale: nil)
  }
}
