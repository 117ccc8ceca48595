import Foundation
import SwiftData

/// What observers of results cost the saves of their container.
///
/// Each observes the orders of one customer, in one context. The saves change a property that none of them
/// reads, in that context or in another one of the container.
struct ObserverComparison {
  private let folder: URL
  private static let observers = 1_000
  private static let saves = 10_000

  /// - Parameter folder: Where nothing else is.
  init(in folder: URL) { self.folder = folder }

  @MainActor func run() throws {
    let alone = try saves(observers: 0)
    let unrelated = try saves(observers: Self.observers)
    let elsewhere = try saves(observers: Self.observers, elsewhere: true)
    print("Microseconds of a save of one order, 10,000 of them\n")
    print("without observers                 ", rounded(alone))
    print("1,000 observers of other properties", rounded(unrelated))
    print("the same, saved by another context ", rounded(elsewhere))
  }

  @MainActor private func saves(
    observers count: Int, elsewhere: Bool = false
  ) throws -> Double {
    let url = folder.appendingPathComponent("observers-\(count)-\(elsewhere).store")
    let container = try ModelContainer(
      for: Order.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    for index in 0..<100 { context.insert(Order(OrderValue(number: index))) }
    try context.save()
    let observers = try (0..<count).map { number in
      let customer = "customer \(number)"
      return try ResultsObserver<Order, Never>(
        filterBy: #Predicate { $0.customer == customer }, modelContext: context)
    }
    let writer = elsewhere ? ModelContext(container) : context
    guard let order = try writer.fetch(FetchDescriptor<Order>()).first else { return 0 }
    let start = ContinuousClock.now
    for number in 0..<Self.saves {
      order.quantity = number
      try writer.save()
      if elsewhere { context.processPendingChanges() }
      _ = observers.first?.results.count
    }
    let time = ContinuousClock.now - start
    withExtendedLifetime(observers) {}
    return Double(time.components.attoseconds) / 1e12 / Double(Self.saves)
      + Double(time.components.seconds) * 1e6 / Double(Self.saves)
  }

  private func rounded(_ microseconds: Double) -> String {
    String(format: "%8.1f", microseconds)
  }
}
