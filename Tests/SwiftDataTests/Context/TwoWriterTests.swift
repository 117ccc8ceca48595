import Foundation
import SwiftData
import Testing

/// Two containers on one file, each with models in memory that the other one has changed since: what a save
/// decides is decided by the rows.
@Suite(.databases) struct TwoWriterTests {
  private let folder: TemporaryFolder
  private let (mine, theirs): (ModelContext, ModelContext)

  init() throws {
    folder = try TemporaryFolder()
    mine = try Graph.context(at: folder.store)
    theirs = try Graph.context(at: folder.store)
  }

  private func count(_ sql: String) throws -> Int64? {
    try StoredTables.integer(sql, in: folder.store)
  }

  private func only<T: PersistentModel>(_ type: T.Type, in context: ModelContext) throws -> T {
    try #require(try context.fetch(FetchDescriptor<T>()).first)
  }

  private func discarded(
    by context: ModelContext, _ body: () throws -> Void
  ) throws -> [[String]] {
    nonisolated(unsafe) var names: [[String]] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didOverwrite, object: context, queue: nil
    ) { note in
      for key in [ModelContext.discardedPropertiesKey, ModelContext.overwrittenPropertiesKey] {
        names += (note.userInfo?[key] as? [PersistentIdentifier: [String]] ?? [:]).values
      }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try body()
    return names
  }

  @Test func aCascadeTakesMembersThatTheListInMemoryDoesNotShow() throws {
    let parent = Graph.Parent("p")
    parent.children = [Graph.Child("a")]
    mine.insert(parent)
    try mine.save()
    #expect(parent.children.count == 1)
    let other = try only(Graph.Parent.self, in: theirs)
    theirs.insert(Graph.Toy("t", owner: Graph.Child("b", parent: other)))
    try theirs.save()
    mine.delete(parent)
    try mine.save()
    #expect(try count("SELECT count(*) FROM ZCHILD") == 0)
    #expect(try count("SELECT count(*) FROM ZTOY") == 0)
  }

  /// The context does not know yet that the row is deleted.
  @Test(arguments: [1, 70]) func everyFetchHasAnEditedModelWithoutRowUntilTheSave(
    count: Int
  ) throws {
    for number in 0...count { mine.insert(Graph.Person("\(number)")) }
    try mine.save()
    let people = try theirs.fetch(FetchDescriptor<Graph.Person>())
    for person in people where person.name != "0" { person.name = "edited" }
    for person in try mine.fetch(FetchDescriptor<Graph.Person>()) where person.name == "1" {
      mine.delete(person)
    }
    try mine.save()
    let edited = #Predicate<Graph.Person> { $0.name == "edited" }
    let order = [SortDescriptor(\Graph.Person.name)]
    let requests: [(FetchDescriptor<Graph.Person>, Int)] = [
      (FetchDescriptor(), count + 1), (FetchDescriptor(sortBy: order), count + 1),
      (FetchDescriptor(predicate: edited), count),
      (FetchDescriptor(predicate: edited, sortBy: order), count),
    ]
    for gone in [0, 1] {
      for (request, expected) in requests {
        #expect(try theirs.fetch(request).count == expected - gone)
        #expect(try theirs.fetchCount(request) == expected - gone)
        var visited = 0
        try theirs.enumerate(request, batchSize: 8) { _ in visited += 1 }
        #expect(visited == expected - gone)
        guard request.sortBy.isEmpty else { continue }
        #expect(try theirs.fetchIdentifiers(request).count == expected - gone)
      }
      try theirs.save()
    }
  }

