import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

@Model final class _Metadata {
  var text = ""
  init() {}
}

@Model final class _DeletedHistory {
  var text = ""
  init() {}
}

@Model final class _Keys_1 {
  var text = ""
  init() {}
}

@Model final class _Copy {
  var text = ""
  init() {}
}

@Model final class _Lock {
  var text = ""
  init() {}
}

/// Models whose tables would have the names of tables that each store has for itself.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct OwnTableNameTests {
  @Test(
    arguments: [_Metadata.self, _DeletedHistory.self, _Keys_1.self, _Copy.self]
      as [any PersistentModel.Type])
  func suchAModelIsRefused(_ type: any PersistentModel.Type) throws {
    let store = try MigratedServerStore()
    let error = #expect(throws: SwiftDataError.self) { try store.container(Schema([type])) }
    let text = error?.description ?? ""
    #expect(text.contains("table of the model \(type) would have the name Z_"), "\(text)")
    #expect(text.contains("Rename the model."), "\(text)")
    #expect(
      try store.integer(
        "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()") == 0)
  }

  /// Only some profiles have the table.
  @Test func aModelWithTheNameOfTheTableOfLocks() throws {
    let store = try MigratedServerStore()
    let context = ModelContext(try store.container(Schema([_Lock.self])))
    context.insert(_Lock())
    try context.save()
    let error = #expect(throws: SwiftDataError.self) {
      try store.container(Schema([_Lock.self])) { $0.profile = .portable }
    }
    #expect(error?.description.contains("model _Lock would have the name Z_LOCK") == true)
    #expect(try context.fetchCount(FetchDescriptor<_Lock>()) == 1)
  }
}
