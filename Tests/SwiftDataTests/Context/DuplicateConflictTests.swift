import Foundation
import SwiftData
import Testing

/// Conflicts of a row that an upsert has given two instances.
@Suite(.databases) struct DuplicateConflictTests {
  typealias Maker = Upserting.Maker

  private let context: ModelContext
  private let first: Maker
  private let second: Maker

  init() throws {
    context = try Upserting.context()
    first = Maker("a", "one")
    context.insert(first)
    try context.save()
    second = Maker("a", "two")
    context.insert(second)
    try context.save()
    context.conflictPolicy = .refuse
  }

  private func theirs(_ edit: (Maker, ModelContext) throws -> Void) throws {
    let other = ModelContext(context.container)
    try edit(try #require(try other.fetch(FetchDescriptor<Maker>()).first), other)
    try other.save()
  }

  private func refusedConflicts() -> [SaveConflict] {
    let error = #expect(throws: SwiftDataError.saveConflict) { try context.save() }
    return error?.conflicts ?? []
  }

  @Test(arguments: [false, true])
  func aChangedRowIsOneConflict(isFirst: Bool) throws {
    first.rank = 2
    second.rank = 3
    (isFirst ? first : second).title = "mine"
    try theirs { maker, _ in maker.title = "theirs" }
    let conflicts = refusedConflicts()
    #expect(conflicts.map(\.identifier) == [first.persistentModelID])
    let property = try #require(conflicts.first?.properties.first)
    #expect(conflicts.first?.properties.count == 1 && property.name == "title")
    #expect(property.storedValue as? String == "theirs")
    #expect(property.isChanged && property.unsavedValue as? String == "mine")
  }

  @Test func aDeletedRowIsOneConflict() throws {
    first.title = "mine"
    second.rank = 3
    try theirs { maker, other in other.delete(maker) }
    let conflicts = refusedConflicts()
    #expect(conflicts.map(\.isDeleted) == [true])
  }
}
