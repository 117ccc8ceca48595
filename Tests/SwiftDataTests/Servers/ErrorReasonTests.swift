import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// Each way in which a request can fail has a reason, and a message that is safe to show.
@Suite struct ErrorReasonTests {
  private typealias Person = Office.Person
  private typealias Desk = Office.Desk

  /// What no public message may contain.
  private static let secrets = [
    "/", "SELECT", "INSERT", "UPDATE", "ZPERSON", "x-coredata", "secret", "p1", ".store",
  ]

  /// The error of `body`, after a check of its public message.
  private func failure(_ body: () throws -> Void) throws -> SwiftDataError {
    let thrown = thrownError(body)
    let error = try #require(thrown)
    check(error)
    return error
  }

  private func check(_ error: SwiftDataError) {
    let message = error.publicMessage
    #expect(message.hasSuffix(".") && message.first?.isUppercase == true, "\(message)")
    for secret in ErrorReasonTests.secrets {
      #expect(!message.contains(secret), "\(message) has \(secret): \(error)")
    }
  }

  private func person(_ context: ModelContext) throws -> Person {
    let person = Person(email: "secret@office.example")
    context.insert(person)
    try context.save()
    return person
  }

  @Test func reasonsAreCompared() throws {
    let identifier = try person(ModelContext(Office.container())).persistentModelID
    #expect(SwiftDataError.Reason.busy == .busy && SwiftDataError.Reason.busy != .timedOut)
    #expect(SwiftDataError.Reason.notFound([identifier]) == .notFound([identifier]))
    #expect(SwiftDataError.Reason.notFound([identifier]) != .notFound([]))
    #expect(
      SwiftDataError.Reason.invalidValue(entity: "A", property: "b")
        != .invalidValue(entity: "A", property: nil))
  }

  @Test func aUniqueValueOfAChangedModel() throws {
    let context = ModelContext(try Office.container())
    let holder = try person(context)
    let other = Person(email: "b")
    context.insert(other)
    try context.save()
    other.email = holder.email
    let error = try failure { try context.save() }
    guard case .uniqueValueTaken("Person", ["email"], let found) = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
    #expect(found == holder.persistentModelID)
    #expect(error.publicMessage == "Another Person already has this email.")
  }

  @Test func aUniqueCombinationOfANewModel() throws {
    let context = ModelContext(try Office.container())
    context.insert(Desk(room: "secret", number: 1))
    try context.save()
    context.uniquenessPolicy = .refuse
    context.insert(Desk(room: "secret", number: 1))
    let error = try failure { try context.save() }
    guard case .uniqueValueTaken("Desk", ["room", "number"], .some) = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
    #expect(error.publicMessage == "Another Desk already has this combination of room and number.")
  }

  @Test func twoChangedModelsOfOneSave() throws {
    let context = ModelContext(try Office.container())
    let (one, two) = (Person(email: "a"), Person(email: "b"))
    context.insert(one)
    context.insert(two)
    try context.save()
    one.email = "secret"
    two.email = "secret"
    let error = try failure { try context.save() }
    guard case .uniqueValueTaken("Person", ["email"], _) = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
  }

  @Test func aDeniedDeletion() throws {
    let context = ModelContext(try Office.container())
    let owner = try person(context)
    owner.desks = [Desk(room: "secret", number: 1)]
    try context.save()
    context.delete(owner)
    let error = try failure { try context.save() }
    guard case .deletionDenied("Person", "desks") = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
    context.rollback()
    let batch = try failure {
      try context.delete(model: Person.self, where: #Predicate { $0.name == "" })
    }
    guard case .deletionDenied("Person", "desks") = batch.reason else {
      Issue.record("\(batch.reason)")
      return
    }
  }

  @Test func aDeletionThatWouldEmptyARequiredRelationship() throws {
    let context = ModelContext(try Office.container())
    let customer = Office.Customer(name: "secret")
    context.insert(Office.Invoice(due: .now, customer: customer))
    try context.save()
    context.delete(customer)
    let error = try failure { try context.save() }
    guard case .deletionDenied("Invoice", "customer") = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
  }

  @Test func numbersOfMembers() throws {
    let context = ModelContext(try Office.container())
    let team = Office.Team(name: "secret", members: [])
    context.insert(team)
    let few = try failure { try context.save() }
    guard case .tooFewMembers("Team", "members", 1, 0) = few.reason else {
      Issue.record("\(few.reason)")
      return
    }
    #expect(few.publicMessage == "The Team has 0 members, and needs at least 1.")
    team.members = (0..<2).map { Office.Member(name: "\($0)") }
    try context.save()
    team.members.append(Office.Member(name: "secret"))
    let many = try failure { try context.save() }
    guard case .tooManyMembers("Team", "members", 2, 3) = many.reason else {
      Issue.record("\(many.reason)")
      return
    }
  }

  @Test func aDateThatIsNoNumber() throws {
    let context = ModelContext(try Office.container())
    let invoice = Office.Invoice(
      due: Date(timeIntervalSinceReferenceDate: .nan), customer: Office.Customer(name: "secret"))
    context.insert(invoice)
    let error = try failure { try context.save() }
    guard case .invalidValue("Invoice", "due") = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
  }

  @Test func severalFailuresOfOneSave() throws {
    let context = ModelContext(try Office.container())
    context.insert(Office.Team(name: "secret", members: []))
    context.insert(
      Office.Invoice(
        due: Date(timeIntervalSinceReferenceDate: .nan), customer: Office.Customer(name: "secret")))
    let error = try failure { try context.save() }
    #expect(error.failures.count == 2)
    #expect(error.publicMessage.contains("needs at least 1."))
    #expect(error.publicMessage.contains("due of Invoice is not valid."))
    let single = SwiftDataError.saveConflict
    #expect(single.failures.count == 1 && single.failures.first == single)
  }

  @Test func aConflict() throws {
    let container = try Office.container()
    let (first, second) = (ModelContext(container), ModelContext(container))
    let mine = try person(first)
    let theirs = try second.existingModel(Person.self, for: mine.persistentModelID)
    first.conflictPolicy = .refuse
    _ = mine.name
    theirs.name = "secret"
    mine.name = "mine"
    try second.save()
    let error = try failure { try first.save() }
    guard case .conflict(let conflicts) = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
    #expect(conflicts.first?.identifier == mine.persistentModelID)
    #expect(conflicts.first?.properties.map(\.name) == ["name"])
    #expect(!error.reason.isTransient)
  }

  @Test func aRowThatIsGone() throws {
    let container = try Office.container()
    let context = ModelContext(container)
    let gone = try person(context)
    let identifier = gone.persistentModelID
    let other = ModelContext(container)
    other.delete(try other.existingModel(Person.self, for: identifier))
    try other.save()
    let error = try failure { _ = try context.existingModel(Person.self, for: identifier) }
    guard case .notFound([identifier]) = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
    #expect(error.publicMessage == "The Person does not exist, or was deleted.")
    check(DeletedRows([identifier]).error)
  }

  @Test func aReadOnlyStore() throws {
    let folder = try TemporaryFolder()
    try Office.fill(folder.store, people: 1)
    let container = try ModelContainer(
      for: Schema(Office.types),
      configurations: ModelConfiguration(url: folder.store, allowsSave: false))
    let context = ModelContext(container)
    context.insert(Person(email: "secret"))
    let error = try failure { try context.save() }
    guard case .readOnly = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
  }

  @Test func anotherWriter() throws {
    let folder = try TemporaryFolder()
    let container = try Office.container(folder.store) { $0.sqlite.busyTimeout = .milliseconds(50) }
    let blocker = try Connection(path: folder.store.path)
    try blocker.begin(.immediate)
    let context = ModelContext(container)
    context.insert(Person(email: "secret"))
    let error = try failure { try context.save() }
    guard case .busy = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
    #expect(error.reason.isTransient)
    blocker.rollback()
    try context.save()
  }

  @Test(
    arguments: [
      (ResultCode.full, "diskFull"), (.corrupt, "storeDamaged"), (.notADatabase, "storeDamaged"),
      (.inputOutput, "unavailable"), (.busy, "busy"), (.interrupted, "cancelled"),
      (.readOnly, "readOnly"), (.cannotOpen, "unavailable"), (.schemaChanged, "schemaMismatch"),
      (.tooBig, "invalidValue"), (.error, "other"),
    ] as [(ResultCode, String)])
  func failuresOfTheDatabase(_ code: ResultCode, _ name: String) throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(try Office.container(folder.store))
    context.insert(Person(email: "secret"))
    if FailureInjector.isAvailable {
      let error = try failure {
        try FailureInjector(failingAt: 3, code).run { try context.save() }
      }
      #expect("\(error.reason)".hasPrefix(name), "\(error)")
      try context.save()
    }
    let reading = SwiftDataError.storeWriteFailure.with(
      "At /secret.", because: SwiftDataError.Reason(SQLiteError(code, message: "secret")))
    check(reading)
    #expect("\(reading.reason)".hasPrefix(name))
  }

  /// Trying again does not help before somebody has changed the permissions.
  @Test func aFolderThatAllowsNoNewFileIsReadOnly() {
    var error = SQLiteError(.cannotOpen, message: "the directory is not writable")
    error.isDenied = true
    #expect(SwiftDataError.Reason(error) == .readOnly)
  }

  @Test func filesThatAreNoStores() throws {
    let folder = try TemporaryFolder()
    try Data(repeating: 7, count: 5000).write(to: folder.store)
    let error = try failure { _ = try Office.container(folder.store) }
    guard case .storeDamaged = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
  }

  @Test func filesOfOtherModels() throws {
    let folder = try TemporaryFolder()
    try Office.fill(folder.store, people: 1)
    let error = try failure {
      var configuration = ModelConfiguration(url: folder.store)
      configuration.allowsMigration = false
      _ = try ModelContainer(
        for: Office.Member.self, Office.Other.self, configurations: configuration)
    }
    guard case .schemaMismatch = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
    // The differences, and the way to see all of them.
    #expect(error.description.contains("Differences: "))
    for text in ["the model Other is new", "migrationPreview"] {
      #expect(error.description.contains(text))
    }
  }

  @Test func mistakesOfTheProgram() throws {
    let container = try Office.container()
    let (one, two) = (ModelContext(container), ModelContext(container))
    let desk = Desk(room: "secret", number: 1)
    one.insert(desk)
    let person = Person(email: "secret")
    two.insert(person)
    person.desks = [desk]
    let foreign = try failure { try two.save() }
    guard case .invalidRequest = foreign.reason else {
      Issue.record("\(foreign.reason)")
      return
    }
    let snapshot = try failure {
      try one.snapshot { try one.save() }
    }
    guard case .invalidRequest = snapshot.reason else {
      Issue.record("\(snapshot.reason)")
      return
    }
    let unknown = try failure { _ = try one.fetch(FetchDescriptor<Office.Other>()) }
    guard case .invalidRequest = unknown.reason else {
      Issue.record("\(unknown.reason)")
      return
    }
  }

  @Test(arguments: SwiftDataError.Kind.allCases)
  func noPublicMessageRepeatsTheDetails(_ kind: SwiftDataError.Kind) {
    let failure = SwiftDataError.DatabaseFailure(
      name: "SQLITE_ERROR", code: 1, extendedCode: 1, message: "secret", sql: "SELECT secret",
      path: "/secret.store", sentence: "secret")
    check(
      SwiftDataError(kind).with(
        "secret /secret.store SELECT", doing: "SELECT", entity: "Person", property: "name",
        underlying: failure))
  }
}

extension Office {
  @Model
  final class Other {
    var name: String

    init(name: String) { self.name = name }
  }
}
