package import OpenSwiftDataRowStorage

/// A driver's result, from which rows are copied.
package protocol RowCursor {
  var columnCount: Int32 { get }

  /// Moves to the next row; `false` if there is none.
  func step() throws -> Bool

  /// The integer in a column of the row; 0 for null.
  func int64(_ column: Int32) -> Int64

  /// Copies the row into `builder`.
  /// - Parameter sources: The cell for each column.
  /// - Returns: The address of the row, in the builder's page.
  func copyRow(
    into builder: inout RowBuilder, _ sources: ContiguousArray<CellSource>
  ) -> UnsafeRawPointer
}

/// The rows of a result.
package struct ReadRows {
  package var rows: FetchedRows
  /// The last column of each row, if it was requested.
  package var owners: [Int64] = []

  /// The same rows, with the state in which they were read.
  func seen(in state: StoreState?) -> ReadRows {
    ReadRows(rows: rows.seen(in: state), owners: owners)
  }
}

/// Copies the rows of a result into pages. A driver calls `read` and `readFirst` with its own cursor
/// type, for which the loop is specialised.
package struct RowReading {
  let selection: EntitySelection
  /// The maximum number of rows, if it is known.
  var limit: Int?
  /// Whether the rows contain only some of the properties.
  var isPartial = false
  /// Whether the last column is the owner's key.
  var hasOwners = false
  /// The keys of the rows to read, if the result has other rows too.
  var range: RowKeyRange?
  /// Loads values stored outside the row, in files.
  let outside: (any ExternalValues)?

  package func read(_ cursor: some RowCursor) throws -> ReadRows {
    if !selection.hasEntityNumber { return try readBatch(cursor) }
    return try isPartial ? readRuns(cursor) : readMixed(cursor)
  }

  /// The first row; `nil` if there is none.
  package func readFirst(_ cursor: some RowCursor) throws -> DefaultSnapshot? {
    guard try cursor.step() else { return nil }
    let found =
      selection.hasEntityNumber
      ? selection.members[Int(cursor.int64(1))] : selection.onlyMember
    guard let member = found else { return nil }
    var builder = member.builder(expectedRows: 1, outside)
    let row = cursor.copyRow(into: &builder, member.sources)
    member.note(builder)
    return DefaultSnapshot(
      persistentIdentifier: PersistentIdentifier(scope: member.scope, key: cursor.int64(0)),
      descriptor: member.descriptor, page: builder.page, row: row)
  }

  private func readBatch(_ cursor: some RowCursor) throws -> ReadRows {
    let member = selection.onlyMember
    var batch = RowBatch(descriptor: member.descriptor, scope: member.scope)
    var owners: [Int64] = []
    let owner = hasOwners ? cursor.columnCount - 1 : 0
    if try cursor.step() {
      if let limit, limit < 10_000 { batch.reserve(limit) }
      var builder = member.builder(expectedRows: limit ?? 64, outside)
      var wanted = RowKeyRange.Cursor(range)
      repeat {
        let key = cursor.int64(0)
        guard wanted.contains(key) else { continue }
        let row = cursor.copyRow(into: &builder, member.sources)
        batch.append(row, key: key, in: builder.page)
        if hasOwners { owners.append(cursor.int64(owner)) }
      } while try cursor.step()
      if batch.entries.count == 1 { member.note(builder) }
    }
    return ReadRows(rows: isPartial ? .partial([batch]) : .batch(batch), owners: owners)
  }

  /// Reads rows of an entity and its subentities, each in its own layout.
  private func readMixed(_ cursor: some RowCursor) throws -> ReadRows {
    var snapshots: [DefaultSnapshot] = []
    var owners: [Int64] = []
    let owner = hasOwners ? cursor.columnCount - 1 : 0
    try copyMixedRows(cursor) { member, page, row in
      snapshots.append(
        DefaultSnapshot(
          persistentIdentifier: PersistentIdentifier(scope: member.scope, key: cursor.int64(0)),
          descriptor: member.descriptor, page: page, row: row))
      if hasOwners { owners.append(cursor.int64(owner)) }
    }
    return ReadRows(rows: .snapshots(snapshots), owners: owners)
  }

  /// Reads rows with some of the properties, in runs of one entity.
  private func readRuns(_ cursor: some RowCursor) throws -> ReadRows {
    var batches: [RowBatch] = []
    try copyMixedRows(cursor) { member, page, row in
      if batches.last?.descriptor !== member.descriptor {
        batches.append(RowBatch(descriptor: member.descriptor, scope: member.scope))
      }
      batches[batches.count - 1].append(row, key: cursor.int64(0), in: page)
    }
    return ReadRows(rows: .partial(batches))
  }

  /// Copies each row in the layout of its own entity.
  private func copyMixedRows(
    _ cursor: some RowCursor, _ body: (EntitySelection.Member, RowPage, UnsafeRawPointer) -> Void
  ) throws {
    var builders: [Int: RowBuilder] = [:]
    var wanted = RowKeyRange.Cursor(range)
    while try cursor.step() {
      let number = Int(cursor.int64(1))
      guard wanted.contains(cursor.int64(0)), let member = selection.members[number] else {
        continue
      }
      func copy(into builder: inout RowBuilder) {
        let row = cursor.copyRow(into: &builder, member.sources)
        body(member, builder.page, row)
      }
      copy(into: &builders[number, default: member.builder(expectedRows: 1, outside)])
    }
  }
}
