import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// The columns of attributes: what they were, their declared values, and where large values lie.
extension ChangePlanner {
  func change(
    of attribute: AttributeDescription, declaredBy owner: String, _ rows: TableSource.Rows,
    _ table: String
  ) throws -> AttributeChange {
    let place = counterparts.property(attribute.name, of: rows.current.name)
    let stored = place.map { place in
      AttributeChange.Earlier(property: place.property, columns: columns(of: place))
    }
    let descriptor = mapping?.entity(named: rows.current.name)?.descriptor
    let slot = descriptor?.slot(named: attribute.name)
    var fallback: AttributeChange.Fallback?
    let isUnchanged =
      place?.property.attribute.map { !attribute.differs(from: $0) } ?? false
    if let descriptor, let slot, !isUnchanged {
      fallback = try self.fallback(attribute, slot, descriptor)
    }
    var change = AttributeChange(
      attribute, entity: rows.current.name, rows: rows, table: table, stored: stored,
      fallback: fallback,
      integers: slot.map { integers(of: $0, in: descriptor, from: place) } ?? [:],
      isLenient: isLenient)
    if let slot, let descriptor, let earlier = place?.property.attribute,
      case .attribute(.rawValue) = descriptor.properties[slot].form, earlier.type != .composite,
      let type = descriptor.properties[slot].valueType as? any RawRepresentable.Type
    {
      change.refuseOtherCases { functions.isCase($0, of: type) }
    }
    return change
  }

  /// The Swift types of integers before and now, by the paths of the columns.
  func integers(
    of slot: Int, in descriptor: _ModelDescriptor?, from place: ModelCounterparts.Place?
  ) -> [[String]: IntegerTypes] {
    guard let descriptor, let place, let attribute = place.property.attribute else { return [:] }
    let current = Dictionary(
      descriptor.properties[slot].integers.map { ($0.path, $0.type) },
      uniquingKeysWith: { first, _ in first })
    var types: [[String]: IntegerTypes] = [:]
    for (path, leaf) in attribute.paths {
      types[path] = IntegerTypes(
        stored: storedInteger(
          leaf.type, ([place.entity.name, attribute.name] + path).joined(separator: ".")),
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

  func columns(
    of place: ModelCounterparts.Place
  ) -> [[String]: (name: String, leaf: AttributeDescription)] {
    var columns: [[String]: (name: String, leaf: AttributeDescription)] = [:]
    switch place.property {
    case .attribute(let attribute):
      for (path, leaf) in attribute.paths {
        if let column = old.column(attribute.name, of: place.entity.name, attribute.part(path)) {
          columns[path] = (column.name, leaf)
        }
      }
    case .relationship(let relationship):
      if let column = old.column(relationship.name, of: place.entity.name) {
        let key = AttributeDescription(name: relationship.name, type: .transformable)
        columns[["key"]] = (column.name, key)
      }
    case .fetched: break
    }
    return columns
  }

  /// The declared value of a property, by the paths of its columns.
  func fallback(
    _ attribute: AttributeDescription, _ slot: Int, _ descriptor: _ModelDescriptor
  ) throws -> AttributeChange.Fallback? {
    guard let value = try functions.defaults.value(of: slot, descriptor) else { return nil }
    var paths: [[String]] = [[]]
    if case .attribute(.composite(let leaves)) = descriptor.properties[slot].form {
      paths = leaves.map(\.path)
    }
    if paths.count == 1, paths[0] == [attribute.name] { paths = [[]] }
    var terms: [[String]: ColumnSource] = [:]
    for (leaf, path) in paths.enumerated() {
      switch value {
      case .constant(let values):
        guard leaf < values.count else { continue }
        terms[path] = .constant(values[leaf].literal)
      case .evaluated(let place):
        terms[path] = .expression(
          "\(MigrationFunction.declaredValue)(\(place), \(leaf), \(RowColumns.key))")
      }
    }
    // A declaration may say nil where the property must have a value: `var name: String! = nil`.
    let isNil = terms.values.allSatisfy { $0 == .null }
    return isNil ? nil : AttributeChange.Fallback(terms: terms)
  }

  /// Values move into files beside the store, or out of them.
  func external(
    _ term: ColumnSource, _ attribute: AttributeDescription, of owner: String,
    _ rows: TableSource.Rows
  ) -> ColumnSource {
    let isExternal =
      mapping?.entity(named: rows.current.name).flatMap { entity in
        entity.descriptor.property(named: attribute.name)?.isExternallyStored
      } ?? false
    var wasExternal = isExternal
    if let place = counterparts.property(attribute.name, of: rows.current.name) {
      if let storedExternals {
        wasExternal = storedExternals.contains("\(place.entity.name).\(place.property.name)")
      }
    } else {
      wasExternal = false
    }
    if isExternal == wasExternal || term == .null { return term }
    if isExternal { return .expression("\(MigrationFunction.moveOut)(\(term.sql))") }
    let value = "\(MigrationFunction.moveIn)(\(term.sql))"
    let isText = attribute.paths.allSatisfy { [.string, .uri].contains($0.leaf.type) }
    return .expression(isText ? "CAST(\(value) AS TEXT)" : value)
  }
}