  @Test func countsHaveModelsThatAreEditedAfterAnEarlierCount() throws {
    for number in 0..<4 { mine.insert(Graph.Person("\(number)")) }
    try mine.save()
    let order = [SortDescriptor(\Graph.Person.name)]
    let people = try theirs.fetch(FetchDescriptor(sortBy: order))
    func deleteRow(_ name: String) throws {
      for person in try mine.fetch(FetchDescriptor<Graph.Person>()) where person.name == name {
        mine.delete(person)
      }
      try mine.save()
    }
    func count() throws -> Int { try theirs.fetchCount(FetchDescriptor<Graph.Person>()) }
    people[0].name = "edited"
    try deleteRow("1")
    for _ in 0..<2 { #expect(try count() == 3) }
    people[1].name = "edited"
    for _ in 0..<2 { #expect(try count() == 4) }
    people[2].name = "edited"
    try deleteRow("2")
    #expect(try count() == 4)
    #expect(try theirs.fetch(FetchDescriptor<Graph.Person>()).count == 4)
    theirs.rollback()
    #expect(try count() == 2)
  }

  @Test func nullifyEmptiesLinksThatTheContextDoesNotKnow() throws {
    let person = Graph.Person("a")
    mine.insert(person)
    try mine.save()
    #expect(person.passport == nil)
    let passport = Graph.Passport(1)
    theirs.insert(passport)
    passport.holder = try only(Graph.Person.self, in: theirs)
    try theirs.save()
    mine.delete(person)
    try mine.save()
    #expect(try count("SELECT count(*) FROM ZPASSPORT WHERE ZHOLDER IS NULL") == 1)
  }

  @Test func denyCountsMembersThatTheContextDoesNotKnow() throws {
    let project = Graph.Project("p")
    mine.insert(project)
    try mine.save()
    #expect(project.tickets.isEmpty)
    let ticket = Graph.Ticket("t")
    theirs.insert(ticket)
    ticket.project = try only(Graph.Project.self, in: theirs)
    try theirs.save()
    mine.delete(project)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try mine.save() }
    #expect(error?.description.contains(ticket.persistentModelID.description) == true)
    #expect(try count("SELECT count(*) FROM ZPROJECT") == 1)
    mine.rollback()
    _ = try mine.fetch(FetchDescriptor<Graph.Project>())
    #expect(!project.isDeleted && project.tickets.count == 1)
  }

  @Test func denyForgetsMembersThatOthersTookAway() throws {
    let project = Graph.Project("p")
    project.tickets = [Graph.Ticket("t")]
    mine.insert(project)
    try mine.save()
    #expect(project.tickets.count == 1)
    theirs.delete(try only(Graph.Ticket.self, in: theirs))
    try theirs.save()
    mine.delete(project)
    try mine.save()
    #expect(try count("SELECT count(*) FROM ZPROJECT") == 0)
  }

  @Test func aLinkToARowThatIsGoneBecomesNil() throws {
    let parent = Graph.Parent("p")
    mine.insert(parent)
    try mine.save()
    theirs.delete(try only(Graph.Parent.self, in: theirs))
    try theirs.save()
    let child = Graph.Child("c", parent: parent)
    mine.insert(child)
    try mine.save()
    #expect(child.parent == nil && parent.isDeleted)
    #expect(try count("SELECT count(*) FROM ZCHILD WHERE ZPARENT IS NULL") == 1)
  }

  @Test func aChangedLinkToARowThatIsGoneIsNamed() throws {
    let (parent, child) = (Graph.Parent("p"), Graph.Child("c"))
    mine.insert(parent)
    mine.insert(child)
    try mine.save()
    theirs.delete(try only(Graph.Parent.self, in: theirs))
    try theirs.save()
    child.parent = parent
    #expect(try discarded(by: mine) { try mine.save() } == [["parent"]])
    #expect(try count("SELECT count(*) FROM ZCHILD WHERE ZPARENT IS NULL") == 1)
  }

  @Test func aRequiredLinkToARowThatIsGoneIsRefused() throws {
    let child = Graph.Child("c")
    mine.insert(child)
    try mine.save()
    theirs.delete(try only(Graph.Child.self, in: theirs))
    try theirs.save()
    let toy = Graph.Toy("t", owner: child)
    mine.insert(toy)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try mine.save() }
    #expect(error?.description.contains(toy.persistentModelID.description) == true)
    #expect(error?.description.contains(child.persistentModelID.description) == true)
    #expect(try count("SELECT count(*) FROM ZTOY") == 0)
    toy.owner = Graph.Child("other")
    try mine.save()
    #expect(try count("SELECT count(*) FROM ZTOY") == 1)
  }

  @Test func aPairWithARowThatIsGoneIsNotWritten() throws {
    let (student, course) = (Graph.Student("s"), Graph.Course("c"))
    mine.insert(student)
    mine.insert(course)
    try mine.save()
    theirs.delete(try only(Graph.Course.self, in: theirs))
    try theirs.save()
    student.courses.append(course)
    try mine.save()
    #expect(student.courses.isEmpty)
    #expect(try count("SELECT count(*) FROM Z_2STUDENTS") == 0)
  }

