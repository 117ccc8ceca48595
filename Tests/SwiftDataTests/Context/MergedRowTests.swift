import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// New models that a save merges with rows, together with rules that change the same rows.
@Suite(.databases) struct MergedRowTests {
  @Model final class Squad {
    @Attribute(.unique) var name: String
    @Relationship(minimumModelCount: 2, maximumModelCount: 4, inverse: \Player.squad)
    var players: [Player] = []
    @Relationship(inverse: \Captain.squads) var captain: Captain?

    init(_ name: String, _ players: [Player], captain: Captain? = nil) {
      self.name = name
      self.players = players
      self.captain = captain
    }
  }

  @Model final class Player {
    var squad: Squad?
    var club: Club?

    init() {}
  }

  @Model final class Club {
    @Relationship(deleteRule: .cascade, inverse: \Player.club) var players: [Player] = []

    init(_ players: [Player]) { self.players = players }
  }

  @Model final class Captain {
    var name: String
    var squads: [Squad] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Album {
    @Relationship(deleteRule: .cascade) var labels: [Label] = []

    init() {}
  }

  @Model final class Shelf {
    @Relationship(deleteRule: .cascade, inverse: \Label.shelves) var labels: [Label] = []

    init() {}
  }

  @Model final class Poster {
    @Relationship(minimumModelCount: 2) var labels: [Label] = []

    init(_ labels: [Label]) { self.labels = labels }
  }

  @Model final class Label {
    @Attribute(.unique) var name: String
    var shelves: [Shelf] = []

    init(_ name: String) { self.name = name }
  }

  @Model final class Customer {
    @Relationship(deleteRule: .cascade, inverse: \Order.customer) var orders: [Order] = []

    init() {}
  }

  @Model final class Order {
    var customer: Customer?
    @Relationship(deleteRule: .cascade) var invoice: Invoice?
    @Relationship(deleteRule: .cascade, inverse: \Item.order) var items: [Item] = []

    init(customer: Customer? = nil, invoice: Invoice? = nil) {
      self.customer = customer
      self.invoice = invoice
    }
  }

  @Model final class Item {
    var order: Order?
    @Relationship(deleteRule: .cascade) var labels: [Label] = []

    init() {}
  }

  @Model final class Invoice {
    @Attribute(.unique) var number: Int
    @Relationship(deleteRule: .cascade) var labels: [Label] = []

    init(_ number: Int) { self.number = number }
  }

  @Model final class Show {
    @Relationship(deleteRule: .cascade, inverse: \Ticket.show) var tickets: [Ticket] = []

    init() {}
  }

  @Model final class Ticket {
    #Unique<Ticket>([\.seat], [\.receipt])
    var seat: Seat?
    @Relationship(deleteRule: .cascade) var receipt: Receipt?
    var show: Show?

    init(_ seat: Seat, receipt: Receipt? = nil, show: Show? = nil) {
      self.seat = seat
      self.receipt = receipt
      self.show = show
    }
  }

  @Model final class Seat {
    init() {}
  }

  @Model final class Receipt {
    init() {}
  }

  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Squad.self, Player.self, Club.self, Captain.self, Album.self, Shelf.self,
      Label.self, Poster.self, Customer.self, Order.self, Item.self, Invoice.self, Show.self,
      Ticket.self, Seat.self, Receipt.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
  }

  private func players(_ count: Int) -> [Player] { (0..<count).map { _ in Player() } }

