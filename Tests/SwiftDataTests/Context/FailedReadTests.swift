import Foundation
import OpenSwiftDataSQLiteEngine
import SwiftData
import Testing

/// A read fails while a save follows the delete rules: nobody must take that for an empty relationship.
@Suite(.enabled(if: FailureInjector.isAvailable)) struct FailedReadTests {
  enum Kept {
    @Model final class Trip {
      var name: String
      @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
      @Relationship(deleteRule: .deny, inverse: \Guest.trip) var guests: [Guest] = []
      @Relationship(inverse: \Tag.trips) var tags: [Tag] = []

      init(_ name: String) { self.name = name }
    }
    @Model final class Stop {
      var city: String
      var trip: Trip?

      init(_ city: String) { self.city = city }
    }
    @Model final class Guest {
      var name: String
      var trip: Trip?

      init(_ name: String) { self.name = name }
    }
    @Model final class Tag {
      var name: String
      var trips: [Trip] = []

      init(_ name: String) { self.name = name }
    }
  }

  private let store: MigratedStore

  init() throws {
    store = try MigratedStore()
    try store.make([Kept.Trip.self, Kept.Stop.self, Kept.Guest.self, Kept.Tag.self]) { context in
      for name in ["free", "free too", "booked"] {
        let trip = Kept.Trip(name)
        context.insert(trip)
        trip.stops = ["a", "b"].map(Kept.Stop.init)
        trip.tags = [Kept.Tag("tag")]
        if name == "booked" { trip.guests = [Kept.Guest("Ann")] }
      }
    }
  }

  /// Deletes the trips whose names begin with a text, and lets an operation of the save fail.
  private func delete(_ prefix: String, failing number: Int?) throws -> (Int, (any Error)?) {
    let container = try ModelContainer(
      for: Kept.Trip.self, configurations: ModelConfiguration(url: store.url))
    let context = ModelContext(container)
    for trip in try context.fetch(FetchDescriptor<Kept.Trip>()) where trip.name.hasPrefix(prefix) {
      context.delete(trip)
    }
    let injector = FailureInjector(failingAt: number)
    do {
      try injector.run { try context.save() }
      return (injector.operations.count, nil)
    } catch {
      // What has failed can be tried again.
      if number != nil, prefix == "free" { try context.save() }
      return (injector.operations.count, error)
    }
  }

  private func counts() throws -> [Int64] {
    try ["ZTRIP", "ZSTOP", "Z_2TAGS", "ZGUEST"].map { table in
      let name = table.hasPrefix("Z_") ? try pairs() : table
      return try SQLiteFile.integer("SELECT count(*) FROM \(name)", in: store.url)
    }
  }

  private func pairs() throws -> String {
    try SQLiteFile.texts(
      "SELECT name FROM sqlite_schema WHERE name GLOB 'Z_[0-9]*TAGS' OR name GLOB 'Z_[0-9]*TRIPS'",
      in: store.url
    ).first ?? ""
  }

  @Test(arguments: 1...8) func membersAreDeletedOrNothingIs(_ number: Int) throws {
    let (_, error) = try delete("free", failing: number)
    #expect(error is SwiftDataError)
    #expect(try counts() == [1, 2, 1, 1])
  }

  @Test func aFailedReadDoesNotAllowWhatARuleDenies() throws {
    let (count, denied) = try delete("booked", failing: nil)
    #expect((denied as? SwiftDataError) == .modelValidationFailure && count > 2)
    for number in 1...count {
      let (_, error) = try delete("booked", failing: number)
      #expect((error as? SwiftDataError) == .storeWriteFailure, "\(String(describing: error))")
      #expect(error.map { "\($0)" }?.contains("nothing was saved") == true)
      #expect(try counts() == [3, 6, 3, 1])
    }
  }
}