  @Test func aOneToOneHasOneOwnerWhoeverSavesLast() throws {
    let people = ["a", "b"].map(Graph.Person.init)
    let passport = Graph.Passport(1)
    for person in people { mine.insert(person) }
    mine.insert(passport)
    try mine.save()
    let other = try only(Graph.Passport.self, in: theirs)
    let second = try #require(
      try theirs.fetch(FetchDescriptor<Graph.Person>(predicate: #Predicate { $0.name == "b" }))
        .first)
    #expect(other.holder == nil && second.passport == nil)
    people[0].passport = passport
    try mine.save()
    second.passport = other
    let overwritten = try discarded(by: theirs) { try theirs.save() }
    #expect(overwritten == [["passport"]])
    #expect(try count("SELECT count(*) FROM ZPERSON WHERE ZPASSPORT IS NOT NULL") == 1)
    #expect(try count("SELECT count(*) FROM ZPASSPORT WHERE ZHOLDER = 2") == 1)
    #expect(try count("SELECT count(*) FROM ZPERSON WHERE ZPASSPORT = 1 AND Z_PK = 2") == 1)
  }

  @Test func aOneToOneOfTwoContextsHasOneOwner() throws {
    let people = ["a", "b"].map(Graph.Person.init)
    let passport = Graph.Passport(1)
    for person in people { mine.insert(person) }
    mine.insert(passport)
    try mine.save()
    let sibling = ModelContext(mine.container)
    let other = try only(Graph.Passport.self, in: sibling)
    let second = try #require(
      try sibling.fetch(FetchDescriptor<Graph.Person>(predicate: #Predicate { $0.name == "b" }))
        .first)
    people[0].passport = passport
    second.passport = other
    try mine.save()
    try sibling.save()
    #expect(try count("SELECT count(*) FROM ZPERSON WHERE ZPASSPORT IS NOT NULL") == 1)
    mine.processPendingChanges()
    #expect(people[0].passport == nil && passport.holder === people[1])
    #expect(second.passport === other)
  }

  @Test func bothEndsAgreeAfterASwap() throws {
    let people = ["a", "b"].map(Graph.Person.init)
    let passports = [1, 2].map(Graph.Passport.init)
    for (person, passport) in zip(people, passports) {
      person.passport = passport
      mine.insert(person)
    }
    try mine.save()
    (people[0].passport, people[1].passport) = (passports[1], passports[0])
    try mine.save()
    let agreeing = """
      SELECT count(*) FROM ZPERSON JOIN ZPASSPORT ON ZPERSON.ZPASSPORT = ZPASSPORT.Z_PK
      AND ZPASSPORT.ZHOLDER = ZPERSON.Z_PK WHERE ZPERSON.Z_PK <> ZPASSPORT.ZNUMBER
      """
    #expect(try count(agreeing) == 2)
    people[0].passport = nil
    try mine.save()
    #expect(try count("SELECT count(*) FROM ZPASSPORT WHERE ZHOLDER IS NULL") == 1)
    #expect(people[1].passport === passports[0] && passports[1].holder == nil)
  }

  @Test func racingDeletionsAndInsertionsLeaveNoOrphan() async throws {
    let container = mine.container
    for index in 0..<200 { mine.insert(Graph.Parent("\(index)")) }
    try mine.save()
    async let deletions: Void = {
      let context = ModelContext(container)
      for parent in try context.fetch(FetchDescriptor<Graph.Parent>()) {
        context.delete(parent)
        try context.save()
      }
    }()
    async let insertions: Void = {
      let context = ModelContext(container)
      for parent in try context.fetch(FetchDescriptor<Graph.Parent>()) {
        context.insert(Graph.Toy("t", owner: Graph.Child("c", parent: parent)))
        try context.save()
      }
    }()
    _ = try await (deletions, insertions)
    let orphans = "WHERE ZPARENT IS NOT NULL AND ZPARENT NOT IN (SELECT Z_PK FROM ZPARENT)"
    #expect(try count("SELECT count(*) FROM ZCHILD \(orphans)") == 0)
    #expect(
      try count("SELECT count(*) FROM ZTOY WHERE ZOWNER NOT IN (SELECT Z_PK FROM ZCHILD)") == 0)
  }

  @Test func aCascadedModelThatWasNeverReadKeepsItsValues() throws {
    let parent = Graph.Parent("p")
    parent.children = [Graph.Child("seen")]
    mine.insert(parent)
    try mine.save()
    let fresh = ModelContext(mine.container)
    let child = try #require(
      fresh.model(for: parent.children[0].persistentModelID) as? Graph.Child)
    let owner = try only(Graph.Parent.self, in: fresh)
    fresh.delete(owner)
    try fresh.save()
    #expect(child.isDeleted && child.name == "seen")
  }

  @Test func theNotificationOfASaveHasTheChangesOfDeleteRules() throws {
    let (parent, child) = (Graph.Parent("p"), Graph.Child("c"))
    parent.children = [child]
    let (person, passport) = (Graph.Person("a"), Graph.Passport(1))
    person.passport = passport
    for model: any PersistentModel in [parent, person] { mine.insert(model) }
    try mine.save()
    nonisolated(unsafe) var deleted: [PersistentIdentifier] = []
    nonisolated(unsafe) var updated: [PersistentIdentifier] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: mine, queue: nil
    ) { note in
      deleted += note.userInfo?["deleted"] as? [PersistentIdentifier] ?? []
      updated += note.userInfo?["updated"] as? [PersistentIdentifier] ?? []
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    mine.delete(parent)
    mine.delete(person)
    try mine.save()
    #expect(
      Set(deleted) == [
        parent.persistentModelID, child.persistentModelID, person.persistentModelID,
      ])
    #expect(updated == [passport.persistentModelID])
    #expect(child.isDeleted && passport.holder == nil && !passport.hasChanges)
  }
}
