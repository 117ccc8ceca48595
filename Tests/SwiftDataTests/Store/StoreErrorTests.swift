import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// A bad place, a bad file or a bad moment gives a clear error and loses nothing.
@Suite struct StoreErrorTests {
  private func open(_ url: URL, allowsSave: Bool = true) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(Library.types),
        configurations: ModelConfiguration(url: url, allowsSave: allowsSave)))
  }

  private func message(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "no error"
    } catch {
      return "\(error)"
    }
  }

  @Test func aFileThatIsNoDatabaseIsLeftAlone() throws {
    let folder = try TemporaryFolder()
    let text = Data(String(repeating: "Dear diary, ", count: 500).utf8)
    try text.write(to: folder.store)
    let shown = message { _ = try open(folder.store) }
    #expect(shown.contains("can't be opened") && shown.contains(folder.store.path))
    #expect(try Data(contentsOf: folder.store) == text)
  }

  @Test func aDatabaseOfSomebodyElseIsLeftAlone() throws {
    let folder = try TemporaryFolder()
    try SQLiteFile.execute("CREATE TABLE mine (x); INSERT INTO mine VALUES (1)", in: folder.store)
    let shown = message { _ = try open(folder.store) }
    #expect(shown.contains("is not a store") || shown.contains("but not a store"))
    #expect(try SQLiteFile.integer("SELECT count(*) FROM mine", in: folder.store) == 1)
  }

  @Test func aStoreOfOtherModelsIsNamedAndLeftAlone() throws {
    let folder = try TemporaryFolder()
    do {
      let context = try open(folder.store)
      context.insert(Author(name: "Ann"))
      try context.save()
    }
    let shown = message {
      _ = try ModelContainer(
        for: Everything.self, configurations: ModelConfiguration(url: folder.store))
    }
    #expect(shown.contains("created with other models") && shown.contains("Everything"))
    #expect(try open(folder.store).fetchCount(FetchDescriptor<Author>()) == 1)
  }

  @Test func aReadOnlyStoreReadsAndRefusesToSave() throws {
    let folder = try TemporaryFolder()
    do {
      let context = try open(folder.store)
      context.insert(Author(name: "Ann"))
      try context.save()
    }
    let context = try open(folder.store, allowsSave: false)
    #expect(try context.fetch(FetchDescriptor<Author>()).map(\.name) == ["Ann"])
    context.insert(Author(name: "Bob"))
    #expect(message { try context.save() }.contains("allowsSave"))
    #expect(context.hasChanges)
    #expect(try open(folder.store).fetchCount(FetchDescriptor<Author>()) == 1)
  }

  @Test func aMissingStoreCannotBeOpenedReadOnly() throws {
    let folder = try TemporaryFolder()
    #expect(message { _ = try open(folder.store, allowsSave: false) } != "no error")
  }

  @Test func aDamagedPageIsReportedAndTheOtherTablesStillRead() throws {
    let folder = try TemporaryFolder()
    do {
      let context = try open(folder.store)
      for number in 0..<2000 { context.insert(Author(name: "Author \(number)")) }
      context.insert(Shelf(label: "safe"))
      try context.save()
    }
    try SQLiteFile.execute("PRAGMA wal_checkpoint(TRUNCATE)", in: folder.store)
    let root = try SQLiteFile.integer(
      "SELECT rootpage FROM sqlite_schema WHERE name = 'ZAUTHOR'", in: folder.store)
    let handle = try FileHandle(forUpdating: folder.store)
    try handle.seek(toOffset: UInt64(root - 1) * 4096)
    try handle.write(contentsOf: Data(repeating: 0xAB, count: 4096))
    try handle.close()
    let context = try open(folder.store)
    let shown = message { _ = try context.fetch(FetchDescriptor<Author>()) }
    #expect(shown.contains("can't be read"))
    #expect(try context.fetch(FetchDescriptor<Shelf>()).map(\.label) == ["safe"])
  }

  @Test func aFullStoreKeepsWhatWasSavedAndTheContextItsChanges() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder.store)
    context.insert(Author(name: "Ann"))
    try context.save()
    // The page limit stands for a full disk: SQLite answers both with SQLITE_FULL.
    let store = try #require(context.container.stores.first as? DefaultStore)
    try store.pool.write { try $0.execute("PRAGMA max_page_count = 1") }
    for number in 0..<2000 {
      context.insert(Shelf(label: String(repeating: "long \(number) ", count: 20)))
    }
    let shown = message { try context.save() }
    #expect(shown.contains("nothing was saved"))
    #expect(context.insertedModelsArray.count == 2000)
    #expect(try open(folder.store).fetchCount(FetchDescriptor<Shelf>()) == 0)
    try store.pool.write { try $0.execute("PRAGMA max_page_count = 1000000") }
    try context.save()
    #expect(try open(folder.store).fetchCount(FetchDescriptor<Shelf>()) == 2000)
  }

  /// Programs look for the file to know whether there is a store.
  @Test(
    .enabled(if: MountedVolume.isPermitted, "file systems can't be mounted here"),
    arguments: [0, 4_096, 8_192, 12_288, 20_480, 32_768, 40_960, 81_920])
  func aStoreThatDoesNotFitIsNotCreated(space: Int) async throws {
    try await MountedVolume.use(size: "1m") { volume in
      let ballast = volume.appendingPathComponent("ballast")
      #expect(FileManager.default.createFile(atPath: ballast.path, contents: nil))
      let handle = try FileHandle(forWritingTo: ballast)
      try handle.write(contentsOf: Data(count: (1 << 20) - space))
      try handle.close()
      let store = volume.appendingPathComponent("new.store")
      do {
        _ = try open(store)
        Issue.record("The volume was large enough.")
      } catch let error as SwiftDataError {
        #expect(error.reason == .diskFull, "\(error)")
        #expect(error.description.contains("open the store again"), "\(error)")
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: volume.path)
      #expect(names == ["ballast"])
      try FileManager.default.removeItem(at: ballast)
      #expect(try open(store).fetchCount(FetchDescriptor<Author>()) == 0)
    }
  }

  @Test func aViolatedUniqueValueNamesEntityAndProperty() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder.store)
    let ann = Author(name: "Ann")
    let bob = Author(name: "Bob")
    context.insert(ann)
    context.insert(bob)
    try context.save()
    bob.name = "Ann"
    let shown = message { try context.save() }
    #expect(shown.contains("Author") && shown.contains("name") && !shown.contains("Bob"))
    #expect(context.changedModelsArray.count == 1)
    bob.name = "Bea"
    try context.save()
    #expect(try open(folder.store).fetchCount(FetchDescriptor<Author>()) == 2)
  }

  @Test func aModelOutsideTheSchemaIsNamed() throws {
    let context = try open(try TemporaryFolder().store)
    context.insert(Everything())
    #expect(message { try context.save() }.contains("Everything"))
    #expect(message { _ = try context.fetch(FetchDescriptor<Everything>()) }.contains("Everything"))
  }

  /// What a user can ask an error for, once for each kind of work that a database can refuse.
  @Test func aDatabaseErrorNamesOperationEntityStatementAndCode() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder.store)
    let ann = Author(name: "Ann")
    context.insert(ann)
    context.insert(Shelf(label: "tall"))
    try context.save()
    func refuse(_ event: String) throws {
      try SQLiteFile.execute(
        """
        CREATE TRIGGER refusal BEFORE \(event) BEGIN SELECT raise(ABORT, 'refused'); END
        """, in: folder.store)
    }
    func allow() throws { try SQLiteFile.execute("DROP TRIGGER refusal", in: folder.store) }
    func check(
      _ operation: String, _ entity: String?, _ statement: String,
      at location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) throws {
      let error = try #require(
        #expect(throws: SwiftDataError.self, sourceLocation: location) { try body() },
        sourceLocation: location)
      #expect(error == .storeWriteFailure, sourceLocation: location)
      #expect(error.operation == operation, sourceLocation: location)
      #expect(error.entity == entity, sourceLocation: location)
      let database = try #require(error.database, sourceLocation: location)
      #expect(database.name == "SQLITE_CONSTRAINT" && database.code == 19, sourceLocation: location)
      #expect(database.extendedCode == 1811, sourceLocation: location)
      #expect(database.message == "refused", sourceLocation: location)
      #expect(database.sql?.hasPrefix(statement) == true, sourceLocation: location)
      #expect(database.path == folder.store.path, sourceLocation: location)
      let text = error.description
      #expect(text.contains(" while \(operation). "), sourceLocation: location)
      #expect(text.components(separatedBy: "could not be written").count == 2)
      #expect(text.components(separatedBy: "refused").count == 2, sourceLocation: location)
      #expect(!text.contains("Bea") && !text.contains("container"), sourceLocation: location)
    }

    try refuse("INSERT ON ZAUTHOR")
    context.insert(Author(name: "Bea"))
    try check("inserting rows of Author", "Author", "INSERT INTO") { try context.save() }
    context.rollback()
    try allow()
    try refuse("UPDATE ON ZAUTHOR")
    ann.name = "Bea"
    try check("updating rows of Author", "Author", "UPDATE") { try context.save() }
    context.rollback()
    try allow()
    try refuse("DELETE ON ZSHELF")
    try check("deleting rows of Shelf", "Shelf", "DELETE FROM") {
      try context.delete(model: Shelf.self)
      try context.save()
    }
    try check("deleting rows of Shelf", "Shelf", "DELETE FROM") { try context.container.erase() }
    try allow()
    #expect(try open(folder.store).fetchCount(FetchDescriptor<Author>()) == 1)
  }

  @Test func anErasureOfSeveralStoresNamesThoseThatAreErased() throws {
    let folder = try TemporaryFolder()
    let second = folder.url.appending(path: "stops.store")
    func container(allowsSave: Bool = true) throws -> ModelContainer {
      try ModelContainer(
        for: Schema(Library.types + [Graph.Stop.self]),
        configurations: [
          ModelConfiguration("library", schema: Schema(Library.types), url: folder.store),
          ModelConfiguration(
            "stops", schema: Schema([Graph.Stop.self]), url: second, allowsSave: allowsSave),
        ])
    }
    let context = ModelContext(try container())
    context.insert(Author(name: "Ann"))
    context.insert(Graph.Stop("s"))
    try context.save()

    let reading = ModelContext(try container(allowsSave: false))
    let refused = #expect(throws: SwiftDataError.self) { try reading.container.erase() }
    #expect(refused?.description.contains("stops was opened with allowsSave: false") == true)
    guard case .readOnly = refused?.reason else {
      Issue.record("\(String(describing: refused?.reason))")
      return
    }
    #expect(try reading.fetchCount(FetchDescriptor<Author>()) == 1)

    try SQLiteFile.execute(
      "CREATE TRIGGER refusal BEFORE DELETE ON ZSTOP BEGIN SELECT raise(ABORT, 'refused'); END",
      in: second)
    let error = #expect(throws: SwiftDataError.storeWriteFailure) {
      try context.container.erase()
    }
    #expect(error?.committedStores == ["library"])
    #expect(error?.description.contains("Not erased: stops") == true)
    #expect(try context.fetchCount(FetchDescriptor<Author>()) == 0)
    #expect(try context.fetchCount(FetchDescriptor<Graph.Stop>()) == 1)
  }

  @Test func aPlaceThatCannotBeMadeIsAnErrorOfOursWithItsCause() throws {
    let folder = try TemporaryFolder()
    let file = folder.store.deletingLastPathComponent().appending(path: "file")
    try Data("text".utf8).write(to: file)
    let long = String(repeating: "x", count: 300)
    for place in [
      file.appending(path: "test.store"), file.appending(path: "deep/er/test.store"),
      URL(filePath: "/proc/nowhere/test.store"),
      folder.store.deletingLastPathComponent().appending(path: "\(long)/test.store"),
    ] {
      let error = try #require(#expect(throws: SwiftDataError.self) { try open(place) })
      #expect(error == .loadIssueModelContainer)
      let text = error.description
      let cause = try #require(text.components(separatedBy: " Cause: ").last)
      #expect(cause != text, "\(text)")
      #expect(!cause.lowercased().contains("opened") && !cause.contains("Domain"), "\(text)")
      #expect(cause.components(separatedBy: place.path).count == 1, "\(text)")
    }
  }

  @Test func aFailedReadSpeaksOfReadingAndAFailedOpeningOfOpening() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder.store)
    try SQLiteFile.execute("ALTER TABLE ZAUTHOR RENAME TO ZWRITER", in: folder.store)
    let error = try #require(
      #expect(throws: SwiftDataError.self) { try context.fetch(FetchDescriptor<Author>()) })
    #expect(error == .storeReadFailure && error.code == "storeReadFailure")
    #expect(error.operation == "reading rows of Author" && error.entity == "Author")
    #expect(error.database?.sql?.contains("\"ZAUTHOR\"") == true)
    #expect(!error.description.contains("container"))
    let place = URL(filePath: "/dev/null/folder/test.store")
    let opening = try #require(#expect(throws: SwiftDataError.self) { try open(place) })
    #expect(opening == .loadIssueModelContainer && opening.operation == "opening a store")
    #expect(opening.underlyingError != nil && opening.description.contains(place.path))
  }
}