  @Test func membersOfNewModelsThatBecomeOneRowAreCounted() throws {
    context.insert(Squad("a", players(3)))
    context.insert(Squad("a", players(2)))
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.property == "players")
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Player>()) == 0)
    context.rollback()
    for _ in 0..<2 { context.insert(Squad("a", players(2))) }
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Squad>()).map(\.players.count) == [4])
  }

  @Test(arguments: [[["a", "a"]], [["a", "b"], ["b", "c"]]])
  func newMembersThatBecomeOneRowCountOnce(_ names: [[String]]) throws {
    for names in names { context.insert(Poster(names.map(Label.init))) }
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.property == "labels")
    context.rollback()
    #expect(try context.count(Poster.self) == 0 && context.count(Label.self) == 0)
    context.insert(Label("a"))
    try context.save()
    context.insert(Poster([Label("a"), Label("b")]))
    try context.save()
    #expect(try context.stored(Poster.self).map(\.labels.count) == [2])
  }

  @Test(.sqliteOnly("asks the default store"))
  func membersAreCountedBesideMergedModelsOfTheirClassOnly() throws {
    context.insert(Invoice(1))
    context.insert(Label("a"))
    try context.save()
    let store = try #require(container.stores.first as? DefaultStore)
    func counts() throws -> Int {
      var found: [String] = []
      try store.pool.write { $0.trace { found.append($0.sql) } }
      try context.save()
      try store.pool.write { $0.trace(nil) }
      return found.filter { $0.hasPrefix("SELECT count(*)") && !$0.contains(" IN ") }.count
    }
    context.insert(Invoice(1))
    for name in ["b", "d"] { context.insert(Poster([Label(name), Label(name + "'")])) }
    #expect(try counts() == 0)
    context.insert(Poster([Label("a"), Label("c")]))
    #expect(try counts() > 0)
    #expect(try context.count(Invoice.self) == 1 && context.count(Label.self) == 6)
  }

  @Test func membersThatACascadeDeletesDoNotCount() throws {
    let members = players(2)
    let club = Club([members[0]])
    context.insert(club)
    try context.save()
    context.insert(Squad("a", members))
    context.delete(club)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.property == "players")
    members[1].squad?.players += players(1)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Player>()) == 2)
  }

  @Test(arguments: [false, true])
  func aMergedModelShowsTheLinkThatReplacesADeletedModel(isLoaded: Bool) throws {
    let first = Captain("first")
    context.insert(Squad("a", players(2), captain: first))
    try context.save()
    let other = ModelContext(container)
    let old = try #require(
      try other.fetch(FetchDescriptor<Captain>(predicate: #Predicate { $0.name == "first" })).first)
    let loaded = isLoaded ? try other.fetch(FetchDescriptor<Squad>()) : []
    #expect(loaded.allSatisfy { $0.captain === old })
    other.delete(old)
    let merged = Squad("a", players(2), captain: Captain("second"))
    other.insert(merged)
    try other.save()
    #expect(merged.captain?.name == "second")
    #expect(loaded.allSatisfy { $0.captain?.name == "second" })
    let stored = try #require(try ModelContext(container).fetch(FetchDescriptor<Squad>()).first)
    #expect(stored.captain?.name == "second")
  }

  /// A new model that is deleted at once does not delete the stored one with its unique value.
  @Test func aStoredModelIsNotDeletedInPlaceOfANewMember() throws {
    context.insert(Label("a"))
    let (album, shelf) = (Album(), Shelf())
    context.insert(album)
    context.insert(shelf)
    try context.save()
    album.labels.append(Label("a"))
    context.delete(album)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Label>()) == 1)
    shelf.labels.append(Label("a"))
    context.delete(shelf)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Label>()) == 1)
  }

  @Test func aStoredModelIsNotDeletedInPlaceOfTheModelOfANewMember() throws {
    let (customer, other) = (Customer(), Order(invoice: Invoice(42)))
    context.insert(customer)
    context.insert(other)
    try context.save()
    context.insert(Order(customer: customer, invoice: Invoice(42)))
    context.delete(customer)
    try context.save()
    #expect(other.invoice?.number == 42)
    let orders = try context.stored(Order.self)
    #expect(orders.map { $0.invoice?.number } == [42])
    #expect(try context.count(Invoice.self) == 1)
  }

  @Test func theNewModelOfADeletedOneIsNotStored() throws {
    let order = Order(invoice: Invoice(1))
    context.insert(order)
    try context.save()
    let (kept, new) = (order.invoice, Invoice(7))
    order.invoice = new
    context.delete(order)
    try context.save()
    #expect(new.modelContext == nil && kept?.modelContext === context)
    #expect(try context.stored(Invoice.self).map(\.number) == [1])
  }

  /// The save writes no unique relationship of a deleted model.
  @Test(arguments: [false, true])
  func theNewUniqueModelOfADeletedOneIsDeleted(insertsOther: Bool) throws {
    let (old, new) = (Receipt(), Receipt())
    let ticket = Ticket(Seat(), receipt: old)
    context.insert(ticket)
    context.insert(new)
    try context.save()
    ticket.receipt = new
    context.delete(ticket)
    if insertsOther { context.insert(Seat()) }
    try context.save()
    #expect(new.isDeleted && old.modelContext === context)
    #expect(try context.count(Receipt.self) == 1 && context.count(Ticket.self) == 0)
  }

  /// Only a new model leads from the deleted model to a stored one, whose new member is not stored.
  @Test func theNewMemberOfAStoredModelOfANewMemberReplacesNoStoredOne() throws {
    let (customer, invoice) = (Customer(), Invoice(5))
    context.insert(customer)
    context.insert(invoice)
    context.insert(Label("a"))
    try context.save()
    context.insert(Order(customer: customer, invoice: invoice))
    invoice.labels = [Label("a")]
    context.delete(customer)
    try context.save()
    #expect(invoice.isDeleted)
    #expect(try context.count(Invoice.self) == 0 && context.count(Order.self) == 0)
    #expect(try context.stored(Label.self).map(\.name) == ["a"])
  }

  /// The stored model is moved to the new one, and its new member is not stored.
  @Test func theNewMemberOfAMovedModelOfANewMemberReplacesNoStoredOne() throws {
    let (customer, item) = (Customer(), Item())
    context.insert(customer)
    context.insert(item)
    context.insert(Label("a"))
    try context.save()
    let order = Order(customer: customer)
    context.insert(order)
    item.order = order
    item.labels = [Label("a")]
    context.delete(customer)
    try context.save()
    #expect(item.isDeleted)
    #expect(try context.count(Item.self) == 0 && context.count(Order.self) == 0)
    #expect(try context.stored(Label.self).map(\.name) == ["a"])
  }

  @Test func newMembersOfADeletedModelMayHaveEqualUniqueRelationships() throws {
    let (show, seat, receipt) = (Show(), Seat(), Receipt())
    let stored = Ticket(seat)
    context.insert(stored)
    context.insert(show)
    context.insert(receipt)
    try context.save()
    for _ in 0..<2 { context.insert(Ticket(seat, receipt: receipt, show: show)) }
    context.delete(show)
    try context.save()
    #expect(stored.seat === seat)
    #expect(try context.count(Ticket.self) == 1 && context.count(Seat.self) == 1)
    // The rule applies to the relationship of the new models.
    #expect(receipt.isDeleted)
    #expect(try context.count(Receipt.self) == 0)
  }

  @Test func theDeletionOfAMergedModelIsDoneAgain() throws {
    context.insert(Squad("a", players(2)))
    try context.save()
    let undo = UndoManager()
    context.undoManager = undo
    let merged = Squad("a", players(2))
    context.insert(merged)
    try context.save()
    context.delete(merged)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Squad>()) == 0)
    undo.undo()
    #expect(try context.fetchCount(FetchDescriptor<Squad>()) == 1)
    undo.redo()
    #expect(try context.fetchCount(FetchDescriptor<Squad>()) == 0)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Squad>()) == 0)
  }
}
