import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat

/// Moves values between rows and files beside the store while tables change.
final class MovedValues {
  private let files: ExternalFiles?
  /// The first error in an SQL function.
  private var error: (any Error)?

  init(_ files: ExternalFiles?) { self.files = files }

  /// Runs a statement, and throws the error of a function in place of the database's error for it, which does
  /// not tell the reason.
  func throwingOwnError(_ statement: () throws -> Void) throws {
    do {
      try statement()
    } catch let failure {
      throw error ?? failure
    }
    if let error { throw error }
  }

  /// Does nothing for databases that keep all values in rows.
  func register(on session: any SQLSession) throws {
    guard let connection = session as? Connection else { return }
    try connection.register(
      function: MigrationFunction.moveOut, argumentCount: 1, deterministic: false
    ) { [self] arguments in
      if arguments.isNull(0) { return .null }
      let value = arguments.data(0)
      guard let files, value.count > files.threshold else {
        return .blob(Data([TaggedValue.valueTag]) + value)
      }
      do {
        let names = try files.write([value])
        return .blob(Data([TaggedValue.nameTag]) + Data(names[0].utf8) + Data([0]))
      } catch {
        self.error = error
        return .failure("a value can't be written to a file")
      }
    }
    try connection.register(
      function: MigrationFunction.moveIn, argumentCount: 1, deterministic: false
    ) { [self] arguments in
      if arguments.isNull(0) { return .null }
      return arguments.withBytes(0) { bytes in
        switch TaggedValue(bytes) {
        case .value(let value): return .blob(Data(value))
        case .name(let name):
          let name = String(decoding: name, as: UTF8.self)
          do {
            guard let content = try files?.content(named: name) else {
              return .failure("the file \(name) of a large value is missing")
            }
            files?.recordDropped(name)
            return .blob(content)
          } catch {
            self.error = error
            return .failure("the file \(name) of a large value can't be read")
          }
        }
      }
    }
  }
}

extension SchemaChange {
  /// Records the files of values that are deleted with their rows or properties, to remove them
  /// after the commit.
  func noteLostValues(_ session: any SQLSession, _ external: ExternalFiles?) throws {
    guard let external, let connection = session as? Connection else { return }
    for table in old.tables where stored.columns[table.name] != nil {
      let change = plan.tables.filter { $0.sources.contains { $0.table == table.name } }
      for column in table.columns where column.type == .blob || column.type == .varchar {
        // A column may continue for the rows of some entities only, after a property has moved to a
        // subclass. Then all names are candidates; the commit keeps those that a row still has.
        let readings = change.flatMap { change in
          zip(change.sources, change.columns).filter { $0.0.table == table.name }
            .map { $1.contains(.column(column.name)) }
        }
        let continues = !readings.isEmpty && readings.allSatisfy { $0 }
        let removed =
          change.flatMap(\.removed)
          + (change.isEmpty
            ? old.model.entities.compactMap {
              old.table(of: $0.name) == table.name ? old.numbers[$0.name] : nil
            } : [])
        if continues && removed.isEmpty { continue }
        let numbers = removed.map(String.init).joined(separator: ", ")
        try StoredName.forEach(
          table.name, column.name, connection,
          where: continues ? "\(RowTerms.entity) IN (\(numbers))" : nil
        ) { _, name in external.recordDropped(name) }
      }
    }
  }
}
