import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat

/// The names of the SQL functions that migration statements call.
enum MigrationFunction {
  static let declaredValue = "swift_migration_value"
  static let isCase = "swift_migration_is_case"
  static let fits = "swift_migration_fits"
  static let isFloat = "swift_migration_is_float"
  static let moveOut = "swift_migration_move_out"
  static let moveIn = "swift_migration_move_in"
  static let content = "swift_migration_content"
  static let movedBits = "swift_migration_moved_bits"
  static let changedBits = "swift_migration_changed_bits"
}

/// What statements of a migration ask of Swift code: declared defaults, raw values of enums, and whether a
/// type can contain a stored list.
///
/// SQLite calls registered functions. For a server the answers are temporary tables: the declared
/// values by the keys of the rows, the stored values that are raw values of a case, and the keys of rows
/// with lists that do not fit.
final class MigrationFunctions {
  let sql: ChangeSQL
  let defaults: DeclaredDefaults
  private let externalFolder: ExternalFolder?
  private var rawTypes: [any RawRepresentable.Type] = []
  private var cases: [MigrationCases] = []
  private var listTypes: [any Decodable.Type] = []
  private var lists: [MigrationLists] = []
  private var values: [MigrationValues] = []

  /// - Parameter externalFolder: The folder with values that are stored outside of rows.
  init(_ sql: ChangeSQL, _ externalFolder: ExternalFolder?) {
    self.sql = sql
    self.externalFolder = externalFolder
    defaults = DeclaredDefaults(sql.dialect)
  }

  /// The condition that a stored value is the raw value of a case.
  /// - Parameters:
  ///   - column: The column, in quotes.
  ///   - table: The table, without quotes.
  ///   - isChanged: Whether the table is that of the changed file.
  func isCase(
    _ column: String, in table: String, of type: any RawRepresentable.Type, isChanged: Bool
  ) -> String {
    switch sql.dialect {
    case .sqlite:
      rawTypes.append(type)
      return "\(MigrationFunction.isCase)(\(rawTypes.count - 1), \(column))"
    case .postgreSQL:
      let name = "\(MigrationFunction.isCase)_\(cases.count)"
      cases.append(
        MigrationCases(
          name: name, table: table, column: column, type: type, isChanged: isChanged))
      return "\(column) IN (SELECT V FROM \(name))"
    }
  }

  /// The condition that a stored list can be read as a type.
  /// - Parameters:
  ///   - column: The column, in quotes.
  ///   - table: The table, without quotes.
  ///   - condition: The condition for the rows.
  func fits(
    _ column: String, in table: String, where condition: String, as type: any Decodable.Type
  ) -> String {
    switch sql.dialect {
    case .sqlite:
      listTypes.append(type)
      return "\(MigrationFunction.fits)(\(listTypes.count - 1), \(column))"
    case .postgreSQL:
      let name = "\(MigrationFunction.fits)_\(lists.count)"
      lists.append(
        MigrationLists(name: name, table: table, column: column, condition: condition, type: type))
      return "\(RowTerms.key) NOT IN (SELECT K FROM \(name))"
    }
  }

  /// The declared value of a column in a row.
  /// - Parameters:
  ///   - declared: The index of the declaration.
  ///   - types: The types of all columns of the property.
  func declaredValue(
    _ declared: Int, leaf: Int, of types: [AttributeType], _ rows: TableSource.Rows, _ table: String
  ) -> String {
    switch sql.dialect {
    case .sqlite: return "\(MigrationFunction.declaredValue)(\(declared), \(leaf), \(RowTerms.key))"
    case .postgreSQL:
      let wanted = MigrationValues(
        declared: declared, types: types, table: table, condition: rows.condition)
      if !values.contains(where: { $0.name == wanted.name }) { values.append(wanted) }
      return "(SELECT V\(leaf) FROM \(wanted.name) WHERE K = \(RowTerms.key))"
    }
  }

  /// Makes the functions, or the tables, ready for statements.
  /// - Parameter isChanged: Whether the tables have been changed.
  func prepare(_ session: any SQLSession, isChanged: Bool = false) throws {
    if let connection = session as? Connection { return try register(on: connection) }
    for set in cases where set.isChanged == isChanged { try set.fill(session, sql) }
    if isChanged { return }
    for values in values { try values.fill(session, defaults, sql) }
    for list in lists { try list.fill(session, sql) }
  }

  /// Removes the temporary tables.
  func remove(_ session: any SQLSession) throws {
    guard sql.dialect == .postgreSQL else { return }
    for name in cases.map(\.name) + values.map(\.name) + lists.map(\.name) {
      try session.execute("DROP TABLE IF EXISTS pg_temp.\(name)")
    }
  }

  private func register(on connection: Connection) throws {
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
      function: MigrationFunction.fits, argumentCount: 2, deterministic: true
    ) { [listTypes] arguments in
      guard case .blob(let bytes) = arguments.storedValues[1] else { return .integer(0) }
      let type = listTypes[Int(arguments.int64(0))]
      return .integer(ListFitting.fits(type, bytes) ? 1 : 0)
    }
    // What `moveIn` moves into a row. It reports missing files.
    try connection.register(
      function: MigrationFunction.content, argumentCount: 1, deterministic: true
    ) { [externalFolder] arguments in
      if arguments.isNull(0) { return .null }
      return arguments.withBytes(0) { bytes in
        switch TaggedValue(bytes) {
        case .value(let value): return .blob(Data(value))
        case .name(let name):
          let name = String(decoding: name, as: UTF8.self)
          return (try? externalFolder?.content(named: name)).map { .blob($0) } ?? .null
        }
      }
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
  static func hasCase(_ value: _StoredValue) -> Bool {
    guard let scalar = RawValue.self as? any ScalarCoding.Type,
      let raw = scalar.init(storedValue: value) as? RawValue
    else { return false }
    return Self(rawValue: raw) != nil
  }
}
