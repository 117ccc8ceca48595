import Foundation
import SwiftData

/// One row of a seed: its values as those of the properties, and its links as local identifiers.
struct SeedRow {
  let type: any PersistentModel.Type
  let number: Int
  let id: String?
  /// By property name; `nil` for null.
  private(set) var values: [String: (any Encodable)?] = [:]
  private(set) var links: [String: [String]] = [:]

  var entity: String { type._$descriptor.entityName }

  /// The row in errors.
  var name: String { id.map { "\(number) (\"\($0)\")" } ?? "\(number)" }

  init(
    _ type: any PersistentModel.Type, number: Int, _ container: KeyedDecodingContainer<SeedKey>
  ) throws {
    self.type = type
    self.number = number
    let descriptor = type._$descriptor
    let hasOwnID = descriptor.property(named: SeedRow.id) != nil
    let key = container.contains(SeedKey(SeedRow.localID)) ? SeedRow.localID : SeedRow.id
    id = try SeedRow.identifier(container, key, isRequired: !hasOwnID) { problem in
      SeedError(
        entity: descriptor.entityName, row: "\(number)", property: key, problem: problem)
    }
    for key in container.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
      let name = key.stringValue
      if name == SeedRow.localID || name == SeedRow.id && !hasOwnID { continue }
      guard let property = descriptor.property(named: name) else {
        throw error(
          name,
          "\(entity) has no such property. It has "
            + descriptor.properties.map(\.name).joined(separator: ", "))
      }
      try read(property, container, key)
    }
  }

  static let id = "id"
  static let localID = "$id"

  /// The local identifier; `nil` if the row has none.
  private static func identifier(
    _ container: KeyedDecodingContainer<SeedKey>, _ name: String, isRequired: Bool,
    _ error: (String) -> SeedError
  ) throws -> String? {
    let key = SeedKey(name)
    guard container.contains(key) else { return nil }
    if let text = try? container.decode(String.self, forKey: key) { return text }
    if let number = try? container.decode(Int64.self, forKey: key) { return "\(number)" }
    // The value of a property `id` may be of another type, and then names no row.
    if name == SeedRow.id, !isRequired { return nil }
    throw error("expected a text or a whole number")
  }

  func error(_ property: String?, _ problem: String) -> SeedError {
    SeedError(entity: entity, row: name, property: property, problem: problem)
  }

  // MARK: Properties

  private mutating func read(
    _ property: ModelProperty, _ container: KeyedDecodingContainer<SeedKey>, _ key: SeedKey
  ) throws {
    let isNull = (try? container.decodeNil(forKey: key)) == true
    switch property.form {
    case .toOne:
      if isNull {
        try requireOptional(property)
        links[property.name] = []
      } else {
        links[property.name] = [try link(property, container, key)]
      }
    case .toMany:
      links[property.name] = isNull ? [] : try members(property, container, key)
    case .attribute, .transformable:
      if isNull {
        try requireOptional(property)
        values[property.name] = .some(nil)
      } else {
        values[property.name] = try value(property, container, key)
      }
    }
  }

  private func requireOptional(_ property: ModelProperty) throws {
    if property.isOptional { return }
    throw error(property.name, "null, but the property is not optional")
  }

  private func value(
    _ property: ModelProperty, _ container: KeyedDecodingContainer<SeedKey>, _ key: SeedKey
  ) throws -> any Encodable {
    guard let type = property.valueType as? any Codable.Type else {
      throw error(
        property.name,
        "values of type \(property.valueType) have no JSON form, because the type is not Codable. Set "
          + "the property in Swift")
    }
    do {
      return try container.decode(type, forKey: key)
    } catch {
      // For a number that the type can't have, Foundation throws an error of its own.
      let reason =
        (error as? DecodingError)?.problem(below: container.codingPath.count + 1)
        ?? "a number in it does not fit its type"
      throw self.error(
        property.name,
        "expected \(SeedRow.form(of: type))" + (reason.isEmpty ? "" : "; \(reason)"))
    }
  }

  private static func form(of type: any Codable.Type) -> String {
    switch type {
    case is Date.Type: "a date such as \"2026-05-01T09:30:00Z\""
    case is Data.Type: "a text in Base64"
    case is Decimal.Type: "a number"
    default: "a value of type \(type)"
    }
  }

  // MARK: Links

  private func link(
    _ property: ModelProperty, _ container: KeyedDecodingContainer<SeedKey>, _ key: SeedKey
  ) throws -> String {
    if let text = try? container.decode(String.self, forKey: key) { return text }
    if let number = try? container.decode(Int64.self, forKey: key) { return "\(number)" }
    throw error(property.name, "expected the id of a row of \(property.destinationName)")
  }

  private func members(
    _ property: ModelProperty, _ container: KeyedDecodingContainer<SeedKey>, _ key: SeedKey
  ) throws -> [String] {
    guard let members = try? container.decode([LocalID].self, forKey: key) else {
      throw error(
        property.name, "expected a list of the ids of rows of \(property.destinationName)")
    }
    return members.map(\.text)
  }

  private struct LocalID: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        self.text = text
      } else {
        text = "\(try container.decode(Int64.self))"
      }
    }
  }
}

extension ModelProperty {
  var destinationName: String { destination?._$descriptor.entityName ?? "a model" }
}
