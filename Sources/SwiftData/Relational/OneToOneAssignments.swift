import OpenSwiftDataSQLSyntax

/// The destination of a row's one-to-one relationship, as requested by a save.
struct OneToOneAssignment {
  let statements: ToOneLink.OneToOne
  let row: RowChanges.Row
  let slot: Int
  var destination: RowChanges.Row?
  /// Whether several models were merged into the row, or a stored and a new one.
  var isShared: Bool
  /// The same for the row of the destination: other rows may refer to it, also if it is new.
  var isDestinationShared = false
  /// Whether a later link of the same row takes its place.
  var isReplaced = false
}

/// The one-to-one links of a save. If several new models are merged into one row, the last link
/// counts, and the inverse links of the earlier ones do not.
struct OneToOneAssignments {
  private struct Side: Hashable {
    let row: RowChanges.Row
    let slot: Int
  }

  private var assignments: [OneToOneAssignment] = []
  private var indices: [Side: Int] = [:]

  mutating func add(_ assignment: OneToOneAssignment) {
    let side = Side(row: assignment.row, slot: assignment.slot)
    var assignment = assignment
    if let earlier = indices.updateValue(assignments.count, forKey: side) {
      assignments[earlier].isReplaced = true
      assignment.isShared = true
    }
    assignments.append(assignment)
  }

  /// The final links: each row has one destination, and is the destination of one row. Links may
  /// contradict each other if a context has read the two ends at different times. Then the last one
  /// counts, and the row of an earlier one gets no destination.
  func settled(besides deletion: RowDeletion) -> [OneToOneAssignment] {
    var taken: Set<Side> = []
    var settled: [OneToOneAssignment] = []
    var superseded: [OneToOneAssignment] = []
    for var assignment in assignments.reversed()
    where !assignment.isReplaced && !deletion.contains(assignment.row) {
      if isSuperseded(assignment) {
        superseded.append(assignment)
        continue
      }
      let end = Side(row: assignment.row, slot: assignment.slot)
      guard taken.insert(end).inserted else { continue }
      if let row = assignment.destination {
        let other = Side(row: row, slot: assignment.statements.freeRow.slot)
        assignment.isDestinationShared = indices[other].map { assignments[$0].isShared } ?? false
        if other != end, !taken.insert(other).inserted { assignment.destination = nil }
      }
      settled.append(assignment)
    }
    // A stored row has lost the partner that it had before, too.
    for var assignment in superseded
    where taken.insert(Side(row: assignment.row, slot: assignment.slot)).inserted {
      assignment.destination = nil
      settled.append(assignment)
    }
    return settled.reversed()
  }

  /// Whether the row at the other end was merged from several models, and its final link refers to
  /// another row. A final link that is superseded itself does not count; in a circle the last link does.
  private func isSuperseded(_ assignment: OneToOneAssignment) -> Bool {
    guard let first = indexOfSuperseding(assignment) else { return false }
    var chain = [first]
    while let next = indexOfSuperseding(assignments[chain[chain.count - 1]]) {
      if let start = chain.firstIndex(of: next) {
        let last = chain.indices[start...].max { chain[$0] < chain[$1] } ?? start
        // The last link may be this one.
        if chain[last] == indices[Side(row: assignment.row, slot: assignment.slot)] { return false }
        return last.isMultiple(of: 2)
      }
      chain.append(next)
    }
    return !chain.count.isMultiple(of: 2)
  }

  /// The final link of a merged row, if an assignment leads to that row and the link to another one.
  private func indexOfSuperseding(_ assignment: OneToOneAssignment) -> Int? {
    guard let destination = assignment.destination,
      let index = indices[Side(row: destination, slot: assignment.statements.freeRow.slot)],
      assignments[index].isShared && assignments[index].destination != assignment.row
    else { return nil }
    return index
  }
}

/// Finds the one-to-one links of a save that other links contradict, with few statements for all of them.
///
/// Each row and each destination occurs once in the settled links. So what is written for one of them changes
/// nothing for another that is not contradicted.
struct OneToOneCheck {
  private let session: any SQLSession
  private let dialect: SQLDialect

  init(_ session: any SQLSession, _ dialect: SQLDialect) {
    self.session = session
    self.dialect = dialect
  }

  /// The assignments, in their order, of which other rows lead to an end, or whose destination does not lead to
  /// the row.
  func unsettled(_ assignments: [OneToOneAssignment]) throws -> [OneToOneAssignment] {
    var groups: [String: [Int]] = [:]
    for (index, assignment) in assignments.enumerated() {
      groups[assignment.statements.leadingToRows, default: []].append(index)
    }
    var unsettled: Set<Int> = []
    let batch = StatementBatch(session)
    for (_, indices) in groups.sorted(by: { $0.key < $1.key }) {
      let statements = assignments[indices[0]].statements
      var (byRow, byDestination): ([Int64: Int], [Int64: Int]) = ([:], [:])
      for index in indices {
        byRow[assignments[index].row.key] = index
        if let key = assignments[index].destination?.key { byDestination[key] = index }
      }
      batch.read(statements.leadingToRows, list(byRow)) { found in
        forEachPair(of: found) { partner, row in
          guard let index = byRow[row] else { return }
          if assignments[index].destination?.key != partner { unsettled.insert(index) }
        }
      }
      if byDestination.isEmpty { continue }
      batch.read(statements.leadingToDestinations, list(byDestination)) { found in
        forEachPair(of: found) { row, destination in
          guard let index = byDestination[destination] else { return }
          if assignments[index].row.key != row { unsettled.insert(index) }
        }
      }
      batch.read(statements.destinations, list(byDestination)) { found in
        forEachPair(of: found) { destination, row in
          guard let index = byDestination[destination] else { return }
          if assignments[index].row.key != row { unsettled.insert(index) }
        }
      }
    }
    try batch.run()
    return assignments.indices.filter(unsettled.contains).map { assignments[$0] }
  }

  private func list(_ keys: [Int64: Int]) -> SQLParameters {
    .list(dialect.list(keys.keys.sorted()))
  }

  private func forEachPair(of integers: [Int64], _ body: (Int64, Int64) -> Void) {
    for index in stride(from: 0, to: integers.count, by: 2) {
      body(integers[index], integers[index + 1])
    }
  }
}
