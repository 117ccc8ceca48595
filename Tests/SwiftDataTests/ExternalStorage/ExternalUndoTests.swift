import Foundation
import SwiftData
import Testing

/// Rollback, undo and models that outlive their rows, with values in files.
@Suite struct ExternalUndoTests {
  typealias Album = External.Album
  typealias Picture = External.Picture
  typealias Sketch = External.Sketch

  private let folder: TemporaryFolder
  private let context: ModelContext

  init() throws {
    folder = try TemporaryFolder()
    context = ModelContext(try External.container(folder.store))
    context.insert(Picture("a", External.bytes(1)))
    try context.save()
  }

  private func picture() throws -> Picture {
    try #require(try context.fetch(FetchDescriptor<Picture>()).first)
  }

  @Test func aRollbackBringsTheValueBack() throws {
    let picture = try picture()
    picture.data = External.bytes(2)
    context.rollback()
    #expect(picture.data == External.bytes(1))
    picture.data = External.bytes(3)
    try context.save()
    picture.data = External.bytes(4)
    picture.name = "b"
    context.rollback()
    #expect(picture.data == External.bytes(3) && picture.name == "a")
    context.delete(picture)
    context.rollback()
    #expect(picture.data == External.bytes(3))
    try folder.expectWhole(1)
  }

  @Test func anEditIsUndoneAfterItsSave() throws {
    context.undoManager = UndoManager()
    let picture = try picture()
    picture.data = External.bytes(2)
    try context.save()
    try folder.expectWhole(1)
    context.undoManager?.undo()
    #expect(picture.data == External.bytes(1))
    try context.save()
    #expect(try context.stored(Picture.self).map(\.data) == [External.bytes(1)])
    context.undoManager?.redo()
    #expect(picture.data == External.bytes(2))
    try context.save()
    #expect(try context.stored(Picture.self).map(\.data) == [External.bytes(2)])
    try folder.expectWhole(1)
  }

  @Test func aDeletionIsUndoneAfterItsSave() throws {
    let manager = UndoManager()
    context.undoManager = manager
    for _ in 1...3 {
      context.delete(try picture())
      try context.save()
      // The manager holds the model, which holds the value.
      #expect(folder.valueNames.count == 1)
      #expect(try ExternalFilesCheck(of: folder.store).orphans.isEmpty)
      manager.undo()
      let picture = try picture()
      #expect(picture.data == External.bytes(1))
      try context.save()
      #expect(try context.stored(Picture.self).map(\.data) == [External.bytes(1)])
    }
    context.delete(try picture())
    try context.save()
    manager.removeAllActions()
    context.undoManager = nil
    try folder.expectWhole(0)
  }

  @Test func whatACascadeTookComesBackWithItsValues() throws {
    let album = Album("trip", cover: External.bytes(2))
    context.insert(album)
    album.pictures = [Picture("b", External.bytes(3)), Picture("c", External.bytes(4))]
    try context.save()
    try folder.expectWhole(4)
    let other = ModelContext(context.container)
    other.undoManager = UndoManager()
    other.delete(try #require(try other.fetch(FetchDescriptor<Album>()).first))
    try other.save()
    #expect(try other.fetchCount(FetchDescriptor<Picture>()) == 1)
    other.undoManager?.undo()
    try other.save()
    let restored = try #require(try context.stored(Album.self).first)
    #expect(restored.cover == External.bytes(2))
    #expect(Set(restored.pictures.map(\.data)) == [External.bytes(3), External.bytes(4)])
    try folder.expectWhole(4)
  }

  @Test func aDeletedModelKeepsItsValueWhileItIsInMemory() throws {
    try held {
      let picture = try picture()
      context.delete(picture)
      try context.save()
      #expect(picture.data == External.bytes(1))
      context.insert(picture)
      try context.save()
      #expect(try context.stored(Picture.self).map(\.data) == [External.bytes(1)])
      context.delete(picture)
      try context.save()
      #expect(picture.data == External.bytes(1))
    }
    try folder.expectWhole(0)
  }

  private func held(_ body: () throws -> Void) throws { try body() }

  @Test func aSavedModelOfManyKindsIsRestored() throws {
    context.undoManager = UndoManager()
    let sketch = Sketch(size: 300_000)
    context.insert(sketch)
    try context.save()
    let wanted = Sketch(size: 300_000)
    sketch.text = "short"
    sketch.lines = []
    sketch.stroke = nil
    sketch.secret = "s"
    sketch.image = Data()
    try context.save()
    try folder.expectWhole(1)
    context.undoManager?.undo()
    try context.save()
    try folder.expectWhole(6)
    let stored = try #require(try context.stored(Sketch.self).first)
    #expect(stored.text == wanted.text && stored.lines == wanted.lines)
    #expect(stored.stroke == wanted.stroke && stored.secret == wanted.secret)
    #expect(stored.image == wanted.image)
  }
}
