import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Synchronization
import Testing

/// A member of a list without an inverse belongs to one owner: the one that it was added to last.
@Suite struct ListsWithoutInverseTests {
  @Model class Album {
    #Unique<Album>([\.name])
    var name: String
    var photos: [Photo] = []

    init(_ name: String, _ photos: [Photo] = []) {
      self.name = name
      self.photos = photos
    }
  }

  @Model final class YearAlbum: Album {
    var year = 0

    override init(_ name: String, _ photos: [Photo] = []) { super.init(name, photos) }
  }

  @Model final class Photo {
    var title: String

    init(_ title: String) { self.title = title }
  }

  @Model final class Box {
    @Relationship(deleteRule: .cascade) var things: [Thing] = []

    init() {}
  }

  @Model final class Thing {
    init() {}
  }

  @Model final class Shelf {
    var labels: [Label] = []

    init(_ names: String...) { labels = names.map(Label.init) }
  }

  @Model final class Label {
    @Attribute(.unique) var name: String

    init(_ name: String) { self.name = name }
  }

  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Album.self, YearAlbum.self, Photo.self, Box.self, Shelf.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
  }

  /// Two albums, `a` and `b`, the first with stored photos.
  private func albums(_ titles: String...) throws -> (Album, Album) {
    let albums = (Album("a", titles.map(Photo.init)), Album("b"))
    context.insert(albums.0)
    context.insert(albums.1)
    try context.save()
    return albums
  }

  private func titles(in context: ModelContext) throws -> [String: [String]] {
    let albums = try context.fetch(FetchDescriptor<Album>())
    let pairs = albums.map { ($0.name, $0.photos.map(\.title).sorted()) }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  /// What is stored, which memory has to show too.
  private func saved() throws -> [String: [String]] {
    try context.save()
    let stored = try titles(in: ModelContext(container))
    #expect(try titles(in: context) == stored)
    return stored
  }

  /// What the notifications of a save name as overwritten.
  private func savedNamingOverwritten() throws -> [[PersistentIdentifier: [String]]] {
    let posted = Mutex<[[PersistentIdentifier: [String]]]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didOverwrite, object: context, queue: nil
    ) { notification in
      let names = notification.userInfo?[ModelContext.overwrittenPropertiesKey]
      posted.withLock { $0.append(names as? [PersistentIdentifier: [String]] ?? [:]) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try context.save()
    return posted.withLock { $0 }
  }

  @Test(arguments: [false, true]) func aNewMemberStaysWithItsLastOwner(_ isReversed: Bool) throws {
    let (a, b) = try albums()
    let photo = Photo("new")
    let (first, last) = isReversed ? (b, a) : (a, b)
    first.photos.append(photo)
    last.photos.append(photo)
    #expect(first.photos == [photo] && last.photos == [photo])
    #expect(try saved() == [first.name: [], last.name: ["new"]])
  }

  @Test func aStoredMemberMovesToItsLastOwner() throws {
    let (a, b) = try albums("one", "two")
    let photo = try #require(a.photos.first { $0.title == "one" })
    b.photos.append(photo)
    #expect(a.photos.count == 2 && b.photos == [photo])
    let other = ModelContext(container)
    let loaded = try other.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.name)]))
    #expect(loaded.map(\.photos.count) == [2, 0])
    try context.save()
    // No fetch of albums is needed, in this context and in another one.
    #expect(a.photos.map(\.title) == ["two"] && b.photos == [photo])
    _ = try other.fetch(FetchDescriptor<Photo>())
    #expect(loaded.map { $0.photos.map(\.title) } == [["two"], ["one"]])
    #expect(try saved() == ["a": ["two"], "b": ["one"]])
  }

  @Test func aNewOwnerThatLosesAMemberIsListedOnce() throws {
    let posted = Mutex<[Set<PersistentIdentifier>]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      let keys = [ModelContext.NotificationKey.insertedIdentifiers, .updatedIdentifiers]
      let lists = keys.map { notification.userInfo?[$0.rawValue] as? [PersistentIdentifier] ?? [] }
      posted.withLock { $0 = lists.map(Set.init) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let photo = Photo("one")
    let albums = [Album("a", [photo]), Album("b", [photo])]
    for album in albums { context.insert(album) }
    try context.save()
    let models: [any PersistentModel] = albums + [photo]
    #expect(posted.withLock(\.self) == [Set(models.map(\.persistentModelID)), []])
  }

  @Test func anOwnerThatLosesStoredMembersIsNamed() throws {
    let (a, b) = try albums("one", "two")
    let year = YearAlbum("2024", [Photo("three")])
    context.insert(year)
    try context.save()
    b.photos = a.photos + year.photos
    #expect(
      try savedNamingOverwritten()
        == [[a.persistentModelID: ["photos"], year.persistentModelID: ["photos"]]])
    b.photos.removeLast(2)
    #expect(try savedNamingOverwritten() == [])
    #expect(try saved().values.map(\.count).sorted() == [0, 0, 1])
  }

  @Test func twoMembersThatCrossEndWhereTheyWereAddedLast() throws {
    let (a, b) = try albums()
    let (x, y) = (Photo("x"), Photo("y"))
    a.photos.append(x)
    b.photos.append(y)
    a.photos.append(y)
    b.photos.append(x)
    #expect(try saved() == ["a": ["y"], "b": ["x"]])
  }

  @Test func aMemberThatReturnsStaysWithItsStoredOwner() throws {
    let (a, b) = try albums("one")
    let photo = a.photos[0]
    a.photos = []
    b.photos = [photo]
    a.photos = [photo]
    #expect(try saved() == ["a": ["one"], "b": []])
  }

  @Test func anOwnerThatLostTheMemberAgainDoesNotCount() throws {
    let (a, b) = try albums()
    let photo = Photo("new")
    a.photos.append(photo)
    b.photos.append(photo)
    b.photos.removeAll()
    #expect(try saved() == ["a": ["new"], "b": []])
  }

  @Test(arguments: [false, true]) func aDeletedOwnerDoesNotCount(_ isNew: Bool) throws {
    let (a, b) = try albums()
    let photo = Photo("new")
    a.photos.append(photo)
    let last = isNew ? Album("c") : b
    context.insert(last)
    last.photos.append(photo)
    context.delete(last)
    #expect(try saved()["a"] == ["new"])
  }

  @Test func aMemberGoesWithADeletedOwnerWhoseRuleCascades() throws {
    let (kept, deleted) = (Box(), Box())
    context.insert(kept)
    context.insert(deleted)
    try context.save()
    let thing = Thing()
    deleted.things.append(thing)
    kept.things.append(thing)
    context.delete(deleted)
    try context.save()
    #expect(kept.things == [])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Thing>()) == 0)
  }

  /// Imports often make a model for each name that they read.
  @Test func newMembersThatBecomeOneRowHaveOneOwner() throws {
    let shelves = [Shelf("a", "b"), Shelf("a"), Shelf("b", "c")]
    for shelf in shelves { context.insert(shelf) }
    let first = try savedNamingOverwritten()
    #expect(first == [[shelves[0].persistentModelID: ["labels"]]])
    func names() -> [[String]] { shelves.map { $0.labels.map(\.name).sorted() } }
    #expect(names() == [[], ["a"], ["b", "c"]])
    #expect(try storedLabels() == names())
    shelves[0].labels.append(Label("c"))
    let second = try savedNamingOverwritten()
    #expect(second == [[shelves[2].persistentModelID: ["labels"]]])
    #expect(names() == [["c"], ["a"], ["b"]])
    #expect(try storedLabels() == names())
  }

  private func storedLabels() throws -> [[String]] {
    try ModelContext(container).fetch(
      FetchDescriptor<Shelf>(sortBy: [SortDescriptor(\.persistentModelID)])
    ).map { $0.labels.map(\.name).sorted() }
  }

  @Test func ofNewOwnersTheOneInsertedLastHasTheMember() throws {
    let photo = Photo("new")
    let (a, b) = (Album("a", [photo]), Album("b", [photo]))
    context.insert(b)
    context.insert(a)
    #expect(try saved() == ["a": ["new"], "b": []])
  }

  @Test func ownersOfSubclassesCountToo() throws {
    let (a, _) = try albums()
    let year = YearAlbum("2024")
    context.insert(year)
    let photo = Photo("new")
    a.photos.append(photo)
    year.photos.append(photo)
    #expect(try saved() == ["a": [], "b": [], "2024": ["new"]])
  }

  @Test func aDeletedMemberLeavesTheListOfASubclass() throws {
    let year = YearAlbum("2024", [Photo("one"), Photo("two")])
    context.insert(year)
    try context.save()
    let photo = try #require(year.photos.first { $0.title == "one" })
    context.delete(photo)
    try context.save()
    #expect(year.photos.map(\.title) == ["two"])
  }

  @Test func aSaveThatFailsLeavesTheListsAsTheyWere() throws {
    let (a, b) = try albums()
    let photo = Photo("new")
    a.photos.append(photo)
    b.photos.append(photo)
    context.uniquenessPolicy = .refuse
    let double = Album("a")
    context.insert(double)
    #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(a.photos == [photo] && b.photos == [photo])
    context.delete(double)
    #expect(try saved() == ["a": [], "b": ["new"]])
  }

  @Test(.sqliteOnly("fails the commit of a file"))
  func aFailedCommitLeavesTheListsAsTheyWere() throws {
    try #require(FailureInjector.isAvailable)
    let folder = try TemporaryFolder()
    let context = ModelContext(
      try ModelContainer(
        for: Album.self, YearAlbum.self, Photo.self,
        configurations: ModelConfiguration(url: folder.store)))
    func insertAlbums() -> [Album] {
      let photo = Photo("p")
      let albums = (0..<2).map { _ in Album("\(UUID())", [photo]) }
      for album in albums { context.insert(album) }
      return albums
    }
    var commit: Int?
    for _ in 0..<2 {
      let albums = insertAlbums()
      let probe = FailureInjector(failingAt: nil)
      try probe.run { try context.save() }
      commit = probe.operations.lastIndex(of: "COMMIT")
      #expect(albums.map(\.photos.count) == [0, 1])
    }
    let albums = insertAlbums()
    let injector = FailureInjector(failingAt: try #require(commit) + 1, .full)
    injector.run {
      _ = #expect(throws: SwiftDataError.storeWriteFailure) { try context.save() }
    }
    #expect(albums.map(\.photos.count) == [1, 1])
    try context.save()
    #expect(albums.map(\.photos.count) == [0, 1])
  }

  @Test func aMemberThatIsReleasedBeforeTheSaveDoesNotCount() throws {
    func addAndRemove(in context: ModelContext) throws -> Bool {
      let albums = try context.fetch(FetchDescriptor<Album>())
      weak let released = {
        let photo = Photo("new")
        for album in albums { album.photos.append(photo) }
        for album in albums { album.photos.removeAll { $0 === photo } }
        context.delete(photo)
        return photo
      }()
      return released == nil
    }
    _ = try albums("one")
    #expect(try addAndRemove(in: context))
    #expect(try saved() == ["a": ["one"], "b": []])
    // A context that is released with such edits.
    #expect(try addAndRemove(in: ModelContext(container)))
    #expect(try saved() == ["a": ["one"], "b": []])
  }

  @Test func undoneEditsDoNotCount() throws {
    let (a, b) = try albums()
    context.undoManager = UndoManager()
    let photo = Photo("new")
    a.photos.append(photo)
    context.processPendingChanges()
    b.photos.append(photo)
    context.processPendingChanges()
    context.undoManager?.undo()
    #expect(a.photos == [photo] && b.photos == [])
    #expect(try saved() == ["a": ["new"], "b": []])
  }

  @Test func editsThatWereRolledBackDoNotCount() throws {
    let (a, b) = try albums("one")
    let photo = a.photos[0]
    a.photos = []
    a.photos = [photo]
    b.photos = [photo]
    context.rollback()
    a.photos.append(Photo("two"))
    #expect(try saved() == ["a": ["one", "two"], "b": []])
  }
}
