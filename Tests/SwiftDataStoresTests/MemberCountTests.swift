import Foundation
import SwiftData
import SwiftDataStores
import Testing

@Model final class Team {
  var name: String
  @Relationship(minimumModelCount: 1, maximumModelCount: 2) var players: [Player] = []

  init(_ name: String) { self.name = name }
}

@Model final class Player {
  var name: String
  @Relationship(inverse: \Team.players) var team: Team?
  @Relationship(minimumModelCount: 1, inverse: \Club.members) var clubs: [Club] = []

  init(_ name: String) { self.name = name }
}

@Model final class Club {
  @Attribute(.unique) var name: String
  @Relationship(maximumModelCount: 2) var members: [Player] = []

  init(_ name: String) { self.name = name }
}

/// Limits of to-many relationships hold for the stored rows, also if another context has moved a member.
@Suite struct MemberCountTests {
  private static let kinds = Kind.all(Schema([Team.self, Player.self, Club.self]))

  private func names(_ open: () throws -> ModelContainer) throws -> [String: Set<String>] {
    let teams = try ModelContext(open()).all(Team.self)
    return Dictionary(uniqueKeysWithValues: teams.map { ($0.name, Set($0.players.map(\.name))) })
  }

  private func contexts(
    _ open: () throws -> ModelContainer
  ) throws -> (mine: ModelContext, theirs: ModelContext) {
    let container = try open()
    let (mine, theirs) = (ModelContext(container), ModelContext(container))
    let club = Club("club")
    theirs.insert(club)
    for (team, players) in [("a", ["1", "2"]), ("b", ["3"])] {
      let new = Team(team)
      theirs.insert(new)
      new.players = players.map { Player($0) }
      for player in new.players {
        let own = Club("club of \(player.name)")
        theirs.insert(own)
        player.clubs = [own]
      }
    }
    try theirs.save()
    return (mine, theirs)
  }

  private func team(_ name: String, _ context: ModelContext) throws -> Team {
    try #require(try context.all(Team.self).first { $0.name == name })
  }

  private func player(_ name: String, _ context: ModelContext) throws -> Player {
    try #require(try context.all(Player.self).first { $0.name == name })
  }

  private func expectTooFew(_ context: ModelContext) {
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(
      error?.reason == .tooFewMembers(entity: "Team", property: "players", minimum: 1, count: 0))
  }

  @Test(arguments: kinds, ["move", "deletion", "batch"])
  func theLastMemberOfAnotherContextsListStays(_ kind: Kind, edit: String) throws {
    let open = try kind.make()
    let (mine, theirs) = try contexts(open)
    switch edit {
    case "move": try player("2", mine).team = team("b", mine)
    case "deletion": try mine.delete(player("2", mine))
    default: break
    }
    let new = Team("c")
    theirs.insert(new)
    try player("2", theirs).team = new
    try theirs.save()
    if edit == "batch" {
      #expect(throws: SwiftDataError.modelValidationFailure) {
        try mine.delete(model: Player.self, where: #Predicate { $0.name == "2" })
        try mine.save()
      }
    } else {
      expectTooFew(mine)
    }
    #expect(try names(open) == ["a": ["1"], "b": ["3"], "c": ["2"]])
    mine.rollback()
    try player("1", mine).name = "one"
    try mine.save()
  }

  @Test(arguments: kinds)
  func aListThatAnotherContextHasFilledTakesNoMore(_ kind: Kind) throws {
    let open = try kind.make()
    let (mine, theirs) = try contexts(open)
    let (theirPlayer, myPlayer) = (Player("4"), Player("5"))
    let club = try #require(try theirs.all(Club.self).first { $0.name == "club" })
    theirPlayer.clubs = [club]
    theirPlayer.team = try team("b", theirs)
    let same = try #require(try mine.all(Club.self).first { $0.name == "club" })
    myPlayer.clubs = [same]
    myPlayer.team = try team("b", mine)
    try theirs.save()
    #expect(throws: SwiftDataError.modelValidationFailure) { try mine.save() }
    #expect(try names(open)["b"] == ["3", "4"])
    myPlayer.team = nil
    try mine.save()
    #expect(try names(open)["b"] == ["3", "4"])
  }

  /// The members that the context has in memory are not those that are stored.
  @Test(arguments: kinds)
  func aListThatAnotherContainerHasEmptiedTakesMore(_ kind: Kind) throws {
    let open = try kind.make()
    let theirs = try contexts(open).theirs
    let mine = ModelContext(try open())
    let team = try team("a", mine)
    #expect(team.players.count == 2)
    try player("2", theirs).team = self.team("b", theirs)
    try theirs.save()
    try team.players.append(player("3", mine))
    try mine.save()
    #expect(try names(open) == ["a": ["1", "3"], "b": ["2"]])
    #expect(Set(try self.team("a", ModelContext(open())).players.map(\.name)) == ["1", "3"])
  }

  /// Links of lists whose members have lists too are stored on one side.
  @Test(arguments: kinds)
  func bothSidesOfAManyToManyRelationshipAreCounted(_ kind: Kind) throws {
    let open = try kind.make()
    let (mine, theirs) = try contexts(open)
    let (one, two) = (try player("1", theirs), try player("2", theirs))
    let club = try #require(try theirs.all(Club.self).first { $0.name == "club" })
    let same = try #require(try mine.all(Club.self).first { $0.name == "club" })
    try player("3", mine).clubs.append(same)
    one.clubs.append(club)
    two.clubs.append(club)
    try theirs.save()
    #expect(throws: SwiftDataError.modelValidationFailure) { try mine.save() }
    mine.rollback()
    for own in try mine.all(Club.self) where own.name == "club of 1" { mine.delete(own) }
    try mine.save()
    theirs.processPendingChanges()
    theirs.delete(club)
    #expect(throws: SwiftDataError.modelValidationFailure) { try theirs.save() }
    theirs.rollback()
    #expect(one.clubs.count == 1)
  }

  /// Errors name a new model with the unique values of a stored one by the row that it updates.
  @Test(arguments: kinds)
  func theErrorNamesTheRowThatANewModelUpdates(_ kind: Kind) throws {
    let open = try kind.make()
    let (mine, theirs) = try contexts(open)
    let club = try #require(try theirs.all(Club.self).first { $0.name == "club" })
    club.members = [try player("1", theirs), try player("2", theirs)]
    try theirs.save()
    let new = Club("club")
    mine.insert(new)
    new.members = [try player("3", mine)]
    let temporary = new.persistentModelID
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try mine.save() }
    #expect(
      error?.reason == .tooManyMembers(entity: "Club", property: "members", maximum: 2, count: 3))
    let text = try #require(error?.description)
    #expect(text.contains("\(club.persistentModelID)") && !text.contains("\(temporary)"))
  }

  /// The row of a new model has no identifier that the caller could know.
  @Test(arguments: kinds)
  func theErrorNamesNewModelsByTheirTemporaryIdentifiers(_ kind: Kind) throws {
    let open = try kind.make()
    let context = ModelContext(try open())
    context.autosaveEnabled = false
    let (first, second) = (Club("same"), Club("same"))
    for (club, names) in [(first, ["1", "2"]), (second, ["3", "4"])] {
      context.insert(club)
      club.members = names.map { Player($0) }
    }
    let temporary = [first, second].map(\.persistentModelID)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    let text = try #require(error?.description)
    #expect(temporary.contains { text.contains("\($0)") })
  }
}
