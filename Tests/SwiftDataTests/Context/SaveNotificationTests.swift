import Foundation
import SwiftData
import Testing

@Suite(.databases) struct SaveNotificationTests {
  private final class Log {
    var names: [Notification.Name] = []
    var infos: [[String: [PersistentIdentifier]]] = []
    private var observers: [any NSObjectProtocol] = []

    init(_ context: ModelContext) {
      for name in [ModelContext.willSave, ModelContext.didSave] {
        nonisolated(unsafe) let log = self
        observers.append(
          NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
            log.names.append(name)
            if let info = $0.userInfo as? [String: [PersistentIdentifier]] {
              log.infos.append(info)
            }
          })
      }
    }

    func stop() {
      for observer in observers { NotificationCenter.default.removeObserver(observer) }
    }
  }

  @Test func aSaveIsAnnouncedBeforeAndAfterWithAllItTouches() throws {
    let context = ModelContext(try Library.container())
    let (author, other) = (Author(name: "Ann"), Author(name: "Bob"))
    let books = (0..<2).map { Book(title: "\($0)", pages: $0, author: author) }
    for book in books { context.insert(book) }
    context.insert(other)
    try context.save()
    let log = Log(context)
    defer { log.stop() }
    let shelf = Shelf(label: "s")
    context.insert(shelf)
    other.born = Date.distantPast
    context.delete(author)
    try context.save()
    #expect(log.names == [ModelContext.willSave, ModelContext.didSave])
    let info = try #require(log.infos.first)
    typealias Key = ModelContext.NotificationKey
    #expect(info[Key.insertedIdentifiers.rawValue] == [shelf.persistentModelID])
    #expect(info[Key.updatedIdentifiers.rawValue] == [other.persistentModelID])
    let deleted = [author.persistentModelID] + books.map(\.persistentModelID)
    #expect(Set(info[Key.deletedIdentifiers.rawValue] ?? []) == Set(deleted))
  }

  /// Programs read the lists by raw value or by plain name.
  @Test(arguments: ["inserted", "updated", "deleted"])
  func clientsFindTheIdentifiersByEitherKey(name: String) throws {
    let context = ModelContext(try Library.container())
    let (kept, gone) = (Author(name: "Ann"), Author(name: "Bob"))
    context.insert(kept)
    context.insert(gone)
    try context.save()
    nonisolated(unsafe) var found: (plain: [PersistentIdentifier]?, raw: [PersistentIdentifier]?)
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      found.plain = notification.userInfo?[name] as? [PersistentIdentifier]
      typealias Key = ModelContext.NotificationKey
      let key: Key =
        switch name {
        case "inserted": .insertedIdentifiers
        case "updated": .updatedIdentifiers
        default: .deletedIdentifiers
        }
      found.raw = notification.userInfo?[AnyHashable(key.rawValue)] as? [PersistentIdentifier]
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let shelf = Shelf(label: "s")
    context.insert(shelf)
    kept.born = Date.distantPast
    context.delete(gone)
    try context.save()
    let expected =
      switch name {
      case "inserted": shelf.persistentModelID
      case "updated": kept.persistentModelID
      default: gone.persistentModelID
      }
    #expect(found.plain == [expected])
    #expect(found.raw == [expected])
  }

  /// What `didSave` of a save says, by the words of `userInfo`.
  private func saved(
    _ context: ModelContext, by change: () throws -> Void
  ) throws -> [String: Set<PersistentIdentifier>] {
    let log = Log(context)
    defer { log.stop() }
    try change()
    if context.hasChanges { try context.save() }
    #expect(log.infos.count == 1)
    let info = try #require(log.infos.first)
    for list in info.values { #expect(Set(list).count == list.count) }
    return ["inserted", "updated", "deleted"].reduce(into: [:]) { $0[$1] = Set(info[$1] ?? []) }
  }

  /// As the history says.
  @Test(arguments: [
    ChangedLists.Deletion.line, .lineOfEditedOrder, .transaction, .tag, .label,
  ]) func theOwnersOfDeletedMembersAreUpdated(_ deletion: ChangedLists.Deletion) throws {
    let context = ModelContext(try ChangedLists.memory())
    let info = try saved(context) { try deletion.perform(in: context) }
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    var (updated, deleted) = (Set<PersistentIdentifier>(), Set<PersistentIdentifier>())
    for change in history.last?.changes ?? [] {
      if case .update(let change) = change { updated.insert(change.changedPersistentIdentifier) }
      if case .delete(let change) = change { deleted.insert(change.changedPersistentIdentifier) }
    }
    #expect(info == ["inserted": [], "updated": updated, "deleted": deleted])
    let owners = try deletion.owners.map {
      try ChangedLists.order($0, in: context).persistentModelID
    }
    #expect(updated.isSuperset(of: owners))
  }

  /// Without history nothing reads which class of the table an owner has. Models in memory know it.
  @Test(
    .sqliteOnly("a store in PostgreSQL always keeps its history"), arguments: [true, false])
  func ownersInATableOfSeveralClasses(
    _ keepsHistory: Bool
  ) throws {
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    configuration.keepsHistory = keepsHistory
    let context = ModelContext(
      try ModelContainer(
        for: SavedOwners.Box.self, SavedOwners.Crate.self, SavedOwners.Item.self,
        configurations: configuration))
    let crate = SavedOwners.Crate("c")
    context.insert(crate)
    crate.items = [SavedOwners.Item("a"), SavedOwners.Item("b")]
    try context.save()
    let identifier = crate.persistentModelID
    for other in [context, ModelContext(context.container)] {
      let info = try saved(other) {
        let item = try #require(try other.fetch(FetchDescriptor<SavedOwners.Item>()).first)
        other.delete(item)
      }
      let isKnown = keepsHistory || other === context
      #expect(info["updated"] == (isKnown ? [identifier] : []))
    }
    #expect(crate.items.isEmpty)
  }

  /// The row was there before, so the change is an update, as in the history.
  @Test(arguments: [false, true]) func aModelThatIsMergedWithAStoredRowIsUpdated(
    _ isKnown: Bool
  ) throws {
    let container = try Upserting.context().container
    let first = ModelContext(container)
    let stored = ["a", "b"].map { Upserting.Maker($0, $0) }
    for maker in stored { first.insert(maker) }
    try first.save()
    let context = isKnown ? first : ModelContext(container)
    let new = Upserting.Maker("c", "new")
    let info = try saved(context) {
      for code in ["a", "b", "b"] { context.insert(Upserting.Maker(code, "merged")) }
      context.insert(new)
      context.insert(Upserting.Maker("c", "new too"))
    }
    #expect(info["inserted"] == [new.persistentModelID])
    #expect(info["updated"] == Set(stored.map(\.persistentModelID)))
    #expect(info["deleted"] == [])
  }

  @Test func aSaveWithoutChangesIsSilentAndAFailedOneIsNotDone() throws {
    let context = try Upserting.context()
    let makers = ["a", "b"].map { Upserting.Maker($0, $0) }
    for maker in makers { context.insert(maker) }
    try context.save()
    let log = Log(context)
    defer { log.stop() }
    try context.save()
    #expect(log.names.isEmpty)
    makers[0].code = "b"
    #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(log.names == [ModelContext.willSave])
  }

  @Test func editsOfAWillSaveObserverAreSavedToo() throws {
    let context = ModelContext(try Library.container())
    let book = Book(title: "One", pages: 1)
    context.insert(book)
    nonisolated(unsafe) let stamped = book
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.willSave, object: context, queue: nil
    ) { _ in stamped.title = "stamped" }
    try context.save()
    NotificationCenter.default.removeObserver(observer)
    #expect(!context.hasChanges)
    #expect(
      try ModelContext(context.container).fetch(FetchDescriptor<Book>()).map(\.title) == ["stamped"]
    )
  }

  @Test func theAuthorBelongsToTheContext() throws {
    let container = try Library.container()
    let (first, second) = (ModelContext(container), ModelContext(container))
    first.author = "importer"
    #expect(first.editingState.author == "importer")
    #expect(second.author == nil)
    #expect(first.editingState.id != second.editingState.id)
    first.author = nil
    #expect(first.editingState.author == nil)
  }
}

private enum SavedOwners {
  @Model class Box {
    var name: String
    @Relationship(inverse: \Item.box) var items: [Item] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Crate: Box {
    var isHeavy = false

    override init(_ name: String) { super.init(name) }
  }

  @Model final class Item {
    var name: String
    var box: Box?

    init(_ name: String) { self.name = name }
  }
}
