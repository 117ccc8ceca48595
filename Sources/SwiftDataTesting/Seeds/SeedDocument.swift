import Foundation
import SwiftData

/// The rows of a seed, decoded with the types of the schema's properties.
struct SeedDocument: Decodable {
  private(set) var rows: [SeedRow] = []

  /// Decodes a seed.
  /// - Throws: `SeedError`.
  static func rows(of seed: Seed, _ schema: Schema) throws -> [SeedRow] {
    let decoder = JSONDecoder()
    decoder.userInfo[.seedSchema] = schema
    decoder.dateDecodingStrategy = .custom(SeedDate.decode)
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do {
      return try decoder.decode(SeedDocument.self, from: seed.json).rows
    } catch let error as DecodingError {
      throw SeedError(
        entity: nil, row: nil, property: nil, problem: "not valid JSON: \(error.problem)")
    }
  }

  init(from decoder: any Decoder) throws {
    guard let schema = decoder.userInfo[.seedSchema] as? Schema else { return }
    let entities = try decoder.container(keyedBy: SeedKey.self)
    for key in entities.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
      let name = key.stringValue
      guard let type = schema.entitiesByName[name]?.modelType else {
        throw SeedError(
          entity: name, row: nil, property: nil,
          problem: "the schema has no such entity. It has "
            + schema.entitiesByName.keys.sorted().joined(separator: ", "))
      }
      guard var list = try? entities.nestedUnkeyedContainer(forKey: key) else {
        throw SeedError(
          entity: name, row: nil, property: nil, problem: "expected a list of rows")
      }
      while !list.isAtEnd {
        let number = list.currentIndex + 1
        guard let values = try? list.nestedContainer(keyedBy: SeedKey.self) else {
          throw SeedError(
            entity: name, row: "\(number)", property: nil, problem: "expected an object")
        }
        rows.append(try SeedRow(type, number: number, values))
      }
    }
  }
}

extension CodingUserInfoKey {
  fileprivate static let seedSchema = CodingUserInfoKey(rawValue: "org.swiftdata.seed.schema")!
}

/// Any name.
struct SeedKey: CodingKey {
  let stringValue: String

  init(_ name: String) { stringValue = name }

  init?(stringValue: String) { self.stringValue = stringValue }

  var intValue: Int? { nil }

  init?(intValue: Int) { nil }
}

extension DecodingError {
  /// What is wrong, with the path inside the value.
  var problem: String { problem(below: 0) }

  /// - Parameter depth: The number of coding keys that lead to the value.
  func problem(below depth: Int) -> String {
    let context: Context? =
      switch self {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .keyNotFound(_, let context), .dataCorrupted(let context):
        context
      @unknown default: nil
      }
    guard let context else { return "\(self)" }
    let path = context.codingPath.dropFirst(depth).map { key in
      key.intValue.map { "[\($0)]" } ?? key.stringValue
    }.joined(separator: ".")
    let text =
      context.debugDescription.hasSuffix(".")
      ? String(context.debugDescription.dropLast()) : context.debugDescription
    return path.isEmpty ? text : "\(path): \(text)"
  }
}
