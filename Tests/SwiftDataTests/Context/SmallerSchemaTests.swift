import Foundation
import SwiftData
import Testing

/// A container whose schema has fewer models than its file: rows that only the file has are found when a model
/// is deleted that they lead to.
@Suite struct SmallerSchemaTests {
  typealias Trip = Named.Trip

  @Model final class Ticket {
    var code: String
    var trip: Trip?

    init(_ code: String, _ trip: Trip?) { (self.code, self.trip) = (code, trip) }
  }

  @Model final class Booking {
    var code: String
    var trip: Trip

    init(_ code: String, _ trip: Trip) { (self.code, self.trip) = (code, trip) }
  }

  @Model final class Album {
    var title: String
    var pictures: [Picture] = []

    init(_ title: String) { self.title = title }
  }

  @Model final class Picture {
    var name: String

    init(_ name: String) { self.name = name }
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func context(_ types: any PersistentModel.Type...) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(types), configurations: ModelConfiguration(url: folder.store)))
  }

  @Test func optionalLinksOfAbsentModelsAreCleared() throws {
    do {
      let context = try context(Trip.self, Ticket.self)
      let trips = [Trip("Rome"), Trip("Oslo")]
      for trip in trips { context.insert(trip) }
      context.insert(Ticket("a", trips[0]))
      context.insert(Ticket("b", trips[1]))
      try context.save()
    }
    do {
      let context = try context(Trip.self)
      let rome = try context.fetch(FetchDescriptor<Trip>()).filter { $0.name == "Rome" }
      context.delete(try #require(rome.first))
      try context.save()
    }
    let context = try context(Trip.self, Ticket.self)
    let tickets = try context.fetch(FetchDescriptor<Ticket>(sortBy: [SortDescriptor(\.code)]))
    #expect(tickets.map(\.trip?.name) == [nil, "Oslo"])
    #expect(
      try SQLiteFile.texts(
        "SELECT coalesce(ZTRIP, 'null') || ' ' || Z_OPT FROM ZTICKET ORDER BY ZCODE",
        in: folder.store
      ).first == "null 2")
  }

  @Test func requiredLinksOfAbsentModelsKeepTheirModel() throws {
    do {
      let context = try context(Trip.self, Booking.self)
      let trip = Trip("Rome")
      context.insert(trip)
      context.insert(Booking("a", trip))
      context.insert(Trip("Oslo"))
      try context.save()
    }
    do {
      let context = try context(Trip.self)
      let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
      context.delete(trips[1])
      let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
      #expect(error?.entity == "Booking" && error?.property == "trip")
      #expect(error?.description.contains("p1") ?? false, "\(String(describing: error))")
      context.rollback()
      #expect(throws: SwiftDataError.modelValidationFailure) {
        try context.delete(model: Trip.self)
      }
      // Rows that nothing leads to can be deleted.
      context.delete(try #require(trips.first))
      try context.save()
    }
    let context = try context(Trip.self, Booking.self)
    #expect(try context.fetch(FetchDescriptor<Booking>()).map(\.trip.name) == ["Rome"])
  }

  @Test func listsOfAbsentModelsLoseDeletedMembers() throws {
    do {
      let context = try context(Album.self, Picture.self)
      let album = Album("A")
      context.insert(album)
      album.pictures = [Picture("x"), Picture("y")]
      try context.save()
    }
    do {
      let context = try context(Picture.self)
      let pictures = try context.fetch(FetchDescriptor<Picture>()).filter { $0.name == "x" }
      context.delete(try #require(pictures.first))
      try context.save()
    }
    let context = try context(Album.self, Picture.self)
    let albums = try context.fetch(FetchDescriptor<Album>())
    #expect(albums.map { $0.pictures.map(\.name) } == [["y"]])
  }
}
