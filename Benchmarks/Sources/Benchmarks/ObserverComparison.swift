import Foundation
import SwiftData

/// What observers of results cost the saves of their container, and what following a change costs them.
///
/// Many observers each observe the orders of one customer. Saves change a property that none of them reads: in
/// their context, in another one, and with a context of its own for each observer. Then saves change
/// what they read: one of them gains an order, and another one loses it.
///
/// A list that is ordered by price follows the price of one order, patched; a fetch of the same list stands beside it.
struct ObserverComparison {
  private let folder: URL
  private static let observers = 1_000
  private static let saves = 10_000

  private enum Place { case oneContext, anotherContext, ownContexts }

  /// - Parameter folder: Where nothing else is.
  init(in folder: URL) { self.folder = folder }

  @MainActor func run() async throws {
    print("Microseconds of a save of one order, \(Self.saves) of them\n")
    try await report("without observers", observers: 0, .oneContext)
    try await report("1,000 observers in its context", .oneContext)
    try await report("1,000 in another context", .anotherContext)
    try await report("1,000 in contexts of their own", .ownContexts)
    try await report("what 1,000 in its context read", .oneContext, changesCustomer: true)
    try await report(
      "what 1,000 in their own contexts read", .ownContexts, changesCustomer: true, saves: 1_000)
    print("\nMicroseconds to follow the price of one order of a list, and to fetch the list\n")
    for count in [1_000, 10_000, 100_000] { try follow(count) }
  }

  @MainActor private func report(
    _ name: String, observers count: Int = Self.observers, _ place: Place,
    changesCustomer: Bool = false, saves: Int = Self.saves
  ) async throws {
    let time = try await self.time(saves: saves, observers: count, place, changesCustomer)
    print(name.padding(toLength: 40, withPad: " ", startingAt: 0), rounded(time))
    fflush(nil)
  }

  @MainActor private func time(
    saves: Int, observers count: Int, _ place: Place, _ changesCustomer: Bool
  ) async throws -> Double {
    let container = try container("\(count)-\(place)-\(changesCustomer)", orders: 100)
    let context = ModelContext(container)
    let observers = try (0..<count).map { number in
      let customer = "customer \(number)"
      let predicate = #Predicate<Order> { $0.customer == customer }
      return place == .ownContexts
        ? try ResultsObserver<Order, Never>(filterBy: predicate, modelContainer: container)
        : try ResultsObserver<Order, Never>(filterBy: predicate, modelContext: context)
    }
    let writer = place == .oneContext ? context : ModelContext(container)
    guard let order = try writer.fetch(FetchDescriptor<Order>()).first else { return 0 }
    let start = ContinuousClock.now
    for number in 0..<saves {
      order.quantity = number
      if changesCustomer { order.customer = "customer \(number % count)" }
      try writer.save()
      // Lets the observers follow: their jobs run on the main actor.
      await _Concurrency.Task.yield()
    }
    let total = observers.reduce(0) { $0 + $1.results.count }
    let time = (ContinuousClock.now - start).microseconds / Double(saves)
    let wanted = try observers.reduce(0) {
      try $0 + context.fetchCount(FetchDescriptor(predicate: $1.filterBy))
    }
    precondition(total == wanted)
    return time
  }

  private func container(_ name: String, orders count: Int) throws -> ModelContainer {
    let container = try ModelContainer(
      for: Order.self,
      configurations: ModelConfiguration(url: folder.appendingPathComponent("\(name).store")))
    let context = ModelContext(container)
    for index in 0..<count { context.insert(Order(OrderValue(number: index))) }
    try context.save()
    return container
  }

  @MainActor private func follow(_ count: Int) throws {
    let context = ModelContext(try container("list-\(count)", orders: count))
    let descriptor = FetchDescriptor<Order>(sortBy: [SortDescriptor(\.price)])
    let observer = try ResultsObserver<Order, Never>(
      fetchDescriptor: descriptor, modelContext: context)
    let orders = Array(observer.results)
    let edits = 100
    var start = ContinuousClock.now
    for number in 0..<edits {
      orders[number * 7 % count].price = orders[number * 13 % count].price
      _ = observer.results.count
    }
    let followed = (ContinuousClock.now - start).microseconds / Double(edits)
    try context.save()
    start = ContinuousClock.now
    for _ in 0..<10 { _ = try context.fetch(descriptor).count }
    let fetched = (ContinuousClock.now - start).microseconds / 10
    print(
      "\(count) orders".padding(toLength: 20, withPad: " ", startingAt: 0), rounded(followed),
      rounded(fetched))
  }

  private func rounded(_ microseconds: Double) -> String {
    String(format: "%10.1f", microseconds)
  }
}

extension Duration {
  fileprivate var microseconds: Double {
    Double(components.seconds) * 1e6 + Double(components.attoseconds) / 1e12
  }
}
