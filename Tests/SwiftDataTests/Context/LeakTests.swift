import Foundation
import SwiftData
import Synchronization
import Testing

/// Graphs with cycles leave nothing alive, whatever happened to them.
@Suite(.serialized) struct LeakTests {
  final class Pulse {
    static let living = Atomic<Int>(0)

    init() { Pulse.living.add(1, ordering: .relaxed) }
    deinit { Pulse.living.subtract(1, ordering: .relaxed) }
  }

  @Model final class Club {
    var name: String
    @Transient var pulse = Pulse()
    @Relationship(deleteRule: .cascade, inverse: \Member.club) var members: [Member] = []
    @Relationship(inverse: \Member.chairs) var chair: Member?

    init(_ name: String) { self.name = name }
  }

  @Model final class Member {
    var name: String
    @Transient var pulse = Pulse()
    var club: Club?
    var chairs: Club?
    @Relationship(inverse: \Member.admirers) var friends: [Member] = []
    var admirers: [Member] = []

    init(_ name: String) { self.name = name }
  }

  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Club.self, Member.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  /// A club whose members are friends in a circle; every relationship has both sides.
  private func graph(in context: ModelContext, _ name: String) -> Club {
    let club = Club(name)
    let members = (0..<3).map { Member("\(name) \($0)") }
    context.insert(club)
    club.members = members
    club.chair = members[0]
    for (index, member) in members.enumerated() { member.friends = [members[(index + 1) % 3]] }
    return club
  }

  private func expectNothingLeft(_ body: () throws -> Void) rethrows {
    let before = Pulse.living.load(ordering: .relaxed)
    try body()
    let left = Pulse.living.load(ordering: .relaxed) - before
    #expect(left == 0)
  }

  @Test func tenThousandGraphsOverContextsAndContainers() throws {
    try expectNothingLeft {
      for _ in 0..<4 {
        let container = try container()
        let reader = ModelContext(container)
        for round in 0..<10 {
          let context = ModelContext(container)
          for index in 0..<250 { _ = graph(in: context, "\(round) \(index)") }
          try context.save()
          for club in try reader.fetch(FetchDescriptor<Club>()).suffix(20) {
            #expect(club.members.count == 3)
            #expect(club.members.allSatisfy { $0.friends.count == 1 && $0.admirers.count == 1 })
          }
          for club in try context.fetch(FetchDescriptor<Club>()).prefix(20) {
            club.members.first?.friends = club.members
          }
          if round % 2 == 0 { try context.save() }
        }
      }
    }
  }

  @Test func rolledBackGraphsGo() throws {
    let context = ModelContext(try container())
    expectNothingLeft {
      for index in 0..<200 { _ = graph(in: context, "\(index)") }
      context.rollback()
    }
    #expect(!context.hasChanges)
  }

  @Test func graphsDeletedBeforeTheirFirstSaveGo() throws {
    let context = ModelContext(try container())
    try expectNothingLeft {
      for index in 0..<200 { context.delete(graph(in: context, "\(index)")) }
      for member in context.insertedModelsArray { context.delete(member as! Member) }
      #expect(!context.hasChanges)
      try context.save()
    }
  }

  @Test func deletedAndSavedGraphsGo() throws {
    let context = ModelContext(try container())
    let other = ModelContext(context.container)
    try expectNothingLeft {
      for index in 0..<200 { _ = graph(in: context, "\(index)") }
      try context.save()
      let clubs = try other.fetch(FetchDescriptor<Club>())
      #expect(clubs.allSatisfy { $0.members.count == 3 })
      for club in try context.fetch(FetchDescriptor<Club>()) { context.delete(club) }
      try context.save()
      other.processPendingChanges()
      #expect(clubs.allSatisfy { $0.isDeleted })
    }
    #expect(try context.count(Member.self) == 0)
  }

  @Test(arguments: [false, true]) func refusedEditsHoldNothing(isRolledBack: Bool) throws {
    let container = try container()
    expectNothingLeft {
      let (first, second) = (ModelContext(container), ModelContext(container))
      let (club, other) = (graph(in: first, "a"), graph(in: second, "b"))
      club.chair = other.members[0]
      club.members.append(other.members[1])
      other.chair = club.members[0]
      first.insert(other)
      second.delete(club)
      #expect(throws: SwiftDataError.modelValidationFailure) { try first.save() }
      if isRolledBack {
        first.rollback()
        second.rollback()
      }
    }
  }

  @Test func savesThatLeaveEditsOutHoldNothing() throws {
    let container = try container()
    try expectNothingLeft {
      let (first, second) = (ModelContext(container), ModelContext(container))
      let club = graph(in: first, "a")
      try first.save()
      let copy = try #require(try second.fetch(FetchDescriptor<Club>()).first)
      copy.name = "b"
      first.delete(club)
      try first.save()
      try second.save()
      #expect(copy.isDeleted)
    }
  }

  /// All lists of a graph are in memory, on both sides.
  private func read(_ clubs: [Club]) {
    for member in clubs.flatMap(\.members) {
      #expect(member.friends.count == 1 && member.admirers.count == 1)
      #expect(member.club?.members.count == 3)
    }
  }

  @Test func deletedGraphsGoWithTheirLists() throws {
    let context = ModelContext(try container())
    let other = ModelContext(context.container)
    try expectNothingLeft {
      for index in 0..<20 { _ = graph(in: context, "\(index)") }
      try context.save()
      let clubs = try other.fetch(FetchDescriptor<Club>())
      let own = try context.fetch(FetchDescriptor<Club>())
      read(clubs)
      read(own)
      for club in own { context.delete(club) }
      try context.save()
      other.processPendingChanges()
      #expect(clubs.allSatisfy { $0.isDeleted })
    }
  }

