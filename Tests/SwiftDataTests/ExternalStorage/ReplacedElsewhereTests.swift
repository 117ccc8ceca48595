import Foundation
import SwiftData
import Testing

/// Deleted models whose large values another container or process had replaced: they come back with the values of
/// the row that was deleted, not with names of files that do not exist any more. Where the values are in the rows, as
/// on a server, they come back as they were read.
@Suite(.databases) struct ReplacedElsewhereTests {
  typealias Album = External.Album
  typealias Picture = External.Picture

  private let folder: TemporaryFolder
  private let context: ModelContext
  private let manager = UndoManager()

  init() throws {
    folder = try TemporaryFolder()
    context = ModelContext(try External.container(folder.store))
    context.insert(Picture("a", External.bytes(1)))
    try context.save()
    context.undoManager = manager
  }

  private func picture(in context: ModelContext) throws -> Picture {
    try #require(try context.fetch(FetchDescriptor<Picture>()).first)
  }

  /// As another process does it.
  private func replaceElsewhere() throws {
    let other = ModelContext(try External.container(folder.store))
    let picture = try picture(in: other)
    picture.name = "b"
    picture.data = External.bytes(2)
    try other.save()
  }

  /// Whether the values are those that were read first, or those of the row that was deleted.
  private func isWhole(_ picture: Picture) -> Bool {
    picture.name == "b" && picture.data == External.bytes(2)
      || PostgresTestStores.current != nil && picture.name == "a"
        && picture.data == External.bytes(1)
  }

  private func expectStored(_ count: Int = 1, at location: SourceLocation = #_sourceLocation) throws
  {
    let stored = try context.stored(Picture.self)
    #expect(stored.count == count, sourceLocation: location)
    for picture in stored { #expect(isWhole(picture), sourceLocation: location) }
  }

  @Test(arguments: [false, true]) func aDeletionIsUndone(isRead: Bool) throws {
    let picture = try picture(in: context)
    if isRead { #expect(picture.data?.count == External.size) }
    try replaceElsewhere()
    context.delete(picture)
    try context.save()
    #expect(isWhole(picture))
    manager.undo()
    #expect(isWhole(picture))
    try context.save()
    try expectStored()
    manager.redo()
    try context.save()
    #expect(try context.stored(Picture.self).isEmpty)
    manager.undo()
    try context.save()
    try expectStored()
  }

  @Test func unsavedEditsOfTheDeletedModelStay() throws {
    let picture = try picture(in: context)
    try replaceElsewhere()
    picture.name = "mine"
    context.processPendingChanges()
    context.delete(picture)
    try context.save()
    manager.undo()
    #expect(picture.name == "mine")
    try context.save()
    let stored = try context.stored(Picture.self)
    #expect(stored.map(\.name) == ["mine"] && stored.first?.data != nil)
  }

  @Test func aModelIsInsertedAgainWithoutAnUndo() throws {
    context.undoManager = nil
    let picture = try picture(in: context)
    try replaceElsewhere()
    context.delete(picture)
    try context.save()
    context.insert(picture)
    try context.save()
    try expectStored()
  }

  @Test func whatACascadeTookComesBack() throws {
    let album = Album("trip")
    album.pictures = [try picture(in: context)]
    context.insert(album)
    try context.save()
    let mine = ModelContext(context.container)
    mine.undoManager = manager
    let read = try mine.fetch(FetchDescriptor<Album>())
    #expect(read.first?.pictures.first?.data?.count == External.size)
    try replaceElsewhere()
    mine.delete(try #require(read.first))
    try mine.save()
    manager.undo()
    try mine.save()
    try expectStored()
    #expect(try context.stored(Album.self).first?.pictures.count == 1)
  }

  @Test func aBatchDeletionIsUndone() throws {
    let picture = try picture(in: context)
    try replaceElsewhere()
    try context.delete(model: Picture.self, where: #Predicate { $0.name != "" })
    try context.save()
    manager.undo()
    try context.save()
    try expectStored()
    _ = picture
  }

  @Test func anInsertionIsRedone() throws {
    context.delete(try picture(in: context))
    try context.save()
    let new = Picture("a", External.bytes(1))
    context.insert(new)
    try context.save()
    #expect(new.data == External.bytes(1))
    try replaceElsewhere()
    manager.undo()
    try context.save()
    #expect(try context.stored(Picture.self).isEmpty)
    manager.redo()
    try context.save()
    try expectStored()
  }

  @Test func aDeletionThatIsNotSaved() throws {
    struct Stop: Error {}
    let picture = try picture(in: context)
    try replaceElsewhere()
    context.delete(picture)
    context.rollback()
    #expect(picture.data?.count == External.size)
    #expect(throws: Stop.self) {
      try context.transaction {
        context.delete(picture)
        try context.save()
        throw Stop()
      }
    }
    #expect(isWhole(picture))
    try expectStored()
  }

  /// Nobody has the value any more.
  @Test(.sqliteOnly("the value is in a file")) func aRowThatAnotherHadDeleted() throws {
    let picture = try picture(in: context)
    let other = ModelContext(try External.container(folder.store))
    other.delete(try self.picture(in: other))
    try other.save()
    context.delete(picture)
    try context.save()
    manager.undo()
    let error = #expect(throws: SwiftDataError.storeReadFailure) { try context.save() }
    #expect(error?.property == "data" && error?.entity == "Picture")
    #expect(error?.description.contains("was removed") == true)
    #expect(try context.stored(Picture.self).isEmpty)
    picture.data = nil
    try context.save()
    #expect(try context.stored(Picture.self).map(\.name) == ["a"])
  }
}
