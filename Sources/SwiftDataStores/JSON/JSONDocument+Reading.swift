import Foundation
import SwiftData

extension JSONDocument {
  /// Reads a document. A document with a mistake gives an error with its line, never rows.
  /// - Parameters:
  ///   - known: The rows of an earlier reading. Rows that are the same are not decoded again.
  ///   - keepsUnknown: Whether entities and properties that the models do not have are kept.
  /// - Returns: The document, and how it differs from `known`.
  /// - Throws: A `DocumentStoreError` without the file.
  static func read(
    _ bytes: [UInt8], known: DocumentRows, keepsUnknown: Bool
  ) throws -> (document: JSONDocument, changes: DataStoreExternalChanges) {
    if bytes.isEmpty {
      throw DocumentStoreError(
        .damagedFile,
        "The file is empty. Restore it, or remove it to begin with a document without rows.")
    }
    let root: JSONNode
    do {
      root = try JSONParser.parse(bytes)
    } catch let failure as JSONParser.Failure {
      throw DocumentStoreError(.damagedFile, failure.reason, line: failure.line)
    }
    do {
      return try read(root, known: known, keepsUnknown: keepsUnknown)
    } catch var error as DocumentStoreError {
      if error.line == nil { error.line = root.line(of: error) }
      throw error
    }
  }

  private static func read(
    _ root: JSONNode, known: DocumentRows, keepsUnknown: Bool
  ) throws -> (document: JSONDocument, changes: DataStoreExternalChanges) {
    let entities = try checkHeader(of: root, known.shape.schema)
    let store = root["store"]
    guard let identifier = store == nil ? known.storeIdentifier : store?.string else {
      throw DocumentStoreError(
        .invalidValue, "The member \"store\" has to be a text.", line: store?.line)
    }
    var document = JSONDocument(store: identifier, rows: known)
    let members = ["format", "formatVersion", "schemaVersion", "store", "entities"]
    for (name, value) in root.members ?? [] where !members.contains(name) {
      guard keepsUnknown else {
        throw DocumentStoreError(
          .unknownContent, "The document has an unknown member \"\(name)\".", line: value.line)
      }
      document.unknownMembers[name] = value.value
    }
    var all: [DocumentRow] = []
    let reader = RowReader(
      shape: known.shape, storeIdentifier: known.storeIdentifier, keepsUnknown: keepsUnknown)
    for (name, node) in entities {
      guard let entity = known.shape.entities[name] else {
        guard keepsUnknown else {
          throw DocumentStoreError(
            .unknownContent,
            "The models have no such entity. It may be misspelled, or written by a newer version of the "
              + "program.", line: node.line, entity: name)
        }
        document.unknownEntities[name] = node.value
        continue
      }
      try read(node, entity, reader, known, into: &all)
    }
    let (rows, changes) = try known.replaced(by: all)
    document.rows = rows
    return (document, changes)
  }

  private static func read(
    _ node: JSONNode, _ entity: EntityShape, _ reader: RowReader, _ known: DocumentRows,
    into rows: inout [DocumentRow]
  ) throws {
    guard let members = node.members else {
      throw DocumentStoreError(
        .invalidValue, "An entity has to be an object of rows.", line: node.line,
        entity: entity.name)
    }
    for (key, node) in members where !key.isEmpty {
      guard let properties = node.members else {
        throw DocumentStoreError(
          .invalidValue, "A row has to be an object of properties.", line: node.line,
          entity: entity.name, row: key)
      }
      let values = Dictionary(
        properties.lazy.map { ($0.name, $0.value.value) }, uniquingKeysWith: { first, _ in first })
      rows.append(try reader.row(entity, key, values) { known.rows[$0] })
    }
    if let end = node[""], end.members != nil {
      throw DocumentStoreError(
        .invalidValue, "A row has an empty key. Give it a key.", line: end.line,
        entity: entity.name)
    }
  }

  /// - Returns: The entities.
  private static func checkHeader(
    of root: JSONNode, _ schema: Schema
  ) throws -> [(name: String, value: JSONNode)] {
    guard root["format"]?.string == format else {
      throw DocumentStoreError(
        .unknownFormat,
        "The file is no document of this store: it has no member \"format\": \"\(format)\".",
        line: root["format"]?.line ?? root.line)
    }
    let version = root["formatVersion"]
    guard let number = version?.integer, number >= 1 else {
      throw DocumentStoreError(
        .unknownFormat, "The member \"formatVersion\" is missing or no number.",
        line: version?.line ?? root.line)
    }
    guard number <= formatVersion else {
      throw DocumentStoreError(
        .unknownFormat,
        "The document has the format version \(number), and this program knows versions up to "
          + "\(formatVersion). Open it with a newer version of the program.", line: version?.line)
    }
    if let node = root["schemaVersion"] {
      guard let found = node.string.flatMap(Schema.Version.init(text:)) else {
        throw DocumentStoreError(
          .unknownFormat, "The member \"schemaVersion\" is no version such as \"1.0.0\".",
          line: node.line)
      }
      if found > schema.version {
        throw DocumentStoreError(
          .newerSchema,
          "The document was written with version \(found) of the models, and these are version "
            + "\(schema.version). Open it with a newer version of the program.", line: node.line)
      }
    }
    guard let entities = root["entities"]?.members else {
      throw DocumentStoreError(
        .unknownFormat, "The member \"entities\" is missing or no object.",
        line: root["entities"]?.line ?? root.line)
    }
    return entities
  }
}

extension JSONNode {
  /// The line of the entity, row or property that an error names.
  fileprivate func line(of error: DocumentStoreError) -> Int? {
    guard let entity = error.entity, let node = self["entities"]?[entity] else { return nil }
    guard let key = error.row, let row = node[key] else { return node.line }
    let property = error.property.flatMap { $0.split { ",.".contains($0) }.first }
    return property.flatMap { row[String($0)]?.line } ?? row.line
  }
}

extension Schema.Version {
  /// A version of three numbers with points between them.
  fileprivate init?(text: String) {
    let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 3, let major = numbers[0], let minor = numbers[1],
      let patch = numbers[2], min(major, minor, patch) >= 0
    else { return nil }
    self.init(major, minor, patch)
  }
}
