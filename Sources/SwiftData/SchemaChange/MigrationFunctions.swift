import Foundation
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine

/// The names of the SQL functions that migration statements call.
enum MigrationFunction {
  static let declaredValue = "swift_migration_value"
  static let isCase = "swift_migration_is_case"
  static let isFloat = "swift_migration_is_float"
  static let moveOut = "swift_migration_move_out"
  static let moveIn = "swift_migration_move_in"
  static let movedBits = "swift_migration_moved_bits"
  static let changedBits = "swift_migration_changed_bits"
}

/// The SQL functions of a migration: declared defaults and raw values of enums.
final class MigrationFunctions {
  let defaults = DeclaredDefaults()
  private var rawTypes: [any RawRepresentable.Type] = []

  /// The condition that a stored value is the raw value of a case.
  func isCase(_ column: String, of type: any RawRepresentable.Type) -> String {
    rawTypes.append(type)
    return "\(MigrationFunction.isCase)(\(rawTypes.count - 1), \(column))"
  }

  func register(on connection: Connection) throws {
    try connection.register(
      function: MigrationFunction.declaredValue, argumentCount: 3, deterministic: false
    ) { [defaults] arguments in
      do {
        return try defaults.value(
          at: Int(arguments.int64(0)), leaf: Int(arguments.int64(1)), row: arguments.int64(2)
        ).functionResult
      } catch {
        return .failure("a declared value cannot be encoded: \(error)")
      }
    }
    try connection.register(
      function: MigrationFunction.isCase, argumentCount: 2, deterministic: true
    ) { [rawTypes] arguments in
      let type = rawTypes[Int(arguments.int64(0))]
      return .integer(type.hasCase(arguments.storedValues[1]) ? 1 : 0)
    }
    try connection.register(
      function: MigrationFunction.isFloat, argumentCount: 1, deterministic: true
    ) { arguments in
      let value = arguments.double(0)
      return .integer(value.isNaN || Double(Float(value)) == value ? 1 : 0)
    }
  }
}

extension RawRepresentable {
  fileprivate static func hasCase(_ value: _StoredValue) -> Bool {
    guard let scalar = RawValue.self as? any ScalarCoding.Type,
      let raw = scalar.init(storedValue: value) as? RawValue
    else { return false }
    return Self(rawValue: raw) != nil
  }
}
