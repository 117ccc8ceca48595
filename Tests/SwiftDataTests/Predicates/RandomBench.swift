import Foundation
import SwiftData
import Testing

/// Random objects in a store, asked in five ways: a context that has nothing in memory, a context
/// whose objects are compared in memory, a context with unsaved changes of all kinds, one with
/// unsaved changes of what others lead to only, and descriptions of the requests in plain data.
final class RandomBench {
  let graph: RandomGraph
  let identifiers: [PersistentIdentifier]
  private let container: ModelContainer
  private let mapping: SchemaMapping
  private let asking: ModelContext
  private let judging: ModelContext
  private let pending: ModelContext
  private let followed: ModelContext
  private let plain: PlainJudge
  /// How many requests were described, of how many that SQL expresses and of how many at all.
  private(set) var described = (bySQLToo: 0, all: 0)
  private(set) var asked = (bySQL: 0, all: 0)
  private var cache: [ObjectIdentifier: [any PersistentModel]] = [:]

  init(_ graph: RandomGraph) throws {
    self.graph = graph
    let schema = Schema(PredicateCourt.types)
    container = try ModelContainer(
      for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    mapping = SchemaMapping(schema: schema, descriptors: schema.descriptors)
    let filling = ModelContext(container)
    graph.fill(filling)
    try filling.save()
    asking = ModelContext(container)
    judging = ModelContext(container)
    pending = ModelContext(container)
    followed = ModelContext(container)
    for context in [asking, judging, pending, followed] { context.autosaveEnabled = false }
    identifiers = try judging.fetch(FetchDescriptor<Entry>()).map(\.persistentModelID).sorted()
    plain = try PlainJudge(ModelContext(container))
    try change()
    try changeFollowed()
  }

  private func all<T: PersistentModel>(_ type: T.Type) throws -> [T] {
    if let known = cache[ObjectIdentifier(type)] as? [T] { return known }
    let models = try judging.fetch(FetchDescriptor<T>())
    cache[ObjectIdentifier(type)] = models
    return models
  }

  /// Edits, inserts and deletions that are not saved.
  private func change() throws {
    var random = SeededRandom(graph.seed ^ 0xfeed)
    let members = try pending.fetch(FetchDescriptor<Member>(sortBy: [.init(\.persistentModelID)]))
    let labels = try pending.fetch(FetchDescriptor<Label>(sortBy: [.init(\.persistentModelID)]))
    let entries = try pending.fetch(FetchDescriptor<Entry>())
      .sorted { $0.persistentModelID < $1.persistentModelID }
    for (number, entry) in entries.enumerated() {
      switch number % 5 {
      case 1:
        if let job = entry as? Job { RandomGraph.vary(job, &random) }
        entry.name = random.pick(Hostile.texts)
        entry.alias = random.chance(40) ? nil : random.pick(Hostile.texts)
      case 2: entry.owner = members.isEmpty || random.chance(30) ? nil : random.pick(members)
      case 3: if number % 2 == 0 { pending.delete(entry) }
      default: break
      }
    }
    for member in members where random.chance(40) { member.age = random.below(40) }
    for label in labels where random.chance(40) { label.text = random.pick(Hostile.texts) }
    for _ in 0..<3 {
      let entry = RandomGraph.entry(&random)
      pending.insert(entry)
      if !members.isEmpty { entry.owner = random.pick(members) }
      (entry as? Job)?.labels = labels
    }
  }

  /// Edits of a few models that entries, members and labels lead to.
  private func changeFollowed() throws {
    var random = SeededRandom(graph.seed ^ 0xbeef)
    let order = [SortDescriptor(\Member.persistentModelID)]
    let members = try followed.fetch(FetchDescriptor<Member>(sortBy: order))
    let labels = try followed.fetch(FetchDescriptor<Label>(sortBy: [.init(\.persistentModelID)]))
    for member in members where random.chance(30) {
      switch random.below(4) {
      case 0: member.name = random.pick(Hostile.texts)
      case 1: member.age = random.chance(30) ? nil : random.below(40)
      case 2: member.leader = random.pick(members)
      default: followed.delete(member)
      }
    }
    for label in labels where random.chance(30) {
      if random.chance(50) { label.text = random.pick(Hostile.texts) }
      if random.chance(50) { label.maker = members.isEmpty ? nil : random.pick(members) }
      if random.chance(30) { label.jobs.removeLast(min(1, label.jobs.count)) }
    }
    followed.insert(Member(name: random.pick(Hostile.texts), age: random.below(40)))
  }

  /// What is wrong with the answers of a context with unsaved changes.
  private func complaint<T: PersistentModel>(
    _ context: ModelContext, _ request: FetchDescriptor<T>, _ predicate: Predicate<T>
  ) -> String? {
    do {
      let models = try context.fetch(request)
      let found = models.map(\.persistentModelID)
      let live = try context.fetch(FetchDescriptor<T>())
      let alive = Set(try live.filter { try predicate.matches($0) }.map(\.persistentModelID))
      if Set(found) != alive || found.count != alive.count {
        return difference("with pending changes", found, Array(alive))
      }
      for (first, second) in zip(models, models.dropFirst()) {
        let results = request.sortBy.lazy.map { $0.compare(first, second) }
        if results.first(where: { $0 != .orderedSame }) == .orderedDescending {
          return "with pending changes: wrong order"
        }
      }
      let count = try context.fetchCount(request)
      if count != found.count { return "with pending changes: counts \(count) of \(found.count)" }
      // Without an order PostgreSQL returns the rows of two statements in two orders.
      if PostgresTestStores.current != nil, request.sortBy.isEmpty { return nil }
      var page = request
      (page.fetchLimit, page.fetchOffset) = (3, 2)
      let part = try context.fetch(page).map(\.persistentModelID)
      if part != Array(found.dropFirst(2).prefix(3)) {
        return difference("with pending changes, a page", part, found)
      }
      return nil
    } catch {
      return "with pending changes: throws \(error)"
    }
  }

  /// What is wrong with the answers to a predicate and an order; nil when nothing is.
  func complaint<T: PersistentModel>(_ sketch: PredicateSketch<T>, _ keys: [SortKey<T>]) -> String?
  {
    let predicate = sketch.predicate
    let order = keys.map(\.descriptor)
    let request = FetchDescriptor(predicate: predicate, sortBy: order)
    do {
      var expected = try all(T.self).filter { try predicate.matches($0) }
      // The primary key breaks ties, whatever the class; identifiers sort by class first.
      expected.sort {
        $0.persistentModelID.resolved.rowKey ?? 0 < $1.persistentModelID.resolved.rowKey ?? 0
      }
      if !order.isEmpty { expected.sort(using: order) }
      var wanted = expected.map(\.persistentModelID)
      do {
        var found = try asking.fetch(request).map(\.persistentModelID)
        if order.isEmpty {
          found.sort()
          wanted.sort()
        }
        if found != wanted { return difference("the store", found, wanted) }
        let count = try asking.fetchCount(request)
        if count != wanted.count { return "the store counts \(count), not \(wanted.count)" }
        if let complaint = try windowComplaint(request, wanted) { return complaint }
        if let complaint = try plainComplaint(request, expected) { return complaint }
      } catch {
        return "the store throws \(error)"
      }
      // What throws in memory may do so with other values too.
      for context in [pending, followed] {
        for model in try context.fetch(FetchDescriptor<T>()) { _ = try predicate.matches(model) }
        if let complaint = complaint(context, request, predicate) { return complaint }
      }
      return nil
    } catch {
      // What throws in memory may do so everywhere.
      return nil
    }
  }

  /// What is wrong with the answer to the description of a request.
  private func plainComplaint<T: PersistentModel>(
    _ request: FetchDescriptor<T>, _ expected: [T]
  ) throws -> String? {
    let mapping = try #require(mapping.entity(for: T.self))
    let compiled = PredicateCompiler.compile(
      request.predicate, sortBy: request.sortBy, entity: mapping, mapping: self.mapping)
    let isSQL = !compiled.filtersInMemory && !compiled.sortsInMemory
    let found = try plain.answer(request)
    asked.all += 1
    if found != nil { described.all += 1 }
    if isSQL { asked.bySQL += 1 }
    if isSQL, found != nil { described.bySQLToo += 1 }
    guard let found else { return nil }
    var wanted = expected.sorted { $0.persistentModelID < $1.persistentModelID }
    if !request.sortBy.isEmpty { wanted.sort(using: request.sortBy) }
    let identifiers = wanted.map(\.persistentModelID)
    if found != identifiers { return difference("described as plain data", found, identifiers) }
    var window = request
    (window.fetchOffset, window.fetchLimit) = (1, 3)
    let cut = Array(identifiers.dropFirst().prefix(3))
    let part = try plain.answer(window) ?? []
    return part == cut ? nil : difference("a window in plain data", part, cut)
  }

  /// Limit and offset cut the same models out of an order as an array would.
  private func windowComplaint<T: PersistentModel>(
    _ request: FetchDescriptor<T>, _ wanted: [PersistentIdentifier]
  ) throws -> String? {
    if request.sortBy.isEmpty { return nil }
    var window = request
    (window.fetchOffset, window.fetchLimit) = (1, 3)
    let cut = Array(wanted.dropFirst().prefix(3))
    let found = try asking.fetch(window).map(\.persistentModelID)
    if found != cut { return difference("the window", found, cut) }
    let identifiers = try asking.fetchIdentifiers(window)
    return identifiers == cut ? nil : difference("the window of identifiers", identifiers, cut)
  }

  private func difference(
    _ place: String, _ found: [PersistentIdentifier], _ wanted: [PersistentIdentifier]
  ) -> String {
    "\(place): \(names(found)), in memory: \(names(wanted))"
  }

  private func names(_ identifiers: [PersistentIdentifier]) -> [String] {
    identifiers.map { identifier in
      switch judging.model(for: identifier) {
      case let entry as Entry:
        "\(String(reflecting: String(entry.name.prefix(20)))) "
          + "\(entry.alias.map { String($0.prefix(20)) }.debugDescription) \(entry.rank)"
          + ((entry as? Job).map { " \($0.price) \($0.place.position.latitude)" } ?? "")
      case let member as Member: "\(String(reflecting: String(member.name.prefix(20))))"
      case let label as Label: "\(String(reflecting: String(label.text.prefix(20))))"
      default: "?"
      }
    }
  }
}