  /// Deletes graphs to which another context has unsaved links.
  private func linkDeletedModels(
    _ finish: (ModelContext) throws -> Void
  ) throws {
    let container = try container()
    let first = ModelContext(container)
    try expectNothingLeft {
      first.insert(Member("kept"))
      let second = ModelContext(container)
      second.reportsUnsavedChanges = false
      for index in 0..<2 { _ = graph(in: first, "\(index)") }
      try first.save()
      let clubs = try second.fetch(FetchDescriptor<Club>())
      read(clubs)
      let kept = try #require(
        try second.fetch(FetchDescriptor<Member>(predicate: #Predicate { $0.name == "kept" })).first
      )
      let members = clubs.flatMap(\.members)
      for (index, member) in members.enumerated() {
        member.friends = [members[(index + 2) % 6], kept]
        member.chairs = clubs[index % 2]
      }
      let new = Member("new")
      new.club = clubs[0]
      new.friends = [members[0], kept]
      second.delete(members[5])
      for club in try first.fetch(FetchDescriptor<Club>()) { first.delete(club) }
      try first.save()
      try finish(second)
    }
  }

  @Test func linksToDeletedModelsGoWithASave() throws { try linkDeletedModels { try $0.save() } }

  @Test func linksToDeletedModelsGoWithARollback() throws {
    try linkDeletedModels {
      $0.processPendingChanges()
      $0.rollback()
    }
  }

  @Test func linksToDeletedModelsGoWithTheContext() throws {
    try linkDeletedModels { $0.processPendingChanges() }
    try linkDeletedModels { _ in }
  }

  @Test func prefetchedModelsDoNotRetainEachOther() throws {
    let context = ModelContext(try container())
    for index in 0..<3 { _ = graph(in: context, "\(index)") }
    try context.save()
    let fresh = ModelContext(context.container)
    try expectNothingLeft {
      let clubs = try fresh.fetch(FetchDescriptor<Club>())
      #expect(clubs.map(\.members.count) == [3, 3, 3] && clubs.allSatisfy { $0.chair != nil })
      var members = FetchDescriptor<Member>()
      members.relationshipKeyPathsForPrefetching = [\.club, \.chairs]
      let found = try fresh.fetch(members)
      #expect(found.allSatisfy { $0.club?.members.count == 3 } && found[0].chairs === clubs[0])
      var chairs = FetchDescriptor<Club>()
      chairs.relationshipKeyPathsForPrefetching = [\.chair]
      #expect(try fresh.fetch(chairs).map { $0.chair?.chairs?.name } == ["0", "1", "2"])
    }
  }

  @Test func aReadLeavesNoModels() async throws {
    let context = ModelContext(try container())
    for index in 0..<3 { _ = graph(in: context, "\(index)") }
    try context.save()
    let living = Pulse.living.load(ordering: .relaxed)
    let readers = ModelReaders(context.container, count: 1)
    try await readers.read { context in
      var clubs = FetchDescriptor<Club>()
      clubs.relationshipKeyPathsForPrefetching = [\.chair, \.chair?.friends, \.members]
      for club in try context.fetch(clubs) {
        #expect(club.chair?.friends.first?.admirers.count == 1 && club.members.count == 3)
      }
      var members = FetchDescriptor<Member>()
      members.relationshipKeyPathsForPrefetching = [\.club, \.club?.chair, \.club?.chair?.club]
      #expect(try context.fetch(members).allSatisfy { $0.club?.chair?.club != nil })
    }
    #expect(Pulse.living.load(ordering: .relaxed) == living)
    withExtendedLifetime(context) {}
  }

  @Test func graphsOfATransactionThatFailsGo() throws {
    let context = ModelContext(try container())
    expectNothingLeft {
      #expect(throws: CancellationError.self) {
        try context.transaction {
          for index in 0..<20 { _ = graph(in: context, "\(index)") }
          try context.save()
          let club = try #require(try context.fetch(FetchDescriptor<Club>()).first)
          read([club])
          club.chair?.friends = []
          throw CancellationError()
        }
      }
    }
    #expect(try context.count(Member.self) == 0)
  }

  @Test func graphsThatWereNeverInsertedGoWhereOneSideIsSet() throws {
    expectNothingLeft {
      for index in 0..<200 {
        let club = Club("\(index)")
        club.members = (0..<3).map { Member("\($0)") }
        club.chair = Member("chair")
      }
    }
  }

  @Test func aRolledBackGraphCanBeInsertedAgain() throws {
    let context = ModelContext(try container())
    let club = graph(in: context, "a")
    let member = club.members[1]
    context.rollback()
    #expect(club.modelContext == nil && member.modelContext == nil)
    #expect(club.members.count == 3)
    #expect(member.club === club)
    context.insert(club)
    #expect(context.insertedModelsArray.count == 4)
    #expect(member.club === club)
    try context.save()
    let stored = try #require(try context.stored(Club.self).first)
    #expect(stored.members.count == 3)
  }

  @Test func aLongUnsavedChainIsFreedWithoutRecursion() throws {
    expectNothingLeft {
      let first = Club("0")
      var last = first
      for index in 0..<20_000 {
        let (member, club) = (Member("\(index)"), Club("\(index)"))
        last.chair = member
        member.chairs = nil
        member.club = club
        last = club
      }
    }
  }
}
