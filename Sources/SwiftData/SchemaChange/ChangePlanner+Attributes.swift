import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// The old columns, declared defaults and tags of attributes.
extension ChangePlanner {
  func change(
    of attribute: AttributeDescription, declaredBy owner: String, _ rows: TableSource.Rows,
    _ table: String
  ) throws -> AttributeChange {
    let declared = counterparts.property(attribute.name, of: rows.current.name)
    let stored = declared.map(earlier)
    let descriptor = mapping?.entity(named: rows.current.name)?.descriptor
    let slot = descriptor?.slot(named: attribute.name)
    let tags = tags(of: attribute, declaredBy: owner, rows)
    let constraints = try undistinguished(
      uniqueConstraints(with: attribute, declaredBy: owner, rows), by: attribute, rows)
    var fallback: AttributeChange.Fallback?
    let required = required(attribute, slot.flatMap { descriptor?.properties[$0] })
    let wereOptional = declared.flatMap { optional(Array(required.keys), in: $0) }
    let isUnchanged =
      declared?.property.attribute.map { !attribute.differs(from: $0) } ?? false
      && wereOptional?.isEmpty ?? true
    if let descriptor, let slot, !isUnchanged {
      fallback = try self.fallback(attribute, slot, descriptor, rows, table)
      if toleratesLosses {
        fallback = fallback.map {
          distinct($0, attribute, declaredBy: owner, constraints, rows)
        }
      }
      fallback = fallback.map { untagged in
        AttributeChange.Fallback(
          terms: untagged.terms.mapValues {
            tagged($0, attribute, declaredBy: owner, from: false, to: tags.current)
          }, limited: untagged.limited)
      }
    }
    // Values with tags are read in other ways.
    let listType =
      tags.stored ? nil : slot.flatMap { descriptor?.properties[$0].listType }
    let hasOtherElements =
      declared?.property.attribute.map { $0.hasOtherElements(than: attribute) } ?? false
    var change = AttributeChange(
      attribute, typeText: currentTypes.text(of: attribute, at: [owner, attribute.name]),
      entity: rows.current.name, rows: rows, table: table, stored: stored,
      fallback: fallback,
      integers: slot.map { integers(of: $0, in: descriptor, from: declared) } ?? [:],
      required: required, wereOptional: wereOptional, toleratesLosses: toleratesLosses,
      checksLists: hasOtherElements && listType != nil,
      uniquePaths: constraints.joined().filter { $0.first == attribute.name }
        .map { Array($0.dropFirst()) }, sql
    ) { term in
      let term = uniqueValue(
        term, attribute, declaredBy: owner, rows, areTagged: tags == (true, true))
      return tagged(term, attribute, declaredBy: owner, from: tags.stored, to: tags.current)
    }
    if hasOtherElements, let listType {
      change.refuseOtherLists {
        functions.fits($0, in: table, where: rows.condition, as: listType)
      }
    }
    if let property = slot.flatMap({ descriptor?.properties[$0] }) {
      // Raw values that stay in their column can be replaced by didMigrate.
      let mayReplace =
        mayCarryOver && !toleratesLosses && declared?.property.attribute?.type == .composite
      for (path, type) in mayReplace ? [] : rawTypes(of: property) {
        change.refuseOtherCases(of: type, at: path) {
          functions.isCase($0, in: table, of: type, isChanged: false)
        }
      }
    }
    return change
  }

  /// The types with raw values in a property, by the paths of their columns.
  private func rawTypes(
    of property: ModelProperty
  ) -> [(path: [String], type: any RawRepresentable.Type)] {
    let columns: [(path: [String], type: any Any.Type)]
    switch property.form {
    case .attribute(.rawValue): columns = [([], property.valueType)]
    case .attribute(.composite(let leaves)):
      columns = leaves.compactMap { leaf in
        guard case .rawValue = leaf.form else { return nil }
        return (leaf.path, leaf.valueType)
      }
    default: columns = []
    }
    return columns.compactMap { path, type in
      (type as? any RawRepresentable.Type).map { (path, $0) }
    }
  }

