import SwiftData

/// Makes complete rows of the values that a document has, and checks that they fit the models.
struct RowReader {
  let shape: DocumentShape
  let storeIdentifier: String
  /// Whether properties that the models do not have are kept; they are an error otherwise.
  var keepsUnknown = false
  /// Whether members of values that their types do not have are found.
  var findsUnknownMembers = true
  private let context: DocumentDecoder.Context

  init(shape: DocumentShape, storeIdentifier: String, keepsUnknown: Bool = false) {
    self.shape = shape
    self.storeIdentifier = storeIdentifier
    self.keepsUnknown = keepsUnknown
    context = DocumentDecoder.Context(storeIdentifier: storeIdentifier, schema: shape.schema)
  }

  /// - Parameters:
  ///   - found: The properties in the document. Links may be texts.
  ///   - known: The row of an earlier reading, which is taken if it has the same values.
  /// - Throws: A `DocumentStoreError` with the entity, the row and the property.
  func row(
    _ entity: EntityShape, _ key: String, _ found: [String: DocumentValue],
    known: (PersistentIdentifier) -> DocumentRow?
  ) throws -> DocumentRow {
    let values = entity.renamed(found)
    func failure(
      _ code: DocumentStoreError.Code, _ property: String?, _ reason: String
    ) -> DocumentStoreError {
      DocumentStoreError(code, reason, entity: entity.name, row: key, property: property)
    }
    let identifier = try PersistentIdentifier.identifier(
      for: storeIdentifier, entityName: entity.name, primaryKey: key)
    var row = DocumentRow(identifier: identifier, key: key, values: [:])
    for (name, value) in values.sorted(by: { $0.key < $1.key }) where !entity.stores(name) {
      if let side = entity.relationships[name] {
        throw failure(
          .unknownContent, name,
          "This list follows from \(side.destination).\(side.inverse ?? ""), where the links are stored. "
            + "Remove it here.")
      }
      guard keepsUnknown else {
        throw failure(
          .unknownContent, name,
          "The model has no such property. It may be misspelled, or written by a newer version of the "
            + "program.")
      }
      row.unknown[name] = value
    }
    for link in entity.links {
      let value = values[link.name] ?? (link.isToMany ? .list([]) : .null)
      do {
        row.values[link.name] = try self.value(of: link, value)
      } catch let reason as Reason {
        throw failure(reason.code, link.name, reason.text)
      }
    }
    for (name, attribute) in entity.attributes {
      let value = values[name] ?? attribute.defaultValue ?? .null
      if value.isNull, !attribute.isOptional {
        throw failure(
          .invalidValue, name,
          values[name] == nil
            ? "The property is missing, and its model declares no default value."
            : "The property must not be null.")
      }
      row.values[name] = value
    }
    if let known = known(identifier), known.key == key, known.values == row.values {
      var same = known
      same.unknown = row.unknown
      same.unknownMembers = [:]
      return same
    }
    return try normalised(row, entity)
  }

  /// The row with values as this store writes them; checks their types.
  private func normalised(_ row: DocumentRow, _ entity: EntityShape) throws -> DocumentRow {
    var values = row.values.filter { entity.attributes[$0.key] != nil }
    values[DataStoreSnapshotCodingKey.persistentIdentifier.stringValue] = .identifier(
      row.identifier)
    var decoder = DocumentDecoder(value: .object(values), context: context)
    var row = row
    do {
      let snapshot = try DefaultSnapshot(from: decoder)
      let encoded = try DocumentEncoder.values(of: snapshot, storeIdentifier: storeIdentifier)
      var suspects: [String] = []
      for name in entity.attributes.keys {
        let value = try encoded[name]?.stored() ?? .null
        if findsUnknownMembers, values[name]?.hasMembers(besides: value) == true {
          suspects.append(name)
        }
        row.values[name] = value
      }
      if !suspects.isEmpty {
        let read = ReadMembers()
        decoder.read = read
        _ = try DefaultSnapshot(from: decoder)
        for name in suspects {
          let unknown = UnknownMembers(
            in: values[name] ?? .null, encodedAs: row.values[name] ?? .null, read: read.part(name))
          if !unknown.isEmpty { row.unknownMembers[name] = unknown }
        }
      }
    } catch let error as DecodingError {
      throw DocumentStoreError(
        .invalidValue, error.reason, entity: entity.name, row: row.key, property: error.property)
    }
    return row
  }

  private struct Reason: Error {
    let code: DocumentStoreError.Code
    let text: String
  }

  private func value(of link: RelationshipShape, _ value: DocumentValue) throws -> DocumentValue {
    func target(_ value: DocumentValue) throws -> PersistentIdentifier {
      switch value {
      case .identifier(let identifier): return identifier
      case .string(let text):
        guard let target = LinkText(text), shape.isKind(target.entity, of: link.destination) else {
          throw Reason(
            code: .invalidLink,
            text: "The link has to name the entity \(link.destination) and a key, as in "
              + "\"\(link.destination)/key\".")
        }
        return try target.identifier(in: storeIdentifier)
      default:
        throw Reason(
          code: .invalidValue,
          text: "A link to \(link.destination) is a text, and this is \(value.kind).")
      }
    }
    switch (value, link.isToMany) {
    case (.list(let values), true): return .members(try values.map(target))
    case (_, true):
      throw Reason(
        code: .invalidValue, text: "This has to be a list of links, and is \(value.kind).")
    case (.null, false):
      if link.isOptional { return .null }
      throw Reason(code: .invalidLink, text: "The relationship is required and must not be null.")
    case (_, false): return .identifier(try target(value))
    }
  }
}

extension DecodingError {
  private var context: Context? {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .keyNotFound(_, let context), .dataCorrupted(let context):
      context
    @unknown default: nil
    }
  }

  fileprivate var property: String? {
    if case .keyNotFound(let key, let context) = self, context.codingPath.isEmpty {
      return key.stringValue
    }
    return context?.codingPath.first?.stringValue
  }

  /// What does not fit, without the value.
  fileprivate var reason: String {
    let path = (context?.codingPath ?? []).dropFirst().map(\.stringValue)
    let place = path.isEmpty ? "The value" : "The part \(path.joined(separator: "."))"
    switch self {
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      return "\(place) is not of the type \(type). \(context.debugDescription)"
    case .keyNotFound(let key, _):
      return "\(place) has no member \(key.stringValue)."
    // The description of the decoder names the value.
    default: return "\(place) can't be decoded."
    }
  }
}
