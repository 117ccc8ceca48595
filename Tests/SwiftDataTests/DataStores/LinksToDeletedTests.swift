import Foundation
import OpenSwiftDataTestModels
import SwiftData
import SwiftDataStores
import Synchronization
import Testing

/// What a deletion does to relationships without an inverse in a store of the app, which does not find out
/// itself what refers to a row.
@Suite struct LinksToDeletedTests {
  @Model class Sticker {
    var name: String

    init(_ name: String) { self.name = name }
  }

  @Model class ShinySticker: Sticker {
    var gloss: Int

    init(_ name: String, gloss: Int) {
      self.gloss = gloss
      super.init(name)
    }
  }

  @Model class Album {
    var title: String
    var cover: Sticker?
    var stickers: [Sticker] = []

    init(_ title: String) { self.title = title }
  }

  @Model class BigAlbum: Album {
    var back: Sticker?

    override init(_ title: String) { super.init(title) }
  }

  @Model final class Parcel {
    var sticker: Sticker

    init(_ sticker: Sticker) { self.sticker = sticker }
  }

  @Model final class Pair {
    @Relationship(minimumModelCount: 2) var stickers: [Sticker] = []

    init() {}
  }

  private typealias Custom = MemoryStore<DefaultSnapshot>
  private typealias Behaviour = MemoryStoreBehaviour<DefaultSnapshot>

  private static let types: [any PersistentModel.Type] = [
    Sticker.self, ShinySticker.self, Album.self, BigAlbum.self, Parcel.self, Pair.self,
  ]

