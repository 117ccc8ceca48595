import Foundation
import SwiftData
import Testing

/// Upserts with several constraints, relationships and live models on both sides.
@Suite(.databases) struct UpsertCombinationTests {
  typealias Maker = Upserting.Maker
  typealias Product = Upserting.Product
  typealias Country = Upserting.Country

  @Model final class Account {
    #Unique<Account>([\.email], [\.login])
    var email: String
    var login: String
    var nickname: String?
    @Relationship(inverse: \Badge.account) var badge: Badge?

    init(_ email: String, _ login: String, nickname: String? = nil) {
      self.email = email
      self.login = login
      self.nickname = nickname
    }
  }

  @Model final class Badge {
    @Attribute(.unique) var serial: Int
    var account: Account?

    init(_ serial: Int) { self.serial = serial }
  }

  /// One note per account and topic.
  @Model final class Note {
    #Unique<Note>([\.account, \.topic])
    var topic: String
    var text: String
    var account: Account?

    init(_ topic: String, _ text: String, account: Account?) {
      self.topic = topic
      self.text = text
      self.account = account
    }
  }

  struct Position: Codable, Equatable {
    var city: String
    var street: String
  }

  /// One part of the structure is unique, the other one is not.
  @Model final class Kiosk {
    #Unique<Kiosk>([\.position?.city, \.number])
    var number: Int
    var position: Position?

    init(_ number: Int, street: String) {
      self.number = number
      position = Position(city: "Rome", street: street)
    }
  }

  @Model final class Employee {
    @Attribute(.unique) var name: String
    var superior: Employee?

    init(_ name: String) { self.name = name }
  }

  /// Two one-to-one relationships, one of them of the class to itself.
  @Model final class Runner {
    @Attribute(.unique) var bib: Int
    var laps: Int
    var place: String?
    var rival: Runner?
    var idol: Runner?
    @Relationship(inverse: \Runner.follower) var leader: Runner?
    var follower: Runner?
    @Relationship(inverse: \Locker.runner) var locker: Locker?

    init(_ bib: Int, laps: Int = 0) {
      self.bib = bib
      self.laps = laps
    }
  }

  @Model final class Locker {
    @Attribute(.unique) var number: Int?
    var runner: Runner?

