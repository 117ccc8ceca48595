import Foundation
import SwiftData
import Testing

/// Models that lead to a deleted one over a relationship that has no inverse.
@Suite(.databases) struct RequiredReferrerTests {
  typealias Trip = Named.Trip

  @Model final class Ticket {
    var seat: Int
    @Relationship var trip: Trip

    init(_ seat: Int, _ trip: Trip) { (self.seat, self.trip) = (seat, trip) }
  }

  @Model final class Voucher {
    var code: Int
    @Relationship var trip: Trip?

    init(_ code: Int, _ trip: Trip) { (self.code, self.trip) = (code, trip) }
  }

  private let folder: TemporaryFolder
  private let context: ModelContext

  init() throws {
    folder = try TemporaryFolder()
    context = try RequiredReferrerTests.context(folder.store)
    let (rome, oslo) = (Trip("Rome"), Trip("Oslo"))
    context.insert(Ticket(1, rome))
    context.insert(Voucher(2, oslo))
    try context.save()
  }

  private static func context(_ url: URL) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Trip.self, Ticket.self, Voucher.self, configurations: ModelConfiguration(url: url)))
  }

  private func trip(_ name: String, in context: ModelContext) throws -> Trip {
    try #require(
      try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == name })).first)
  }

  /// Whether the ticket is in memory does not matter.
  @Test(arguments: [true, false]) func aRequiredOneKeepsTheModel(isOther: Bool) throws {
    let context = isOther ? try RequiredReferrerTests.context(folder.store) : context
    let rome = try trip("Rome", in: context)
    context.delete(rome)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    let text = error?.description ?? ""
    #expect(text.contains("\(rome.persistentModelID)") && text.contains(".cascade"))
    #expect(text.contains("Ticket") && error?.property == "trip")
    context.rollback()
    let ticket = try #require(try context.fetch(FetchDescriptor<Ticket>()).first)
    #expect(ticket.trip === rome && ticket.trip.name == "Rome")
    // With the ticket the trip goes.
    context.delete(ticket)
    context.delete(rome)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Ticket>()) == 0)
  }

  @Test(.sqliteOnly("reads the file"), arguments: [true, false]) func anOptionalOneIsEmptied(
    isOther: Bool
  ) throws {
    let other = isOther ? try RequiredReferrerTests.context(folder.store) : context
    other.delete(try trip("Oslo", in: other))
    try other.save()
    let fresh = try RequiredReferrerTests.context(folder.store)
    let voucher = try #require(try fresh.fetch(FetchDescriptor<Voucher>()).first)
    #expect(voucher.trip == nil)
    let isNull = FetchDescriptor<Voucher>(predicate: #Predicate { $0.trip == nil })
    #expect(try fresh.fetchCount(isNull) == 1)
    #expect(
      try SQLiteFile.integer("SELECT count(*) FROM ZVOUCHER WHERE ZTRIP IS NULL", in: folder.store)
        == 1)
  }

  @Test func aBatchDeletionKeepsTheRuleToo() throws {
    let error = #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.delete(model: Trip.self, where: #Predicate { $0.name == "Rome" })
    }
    #expect(error?.description.contains(".cascade") == true)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 2)
  }

  /// The error of a save that sets what was deleted names it.
  @Test func theDeletedModelIsNamed() throws {
    let other = try RequiredReferrerTests.context(folder.store)
    let ticket = try #require(try context.fetch(FetchDescriptor<Ticket>()).first)
    let oslo = try trip("Oslo", in: context)
    other.delete(try trip("Oslo", in: other))
    try other.save()
    ticket.trip = oslo
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.description.contains("\(oslo.persistentModelID)") == true)
    #expect(error?.description.contains("\(ticket.persistentModelID)") == true)
  }
}
