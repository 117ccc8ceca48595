import Foundation
import OpenSwiftDataSQLSyntax
import SwiftData
import Testing

/// A store with a few dozen models, in which every predicate is judged three times: by SQL, in memory,
/// and described in plain data.
struct PredicateCourt {
  static let types: [any PersistentModel.Type] = [
    Entry.self, Job.self, Member.self, Label.self,
  ]
  static let names = [
    "alpha", "Beta", "caf\u{e9}", "cafe\u{301}", "", "délta", "alphabet", "ALPHA 10", "alpha 9",
    "z\u{1F600}",
  ]

  let container: ModelContainer
  let context: ModelContext
  let mapping: SchemaMapping

  init() throws {
    try self.init(types: Self.types, fill: Self.fill)
  }

  init(
    types: [any PersistentModel.Type], fill: (ModelContext) throws -> Void
  ) throws {
    let schema = Schema(types)
    container = try ModelContainer(
      for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    mapping = SchemaMapping(
      schema: schema,
      descriptors: Dictionary(
        uniqueKeysWithValues: types.map {
          ($0._$descriptor.entityName, $0._$descriptor)
        }))
    try fill(ModelContext(container))
    context = ModelContext(container)
  }

  private static func fill(_ context: ModelContext) throws {
    let names = ["Ann", "Bob", "Émile", "Zo\u{65}\u{308}"]
    let members = names.enumerated().map { Member(name: $1, age: $0 == 0 ? nil : 20 + $0) }
    for member in members { context.insert(member) }
    members[1].leader = members[0]
    members[2].leader = members[1]
    let labels = ["red", "green", "Blue"].enumerated().map {
      Label(text: $1, maker: $0 == 1 ? nil : members[$0])
    }
    for label in labels { context.insert(label) }
    for index in 0..<40 {
      let name = Self.names[index % Self.names.count]
      let alias = index % 7 == 0 ? nil : Self.names[index * 3 % Self.names.count]
      let owner = index % 4 == 3 ? nil : members[index % 4]
      if index % 5 == 4 {
        context.insert(Entry(name: name, alias: alias, rank: index % 8 - 3, owner: owner))
      } else {
        let job = Job(index, name: name, alias: alias, owner: owner)
        context.insert(job)
        job.labels = labels.enumerated().filter { index >> $0.offset & 1 == 1 }.map(\.element)
      }
    }
    try context.save()
  }

  func compiled<T: PersistentModel>(
    _ predicate: Predicate<T>?, sortBy: [SortDescriptor<T>] = []
  ) throws -> CompiledFetch {
    let entity = try #require(mapping.entity(for: T.self))
    return PredicateCompiler.compile(predicate, sortBy: sortBy, entity: entity, mapping: mapping)
  }

  /// Asks the store and the models, and expects one answer.
  func judge<T: PersistentModel>(
    _ predicate: Predicate<T>, inMemory: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let compiled = try compiled(predicate)
    #expect(
      compiled.filtersInMemory == inMemory, "\(compiled.unsupported)",
      sourceLocation: sourceLocation)
    let found = try context.fetch(FetchDescriptor(predicate: predicate))
    let expected = try context.fetch(FetchDescriptor<T>()).filter { try predicate.matches($0) }
    #expect(
      Set(found.map(\.persistentModelID)) == Set(expected.map(\.persistentModelID)),
      "\(compiled.shape.select([.star]).rendered(in: .sqlite).sql)", sourceLocation: sourceLocation)
    #expect(found.count == expected.count, sourceLocation: sourceLocation)
    try judgePlain(
      FetchDescriptor(predicate: predicate), expected.map(\.persistentModelID).sorted(),
      inMemory: inMemory, sourceLocation)
  }

  /// What SQL can express is described too, and has the same answer.
  private func judgePlain<T: PersistentModel>(
    _ request: FetchDescriptor<T>, _ expected: [PersistentIdentifier], inMemory: Bool,
    _ sourceLocation: SourceLocation
  ) throws {
    if let found = try PlainJudge(context).answer(request) {
      #expect(found == expected, sourceLocation: sourceLocation)
    } else {
      #expect(inMemory, "\(request.undescribedParts)", sourceLocation: sourceLocation)
    }
  }

  /// Asks the store and the models, and expects some of the models but not all of them.
  func judgeNarrowing<T: PersistentModel>(
    _ predicate: Predicate<T>, inMemory: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try judge(predicate, inMemory: inMemory, sourceLocation: sourceLocation)
    let count = try context.fetchCount(FetchDescriptor(predicate: predicate))
    let all = try context.fetchCount(FetchDescriptor<T>())
    #expect(count > 0 && count < all, "\(count) of \(all)", sourceLocation: sourceLocation)
  }

  /// Sorts by SQL and in memory: all models, equal ones by their keys.
  func judge<T: PersistentModel>(
    sortBy descriptors: [SortDescriptor<T>], inMemory: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let compiled = try compiled(nil, sortBy: descriptors)
    #expect(compiled.sortsInMemory == inMemory, sourceLocation: sourceLocation)
    let found = try context.fetch(FetchDescriptor<T>(sortBy: descriptors))
    let byKey = try context.fetch(FetchDescriptor<T>()).sorted {
      $0.persistentModelID.rowKey ?? 0 < $1.persistentModelID.rowKey ?? 0
    }
    #expect(found.count == byKey.count && byKey.count > 1, sourceLocation: sourceLocation)
    let expected = byKey.sorted(using: descriptors)
    #expect(
      found.map(\.persistentModelID) == expected.map(\.persistentModelID),
      sourceLocation: sourceLocation)
    let byIdentifier = byKey.sorted { $0.persistentModelID < $1.persistentModelID }
    try judgePlain(
      FetchDescriptor<T>(sortBy: descriptors),
      byIdentifier.sorted(using: descriptors).map(\.persistentModelID), inMemory: inMemory,
      sourceLocation)
  }

  /// The condition of the compiled predicate.
  func sql<T: PersistentModel>(_ predicate: Predicate<T>) throws -> String {
    let text = try compiled(predicate).shape.select([.integer(1)]).rendered(in: .sqlite).sql
    return String(text.dropFirst("SELECT 1 FROM ".count))
  }

  func member(_ name: String) throws -> Member {
    let all = try context.fetch(FetchDescriptor<Member>())
    return try #require(all.first { $0.name == name })
  }

  func label(_ text: String) throws -> Label {
    let all = try context.fetch(FetchDescriptor<Label>())
    return try #require(all.first { $0.text == text })
  }

  func jobs() throws -> [Job] {
    try context.fetch(FetchDescriptor<Job>(sortBy: [SortDescriptor(\.persistentModelID)]))
  }
}
