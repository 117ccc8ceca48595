import Foundation
import SwiftData

/// The rows of a container's stores as text, in the form of a seed.
///
/// Rows are in the order of their keys and numbered in it, so that the text does not depend on the
/// keys themselves. Members of a relationship are in the order of their numbers.
struct StoreContents {
  private let schema: Schema
  private let context: ModelContext
  /// The numbers of the rows, in their hierarchy.
  private var numbers: [PersistentIdentifier: Int] = [:]
  private var models: [String: [any PersistentModel]] = [:]

  init(_ container: ModelContainer) throws {
    schema = container.schema
    context = ModelContext(container)
    for entity in schema.entities where entity.superentity == nil {
      guard let type = entity.modelType else { continue }
      let found = try fetch(type).sorted { $0.persistentModelID < $1.persistentModelID }
      for (index, model) in found.enumerated() {
        numbers[model.persistentModelID] = index + 1
        models[Swift.type(of: model)._$descriptor.entityName, default: []].append(model)
      }
    }
  }

  private func fetch(_ type: any PersistentModel.Type) throws -> [any PersistentModel] {
    func fetch<M: PersistentModel>(_ type: M.Type) throws -> [any PersistentModel] {
      try context.fetch(FetchDescriptor<M>())
    }
    return try fetch(type)
  }

  /// - Throws: The error of a value that can't be encoded.
  func text() throws -> String {
    if models.isEmpty { return "{}" }
    let entities = try models.sorted { $0.key < $1.key }.map { name, models in
      let rows = try models.map { "    {\(try row($0))}" }
      return "  \(quoted(name)): [\n\(rows.joined(separator: ",\n"))\n  ]"
    }
    return "{\n\(entities.joined(separator: ",\n"))\n}"
  }

  private func row(_ model: any PersistentModel) throws -> String {
    let descriptor = type(of: model)._$descriptor
    let id = descriptor.property(named: SeedRow.id) == nil ? SeedRow.id : SeedRow.localID
    let values = try descriptor.properties.map { property in
      "\(quoted(property.name)): \(try value(property, of: model))"
    }
    return (["\(quoted(id)): \(number(of: model))"] + values).joined(separator: ", ")
  }

  private func number(of model: any PersistentModel) -> String {
    quoted(numbers[model.persistentModelID].map { "\($0)" } ?? "?")
  }

  private func value(_ property: ModelProperty, of model: any PersistentModel) throws -> String {
    let value = read(property, of: model)
    switch property.form {
    case .toOne: return (value as? any PersistentModel).map(number) ?? "null"
    case .toMany:
      let members = (value as? [any PersistentModel] ?? [])
        .sorted { numbers[$0.persistentModelID] ?? 0 < numbers[$1.persistentModelID] ?? 0 }
      return "[\(members.map(number).joined(separator: ", "))]"
    case .attribute, .transformable:
      guard let value = value as? any Encodable else {
        return value.map { quoted(String(describing: $0)) } ?? "null"
      }
      guard let members = (value as? any EncodableSet)?.encodableMembers else {
        return try json(value)
      }
      // A set encodes its members in an order that differs from run to run.
      return "[\(try members.map(json).sorted().joined(separator: ","))]"
    }
  }

  /// The value of a property; `nil` if it is nil.
  private func read(_ property: ModelProperty, of model: any PersistentModel) -> Any? {
    func read<M: PersistentModel>(_ model: M) -> Any? {
      guard let keyPath = property.keyPath as? PartialKeyPath<M> else { return nil }
      let value: Any = model[keyPath: keyPath]
      if let optional = value as? any AnyOptional { return optional.wrappedValue }
      return value
    }
    return read(model)
  }

  private func json(_ value: any Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom(SeedDate.encode)
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func quoted(_ text: String) -> String { (try? json(text)) ?? "\"\(text)\"" }
}

private protocol EncodableSet { var encodableMembers: [any Encodable] { get } }

extension Set: EncodableSet where Element: Encodable {
  fileprivate var encodableMembers: [any Encodable] { Array(self) }
}

private protocol AnyOptional { var wrappedValue: Any? { get } }

extension Optional: AnyOptional {
  fileprivate var wrappedValue: Any? { map { $0 as Any } }
}
