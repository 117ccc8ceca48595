import Foundation
import SwiftData
import Testing

/// Rows that do not fit their model: null or junk in required columns, and rows that are gone.
@Suite struct UnreadableValueTests {
  typealias Record = Unreadable.Record

  @Model final class Notebook {
    var name: String
    @Relationship(deleteRule: .noAction, inverse: \Page.notebook) var pages: [Page] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Page {
    var text: String
    var notebook: Notebook

    init(_ text: String, _ notebook: Notebook) {
      self.text = text
      self.notebook = notebook
    }
  }

  private func open(_ folder: TemporaryFolder) throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: Record.self, configurations: ModelConfiguration(url: folder.store)))
  }

  private func columns(
    of table: String = "ZRECORD", _ folder: TemporaryFolder
  ) throws -> [String] {
    let names = try SQLiteFile.text(
      "SELECT group_concat(name) FROM pragma_table_info('\(table)')", in: folder.store)
    return (names ?? "").split(separator: ",").map(String.init)
      .filter { !["Z_PK", "Z_ENT", "Z_OPT"].contains($0) }
  }

  /// A stored record, every column of which another program has set to `value`.
  private func record(
    with value: String, in folder: TemporaryFolder
  ) throws -> (record: Record, context: ModelContext) {
    do {
      let context = try open(folder)
      context.insert(Record("first"))
      try context.save()
    }
    let settings = try columns(folder).map { "\($0) = \(value)" }.joined(separator: ", ")
    try SQLiteFile.execute("UPDATE ZRECORD SET \(settings)", in: folder.store)
    let context = try open(folder)
    return (try #require(try context.fetch(FetchDescriptor<Record>()).first), context)
  }

  @Test func nullsReadAsStandIns() throws {
    let folder = try TemporaryFolder()
    let (record, context) = try record(with: "NULL", in: folder)
    #expect(record.name == "" && record.count == 0 && record.small == 0 && !record.flag)
    #expect(record.ratio.isNaN)
    #expect(record.date == Date(timeIntervalSinceReferenceDate: 0) && record.data.isEmpty)
    #expect(record.uuid.uuidString == "00000000-0000-0000-0000-000000000000")
    #expect(record.url.absoluteString == "file:///" && record.decimal == 0)
    #expect(record.mood == .calm && record.level == .low && record.even.rawValue == 0)
    #expect(record.shape == .circle(radius: 0))
    #expect(record.place == .init(name: "", latitude: 0, mood: .calm, tags: []))
    #expect(!record.label.text.isEmpty)
    #expect(record.locale.identifier == "" && record.zone.secondsFromGMT() == 0)
    #expect(record.calendar.identifier == .gregorian)
    #expect(record.tags.isEmpty && record.size == 7 && record.kind == .wild)
    #expect(record.maybe == nil && record.maybeUUID == nil && record.maybePlace == nil)

    _ = record.readAll()
    let values = context.unreadableValues
    #expect(Set(values.map(\.propertyName)) == Set(Record.required))
    #expect(values.count == Record.required.count)
    #expect(values.allSatisfy { $0.reason == .missingValue && $0.entityName == "Record" })
    #expect(values.allSatisfy { $0.persistentModelID == record.persistentModelID })
  }

  @Test func aRecursiveEnumReadsAsItsShallowestCase() throws {
    let folder = try TemporaryFolder()
    func open() throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Unreadable.Sum.self, configurations: ModelConfiguration(url: folder.store)))
    }
    do {
      let context = try open()
      context.insert(Unreadable.Sum())
      try context.save()
    }
    let settings = try columns(of: "ZSUM", folder).map { "\($0) = NULL" }.joined(separator: ", ")
    try SQLiteFile.execute("UPDATE ZSUM SET \(settings)", in: folder.store)
    let sum = try #require(try open().fetch(FetchDescriptor<Unreadable.Sum>()).first)
    #expect(sum.formula == .number(0))
    guard case .section(let label, _) = sum.outline, !label.text.isEmpty else {
      Issue.record("The outline has no case.")
      return
    }
  }

  @Test(arguments: ["'junk'", "x'00ff'", "-3.7"])
  func junkReadsAsStandIns(_ junk: String) throws {
    let folder = try TemporaryFolder()
    let (record, context) = try record(with: junk, in: folder)
    _ = record.readAll()
    #expect(record.count == 0 && record.level == .low && record.small == 0)
    #expect(record.mood == .calm && record.zone.secondsFromGMT() == 0)
    #expect(record.uuid.uuidString == "00000000-0000-0000-0000-000000000000")
    #expect(record.maybe == nil && record.maybeUUID == nil && record.size == 7)
    #expect(record.kind == .wild)
    let values = context.unreadableValues
    let mood = values.first { $0.propertyName == "mood" }
    #expect(mood?.reason == .unsuitableValue)
    for name in ["count", "level", "uuid", "place", "zone", "maybe", "maybeUUID", "kind"] {
      #expect(values.contains { $0.propertyName == name }, "\(name)")
    }
  }

  @Test func aSaveLeavesTheStoredJunkUntilThePropertyIsSet() throws {
    let folder = try TemporaryFolder()
    do {
      let context = try open(folder)
      context.insert(Record("first"))
      try context.save()
    }
    try SQLiteFile.execute("UPDATE ZRECORD SET ZKIND = 'bored', ZLEVEL = 5", in: folder.store)
    let context = try open(folder)
    let record = try #require(try context.fetch(FetchDescriptor<Record>()).first)
    #expect(record.kind == .wild && record.level == .low)
    record.name = "renamed"
    try context.save()
    #expect(try SQLiteFile.text("SELECT ZKIND FROM ZRECORD", in: folder.store) == "bored")
    #expect(try SQLiteFile.integer("SELECT ZLEVEL FROM ZRECORD", in: folder.store) == 5)
    #expect(Set(context.unreadableValues.map(\.propertyName)) == ["kind", "level"])
    record.kind = .calm
    record.level = .high
    try context.save()
    #expect(try SQLiteFile.text("SELECT ZKIND FROM ZRECORD", in: folder.store) == "calm")
    #expect(try SQLiteFile.integer("SELECT ZLEVEL FROM ZRECORD", in: folder.store) == 10)
    #expect(context.unreadableValues.isEmpty)
    #expect(record.kind == .calm && record.level == .high)
  }

  @Test(arguments: [("maybeUUID", "x'00ff'"), ("uuid", "x'00ff'")])
  func aSnapshotDoesNotEncodeNullInPlaceOfJunk(_ property: String, _ junk: String) throws {
    let folder = try TemporaryFolder()
    do {
      let context = try open(folder)
      context.insert(Record("first"))
      try context.save()
    }
    try SQLiteFile.execute(
      "UPDATE ZRECORD SET Z\(property.uppercased()) = \(junk)", in: folder.store)
    let context = try open(folder)
    let store = try #require(context.container.stores.first as? DefaultStore)
    let snapshot = try #require(
      try store.fetch(
        DataStoreFetchRequest<Record>(
          descriptor: FetchDescriptor(), editingState: EditingState())
      ).fetchedSnapshots.first)
    let error = #expect(throws: SwiftDataError.self) { try JSONEncoder().encode(snapshot) }
    #expect(error == .storeReadFailure)
    #expect(error?.entity == "Record" && error?.property == property)
    #expect(throws: SwiftDataError.self) { try snapshot.values() }
  }

  @Test func aRowThatIsGoneBeforeItWasReadHasStandIns() throws {
    let folder = try TemporaryFolder()
    let first = try open(folder)
    let mine = Record("first")
    first.insert(mine)
    try first.save()
    let second = ModelContext(first.container)
    let fault = try #require(second.model(for: mine.persistentModelID) as? Record)
    first.delete(mine)
    try first.save()
    _ = fault.readAll()
    #expect(fault.isDeleted && fault.zone.secondsFromGMT() == 0)
    #expect(fault.mood == .calm && fault.size == 7)
    #expect(second.unreadableValues.allSatisfy { $0.reason == .missingRow })
    #expect(second.unreadableValues.contains { $0.propertyName == "zone" })
    // What was read keeps its last values.
    _ = mine.readAll()
    #expect(mine.zone.secondsFromGMT() == 3600 && mine.mood == .wild)
    #expect(first.unreadableValues.isEmpty)
  }

  @Test func soHasAnIdentifierThatNamesNoRow() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder)
    let record = Record("first")
    context.insert(record)
    try context.save()
    let text = String(
      decoding: try JSONEncoder().encode(record.persistentModelID), as: UTF8.self)
    let other = try JSONDecoder().decode(
      PersistentIdentifier.self, from: Data(text.replacing("p1", with: "p99").utf8))
    let missing = try #require(context.model(for: other) as? Record)
    _ = missing.readAll()
    #expect(missing.shape == .circle(radius: 0))
    #expect(missing.isDeleted)
  }

  /// The delete rule `.noAction` leaves the key in the row.
  @Test func aRequiredLinkToADeletedRowIsListedAsAMissingRow() throws {
    let container = try ModelContainer(
      for: Notebook.self, Page.self, configurations: .init(isStoredInMemoryOnly: true))
    let writer = ModelContext(container)
    let page = Page("p", Notebook("n"))
    writer.insert(page)
    try writer.save()
    writer.delete(page.notebook)
    try writer.save()
    let reader = ModelContext(container)
    let read = try #require(try reader.fetch(FetchDescriptor<Page>()).first)
    for (page, context) in [(page, writer), (read, reader)] {
      #expect(page.notebook.name == "")
      #expect(context.unreadableValues.map(\.propertyName) == ["notebook"])
      #expect(context.unreadableValues.map(\.reason) == [.missingRow])
    }
  }

  @Test func aMissingModelOfARequiredRelationshipIsListed() throws {
    let folder = try TemporaryFolder()
    let writer = try Graph.context(at: folder.store)
    writer.insert(Graph.Toy("t", owner: Graph.Child("c")))
    try writer.save()
    try SQLiteFile.execute("UPDATE ZTOY SET ZOWNER = NULL", in: folder.store)
    let reader = try Graph.context(at: folder.store)
    let toy = try #require(try reader.fetch(FetchDescriptor<Graph.Toy>()).first)
    #expect(toy.owner.name == "")
    #expect(reader.unreadableValues.map(\.propertyName) == ["owner"])
    #expect(reader.unreadableValues.first?.description.contains("Toy.owner") == true)
  }

  @Test func valuesByKeyPathNeedNotBePersisted() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder)
    let record = Record("first")
    context.insert(record)
    #expect(record.getValue(forKey: \.scratch) == 5)
    #expect(record.getValue(forKey: \.doubled) == 6)
    #expect(record.getValue(forKey: \.place.name) == "Rome")
    record.setValue(forKey: \.scratch, to: 6)
    #expect(record.scratch == 6)
    record.setValue(forKey: \.alias, to: "other")
    #expect(record.name == "other")
    record.setValue(forKey: \.doubled, to: 100)
    #expect(record.count == 3)
    #expect(record.persistentBackingData.getValue(forKey: \.scratch) == 6)
  }
}

