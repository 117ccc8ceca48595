import Foundation
import SwiftData
import Testing

/// What a row costs does not depend on which keys the rows have.
@Suite struct IdentityScalingTests {
  @Model class Beast {
    var number: Int

    init(_ number: Int) { self.number = number }
  }

  /// Rows of a class with subclasses are materialized one by one.
  @available(macOS 26, *)
  @Model final class Pet: Beast {
    var name = ""

    init(name: String) {
      self.name = name
      super.init(0)
    }
  }

  private static let count = 24_000

  /// The least of some times to fetch all rows.
  private func seconds(_ prepare: (ModelContext) throws -> Void) throws -> Double {
    let container = try ModelContainer(
      for: Beast.self, Pet.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    try prepare(ModelContext(container))
    return try (0..<3).map { _ in
      let context = ModelContext(container)
      var models: [Beast] = []
      let seconds = try Growth.seconds { models = try context.fetch(FetchDescriptor<Beast>()) }
      #expect(models.count == Self.count)
      #expect(Set(models.map(\.persistentModelID)).count == Self.count)
      for model in models.prefix(100) {
        let registered: Beast? = context.registeredModel(for: model.persistentModelID)
        #expect(registered === model)
      }
      return seconds
    }.min() ?? 0
  }

  private func insert(_ numbers: Range<Int>, _ context: ModelContext) throws {
    for number in numbers { context.insert(Beast(number)) }
    try context.save()
  }

  @Test func keysWithHolesCostAsMuchAsKeysInSequence() throws {
    let inSequence = try seconds { try insert(0..<Self.count, $0) }
    let withHoles = try seconds { context in
      try insert(0..<Self.count, context)
      try context.delete(model: Beast.self, where: #Predicate { $0.number % 2 == 0 })
      try context.save()
      try insert(Self.count..<Self.count * 3 / 2, context)
    }
    #expect(withHoles < 3 * inSequence, "\(withHoles / inSequence)")
  }
}
