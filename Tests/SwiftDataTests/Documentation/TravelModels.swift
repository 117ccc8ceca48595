import Foundation
import SwiftData

/// The models of the documentation. `Scripts/check-samples` looks for each paragraph of a sample in
/// the files of this folder, so the code here is the code there.
enum Travel {
  /// A context without models, made as the preludes of the articles make it.
  static func emptyContext() throws -> ModelContext {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Trip.self, Stop.self, configurations: configuration)
    let context = ModelContext(container)

    return context
  }

  static func container() throws -> ModelContainer { try emptyContext().container }

  /// A context with a trip that has begun and one stop, both saved.
  static func context() throws -> (context: ModelContext, trip: Trip) {
    let context = ModelContext(try container())
    let trip = Trip(name: "Lisbon", start: .now - 60)
    context.insert(trip)
    trip.stops.append(Stop(place: "Belém"))
    try context.save()
    return (context, trip)
  }
}

extension Travel {
  @Model
  final class Trip {
    @Attribute(.unique) var name: String
    var start: Date
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

    init(name: String, start: Date) {
      self.name = name
      self.start = start
    }
  }

  @Model
  final class Stop {
    var place: String
    var trip: Trip?

    init(place: String) {
      self.place = place
    }
  }

  @Model
  final class Ticket {
    #Unique<Ticket>([\.number], [\.row, \.seat])

    #Index<Ticket>([\.row], [\.row, \.seat])

    @Attribute(.unique, originalName: "identifier") var code: String

    var number: Int
    var row: Int
    var seat: Int

    init(code: String, number: Int, row: Int, seat: Int) {
      self.code = code
      self.number = number
      self.row = row
      self.seat = seat
    }
  }

  @ModelActor
  actor Importer {
    func add(_ names: [String]) throws {
      for name in names { modelContext.insert(Trip(name: name, start: .now)) }
      try modelContext.save()
    }

    func name(of id: PersistentIdentifier) -> String? {
      self[id, as: Trip.self]?.name
    }
  }
}