  /// The old and new Swift types of integers, by the paths of the columns.
  func integers(
    of slot: Int, in descriptor: _ModelDescriptor?,
    from declared: ModelCounterparts.DeclaredProperty?
  ) -> [[String]: IntegerTypes] {
    guard let descriptor, let declared, let attribute = declared.property.attribute else {
      return [:]
    }
    let current = Dictionary(
      descriptor.properties[slot].integers.map { ($0.path, $0.type) },
      uniquingKeysWith: { first, _ in first })
    var types: [[String]: IntegerTypes] = [:]
    for (path, leaf) in attribute.paths {
      types[path] = IntegerTypes(
        stored: storedInteger(
          leaf.type, ([declared.entity.name, attribute.name] + path).joined(separator: ".")),
        current: current[path])
    }
    return types
  }

  private func storedInteger(_ type: AttributeType, _ name: String) -> ScalarType? {
    guard let storedIntegers else { return nil }
    if let named = storedIntegers[name].flatMap(ScalarType.named) { return named }
    switch type {
    case .integer16: return .int16
    case .integer32: return .int32
    case .integer64: return .int64
    default: return nil
    }
  }

  /// The columns that are null only if an enclosing part is nil, by their paths, with the path of
  /// that part: the whole value, an optional member, or a case of an enum. Descriptions call all
  /// columns in such a part optional, classes tell more.
  private func required(
    _ attribute: AttributeDescription, _ property: ModelProperty?
  ) -> [[String]: [String]] {
    var required: [[String]: [String]] = [:]
    if case .attribute(.composite(let leaves))? = property?.form,
      !attribute.paths.contains(where: \.path.isEmpty)
    {
      for leaf in leaves where leaf.form != .enumCase && leaf.optionalDepth != leaf.path.count {
        required[leaf.path] = Array(leaf.path.prefix(leaf.optionalDepth ?? 0))
      }
    } else if !attribute.isEnumeration {
      for (path, leaf) in attribute.paths where !leaf.isOptional { required[path] = [] }
    }
    return required
  }

  /// Those of some parts that may be nil in the file; `nil` if the file does not record it.
  private func optional(
    _ paths: [[String]], in declared: ModelCounterparts.DeclaredProperty
  ) -> Set<[String]>? {
    if declared.property.attribute?.type != .composite { return [] }
    let name = "\(declared.entity.name).\(declared.property.name)"
    return storedForms[name].map { text in
      let parts = CompositeForms.optionalParts(in: [name: text])
      return Set(paths.filter { parts.contains(([name] + $0).joined(separator: ".")) })
    }
  }

  func earlier(_ declared: ModelCounterparts.DeclaredProperty) -> AttributeChange.Earlier {
    AttributeChange.Earlier(
      property: declared.property,
      typeText: storedTypes.text(of: declared.property, declaredBy: declared.entity.name),
      columns: columns(of: declared))
  }

  func columns(
    of declared: ModelCounterparts.DeclaredProperty
  ) -> [[String]: (name: String, leaf: AttributeDescription)] {
    var columns: [[String]: (name: String, leaf: AttributeDescription)] = [:]
    switch declared.property {
    case .attribute(let attribute):
      for (path, leaf) in attribute.paths {
        if let column = old.column(attribute.name, of: declared.entity.name, attribute.part(path)) {
          columns[path] = (column.name, leaf)
        }
      }
    case .relationship(let relationship):
      if let column = old.column(relationship.name, of: declared.entity.name) {
        let key = AttributeDescription(name: relationship.name, type: .transformable)
        columns[["key"]] = (column.name, key)
      }
    case .fetched: break
    }
    return columns
  }

