import Foundation

/// Runs one fetch of transactions.
struct HistoryReading {
  let store: RelationalStore
  let rows: HistoryRows
  private let session: any SQLSession

  /// The number of transactions that are read at a time.
  private static let chunk = 256

  init(store: RelationalStore, session: any SQLSession) {
    self.store = store
    self.session = session
    rows = HistoryRows(session: session, plans: store.plans)
  }

  /// - Parameter end: The last number that was assigned to a transaction.
  func transactions(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, end: Int64
  ) throws -> [DefaultHistoryTransaction] {
    try DefaultHistoryToken.$comparedStore.withValue(store.identifier) {
      guard let row = try rows.extendedGap(end: end) else { return try matches(descriptor) }
      return try matches(descriptor, withGapAt: row, end: end)
    }
  }

  private func matches(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    let limit = descriptor.fetchLimit == 0 ? Int.max : Int(clamping: descriptor.fetchLimit)
    let query = HistoryQuery(descriptor, store)
    let compiled = query.compiled
    let takesAll = compiled.filtersInMemory || compiled.sortsInMemory
    let numbers = try query.numbers(session, limit: takesAll ? nil : limit)
    var found: [DefaultHistoryTransaction] = []
    for start in stride(from: 0, to: numbers.count, by: HistoryReading.chunk) {
      let end = min(start + HistoryReading.chunk, numbers.count)
      for transaction in try made(Array(numbers[start..<end])) {
        if compiled.filtersInMemory, try !judge(transaction, descriptor) { continue }
        found.append(transaction)
        if found.count == limit, !compiled.sortsInMemory { return found }
      }
    }
    if compiled.sortsInMemory {
      found = Array(found.sorted(asFetchedBy: descriptor.sortBy).prefix(limit))
    }
    return found
  }

  /// SQL finds the gap by the number of its row. So the gap is left out, judged with its own number,
  /// and put where the order has it.
  private func matches(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, withGapAt row: Int64, end: Int64
  ) throws -> [DefaultHistoryTransaction] {
    var others = descriptor
    if others.fetchLimit > 0, others.fetchLimit < .max { others.fetchLimit += 1 }
    var found = try matches(others).filter { $0.transactionIdentifier != row }
    for gap in try made([row], numbered: end) where try judge(gap, descriptor) {
      found.append(gap)
      if !descriptor.sortBy.isEmpty {
        found = found.sorted(asFetchedBy: descriptor.sortBy)
      }
    }
    if descriptor.fetchLimit == 0 { return found }
    return Array(found.prefix(Int(clamping: descriptor.fetchLimit)))
  }

  private func judge(
    _ transaction: DefaultHistoryTransaction,
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> Bool {
    do {
      return try descriptor.predicate?.evaluate(transaction) ?? true
    } catch {
      throw SwiftDataError.invalidTransactionFetchRequest.with(
        "The predicate throws for transaction \(transaction.transactionIdentifier) of the store "
          + "\(store.name).", underlying: error)
    }
  }

  // MARK: Values

  /// - Parameter end: The number of the transaction, if it is not that of its row.
  private func made(
    _ numbers: [Int64], numbered end: Int64? = nil
  ) throws -> [DefaultHistoryTransaction] {
    let transactions = try rows.transactions(numbers)
    let changes = try rows.changes(of: numbers)
    var scopes = Scopes(store: store, session: session)
    return try numbers.compactMap { number in
      guard let row = transactions[number] else { return nil }
      let made = try changes[number, default: []].map { change in
        let identifier = PersistentIdentifier(
          scope: try scopes.scope(ofEntity: change.entity), key: change.key)
        return store.plans.historyChanges(ofEntity: change.entity).change(change, of: identifier)
      }
      return DefaultHistoryTransaction(
        transactionIdentifier: end ?? number, storeIdentifier: store.identifier,
        timestamp: Date(timeIntervalSinceReferenceDate: row.timestamp), changes: made,
        bundleIdentifier: row.bundleIdentifier ?? "", processIdentifier: row.processName ?? "",
        author: row.author, contextName: row.contextName,
        token: end.map { DefaultHistoryToken([store.identifier: $0]) })
    }
  }
}

/// The identifier scopes by entity number, including entities that are not in the schema.
private struct Scopes {
  let store: RelationalStore
  let session: any SQLSession
  private var others: [Int: IdentifierScope] = [:]

  init(store: RelationalStore, session: any SQLSession) {
    self.store = store
    self.session = session
  }

  mutating func scope(ofEntity number: Int) throws -> IdentifierScope {
    if store.mapping.entity(number: number) != nil { return store.plans.scope(number: number) }
    if let known = others[number] { return known }
    let scope = IdentifierScope(
      storeIdentifier: store.identifier, entityName: try name(ofEntity: number), kind: .row)
    others[number] = scope
    return scope
  }

  /// The name that the file has for the number, if the entity belongs to another schema.
  private func name(ofEntity number: Int) throws -> String {
    if let removed = store.removedEntities[number] { return removed }
    let rows = try session.statement(store.plans.historyRows.entityName)
      .values(.integer(Int64(number)))
    if case .text(let name)? = rows.first?.first { return name }
    return "\(HistoryTables.unnamedEntity)\(number)"
  }
}
