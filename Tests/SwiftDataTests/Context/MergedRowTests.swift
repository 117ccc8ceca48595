import Foundation
import SwiftData
import Testing

/// New models that a save merges with rows, together with rules that change the same rows.
@Suite(.databases) struct MergedRowTests {
  @Model final class Squad {
    @Attribute(.unique) var name: String
    @Relationship(minimumModelCount: 2, maximumModelCount: 4, inverse: \Player.squad)
    var players: [Player] = []
    @Relationship(inverse: \Captain.squads) var captain: Captain?

    init(_ name: String, _ players: [Player], captain: Captain? = nil) {
      self.name = name
      self.players = players
      self.captain = captain
    }
  }

  @Model final class Player {
    var squad: Squad?
    var club: Club?

    init() {}
  }

  @Model final class Club {
    @Relationship(deleteRule: .cascade, inverse: \Player.club) var players: [Player] = []

    init(_ players: [Player]) { self.players = players }
  }

  @Model final class Captain {
    var name: String
    var squads: [Squad] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Album {
    @Relationship(deleteRule: .cascade) var labels: [Label] = []

    init() {}
  }

  @Model final class Shelf {
    @Relationship(deleteRule: .cascade, inverse: \Label.shelves) var labels: [Label] = []

    init() {}
  }

  @Model final class Label {
    @Attribute(.unique) var name: String
    var shelves: [Shelf] = []

    init(_ name: String) { self.name = name }
  }

  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Squad.self, Player.self, Club.self, Captain.self, Album.self, Shelf.self,
      Label.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
  }

  private func players(_ count: Int) -> [Player] { (0..<count).map { _ in Player() } }

  @Test func membersOfNewModelsThatBecomeOneRowAreCounted() throws {
    context.insert(Squad("a", players(3)))
    context.insert(Squad("a", players(2)))
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.property == "players")
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Player>()) == 0)
    context.rollback()
    for _ in 0..<2 { context.insert(Squad("a", players(2))) }
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Squad>()).map(\.players.count) == [4])
  }

  @Test func membersThatACascadeDeletesDoNotCount() throws {
    let members = players(2)
    let club = Club([members[0]])
    context.insert(club)
    try context.save()
    context.insert(Squad("a", members))
    context.delete(club)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.property == "players")
    members[1].squad?.players += players(1)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Player>()) == 2)
  }

  @Test(arguments: [false, true])
  func aMergedModelShowsTheLinkThatReplacesADeletedModel(isLoaded: Bool) throws {
    let first = Captain("first")
    context.insert(Squad("a", players(2), captain: first))
    try context.save()
    let other = ModelContext(container)
    let old = try #require(
      try other.fetch(FetchDescriptor<Captain>(predicate: #Predicate { $0.name == "first" })).first)
    let loaded = isLoaded ? try other.fetch(FetchDescriptor<Squad>()) : []
    #expect(loaded.allSatisfy { $0.captain === old })
    other.delete(old)
    let merged = Squad("a", players(2), captain: Captain("second"))
    other.insert(merged)
    try other.save()
    #expect(merged.captain?.name == "second")
    #expect(loaded.allSatisfy { $0.captain?.name == "second" })
    let stored = try #require(try ModelContext(container).fetch(FetchDescriptor<Squad>()).first)
    #expect(stored.captain?.name == "second")
  }

  /// A new model that is deleted at once does not delete the stored one with its unique value.
  @Test func aStoredModelIsNotDeletedInPlaceOfANewMember() throws {
    context.insert(Label("a"))
    let (album, shelf) = (Album(), Shelf())
    context.insert(album)
    context.insert(shelf)
    try context.save()
    album.labels.append(Label("a"))
    context.delete(album)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Label>()) == 1)
    shelf.labels.append(Label("a"))
    context.delete(shelf)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Label>()) == 1)
  }

  @Test func theDeletionOfAMergedModelIsDoneAgain() throws {
    context.insert(Squad("a", players(2)))
    try context.save()
    let undo = UndoManager()
    context.undoManager = undo
    let merged = Squad("a", players(2))
    context.insert(merged)
    try context.save()
    context.delete(merged)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Squad>()) == 0)
    undo.undo()
    #expect(try context.fetchCount(FetchDescriptor<Squad>()) == 1)
    undo.redo()
    #expect(try context.fetchCount(FetchDescriptor<Squad>()) == 0)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Squad>()) == 0)
  }
}
