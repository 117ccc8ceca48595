import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax
import Synchronization

/// The columns and cells for reading rows of an entity.
package final class EntitySelection: Sendable {
  let columns: [SQLExpression]
  let hasEntityNumber: Bool
  /// The columns that identify a row: the key and, if there are several entities, the entity
  /// number.
  let keyColumns: [SQLExpression]
  /// By entity number.
  let members: [Int: Member]
  let onlyMember: Member
  /// Reads one row by key, for a fault; only if its entity is exactly this one.
  let byKey: String
  /// Reads one row by key, in place of a list with only this key.
  let byOnlyKey: String
  /// Reads the rows in a list of keys, which is parameter 0, in the order of the list. Like `byOnlyKey` and
  /// `byRange` without rows of other entities than this one and its subentities.
  let byKeys: String
  /// Reads the rows from one key to another, in the order of the keys.
  let byRange: String

  struct Member: Sendable {
    let descriptor: _ModelDescriptor
    let sources: ContiguousArray<CellSource>
    let scope: IdentifierScope
    private let blankNulls: ContiguousArray<UInt64>
    private let rowSize = RowSizeEstimate()

    init(
      descriptor: _ModelDescriptor, sources: ContiguousArray<CellSource>, scope: IdentifierScope
    ) {
      self.descriptor = descriptor
      self.sources = sources
      self.scope = scope
      blankNulls = descriptor.layout.blankNulls(filling: sources.lazy.map(\.cell))
    }

    func builder(expectedRows: Int, _ outside: (any ExternalValues)?) -> RowBuilder {
      RowBuilder(
        layout: descriptor.layout, blankNulls: blankNulls, expectedRows: expectedRows,
        rowSize: expectedRows == 1 ? rowSize.value : 0, outside: outside)
    }

    /// Called after a builder has finished its only row.
    func note(_ builder: RowBuilder) {
      rowSize.value = min(builder.finishedSize, Member.largestEstimate)
    }

    /// After a row with a large value, small rows must not get large pages.
    private static var largestEstimate: Int { 1024 }
  }

  /// The size of the last row that was read alone, which is that of its page. A page that is too
  /// small for a row is replaced by a larger one.
  private final class RowSizeEstimate: Sendable {
    private let size = Atomic(0)

    var value: Int {
      get { size.load(ordering: .relaxed) }
      set { size.store(newValue, ordering: .relaxed) }
    }
  }

  init(_ selection: RowSelection, entity: EntityMapping, plans: StorePlans) {
    columns = selection.columns
    hasEntityNumber = selection.hasEntityNumber
    keyColumns = Array(columns.prefix(hasEntityNumber ? 2 : 1))
    var members: [Int: Member] = [:]
    for (number, indices) in selection.indices {
      guard let member = plans.mapping.entity(number: number) else { continue }
      members[number] = Member(
        descriptor: member.descriptor, sources: ContiguousArray(indices),
        scope: plans.scope(number: number))
    }
    self.members = members
    onlyMember =
      members[entity.number]
      ?? Member(
        descriptor: entity.descriptor, sources: [], scope: plans.scope(number: entity.number))
    let table = TableReference(entity.table, as: RowSelection.alias)
    let key = RowColumns.key(of: RowSelection.alias)
    let isRow = SQLExpression.binary(key, .equal, .parameter(0))
    let isOwn = entity.isOwnRow(of: RowSelection.alias)
    // With several members the entity number is read, and `RowReading` skips rows of other entities.
    let isMember = hasEntityNumber ? nil : isOwn
    // By the index of entity numbers SQLite would look up each row of a range.
    let isMemberInRange = isMember.map { _ in
      SQLExpression.binary(
        .binary(RowColumns.entity(of: RowSelection.alias), .add, .integer(0)), .equal,
        .integer(Int64(entity.number)))
    }
    func select(_ conditions: SQLExpression?..., orderBy order: [OrderingTerm] = []) -> String {
      Select(
        selection.columns, from: table, where: .all(conditions.compactMap(\.self)), orderBy: order
      ).rendered(in: plans.dialect).sql
    }
    byKey = select(isRow, isOwn)
    byOnlyKey = select(isRow, isMember, orderBy: [.key(key)])
    byKeys = EntitySelection.byKeys(
      selection.columns, from: table, where: isMember, in: plans.database)
    byRange = select(
      .binary(key, .greaterOrEqual, .parameter(0)), .binary(key, .lessOrEqual, .parameter(1)),
      isMemberInRange, orderBy: [.key(key)])
  }

  private static func byKeys(
    _ columns: [SQLExpression], from table: TableReference, where isMember: SQLExpression?,
    in database: SQLCapabilities
  ) -> String {
    let keys = "keys"
    let list = ListParameter(.parameter(0), of: .integer, hasPositions: !database.keepsJoinOrder)
    let isListed = SQLExpression.binary(
      RowColumns.key(of: RowSelection.alias), .equal,
      .column(table: keys, name: ListParameter.value))
    return Select(
      columns, from: TableReference(list: list, as: keys),
      joins: [Join(list.hasPositions ? .inner : .cross, table, on: isListed)], where: isMember,
      orderBy: list.hasPositions
        ? [.key(.column(table: keys, name: ListParameter.position))] : []
    ).rendered(in: database.dialect).sql
  }
}
