import Foundation
import SwiftData
import Testing

@Model final class Table {
  #Index<Table>(.binary([\.select]), .binary([\.order, \.group]), .rtree([\.from, \.to]))
  #Unique<Table>([\.index, \.values])

  var select: String
  var from: Double
  var to: Double
  var order: Int
  var group: String?
  var index: Int
  var values: Int
  var größe: Int
  var `where`: Column?

  init(_ number: Int, where: Column?) {
    select = "select \(number)"
    from = Double(number)
    to = Double(-number)
    order = -number
    group = "group"
    index = number
    values = number
    größe = number * 2
    self.where = `where`
  }
}

@Model final class Column {
  var `default`: String
  @Relationship(inverse: \Table.where) var primary: [Table] = []

  init(_ text: String) { self.default = text }
}

/// Words of SQL as names of models and properties.
struct ReservedNameTests {
  @Test func wordsOfSQLAreNamesLikeOthers() throws {
    let container = try ModelContainer(
      for: Table.self, Column.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let column = Column("null")
    context.insert(column)
    for number in 0..<10 { context.insert(Table(number, where: number < 5 ? column : nil)) }
    try context.save()
    context.insert(Table(3, where: column))
    try context.save()
    let (from, to) = (2.0...6.0, -9.0 ... -4.0)
    let found = try ModelContext(container).fetch(
      FetchDescriptor<Table>(
        predicate: #Predicate { from.contains($0.from) && to.contains($0.to) },
        sortBy: [SortDescriptor(\.order), SortDescriptor(\.group)]))
    #expect(found.map(\.größe) == [12, 10, 8])
    let select = "select 4"
    let one = try ModelContext(container).fetch(
      FetchDescriptor<Table>(
        predicate: #Predicate { $0.select == select && $0.where?.default == "null" }))
    #expect(one.map(\.index) == [4])
    #expect(
      try ModelContext(container).fetchCount(
        FetchDescriptor<Column>(predicate: #Predicate { $0.primary.contains { $0.größe > 7 } }))
        == 1)
    try context.delete(model: Table.self, where: #Predicate { $0.order < -4 })
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Table>()) == 5)
  }
}