    init() {}
  }

  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Account.self, Badge.self, Note.self, Kiosk.self, Employee.self, Runner.self,
        Locker.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  @Test func constraintsThatPointAtDifferentRowsThrowAndChangeNothing() throws {
    let context = try context()
    let (a, b) = (Account("a@x", "a"), Account("b@x", "b"))
    context.insert(a)
    context.insert(b)
    try context.save()
    let both = Account("a@x", "b", nickname: "both")
    context.insert(both)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.description.contains("Account") == true)
    #expect(error?.description.contains("login") == true)
    #expect(a.nickname == nil && b.nickname == nil)
    #expect(context.insertedModelsArray.count == 1)
    #expect(try context.count(Account.self) == 2)
    context.delete(b)
    try context.save()
    let stored = try context.stored(Account.self)
    #expect(stored.map(\.email) == ["a@x"])
    #expect(stored.map(\.login) == ["b"])
    #expect(a.login == "b" && a.nickname == "both")
  }

  @Test func theSecondConstraintFindsTheRowToo() throws {
    let context = try context()
    let old = Account("a@x", "a", nickname: "old")
    context.insert(old)
    try context.save()
    context.insert(Account("new@x", "a"))
    try context.save()
    let stored = try context.stored(Account.self)
    #expect(stored.map(\.email) == ["new@x"])
    #expect(stored.first?.nickname == nil)
    #expect(old.email == "new@x")
  }

  @Test func aCompoundWithARelationshipUpserts() throws {
    let context = try context()
    let (a, b) = (Account("a@x", "a"), Account("b@x", "b"))
    context.insert(Note("t", "1", account: a))
    context.insert(Note("t", "2", account: b))
    context.insert(Note("t", "3", account: nil))
    context.insert(Note("t", "4", account: nil))
    try context.save()
    #expect(try context.count(Note.self) == 4)
    context.insert(Note("t", "5", account: a))
    try context.save()
    let texts = try context.stored(Note.self).map(\.text)
    #expect(Set(texts) == ["5", "2", "3", "4"])
    let new = Account("c@x", "c")
    context.insert(Note("t", "6", account: new))
    context.insert(Note("t", "7", account: new))
    try context.save()
    let third = try context.stored(Note.self).filter { $0.account?.login == "c" }
    #expect(third.map(\.text) == ["7"])
  }

  /// The row is written when the new model to which it refers has a key.
  @Test(arguments: [false, true])
  func aNewModelWinsOverUnsavedEditsOfItsRow(ofReferringRow refers: Bool) throws {
    let context = try context()
    let old = Runner(7, laps: 1)
    context.insert(old)
    try context.save()
    let new = Runner(7, laps: 3)
    context.insert(new)
    (old.laps, old.place) = (5, "second")
    if refers { old.rival = new }
    try context.save()
    #expect(new.laps == 3 && old.laps == 3 && new.place == nil)
    let stored = try context.stored(Runner.self)
    #expect(stored.map(\.laps) == [3] && stored.map(\.place) == [nil])
    #expect((stored.first?.rival === stored.first) == refers)
  }

  @Test func linksThatTheNewModelLeavesEmptyAreThoseOfTheEdit() throws {
    let context = try context()
    let (old, stored, other) = (Runner(7), Runner(8), Runner(9))
    for runner in [old, stored] { context.insert(runner) }
    try context.save()
    let new = Runner(7)
    context.insert(new)
    context.insert(other)
    (old.rival, old.idol) = (new, stored)
    new.rival = other
    try context.save()
    let found = try #require(try context.stored(Runner.self).first { $0.bib == 7 })
    #expect(found.rival?.bib == 9)
    #expect(found.idol?.bib == 8)
    #expect(new.rival === other && new.idol?.bib == 8)
  }

  @Test func aNewModelWinsOverEditsAlsoIfTheRowGetsItsUniqueValueInTheSameSave() throws {
    let context = try context()
    let old = Runner(6, laps: 1)
    context.insert(old)
    try context.save()
    let new = Runner(7, laps: 3)
    context.insert(new)
    (old.bib, old.laps, old.rival) = (7, 5, new)
    try context.save()
    let stored = try context.stored(Runner.self)
    #expect(stored.map(\.bib) == [7] && stored.map(\.laps) == [3])
    #expect(stored.first?.rival === stored.first)
  }

  /// The edits change nothing, but the row waits for the new model, so they are written after it.
  @Test func bothSidesOfAOneToOneOfAMergedRowAgree() throws {
    let context = try context()
    let old = Runner(7)
    context.insert(old)
    try context.save()
    let new = Runner(7)
    context.insert(new)
    old.follower = nil
    new.follower = old
    try context.save()
    let stored = try #require(try context.stored(Runner.self).first)
    #expect(stored.leader === stored && stored.follower === stored)
    #expect(new.leader?.bib == 7 && new.follower?.bib == 7)
  }

  @Test func bothSidesOfAOneToOneOfTwoRowsThatWaitAgree() throws {
    let context = try context()
    let (old, locker) = (Runner(7), Locker())
    context.insert(old)
    context.insert(locker)
    try context.save()
    let new = Runner(7)
    context.insert(new)
    (old.rival, old.locker) = (new, nil)
    (locker.number, locker.runner) = (3, new)
    try context.save()
    let stored = try #require(try context.stored(Runner.self).first)
    #expect(stored.locker?.number == 3)
    #expect(try context.stored(Locker.self).first?.runner?.bib == 7)
    #expect(new.locker === locker && locker.runner?.bib == 7)
  }

  /// Of three links the second one takes the place of the first, and the third one that of the second.
  @Test(arguments: [false, true])
  func bothSidesOfAOneToOneAgreeIfALinkThatReplacedAnotherIsReplaced(
    firstIsStored isStored: Bool
  ) throws {
    let context = try context()
    let runners = [3, 2, 1, 2, 1, 3].map { Runner($0) }
    for runner in runners.prefix(3) { context.insert(runner) }
    runners[2].follower = runners[2]
    if isStored { try context.save() }
    for runner in runners.suffix(3) { context.insert(runner) }
    runners[4].leader = runners[0]
    runners[5].follower = runners[3]
    try context.save()
    let stored = try context.stored(Runner.self)
    #expect(stored.count == 3)
    for runner in stored {
      #expect(runner.leader.map { $0.follower === runner } ?? true, "\(runner.bib)")
      #expect(runner.follower.map { $0.leader === runner } ?? true, "\(runner.bib)")
    }
    let third = try #require(stored.first { $0.bib == 3 })
    #expect(third.follower?.bib == 2)
  }

  /// The link of the earlier one is written when the model that it leads to has its row.
  @Test func theLaterLinkWinsAlsoIfTheEarlierOneHasToWait() throws {
    let context = try context()
    let stored = Employee("stored")
    context.insert(stored)
    try context.save()
    let (earlier, superior, later) = (Employee("a"), Employee("new"), Employee("a"))
    for employee in [earlier, superior, later] { context.insert(employee) }
    earlier.superior = superior
    later.superior = stored
    try context.save()
    let found = try context.stored(Employee.self).filter { $0.name == "a" }
    #expect(found.map { $0.superior?.name } == ["stored"])
    #expect(earlier.superior === stored)
  }

  @Test func aNewModelInAOneToOneDisplacesTheOldOne() throws {
    let context = try context()
    let old = Account("a@x", "a")
    old.badge = Badge(1)
    context.insert(old)
    try context.save()
    let first = try #require(old.badge)
    let new = Account("a@x", "a")
    new.badge = Badge(2)
    context.insert(new)
    try context.save()
    #expect(try context.count(Account.self) == 1)
    #expect(try context.stored(Account.self).first?.badge?.serial == 2)
    #expect(old.badge?.serial == 2)
    let loose = try context.stored(Badge.self).first { $0.serial == 1 }
    #expect(loose?.account == nil)
    #expect(first.account == nil)
  }

  @Test func aToOneThatTheNewModelLeavesEmptyIsKeptAndSeenByBoth() throws {
    let context = try Upserting.context()
    let old = Maker("a", "old")
    old.country = Country("de")
    context.insert(old)
    try context.save()
    let new = Maker("a", "new")
    context.insert(new)
    try context.save()
    #expect(old.country?.iso == "de")
    #expect(new.country?.iso == "de")
    #expect(new.title == "new" && new.note == nil)
  }

  @Test func listsOfOldAndNewRelatedModelsFollowAnUpsert() throws {
    let context = try Upserting.context()
    let (de, fr) = (Country("de"), Country("fr"))
    let old = Maker("a", "old")
    old.country = de
    context.insert(old)
    context.insert(fr)
    try context.save()
    #expect(de.makers.count == 1)
    #expect(fr.makers.isEmpty)
    let new = Maker("a", "new")
    new.country = fr
    context.insert(new)
    try context.save()
    #expect(de.makers.isEmpty)
    #expect(fr.makers.map(\.persistentModelID) == [old.persistentModelID])
    #expect(old.country === fr)
    #expect(new.country === fr)
  }

  @Test func savesThroughEitherInstanceAreSeenByBoth() throws {
    let context = try Upserting.context()
    let old = Maker("a", "old")
    context.insert(old)
    try context.save()
    let new = Maker("a", "new")
    context.insert(new)
    try context.save()
    new.title = "by new"
    try context.save()
    #expect(old.title == "by new")
    #expect(try context.stored(Maker.self).map(\.title) == ["by new"])
    old.note = "by old"
    try context.save()
    #expect(new.note == "by old")
    #expect(try context.stored(Maker.self).map(\.note) == ["by old"])
    #expect(new.title == "by new")
    new.products = [Product("p")]
    try context.save()
    #expect(old.products.map(\.name) == ["p"])
    #expect(new == old)
    #expect(try context.fetch(FetchDescriptor<Maker>()).count == 1)
    context.delete(old)
    try context.save()
    #expect(try context.count(Maker.self) == 0)
  }

  @Test func theIdentifierLeadsToOneInstanceAndTheOtherMayBeFreed() throws {
    let context = try Upserting.context()
    let old = Maker("a", "old")
    context.insert(old)
    try context.save()
    for round in 0..<300 {
      context.insert(Maker("a", "\(round)"))
      try context.save()
    }
    #expect(try context.fetch(FetchDescriptor<Maker>()).first === old)
    #expect(old.title == "299")
    let found: Maker? = context.registeredModel(for: old.persistentModelID)
    #expect(found === old)
  }

  @Test func anUpsertOntoARowThatAnotherContextEditsLosesOnlyWhatIsSavedLater() throws {
    let context = try Upserting.context()
    context.insert(Maker("a", "old"))
    try context.save()
    let other = ModelContext(context.container)
    let live = try #require(try other.fetch(FetchDescriptor<Maker>()).first)
    live.rank = 8
    context.insert(Maker("a", "new"))
    try context.save()
    other.processPendingChanges()
    #expect(live.title == "new")
    #expect(live.rank == 8)
    try other.save()
    let stored = try #require(try context.stored(Maker.self).first)
    #expect(stored.title == "new" && stored.rank == 8)
  }

  @Test func aChainOfNewModelsEndsOnStoredRows() throws {
    let context = try Upserting.context()
    for round in 0..<2 {
      let country = Country("de")
      let maker = Maker("a", "\(round)")
      maker.country = country
      maker.products = [Product("\(round)")]
      context.insert(maker)
      try context.save()
    }
    #expect(try context.count(Country.self) == 1)
    let maker = try #require(try context.stored(Maker.self).first)
    #expect(maker.country?.iso == "de")
    #expect(Set(maker.products.map(\.name)) == ["0", "1"])
    #expect(try context.stored(Country.self).first?.makers.count == 1)
  }

  /// After some rows in sequence, a save looks rows up and updates them.
  @Test(arguments: [1, 30])
  func theOtherPartsOfAStructureAreUpdated(count: Int) throws {
    let context = try context()
    for street in ["old", "new"] {
      for number in 0..<count { context.insert(Kiosk(number, street: street)) }
      try context.save()
    }
    let streets = try context.stored(Kiosk.self).map(\.position?.street)
    #expect(streets == Array(repeating: "new", count: count))
    let updates = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .flatMap(\.changes)
      .compactMap { change -> DefaultHistoryUpdate<Kiosk>? in
        if case .update(let update) = change { update as? DefaultHistoryUpdate<Kiosk> } else { nil }
      }
    #expect(updates.count == count)
    #expect(updates.allSatisfy { $0.updatedAttributes.contains { $0 == \.position } })
  }

  @Test func unicodeFormsAreDifferentValues() throws {
    let context = try Upserting.context()
    context.insert(Maker("\u{e9}", "composed"))
    context.insert(Maker("e\u{301}", "decomposed"))
    try context.save()
    #expect(try context.count(Maker.self) == 2)
  }
}
