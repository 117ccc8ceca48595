import Foundation
import SwiftData

/// The content of a document file.
///
/// ```
/// {
///   "format": "SwiftData document",
///   "formatVersion": 1,
///   "schemaVersion": "1.0.0",
///   "store": "5C0F…",
///   "entities": {
///     "Author": {
///       "7k2m9qx4rt": {
///         "name": "Ursula"
///       },
///       "": "end of Author"
///     }
///   }
/// }
/// ```
///
/// Entities, rows and properties are sorted, and each row has all properties of its model. So a
/// change of a value changes one line. The last member of each entity stays the last one, so a new
/// row never adds a comma to the line of another row.
struct JSONDocument: Sendable {
  static let format = "SwiftData document"
  static let formatVersion = 1

  /// The text of the member "store".
  var store: String
  var rows: DocumentRows
  /// Entities that the models do not have.
  var unknownEntities: [String: DocumentValue] = [:]
  /// Members of the document that this version does not have.
  var unknownMembers: [String: DocumentValue] = [:]
  /// The texts of rows that were written and have not changed since.
  private var texts: [PersistentIdentifier: [UInt8]] = [:]

  init(store: String, rows: DocumentRows) {
    (self.store, self.rows) = (store, rows)
  }

  /// Takes the texts of rows that have not changed since an earlier document.
  mutating func keepTexts(of old: JSONDocument, besides changes: DataStoreExternalChanges) {
    texts = old.texts
    for identifier in changes.updated + changes.deleted { texts[identifier] = nil }
  }

  mutating func apply(_ changes: SaveChanges) {
    rows.apply(changes)
    for identifier in changes.rows.keys { texts[identifier] = nil }
  }

  /// - Throws: A `DocumentStoreError` if a value has more levels than the parser reads.
  static func checkDepth(of changes: SaveChanges) throws {
    // The document, its entities, the rows of an entity, and the row are objects too.
    let deepest = JSONParser.deepest - 4
    for case let row? in changes.rows.values {
      guard let (name, _) = row.values.first(where: { $0.value.depth > deepest }) else { continue }
      throw DocumentStoreError(
        .invalidValue,
        "The value has more than \(deepest) levels of lists and objects, which the store does not read. Set a "
          + "value with fewer levels, or store it as Data. Nothing was saved.",
        entity: row.entity, row: row.key, property: name)
    }
  }

  /// The bytes of the document with changes that are not applied yet.
  mutating func bytes(applying changes: SaveChanges? = nil) -> [UInt8] {
    let rows = rows
    func key(_ identifier: PersistentIdentifier) -> String? {
      changes?.rows[identifier]??.key ?? rows.rows[identifier]?.key
    }
    var text = JSONText()
    text.key = key
    text.reserve(rows.rows.count * 256)
    text.append("{")
    func member(_ name: String, _ value: DocumentValue) {
      text.newLine(1)
      text.append(quoted: name)
      text.append(": ")
      text.append(value, indent: 1)
      text.append(",")
    }
    member("format", .string(JSONDocument.format))
    member("formatVersion", .number("\(JSONDocument.formatVersion)"))
    member("schemaVersion", .string(rows.shape.schema.version.description))
    member("store", .string(store))
    for (name, value) in unknownMembers.sorted(by: { $0.key < $1.key }) { member(name, value) }
    text.newLine(1)
    text.append("\"entities\": {")
    let names = (rows.shape.names + unknownEntities.keys).sorted()
    let new = Dictionary(
      grouping: changes?.rows.values.lazy.compactMap { $0 } ?? [], by: \.entity)
    for (index, name) in names.enumerated() {
      if index > 0 { text.append(",") }
      text.newLine(2)
      text.append(quoted: name)
      text.append(": ")
      if let value = unknownEntities[name] {
        text.append(entity: value, named: name)
      } else {
        let known = (rows.byEntity[name] ?? []).lazy.filter { changes?.rows[$0] == nil }
        let all = known.compactMap { rows.rows[$0] } + (new[name] ?? [])
        text.append("{")
        for row in all.sorted(by: { $0.key < $1.key }) {
          if changes?.rows[row.identifier] == nil {
            if texts[row.identifier] == nil {
              var own = JSONText()
              own.key = key
              own.append(row)
              texts[row.identifier] = own.bytes
            }
            text.append(bytes: texts[row.identifier] ?? [])
          } else {
            text.append(row)
          }
        }
        text.appendEnd(of: name)
      }
    }
    text.newLine(1)
    text.append("}")
    text.newLine(0)
    text.append("}")
    text.newLine(0)
    return text.bytes
  }
}

extension JSONText {
  fileprivate mutating func append(_ row: DocumentRow) {
    newLine(3)
    append(quoted: row.key)
    append(": ")
    var values = row.documentValues
    if !row.unknown.isEmpty { values.merge(row.unknown) { known, _ in known } }
    append(.object(values), indent: 3)
    append(",")
  }

  /// An entity that the models do not have, with its rows as they were.
  fileprivate mutating func append(entity value: DocumentValue, named name: String) {
    guard case .object(let rows) = value else { return append(value, indent: 2) }
    append("{")
    for (key, row) in rows.sorted(by: { $0.key < $1.key }) where !key.isEmpty {
      newLine(3)
      append(quoted: key)
      append(": ")
      append(row, indent: 3)
      append(",")
    }
    appendEnd(of: name)
  }

  fileprivate mutating func appendEnd(of entity: String) {
    newLine(3)
    append("\"\": ")
    append(quoted: "end of \(entity)")
    newLine(2)
    append("}")
  }
}
