import Foundation
import SwiftData
import Testing

@Model final class _Metadata {
  var text = ""
  init() {}
}

@Model final class _PrimaryKey {
  var text = ""
  init() {}
}

@Model final class _ModelCache {
  var text = ""
  init() {}
}

/// A name that is that of no table of a file.
@Model final class _DeletedHistory {
  var text = ""
  init() {}
}

/// Models whose tables would have the names of tables that each file has for itself.
@Suite struct OwnTableNameTests {
  @Test(
    arguments: [_Metadata.self, _PrimaryKey.self, _ModelCache.self] as [any PersistentModel.Type])
  func suchAModelIsRefused(_ type: any PersistentModel.Type) throws {
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Schema([type]), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    let text = error?.description ?? ""
    #expect(text.contains("table of the model \(type) would have the name Z_"), "\(text)")
    #expect(text.contains("Rename the model."), "\(text)")
  }

  @Test func aFileIsNotMade() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).store")
    #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: _Metadata.self, configurations: ModelConfiguration(url: url))
    }
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test func anotherNameWithAnUnderscoreIsStored() throws {
    let container = try ModelContainer(
      for: _DeletedHistory.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(_DeletedHistory())
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<_DeletedHistory>()) == 1)
  }
}
