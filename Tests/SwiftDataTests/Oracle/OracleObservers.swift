import Foundation
import SwiftData

/// Observers of results that stay on a context while a program runs: each read has to be what a fetch gives.
struct OracleObservers {
  private let checks: [(ModelContext) throws -> String?]

  init(_ context: ModelContext) {
    let limit = 3
    checks = [
      OracleObservers.check(FetchDescriptor<World.Member>(sortBy: [SortDescriptor(\.number)])),
      OracleObservers.check(
        FetchDescriptor<World.Member>(
          predicate: #Predicate { $0.value > limit }, sortBy: [SortDescriptor(\.value)])),
      OracleObservers.check(FetchDescriptor<World.Member>()),
      OracleObservers.check(
        FetchDescriptor<World.Chore>(predicate: #Predicate { $0.value < limit })),
      OracleObservers.check(
        OracleObservers.limited(
          FetchDescriptor<World.Member>(
            sortBy: [SortDescriptor(\.value, order: .reverse), SortDescriptor(\.number)]), 3)),
      OracleObservers.check(
        OracleObservers.limited(
          FetchDescriptor<World.Club>(
            predicate: #Predicate { $0.value > 0 }, sortBy: [SortDescriptor(\.value)]), 2)),
      OracleObservers.check(
        FetchDescriptor<World.Badge>(sortBy: [SortDescriptor(\.value, order: .reverse)])),
      OracleObservers.check(
        FetchDescriptor<World.Captain>(predicate: #Predicate { $0.team?.value == $0.value })),
      OracleObservers.check(
        FetchDescriptor<World.Team>(
          predicate: #Predicate { team in team.members.contains { $0.value > limit } })),
      OracleObservers.check(
        FetchDescriptor<World.Club>(
          predicate: #Predicate { $0.members.count > 1 }, sortBy: [SortDescriptor(\.code)])),
      OracleObservers.check(
        FetchDescriptor<World.Badge>(sortBy: [SortDescriptor(\.holder?.team?.number)])),
      OracleObservers.check(
        FetchDescriptor<World.Chore>(
          predicate: #Predicate { $0.assignee?.mentor?.team == nil },
          sortBy: [SortDescriptor(\.number)])),
    ].map { $0(context) }
  }

  private static func limited<T>(
    _ descriptor: FetchDescriptor<T>, _ limit: Int
  ) -> FetchDescriptor<T> {
    var descriptor = descriptor
    descriptor.fetchLimit = limit
    return descriptor
  }

  func difference(in context: ModelContext) throws -> String? {
    for check in checks { if let difference = try check(context) { return difference } }
    return nil
  }

  private static func check<T: Citizen>(
    _ descriptor: FetchDescriptor<T>
  ) -> (ModelContext) -> (ModelContext) throws -> String? {
    { context in
      let observer = try? ResultsObserver<T, Never>(
        fetchDescriptor: descriptor, modelContext: context)
      return { context in
        guard let observer else { return "nothing for \(T.self)" }
        let shown = Array(observer.results)
        let fetched = try context.fetch(descriptor)
        if shown.count == fetched.count, zip(shown, fetched).allSatisfy({ $0 === $1 }) {
          return nil
        }
        // A server gives rows without an order in any order.
        if PostgresTestStores.current != nil, descriptor.sortBy.isEmpty,
          shown.map(\.number).sorted() == fetched.map(\.number).sorted(),
          Set(shown.map(ObjectIdentifier.init)) == Set(fetched.map(ObjectIdentifier.init))
        {
          return nil
        }
        return "\(shown.map(\.number)) for \(fetched.map(\.number)) of \(T.self)"
      }
    }
  }
}
