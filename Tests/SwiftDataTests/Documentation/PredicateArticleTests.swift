import Foundation
import SwiftData
import Testing

enum PredicateArticle {
  @Model
  final class Ticket {
    #Index<Ticket>([\.row], [\.row, \.seat])

    var row: Int
    var seat: Int

    init(row: Int, seat: Int) {
      self.row = row
      self.seat = seat
    }
  }
}

extension Travel {
  /// The samples of the article *Predicates*, and its table of what runs in SQL.
  @Suite struct PredicateArticleTests {
    let context: ModelContext
    let recorder = StatementRecorder()

    init() throws {
      context = ModelContext(try recorder.container([Trip.self, Stop.self]))
      let trip = Trip(name: "Lisbon", start: .now)
      context.insert(trip)
      trip.stops.append(Stop(place: "Belém"))
      try context.save()
    }

    @Test func aStepThatFailsMakesJoinedPredicatesFalse() throws {
      let folder: String? = nil
      let isLisbon = #Predicate<Trip> { $0.name == "Lisbon" }
      let isInFolder = #Predicate<Trip> { $0.name == folder! }
      let first = Predicate(any: [isLisbon, isInFolder])  // trips named Lisbon
      let second = Predicate(any: [isInFolder, isLisbon])  // no trips

      let isSafe = #Predicate<Trip> { folder != nil && $0.name == folder! }
      let either = Predicate(any: [isSafe, isLisbon])  // trips named Lisbon

      let reversed = Predicate(any: [isLisbon, isSafe])
      let counts = try [first, second, either, reversed].map {
        try context.fetchCount(FetchDescriptor(predicate: $0))
      }
      #expect(counts == [1, 0, 1, 1])
    }

    @Test func capturedValuesAreParameters() throws {
      let statements = try recorder.during {
        let place = "Belém"
        let visits = #Predicate<Trip> { trip in
          trip.stops.contains { $0.place == place }
        }
        let trips = try context.fetch(FetchDescriptor(predicate: visits))

        #expect(trips.map(\.name) == ["Lisbon"])
      }
      #expect(statements.count == 1)
      #expect(statements.allSatisfy { !$0.sql.contains("Belém") })
    }

    @Test func historiesAreAskedTheSameWay() throws {
      let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      let token = try #require(history.first).token
      context.insert(Trip(name: "Sintra", start: .now))
      try context.save()
      func news(after token: DefaultHistoryToken) -> Predicate<DefaultHistoryTransaction> {
        let names = ["Trip", "Stop"]
        return #Predicate<DefaultHistoryTransaction> { transaction in
          transaction.token > token && transaction.author != "widget"
            && transaction.changes.contains {
              names.contains($0.changedPersistentIdentifier.entityName)
            }
        }
      }

      let found = try context.fetchHistory(HistoryDescriptor(predicate: news(after: token)))
      #expect(found.map(\.transactionIdentifier) == [2])
    }

    @Test func expressionsAreUsedInPredicates() throws {
      let stopsInBelém = #Expression<Trip, Int> { trip in
        trip.stops.count(where: { $0.place == "Belém" })
      }
      let busy = #Predicate<Trip> { trip in
        stopsInBelém.evaluate(trip) > 10
      }

      #expect(try context.fetchCount(FetchDescriptor(predicate: busy)) == 0)
      let visited = #Predicate<Trip> { stopsInBelém.evaluate($0) == 1 }
      #expect(try context.fetchCount(FetchDescriptor(predicate: visited)) == 1)
    }

    @Test func aGenericFunctionEvaluatesPredicates() throws {
      func both<T: PersistentModel>(_ first: Predicate<T>, _ second: Predicate<T>) -> Predicate<T> {
        #Predicate<T> { first.evaluate($0) && second.evaluate($0) }
      }

      let joined = both(
        #Predicate<Trip> { $0.name.hasPrefix("L") }, #Predicate { !$0.stops.isEmpty })
      #expect(try context.fetchCount(FetchDescriptor(predicate: joined)) == 1)
    }

    @Test func conditionsAreJoined() throws {
      var conditions = [#Predicate<Trip> { $0.name.hasPrefix("L") }]
      conditions.append(#Predicate { !$0.stops.isEmpty })
      let joined = Predicate(all: conditions)

      #expect(try context.fetchCount(FetchDescriptor(predicate: joined)) == 1)
    }

    @Test func anIndexIsDeclared() throws {
      typealias Ticket = PredicateArticle.Ticket
      let container = try ModelContainer(
        for: Ticket.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      let entity = try #require(container.schema.entity(for: Ticket.self))
      #expect(Set(entity.indices) == [["row"], ["row", "seat"]])
    }

    @Test func theArgumentsOfTheTableRunInSQL() throws {
      let (now, name, names) = (Date.now, "Lisbon", ["Lisbon", "Porto"])
      let work = try recorder.leftToMemory {
        for predicate in [
          #Predicate<Trip> { $0.start < now && !($0.name == "a") || $0.name > "b" },
          #Predicate<Trip> { $0.start.addingTimeInterval(60) > now },
          #Predicate<Trip> { $0.name.lowercased().contains("lis") && $0.name.hasSuffix("n") },
          #Predicate<Trip> { $0.name.localizedStandardContains("LIS") },
          #Predicate<Trip> { names.contains($0.name) && !$0.stops.isEmpty },
          #Predicate<Trip> { $0.stops.allSatisfy { $0.trip?.name == name } },
          #Predicate<Trip> { $0.stops.filter { $0.place == "Belém" }.count == 1 },
        ] {
          let count = try context.fetchCount(FetchDescriptor(predicate: predicate))
          #expect(count == 1)
        }
        let toOne = #Predicate<Stop> { $0.trip?.name == name && $0.trip != nil }
        let count = try context.fetchCount(FetchDescriptor(predicate: toOne))
        #expect(count == 1)
      }
      #expect(work.map(\.reasons) == [])
    }
  }
}
