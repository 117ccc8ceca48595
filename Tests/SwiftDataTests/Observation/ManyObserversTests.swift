import Foundation
import SwiftData
import Testing

/// Many observers on one container.
@MainActor
struct ManyObserversTests {
  typealias Trip = Travel.Trip
  typealias Stop = Travel.Stop

  private func fetches(observers count: Int, saves: Int) throws -> (idle: Int, all: Int) {
    let statements = StatementRecorder()
    let container = try statements.container([Trip.self, Stop.self])
    let context = ModelContext(container)
    let trip = Trip(name: "0", start: .now)
    trip.stops.append(Stop(place: "x"))
    context.insert(trip)
    try context.save()
    let observers = try (0..<count).map { number in
      let name = "\(number)"
      return try ResultsObserver<Trip, Never>(
        filterBy: #Predicate { $0.name == name }, modelContext: context)
    }
    func reads(_ body: () throws -> Void) rethrows -> Int {
      try statements.during(body).filter { $0.sql.contains(#"WHERE "t0"."ZNAME""#) }.count
    }
    let idle = try reads {
      for number in 0..<saves {
        trip.start = Date(timeIntervalSinceReferenceDate: Double(number))
        trip.stops[0].place = "\(number)"
        try context.save()
        for observer in observers.prefix(3) { #expect(observer.results.count < 2) }
      }
    }
    let all = try reads {
      trip.name = "1"
      try context.save()
      for observer in observers { _ = observer.results.count }
    }
    #expect(observers[1].results.count == 1 && observers[0].results.isEmpty)
    return (idle, all)
  }

  @Test func editsOfOneModelCostNoStatement() throws {
    let (idle, all) = try fetches(observers: 300, saves: 30)
    // What concerns them is judged in memory.
    #expect(idle == 0 && all == 0)
  }
}