/// Properties of a store that can't be read: a closed one, and one that was migrated meanwhile.
@Suite struct UnreadableStoreTests {
  @Model final class Owner {
    var name: String
    var note: String?
    var friend: Owner?
    @Relationship(deleteRule: .cascade, inverse: \Possession.owner) var things: [Possession] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Possession {
    var label: String?
    var owner: Owner?

    init(_ label: String, _ owner: Owner) { (self.label, self.owner) = (label, owner) }
  }

  @Test func listsLinksAndOptionalValuesAreReported() async throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Owner.self, Possession.self, configurations: ModelConfiguration(url: folder.store))
    let writer = ModelContext(container)
    let owner = Owner("a")
    owner.note = "note"
    owner.friend = Owner("b")
    writer.insert(owner)
    for index in 0..<3 { writer.insert(Possession("\(index)", owner)) }
    try writer.save()
    let context = ModelContext(container)
    let name = "a"
    let found = try #require(
      try context.fetch(FetchDescriptor<Owner>(predicate: #Predicate { $0.name == name })).first)
    let identifier = try #require(owner.things.first?.persistentModelID)
    let thing = try #require(context.model(for: identifier) as? Possession)
    try await container.close()
    #expect(found.name == "a" && found.note == "note")
    #expect(found.things.isEmpty && thing.label == nil && thing.owner == nil)
    let names = Set(context.unreadableValues.map(\.propertyName))
    #expect(names == ["things", "label", "owner"])
    #expect(context.unreadableValues.allSatisfy { $0.reason == .unreadableStore })
    // Nothing is reported twice.
    _ = found.things
    #expect(context.unreadableValues.count == 3)
  }

  private func containerOfAThing(_ folder: TemporaryFolder) throws -> ModelContainer {
    let container = try ModelContainer(
      for: Owner.self, Possession.self, configurations: ModelConfiguration(url: folder.store))
    let writer = ModelContext(container)
    let owner = Owner("a")
    writer.insert(owner)
    writer.insert(Possession("thing", owner))
    try writer.save()
    return container
  }

  /// A server would answer with an empty list.
  @Test func aReadWithoutItsListsFails() async throws {
    let folder = try TemporaryFolder()
    let container = try containerOfAThing(folder)
    let readers = ModelReaders(container, count: 1)
    func labels(prefetching keyPaths: [PartialKeyPath<Owner>]) async throws -> [String] {
      nonisolated(unsafe) let keyPaths = keyPaths
      return try await readers.read { context in
        var owners = FetchDescriptor<Owner>()
        owners.relationshipKeyPathsForPrefetching = keyPaths
        return try context.fetch(owners).flatMap(\.things).map { $0.label ?? "" }
      }
    }
    try SQLiteFile.execute("ALTER TABLE ZPOSSESSION RENAME TO ZAWAY", in: folder.store)
    for keyPaths in [[], [\Owner.things]] {
      let error = await #expect(throws: SwiftDataError.self) {
        try await labels(prefetching: keyPaths)
      }
      #expect(error == .storeReadFailure)
    }
    try SQLiteFile.execute("ALTER TABLE ZAWAY RENAME TO ZPOSSESSION", in: folder.store)
    #expect(try await labels(prefetching: [\.things]) == ["thing"])
  }

  /// The rows are there when the store can be read again.
  @Test func aListIsReadAgain() throws {
    let folder = try TemporaryFolder()
    let container = try containerOfAThing(folder)
    let context = ModelContext(container)
    let found = try #require(try context.fetch(FetchDescriptor<Owner>()).first)
    try SQLiteFile.execute("ALTER TABLE ZPOSSESSION RENAME TO ZAWAY", in: folder.store)
    #expect(found.things.isEmpty)
    #expect(context.unreadableValues.map(\.propertyName) == ["things"])
    try SQLiteFile.execute("ALTER TABLE ZAWAY RENAME TO ZPOSSESSION", in: folder.store)
    #expect(found.things.map(\.label) == ["thing"])
  }
}
