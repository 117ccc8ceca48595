import OpenSwiftDataSQLSyntax

/// Deletes rows by the delete rules, inside a transaction.
///
/// 1. The keys of the rows that match are read.
/// 2. Cascades add the keys of partners, level by level; one statement for each relationship.
/// 3. What a rule denies, and what a required relationship would lose, is reported before anything is
///    written.
/// 4. The history notes the rows, others let go of them, and the rows go.
struct RowDeletion {
  let store: RelationalStore
  let session: any SQLSession
  /// The deleted rows by the number of their entity, in the order they were found.
  private var keys: [Int: [Int64]] = [:]
  /// The same by table, to look one up.
  private var known: [String: Set<Int64>] = [:]

  init(store: RelationalStore, session: any SQLSession) {
    self.store = store
    self.session = session
  }

  /// - Parameter rows: Keys and entity numbers of the rows that match.
  mutating func run(
    _ rows: [(key: Int64, entity: Int)], _ changes: inout RowChanges
  ) throws {
    try addCascades(of: add(rows))
    let found = keys.keys.sorted().compactMap { number in
      steps(of: number).map { (number, $0, list(keys[number] ?? [])) }
    }
    var failures: [SwiftDataError] = []
    for (number, steps, list) in found {
      for denial in steps.denials { failures += try judge(denial, number, list) }
      for emptying in steps.emptyings { failures += try judge(emptying, list) }
    }
    try SwiftDataError.throwAll(failures)
    for (number, _, _) in found {
      if let entity = store.mapping.entity(number: number) {
        try changes.noteDeletion(of: entity, keys[number] ?? [])
      }
    }
    for (_, steps, list) in found {
      for emptying in steps.emptyings {
        for key in try session.statement(emptying.sql).integers(.list(list)) {
          changes.note(emptying.partner, key: key)
        }
      }
      for sql in steps.unlinking { try execute(sql, list) }
    }
    for (_, steps, list) in found { try execute(steps.delete, list) }
  }

  // MARK: Finding

  /// - Returns: The keys that are new, by entity number.
  private mutating func add(_ rows: [(key: Int64, entity: Int)]) -> [Int: [Int64]] {
    var new: [Int: [Int64]] = [:]
    for (key, number) in rows {
      guard let table = store.mapping.entity(number: number)?.table,
        known[table, default: []].insert(key).inserted
      else { continue }
      new[number, default: []].append(key)
    }
    for (number, added) in new { keys[number, default: []] += added }
    return new
  }

  private mutating func addCascades(of rows: [Int: [Int64]]) throws {
    var level = rows
    while !level.isEmpty {
      var next: [(key: Int64, entity: Int)] = []
      for (number, added) in level {
        guard let steps = steps(of: number), !steps.cascades.isEmpty else { continue }
        let list = list(added)
        for cascade in steps.cascades {
          next += try partners(cascade.sql, list).map { ($0.key, $0.entity) }
        }
      }
      level = add(next)
    }
  }

  private func steps(of number: Int) -> DeletionSteps? {
    store.mapping.entity(number: number).map { store.plans.deletion(of: $0, store.schema) }
  }

  // MARK: Judging

  private func judge(
    _ denial: DeletionSteps.Partners, _ number: Int, _ list: String
  ) throws -> [SwiftDataError] {
    let blocking = try partners(denial.sql, list).filter { !isDeleted($0.key, $0.entity) }
    if blocking.isEmpty { return [] }
    let pairs = blocking.prefix(5)
      .map { "\(identifier($0.owner, number)) has \(identifier($0.key, $0.entity))" }
    return [
      SwiftDataError.modelValidationFailure.with(
        "The delete rule .deny keeps models from being deleted: "
          + RowDeletion.text(pairs, of: blocking.count)
          + ". Delete or move the partners first. Nothing was deleted.",
        entity: store.mapping.entity(number: number)?.name, property: denial.property)
    ]
  }

  private func judge(
    _ emptying: DeletionSteps.Emptying, _ list: String
  ) throws -> [SwiftDataError] {
    guard let sql = emptying.findingRequired else { return [] }
    var left: [PersistentIdentifier] = []
    let found = try session.statement(sql).integers(.list(list))
    for row in stride(from: 0, to: found.count, by: 2) {
      let (key, number) = (found[row], Int(found[row + 1]))
      if !isDeleted(key, number) { left.append(identifier(key, number)) }
    }
    if left.isEmpty { return [] }
    return [
      SwiftDataError.modelValidationFailure.with(
        "The deletion would leave a required relationship without a model in "
          + RowDeletion.text(left.prefix(5).map(\.description), of: left.count)
          + ". Delete or move these first, or make it optional. Nothing was deleted.",
        entity: emptying.owner.name, property: emptying.property)
    ]
  }

  private func isDeleted(_ key: Int64, _ number: Int) -> Bool {
    guard let table = store.mapping.entity(number: number)?.table else { return false }
    return known[table]?.contains(key) ?? false
  }

  private func identifier(_ key: Int64, _ number: Int) -> PersistentIdentifier {
    let known = store.plans.scopes.indices.contains(number) ? number : 0
    return PersistentIdentifier(scope: store.plans.scope(number: known), key: key)
  }

  // MARK: Statements

  private func partners(
    _ sql: String, _ list: String
  ) throws -> [(owner: Int64, key: Int64, entity: Int)] {
    let found = try session.statement(sql).integers(.list(list))
    return stride(from: 0, to: found.count, by: 3).map {
      (found[$0], found[$0 + 1], Int(found[$0 + 2]))
    }
  }

  private func execute(_ sql: String, _ list: String) throws {
    try session.statement(sql).run(.list(list))
  }

  private func list(_ keys: [Int64]) -> String { store.driver.dialect.list(keys) }

  private static func text(_ parts: [String], of count: Int) -> String {
    parts.joined(separator: ", ") + (count > parts.count ? " and \(count - parts.count) more" : "")
  }
}
