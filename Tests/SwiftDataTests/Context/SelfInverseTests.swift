import Foundation
import SwiftData
import Testing

/// One-to-one relationships that are their own inverse, with upserts.
@Suite(.databases) struct SelfInverseTests {
  /// The key path of a relationship can't be written in its own declaration.
  enum Friends {
    nonisolated(unsafe) static let friend: AnyKeyPath = \Friend.friend
  }

  @Model final class Friend {
    @Attribute(.unique) var name: Int
    @Relationship(inverse: Friends.friend) var friend: Friend?

    init(_ name: Int) { self.name = name }
  }

  private func context() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Friend.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  /// The stored models by name, whose links have to lead back.
  private func stored(by context: ModelContext) throws -> [Friend] {
    let stored = try context.stored(Friend.self).sorted { $0.name < $1.name }
    for friend in stored {
      #expect(friend.friend.map { $0.friend === friend } ?? true, "\(friend.name)")
    }
    return stored
  }

  /// Each row has two models. The second one of each refers to the next row, so no two links go together.
  @Test(
    arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]], [false, true])
  func theLastLinkOfACircleWins(order: [Int], firstAreStored isStored: Bool) throws {
    let context = try context()
    let first = (0..<3).map(Friend.init)
    for friend in first { context.insert(friend) }
    if isStored { try context.save() }
    var second: [Int: Friend] = [:]
    for name in order {
      let friend = Friend(name)
      context.insert(friend)
      friend.friend = first[(name + 1) % 3]
      second[name] = friend
    }
    try context.save()
    let stored = try stored(by: context)
    #expect(stored.map(\.name) == [0, 1, 2])
    #expect(stored[order[2]].friend?.name == (order[2] + 1) % 3)
    for friend in stored {
      let name = friend.friend?.name
      #expect(
        first[friend.name].friend?.name == name && second[friend.name]?.friend?.name == name)
    }
  }

  /// The instance that refers to the new model is written last.
  @Test func bothSidesAgreeIfTwoInstancesOfARowAreEdited() throws {
    let context = try context()
    let instances = [Friend(3), Friend(3)]
    for friend in instances { context.insert(friend) }
    try context.save()
    let new = Friend(1)
    context.insert(new)
    instances[1].friend = instances[0]
    instances[1].friend = new
    try context.save()
    let stored = try stored(by: context)
    #expect(stored.map(\.name) == [1, 3])
    let expected = stored.last?.friend?.name
    #expect(instances.map { $0.friend?.name } == [expected, expected])
    #expect(new.friend?.name == stored.first?.friend?.name)
  }
}