  /// The declared default of a property, by the paths of its columns.
  func fallback(
    _ attribute: AttributeDescription, _ slot: Int, _ descriptor: _ModelDescriptor,
    _ rows: TableSource.Rows, _ table: String
  ) throws -> AttributeChange.Fallback? {
    guard let value = try functions.defaults.value(of: slot, descriptor) else { return nil }
    var paths: [[String]] = [[]]
    if case .attribute(.composite(let leaves)) = descriptor.properties[slot].form {
      paths = leaves.map(\.path)
    }
    if paths.count == 1, paths[0] == [attribute.name] { paths = [[]] }
    let leaves = Dictionary(
      attribute.paths.map { ($0.path, $0.leaf.type) }, uniquingKeysWith: { first, _ in first })
    let types = paths.map { leaves[$0] ?? attribute.type }
    var terms: [[String]: ColumnSource] = [:]
    for (leaf, path) in paths.enumerated() {
      switch value {
      case .constant(let values):
        guard leaf < values.count else { continue }
        terms[path] = .constant(sql.literal(values[leaf], of: types[leaf]))
      case .evaluated(let declared):
        terms[path] = .expression(
          functions.declaredValue(declared, leaf: leaf, of: types, rows, table))
      }
    }
    // A declaration may have the value nil for a required property: `var name: String! = nil`.
    let isNil = terms.values.allSatisfy { $0 == .null }
    return isNil ? nil : AttributeChange.Fallback(terms: terms)
  }

  /// Whether the values of an attribute have tags, in the file and after the change.
  private func tags(
    of attribute: AttributeDescription, declaredBy owner: String, _ rows: TableSource.Rows
  ) -> (stored: Bool, current: Bool) {
    let entity = mapping?.entity(named: rows.current.name) ?? mapping?.entity(named: owner)
    let isExternal = entity.map { entity in
      entity.descriptor.property(named: attribute.name)?.isExternallyStored ?? false
    }
    var wasExternal = isExternal ?? false
    if let declared = counterparts.property(attribute.name, of: rows.current.name) {
      if let storedExternals {
        wasExternal = storedExternals.contains("\(declared.entity.name).\(declared.property.name)")
      }
    } else {
      wasExternal = false
    }
    // Values of an entity without a class stay as they are.
    return (wasExternal, isExternal ?? wasExternal)
  }

  /// Adds the tag of a value, or removes it. A file moves large values out of their rows, and back
  /// into them; a server keeps all values in rows, and texts without tags.
  private func tagged(
    _ term: ColumnSource, _ attribute: AttributeDescription, declaredBy owner: String,
    from wasTagged: Bool, to isTagged: Bool
  ) -> ColumnSource {
    if isTagged == wasTagged || term == .null { return term }
    let isText = attribute.paths.allSatisfy { [.string, .uri].contains($0.leaf.type) }
    let value = term.sql
    if sql.dialect == .sqlite {
      if isTagged {
        return .expression(
          new.model.isUnique(attribute.name, of: owner)
            ? "CAST(\(valueTag) || \(value) AS BLOB)" : "\(MigrationFunction.moveOut)(\(value))")
      }
      let bytes = "\(MigrationFunction.moveIn)(\(value))"
      return .expression(isText ? "CAST(\(bytes) AS TEXT)" : bytes)
    }
    if isText { return term }
    let tag = valueTag
    if isTagged { return .expression("(\(tag) || \(value))") }
    // Bytes of other programs, which a copy of a file has brought, may have no tag.
    return .expression(
      "CASE WHEN substr(\(value), 1, 1) = \(tag) THEN substr(\(value), 2) ELSE \(value) END")
  }

  /// A tagged value that becomes unique moves from its file into the row, where constraints compare it.
  private func uniqueValue(
    _ term: ColumnSource, _ attribute: AttributeDescription, declaredBy owner: String,
    _ rows: TableSource.Rows, areTagged: Bool
  ) -> ColumnSource {
    guard areTagged, term != .null, sql.dialect == .sqlite,
      new.model.isUnique(attribute.name, of: owner),
      let declared = counterparts.property(attribute.name, of: rows.current.name),
      !old.model.isUnique(declared.property.name, of: declared.entity.name)
    else { return term }
    return .expression("CAST(\(valueTag) || \(MigrationFunction.moveIn)(\(term.sql)) AS BLOB)")
  }

  private var valueTag: String {
    sql.literal(.blob(Data([TaggedValue.valueTag])), of: .binary)
  }
}

extension ModelProperty {
  /// The type of a value that is stored whole and without a transformer.
  fileprivate var listType: (any Decodable.Type)? {
    switch form {
    case .attribute(.encoded), .transformable(nil): valueType as? any Decodable.Type
    case .attribute, .transformable, .toOne, .toMany: nil
    }
  }
}
