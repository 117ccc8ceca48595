import Foundation
import SwiftData
import Testing

/// One-to-one relationships of a row with two instances, which an upsert has left: the last edit of either is stored.
@Suite(.databases) struct SecondInstanceLinkTests {
  @Model final class Ticket {
    @Attribute(.unique) var code: String
    var price = 0
    var guest: Guest?

    init(_ code: String) { self.code = code }
  }

  @Model final class Guest {
    var name: String
    @Relationship(inverse: \Ticket.guest) var ticket: Ticket?

    init(_ name: String) { self.name = name }
  }

  /// The instance with an earlier edit is saved first.
  enum Edits: CaseIterable {
    case bothTickets, bothTicketsReversed, ticketThenGuest, bothFromGuest, guestOfStoredTicket
  }

  private let context: ModelContext
  private let first: Ticket
  private let second: Ticket
  private let ann = Guest("ann")
  private let bob = Guest("bob")

  init() throws {
    context = ModelContext(
      try ModelContainer(
        for: Ticket.self, Guest.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    first = Ticket("a")
    context.insert(first)
    context.insert(ann)
    context.insert(bob)
    try context.save()
    second = Ticket("a")
    context.insert(second)
    try context.save()
    try #require(first.persistentModelID == second.persistentModelID)
  }

  /// Gives the row to `ann`.
  /// - Returns: The instance that was edited last.
  private func apply(_ edits: Edits) throws -> Ticket {
    switch edits {
    case .bothTickets:
      second.price = 1
      first.guest = ann
      second.guest = ann
    case .bothTicketsReversed:
      first.price = 1
      second.guest = ann
      first.guest = ann
      return first
    case .ticketThenGuest:
      second.price = 1
      first.guest = ann
      ann.ticket = second
    case .bothFromGuest:
      second.price = 1
      ann.ticket = first
      ann.ticket = second
    case .guestOfStoredTicket:
      first.guest = ann
      try context.save()
      second.price = 1
      ann.ticket = second
    }
    return second
  }

  /// The names of the guests with a ticket, and of the guest of each ticket.
  private func stored() throws -> [String?] {
    let other = ModelContext(context.container)
    let seated = try other.fetch(FetchDescriptor<Guest>(sortBy: [SortDescriptor(\.name)]))
      .filter { $0.ticket != nil }
    return seated.map(\.name) + (try other.fetch(FetchDescriptor<Ticket>()).map(\.guest?.name))
  }

  @Test(arguments: Edits.allCases)
  func aLinkThatBothInstancesGetIsStored(_ edits: Edits) throws {
    let last = try apply(edits)
    #expect(last.guest === ann && ann.ticket === last)
    try context.save()
    #expect(try stored() == ["ann", "ann"])
    #expect(first.guest === ann && second.guest === ann && ann.ticket?.code == "a")
    #expect(!context.hasChanges)
  }

  @Test(arguments: Edits.allCases)
  func theEarlierEditOfTheOtherInstanceIsNotStored(_ edits: Edits) throws {
    let last = try apply(edits)
    last.guest = bob
    #expect(ann.ticket == nil && bob.ticket === last)
    try context.save()
    #expect(try stored() == ["bob", "bob"])
    #expect(first.guest === bob && second.guest === bob)
  }

  @Test(arguments: Edits.allCases)
  func theLinkCanBeRemovedAgain(_ edits: Edits) throws {
    _ = try apply(edits)
    ann.ticket = nil
    try context.save()
    #expect(try stored() == [nil])
    #expect(first.guest == nil && second.guest == nil)
  }

  @Test(arguments: Edits.allCases)
  func aRollbackTakesBackTheEditsOfBoth(_ edits: Edits) throws {
    _ = try apply(edits)
    context.rollback()
    let expected = edits == .guestOfStoredTicket ? ann : nil
    #expect(first.guest === expected && second.guest === expected)
    #expect((ann.ticket == nil) == (expected == nil) && second.price == 0)
    try context.save()
    #expect(try stored() == (expected == nil ? [nil] : ["ann", "ann"]))
  }

  /// Its other edits stay.
  @Test func onlyTheEditOfTheLinkIsTakenBack() throws {
    first.price = 7
    first.guest = ann
    second.guest = ann
    try context.save()
    #expect(first.price == 7 && second.price == 7)
    #expect(try stored() == ["ann", "ann"])
  }

  @Test func anUndoGivesTheLinkBackToTheOtherInstance() throws {
    context.undoManager = UndoManager()
    first.guest = ann
    context.processPendingChanges()
    second.guest = ann
    context.processPendingChanges()
    context.undoManager?.undo()
    #expect(ann.ticket === first && first.guest === ann && second.guest == nil)
    context.undoManager?.redo()
    #expect(ann.ticket === second && second.guest === ann)
    try context.save()
    #expect(try stored() == ["ann", "ann"])
  }
}
