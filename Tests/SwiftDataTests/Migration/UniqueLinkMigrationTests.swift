import Foundation
import SwiftData
import Testing

/// New uniqueness over a relationship.
@Suite struct UniqueLinkMigrationTests {
  private let store: MigratedStore

  init() throws { store = try MigratedStore() }

  enum Before {
    @Model final class Seat {
      var number: Int
      var room: Room?

      init(_ number: Int, _ room: Room?) { (self.number, self.room) = (number, room) }
    }
    @Model final class Room {
      var name: String
      @Relationship(inverse: \Seat.room) var seats: [Seat] = []

      init(_ name: String) { self.name = name }
    }
  }

  enum After {
    @Model final class Seat {
      #Unique<Seat>([\.number, \.room])
      var number: Int
      var room: Room?

      init(_ number: Int, _ room: Room?) { (self.number, self.room) = (number, room) }
    }
    @Model final class Room {
      var name: String
      @Relationship(inverse: \Seat.room) var seats: [Seat] = []

      init(_ name: String) { self.name = name }
    }
  }

  private static let after: [any PersistentModel.Type] = [After.Seat.self, After.Room.self]

  private func make(_ seats: [(number: Int, room: Int?)]) throws {
    try store.make([Before.Seat.self, Before.Room.self]) { context in
      let rooms = [Before.Room("a"), Before.Room("b")]
      for seat in seats { context.insert(Before.Seat(seat.number, seat.room.map { rooms[$0] })) }
    }
  }

  @Test(arguments: RelationshipMigrationTests.sizes)
  func itIsTakenOnWhereTheLinksAllowIt(_ size: Int64) throws {
    try make([(1, 0), (1, 1), (2, 0), (2, nil), (2, nil)])
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open(Self.after)
      let room = try #require(
        try context.fetch(FetchDescriptor<After.Room>(predicate: #Predicate { $0.name == "a" }))
          .first)
      context.insert(After.Seat(2, room))
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<After.Seat>()) == 5)
    }
  }

  @Test func linksThatRepeatAreInTheWay() throws {
    try make([(1, 0), (1, 0), (1, 1), (1, 0)])
    let text = try store.refusal(Self.after)
    #expect(text.contains("2 rows (p") && text.contains("room"), "\(text)")
  }
}