  private static func container(_ behaviour: Behaviour = Behaviour()) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(types), configurations: [Custom.Configuration(behaviour: behaviour)])
  }

  /// The title of each album, with the names of its stickers in the store.
  private static func stored(_ container: ModelContainer) throws -> [String: [String]] {
    let albums = try ModelContext(container).fetch(FetchDescriptor<Album>())
    return Dictionary(
      uniqueKeysWithValues: albums.map { album in
        let covers = [album.cover] + ((album as? BigAlbum).map { [$0.back] } ?? [])
        return (album.title, (covers + album.stickers).map { $0?.name ?? "-" })
      })
  }

  private static func sticker(_ name: String, in context: ModelContext) throws -> Sticker {
    try #require(
      try context.fetch(FetchDescriptor<Sticker>(predicate: #Predicate { $0.name == name })).first)
  }

  /// - Returns: The stickers.
  private static func fill(_ container: ModelContainer) throws -> [Sticker] {
    let context = ModelContext(container)
    let stickers = [Sticker("a"), ShinySticker("b", gloss: 1), Sticker("c")]
    for sticker in stickers { context.insert(sticker) }
    let (small, big) = (Album("small"), BigAlbum("big"))
    context.insert(small)
    context.insert(big)
    small.cover = stickers[0]
    small.stickers = [stickers[0], stickers[2]]
    big.cover = stickers[1]
    big.back = stickers[0]
    big.stickers = [stickers[1]]
    try context.save()
    return stickers
  }

  @Test(arguments: [false, true])
  func linksAndListsLoseTheModel(answersByClass: Bool) throws {
    let container = try Self.container(Behaviour(answersByClass: answersByClass))
    _ = try Self.fill(container)
    let reader = ModelContext(container)
    let album = try #require(
      try reader.fetch(FetchDescriptor<Album>(predicate: #Predicate { $0.title == "small" })).first)
    #expect(album.cover?.name == "a" && album.stickers.map(\.name) == ["a", "c"])
    let context = ModelContext(container)
    context.delete(try Self.sticker("a", in: context))
    context.delete(try Self.sticker("b", in: context))
    try context.save()
    #expect(!context.hasChanges)
    #expect(try Self.stored(container) == ["small": ["-", "c"], "big": ["-", "-"]])
    let empty = FetchDescriptor<Album>(predicate: #Predicate { $0.cover == nil })
    #expect(try ModelContext(container).fetchCount(empty) == 2)
    // A context that has read the album before.
    _ = try reader.fetchCount(empty)
    #expect(album.cover == nil && album.stickers.map(\.name) == ["c"])
  }

  @Test func aBatchDoesTheSame() throws {
    let container = try Self.container()
    _ = try Self.fill(container)
    try ModelContext(container).delete(
      model: Sticker.self, where: #Predicate { $0.name == "a" || $0.name == "b" })
    #expect(try Self.stored(container) == ["small": ["-", "c"], "big": ["-", "-"]])
  }

  @Test func unsavedLinksLoseTheModelToo() throws {
    let container = try Self.container()
    _ = try Self.fill(container)
    let context = ModelContext(container)
    let (a, b) = (try Self.sticker("a", in: context), try Self.sticker("b", in: context))
    let c = try Self.sticker("c", in: context)
    let new = Album("new")
    context.insert(new)
    new.cover = a
    new.stickers = [a, b]
    let small = try #require(
      try context.fetch(FetchDescriptor<Album>(predicate: #Predicate { $0.title == "small" })).first
    )
    small.cover = b
    small.stickers.append(b)
    context.delete(a)
    try context.save()
    #expect(
      try Self.stored(container)
        == ["small": ["b", "c", "b"], "big": ["b", "-", "b"], "new": ["-", "b"]])
    small.stickers = [c]
    context.delete(b)
    try context.save()
    #expect(
      try Self.stored(container) == ["small": ["-", "c"], "big": ["-", "-"], "new": ["-"]])
  }

  @Test func aRequiredLinkPreventsTheDeletion() throws {
    let container = try Self.container()
    let sticker = try Self.fill(container)[0]
    let context = ModelContext(container)
    let target = try Self.sticker("a", in: context)
    context.insert(Parcel(target))
    try context.save()
    let parcel = try #require(try context.fetch(FetchDescriptor<Parcel>()).first)
    context.delete(target)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.entity == "Parcel" && error?.property == "sticker")
    #expect(error?.reason == .deletionDenied(entity: "Parcel", property: "sticker"))
    #expect(error?.description.contains("\(sticker.persistentModelID)") == true)
    #expect(try Self.stored(container)["small"] == ["a", "a", "c"])
    context.delete(parcel)
    try context.save()
    #expect(try Self.stored(container)["small"] == ["-", "c"])
  }

  @Test func aNewModelWithARequiredLinkPreventsTheDeletion() throws {
    let container = try Self.container()
    _ = try Self.fill(container)
    let context = ModelContext(container)
    let target = try Self.sticker("a", in: context)
    let parcel = Parcel(target)
    context.insert(parcel)
    context.delete(target)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    parcel.sticker = try Self.sticker("b", in: context)
    try context.save()
    #expect(try Self.stored(container)["small"] == ["-", "c"])
  }

  @Test func aListMayNeedTheModel() throws {
    let container = try Self.container()
    let context = ModelContext(container)
    let pair = Pair()
    context.insert(pair)
    pair.stickers = [Sticker("a"), Sticker("b"), Sticker("c")]
    try context.save()
    context.delete(try Self.sticker("a", in: context))
    try context.save()
    context.delete(try Self.sticker("b", in: context))
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.property == "stickers")
  }

  @Test func aFailedSaveGivesTheLinksBack() throws {
    struct Refusal: Error {}
    let fails = Mutex(false)
    let behaviour = Behaviour(willSave: { if fails.withLock({ $0 }) { throw Refusal() } })
    let container = try Self.container(behaviour)
    _ = try Self.fill(container)
    let context = ModelContext(container)
    let album = try #require(
      try context.fetch(FetchDescriptor<Album>(predicate: #Predicate { $0.title == "small" })).first
    )
    #expect(album.stickers.count == 2)
    let sticker = try Self.sticker("a", in: context)
    context.delete(sticker)
    fails.withLock { $0 = true }
    #expect(throws: Refusal.self) { try context.save() }
    #expect(context.changedModelsArray.isEmpty)
    context.rollback()
    #expect(!context.hasChanges)
    #expect(album.cover === sticker && album.stickers.map(\.name) == ["a", "c"])
    fails.withLock { $0 = false }
    context.delete(sticker)
    try context.save()
    #expect(album.cover == nil && album.stickers.map(\.name) == ["c"])
    #expect(try Self.stored(container)["small"] == ["-", "c"])
  }

  /// The owners are read once for each class, whatever the number of deleted models and relationships.
  @Test func theOwnersAreReadOnce() throws {
    let behaviour = Behaviour()
    let container = try Self.container(behaviour)
    let context = ModelContext(container)
    for number in 0..<20 {
      let sticker = Sticker("\(number)")
      context.insert(sticker)
      let album = Album("\(number)")
      context.insert(album)
      album.cover = sticker
    }
    try context.save()
    var requests: [[String]] = []
    for count in [1, 5, 10] {
      let editor = ModelContext(container)
      let stickers = try editor.fetch(FetchDescriptor<Sticker>())
      for sticker in stickers.prefix(count) { editor.delete(sticker) }
      behaviour.requested.withLock { $0 = [] }
      try editor.save()
      requests.append(behaviour.requested.withLock { $0.filter { $0 != "Album" } })
      requests[requests.count - 1] += ["\(behaviour.requested.withLock { $0.count })"]
    }
    #expect(Set(requests).count == 1, "\(requests)")
    #expect(try Self.stored(container).values.count { $0 == ["-"] } == 16)
    behaviour.requested.withLock { $0 = [] }
    let editor = ModelContext(container)
    editor.delete(try #require(try editor.fetch(FetchDescriptor<Album>()).first))
    behaviour.requested.withLock { $0 = [] }
    try editor.save()
    #expect(behaviour.requested.withLock { $0 } == [])
  }

  /// They do it under their lock, for the rows of other processes too.
  @Test func storesOfThisPackageDoItThemselves() throws {
    let configuration = DictionaryStoreConfiguration()
    let container = try ModelContainer(for: Schema(Self.types), configurations: [configuration])
    #expect(container.stores[0] is any LinkClearing)
    _ = try Self.fill(container)
    let context = ModelContext(container)
    context.delete(try Self.sticker("a", in: context))
    try context.save()
    #expect(try Self.stored(container) == ["small": ["-", "c"], "big": ["b", "-", "b"]])
  }
}
