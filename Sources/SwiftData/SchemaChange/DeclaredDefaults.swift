import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax

/// The declared default values of properties that rows of a file do not have yet.
///
/// A default is evaluated for each row, so that `UUID()` gives each row its own value. A default
/// that gives the same value three times is treated as constant.
final class DeclaredDefaults {
  /// The values of one property's columns.
  enum Value {
    case constant([_StoredValue])
    /// The index of the declaration, for `value(at:leaf:row:)`.
    case evaluated(Int)
  }

  private struct Declaration {
    let property: ModelProperty
    let type: any PersistentModel.Type
    let slot: Int
    var row: Int64?
    var values: [_StoredValue] = []
  }

  private let dialect: SQLDialect
  private var declarations: [Declaration] = []
  private var known: [String: Value?] = [:]

  init(_ dialect: SQLDialect) { self.dialect = dialect }

  /// - Returns: `nil` if the property has no declared default.
  /// - Throws: `SwiftDataError` if the value cannot be encoded or stored.
  func value(of slot: Int, _ descriptor: _ModelDescriptor) throws -> Value? {
    let property = descriptor.properties[slot]
    let name = "\(descriptor.entityName).\(property.name)"
    if let value = known[name] { return value }
    var value: Value?
    if property.defaultValue != nil {
      let declaration = Declaration(property: property, type: descriptor.type, slot: slot)
      let values = try (0..<3).map { _ in try evaluate(declaration) }
      if values.allSatisfy({ $0 == values[0] }) {
        value = .constant(values[0])
      } else {
        declarations.append(declaration)
        value = .evaluated(declarations.count - 1)
      }
    }
    known[name] = value
    return value
  }

  /// The value of one column in a row. All columns of a property use the same evaluation.
  func value(at place: Int, leaf: Int, row: Int64) throws -> _StoredValue {
    if declarations[place].row != row {
      declarations[place].values = try evaluate(declarations[place])
      declarations[place].row = row
    }
    return declarations[place].values[leaf]
  }

  private func evaluate(_ declaration: Declaration) throws -> [_StoredValue] {
    let metadata = declaration.type.schemaMetadata.filter {
      !($0.metadata is any KeyPathConstraint)
    }
    guard let value = metadata[declaration.slot].defaultValue else { return [] }
    let entity = declaration.type._$descriptor.entityName
    let values = try DeclaredDefaults.stored(value, of: declaration.property, in: entity)
    if !dialect.storesZeroCharacters, values.contains(where: \.hasZeroCharacter) {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The default value of the property contains the character U+0000, which the database cannot store in "
          + "a text. Remove it, or store the value as Data.", doing: "migrating a store",
        entity: entity, property: declaration.property.name,
        because: .invalidValue(entity: entity, property: declaration.property.name))
    }
    return values
  }

  /// A value of the property's type, as the values of its columns.
  static func stored(
    _ value: Any, of property: ModelProperty, in entity: String
  ) throws -> [_StoredValue] {
    func boxed<V>(_ value: V) -> _SlotValue { _SlotValue.boxing(value) }
    let slot = _openExistential(value, do: boxed)
    switch property.form {
    case .attribute(.scalar), .attribute(.rawValue):
      let value = (value as? any OptionalValue).map(\.unwrappedValue) ?? value
      if let scalar = value as? any ScalarCoding { return [scalar.storedValue] }
      let raw = (value as? any RawRepresentable)?.anyRawValue as? any ScalarCoding
      return [raw?.storedValue ?? .null]
    case .attribute(.composite(let leaves)):
      return try ValueEncoding.composite(
        slot, leaves: leaves, property: property, entityName: entity, isForColumns: true
      ).values
    case .attribute(.encoded), .transformable:
      return [try ValueEncoding.encoded(slot, property: property, entityName: entity)]
    case .toOne, .toMany: return []
    }
  }
}

extension RawRepresentable {
  fileprivate var anyRawValue: Any { rawValue }
}

extension _StoredValue {
  fileprivate var hasZeroCharacter: Bool {
    if case .text(let text) = self { text.unicodeScalars.contains("\0") } else { false }
  }

  /// The value as an SQL literal.
  var literal: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): value == .min ? "(-9223372036854775807 - 1)" : "\(value)"
    case .real(let value):
      value.isNaN ? "NULL" : value.isInfinite ? "\(value < 0 ? "-" : "")9e999" : "\(value)"
    case .text(let value):
      value.unicodeScalars.contains("\0")
        ? "CAST(\(_StoredValue.blob(Data(value.utf8)).literal) AS TEXT)"
        : value.quotedText
    case .blob(let value):
      "x'\(value.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())'"
    }
  }
}
