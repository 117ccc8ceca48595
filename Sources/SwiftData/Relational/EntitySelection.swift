import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax

/// How rows of an entity are read, down to the cells.
package final class EntitySelection: Sendable {
  let columns: [SQLExpression]
  let hasEntityNumber: Bool
  /// The columns that tell which row it is: the key and, where there are several, the entity number.
  let keyColumns: [SQLExpression]
  /// By entity number.
  let members: [Int: Member]
  let onlyMember: Member
  /// Reads one row by key.
  let byKey: String
  /// Reads the rows whose keys are in the list that is parameter 0, in the order of the list.
  let byKeys: String

  struct Member: Sendable {
    let descriptor: _ModelDescriptor
    let sources: ContiguousArray<CellSource>
    let scope: IdentifierScope
    private let blankNulls: ContiguousArray<UInt64>

    init(
      descriptor: _ModelDescriptor, sources: ContiguousArray<CellSource>, scope: IdentifierScope
    ) {
      self.descriptor = descriptor
      self.sources = sources
      self.scope = scope
      blankNulls = descriptor.layout.blankNulls(filling: sources.lazy.map(\.cell))
    }

    func builder(expectedRows: Int, _ outside: (any OutsideValues)?) -> RowBuilder {
      RowBuilder(
        layout: descriptor.layout, blankNulls: blankNulls, expectedRows: expectedRows,
        outside: outside)
    }
  }

  init(_ selection: RowSelection, entity: EntityMapping, plans: StorePlans) {
    columns = selection.columns
    hasEntityNumber = selection.hasEntityNumber
    keyColumns = Array(columns.prefix(hasEntityNumber ? 2 : 1))
    var members: [Int: Member] = [:]
    for (number, places) in selection.places {
      guard let member = plans.mapping.entity(number: number) else { continue }
      members[number] = Member(
        descriptor: member.descriptor, sources: ContiguousArray(places),
        scope: plans.scope(number: number))
    }
    self.members = members
    onlyMember =
      members[entity.number]
      ?? Member(
        descriptor: entity.descriptor, sources: [], scope: plans.scope(number: entity.number))
    let table = TableReference(entity.table, as: RowSelection.alias)
    let key = RowColumns.key(of: RowSelection.alias)
    byKey =
      Select(selection.columns, from: table, where: .binary(key, .equal, .parameter(0)))
      .rendered(in: plans.dialect).sql
    byKeys = EntitySelection.byKeys(selection.columns, from: table, in: plans.database)
  }

  private static func byKeys(
    _ columns: [SQLExpression], from table: TableReference, in database: SQLCapabilities
  ) -> String {
    let keys = "keys"
    let list = ListParameter(.parameter(0), of: .integer, hasPlaces: !database.keepsJoinOrder)
    let isListed = SQLExpression.binary(
      RowColumns.key(of: RowSelection.alias), .equal,
      .column(table: keys, name: ListParameter.value))
    return Select(
      columns, from: TableReference(list: list, as: keys),
      joins: [Join(list.hasPlaces ? .inner : .cross, table, on: isListed)],
      orderBy: list.hasPlaces
        ? [OrderingTerm(.column(table: keys, name: ListParameter.place))] : []
    ).rendered(in: database.dialect).sql
  }
}
