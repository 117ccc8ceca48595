import Foundation
import SwiftData

/// One of the clients that write at the same time. Each step has a context of its own, and prints what
/// was committed.
struct Client {
  let container: ModelContainer
  let report: Report
  var random: SeededNumbers

  init(_ container: ModelContainer, _ report: Report, seed: UInt64) {
    self.container = container
    self.report = report
    random = SeededNumbers(state: seed)
  }

  static let accounts = 4
  static let tags = 40
  static let boxes = 3
  static let clubs = 3

  /// Inserts the models that all clients use.
  static func prepare(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    for number in 0..<accounts { context.insert(Account(number: number)) }
    for number in 0..<boxes { context.insert(Box(number: number)) }
    for number in 0..<clubs { context.insert(Club(number: number)) }
    try context.save()
  }

  mutating func step() {
    let work = Int.random(in: 0..<12, using: &random)
    let number = Int.random(in: 0..<1_000, using: &random)
    do {
      switch work {
      case 0: try incrementInTransaction(number % Client.accounts)
      case 1, 2: try incrementRefusingConflicts(number % Client.accounts)
      case 3, 4: try upsert("tag \(number % Client.tags)")
      case 5, 6: try addItem(number)
      case 7: try deleteOwner(number)
      case 8: try fillBox(number % Client.boxes)
      case 9: try emptyBox(number % Client.boxes)
      case 10: try join(number)
      default: try deletePerson(number)
      }
    } catch let error as SwiftDataError where error == .modelValidationFailure {
      // Rules of the models that another client made true in the meantime.
      report.print("refused \(work)")
    } catch {
      report.print("error \(work) \(String(describing: error).prefix(600))")
    }
  }

  private func account(_ number: Int, _ context: ModelContext) throws -> Account? {
    try context.fetch(FetchDescriptor<Account>(predicate: #Predicate { $0.number == number })).first
  }

  private func incrementInTransaction(_ number: Int) throws {
    let context = ModelContext(container)
    report.print("try \(number)")
    try context.transaction { try account(number, context)?.value += 1 }
    report.print("increment \(number)")
  }

  private func incrementRefusingConflicts(_ number: Int) throws {
    let context = ModelContext(container)
    context.conflictPolicy = .refuse
    report.print("try \(number)")
    for _ in 0..<1_000 {
      try account(number, context)?.value += 1
      do {
        try context.save()
        return report.print("increment \(number)")
      } catch let error as SwiftDataError where error == .saveConflict {
        context.rollback()
        Thread.sleep(forTimeInterval: .random(in: 0...0.02))
      }
    }
    report.print("error too many conflicts")
  }

  private func upsert(_ name: String) throws {
    let context = ModelContext(container)
    context.insert(Tag(name: name))
    try context.save()
    report.print("tag \(name)")
  }

  private func any<T: PersistentModel>(
    _ type: T.Type, _ number: Int, _ context: ModelContext
  ) throws -> T? {
    let count = try context.fetchCount(FetchDescriptor<T>())
    if count == 0 { return nil }
    var descriptor = FetchDescriptor<T>()
    descriptor.fetchOffset = number % count
    descriptor.fetchLimit = 1
    return try context.fetch(descriptor).first
  }

  private func addItem(_ number: Int) throws {
    let context = ModelContext(container)
    let owner = try any(Owner.self, number, context) ?? Owner(number: number)
    if number % 5 == 0 { context.insert(Owner(number: number)) }
    for index in 0..<3 {
      let item = Item(number: index)
      context.insert(item)
      item.owner = owner
    }
    try context.save()
  }

  private func deleteOwner(_ number: Int) throws {
    let context = ModelContext(container)
    guard let owner = try any(Owner.self, number, context) else { return }
    context.delete(owner)
    try context.save()
  }

  private func box(_ number: Int, _ context: ModelContext) throws -> Box? {
    try context.fetch(FetchDescriptor<Box>(predicate: #Predicate { $0.number == number })).first
  }

  private func fillBox(_ number: Int) throws {
    let context = ModelContext(container)
    guard let box = try box(number, context), box.marbles.count < 5 else { return }
    let marble = Marble()
    context.insert(marble)
    marble.box = box
    try context.save()
  }

  private func emptyBox(_ number: Int) throws {
    let context = ModelContext(container)
    guard let box = try box(number, context), let marble = box.marbles.first else { return }
    context.delete(marble)
    try context.save()
  }

  private func join(_ number: Int) throws {
    let context = ModelContext(container)
    let wanted = number % Client.clubs
    let club = try context.fetch(
      FetchDescriptor<Club>(predicate: #Predicate { $0.number == wanted })
    ).first
    let person = try any(Person.self, number, context)
    if let person { club?.people.append(person) }
    let new = Person(number: number)
    context.insert(new)
    club?.people.append(new)
    try context.save()
  }

  private func deletePerson(_ number: Int) throws {
    let context = ModelContext(container)
    guard let person = try any(Person.self, number, context) else { return }
    context.delete(person)
    try context.save()
  }
}

/// Random numbers that can be repeated.
struct SeededNumbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }
}
