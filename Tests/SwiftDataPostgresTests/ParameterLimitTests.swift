import Foundation
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

@Suite(.enabled(if: PostgresServer.isAvailable))
struct ParameterLimitTests {
  @Model final class Item {
    var name: String
    var value: Int

    init(_ name: String, _ value: Int) {
      self.name = name
      self.value = value
    }
  }

  /// libpq closes the connection at the description of a statement with more than 7,498 parameters.
  @Test(arguments: [3_748, 3_749, 3_750, 9_000]) func conditionsWithManyValues(_ terms: Int) throws
  {
    let container = try ModelContainer(
      for: Item.self,
      configurations: PostgresConfiguration(url: PostgresServer.shared.addressOfNewSchema()))
    let context = ModelContext(container)
    for value in 0..<10 { context.insert(Item("item \(value)", value)) }
    try context.save()
    let predicate = Predicate<Item>(
      any: (3..<(3 + terms)).map { value in
        #Predicate<Item> { $0.value == value && $0.name != "none" }
      })
    var request = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.value)])
    (request.fetchLimit, request.fetchOffset) = (4, 2)
    #expect(try context.fetch(request).map(\.value) == [5, 6, 7, 8])
    #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == 7)
    try context.transaction {
      context.insert(Item("another", 3))
      try context.save()
      #expect(try context.fetch(FetchDescriptor(predicate: predicate)).count == 8)
      try context.delete(model: Item.self, where: predicate)
      context.insert(Item("last", 4))
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Item>()) == 4)
  }
}
