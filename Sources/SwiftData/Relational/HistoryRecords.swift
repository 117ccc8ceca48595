import OpenSwiftDataSQLSyntax

/// Maps the properties of transactions and changes to the tables of the history, for predicates.
///
/// The expressions compute the same values as `HistoryRows`, so that SQL and memory agree.
package struct HistoryRecords {
  private let mapping: SchemaMapping
  private let storeIdentifier: String
  private let entityNames: EntityNames
  private let hasRanges: Bool

  private typealias Transaction = HistoryTables.Transaction
  private typealias Change = HistoryTables.Change
  private typealias Text = HistoryTables.Text
  private typealias Property = RecordMapping.Property

  /// - Parameters:
  ///   - removedEntities: The names of entities that occur only in the history, by number.
  ///   - hasRanges: `HistoryTables.hasRanges`.
  package init(
    mapping: SchemaMapping, storeIdentifier: String, removedEntities: [Int: String] = [:],
    hasRanges: Bool = false
  ) {
    self.mapping = mapping
    self.storeIdentifier = storeIdentifier
    entityNames = EntityNames(mapping, removed: removedEntities)
    self.hasRanges = hasRanges
  }

  // MARK: Transactions

  package var transactions: RecordMapping {
    let store = storeIdentifier
    let changes = RecordLink(
      members: self.changes, ownerColumn: Change.transaction,
      range: hasRanges ? .init(first: Change.firstKey, last: Change.key) : nil,
      restriction: Self.isKnownChange)
    let columns: [Property?] = [
      Property(\DefaultHistoryTransaction.transactionIdentifier, RowColumns.key, isIndexed: true),
      Property(\DefaultHistoryTransaction.id, RowColumns.key, isIndexed: true),
      Property(\DefaultHistoryTransaction.timestamp, Transaction.timestamp, isIndexed: true),
    ]
    let properties = [
      Self.text(\DefaultHistoryTransaction.author, Transaction.author, isOptional: true),
      Self.text(\DefaultHistoryTransaction.contextName, Transaction.contextName, isOptional: true),
      Self.text(
        \DefaultHistoryTransaction.bundleIdentifier, Transaction.bundleIdentifier,
        isOptional: false),
      Self.text(
        \DefaultHistoryTransaction.processIdentifier, Transaction.processName, isOptional: false),
      Property(\DefaultHistoryTransaction.storeIdentifier) { _ in
        .scalar(ScalarTerm(value: .text(store), kind: .scalar(.string)))
      },
      Property(\DefaultHistoryTransaction.token) { alias in
        .scalar(ScalarTerm(value: RowColumns.key(of: alias), kind: .token))
      },
      Property(\DefaultHistoryTransaction.changes) { alias in
        let owner = RecordTerm(mapping: Self.bareTransactions, alias: alias)
        return .collection(CollectionTerm(.records(changes, owner: owner)))
      },
    ]
    let entity = HistoryTables.Entity.transaction
    return RecordMapping(
      entity.name, table: entity.table, keyColumn: RowColumns.key,
      properties: columns.compactMap(\.self) + properties)
  }

  /// The owners of changes, when only their keys are needed.
  private static let bareTransactions = RecordMapping(
    HistoryTables.Entity.transaction.name, table: HistoryTables.Entity.transaction.table,
    keyColumn: RowColumns.key, properties: [])

  /// A text of a transaction, stored by key or in the row itself.
  private static func text(
    _ keyPath: AnyKeyPath, _ column: String, isOptional: Bool
  ) -> Property {
    Property(keyPath) { alias in
      let shared = SharedText(
        key: .column(table: alias, name: column),
        twin: .column(table: alias, name: Transaction.twin(of: column)))
      let text = isOptional ? shared.text : .function("coalesce", [shared.text, .text("")])
      var scalar = ScalarTerm(
        value: text, kind: .scalar(.string), presence: isOptional ? .whenNotNull : .always)
      scalar.search = TextSearch(text: text) { bindings, spellings in
        // A missing text is read as an empty text, which has no key.
        if !isOptional, spellings.contains(.text("")) { return nil }
        return shared.isOne(of: spellings, &bindings)
      }
      return .scalar(scalar)
    }
  }

  // MARK: Changes

  private var changes: RecordMapping {
    let (store, names, hasRanges) = (storeIdentifier, entityNames, hasRanges)
    let entity = HistoryTables.Entity.change
    return RecordMapping(
      entity.name, table: entity.table, keyColumn: RowColumns.key,
      properties: [
        Property(\HistoryChange.changedPersistentIdentifier) { alias in
          let number = SQLExpression.column(table: alias, name: Change.entity)
          let key =
            hasRanges
            ? TableReference.Range.value(of: alias) : .column(table: alias, name: Change.key)
          return .identifier(
            IdentifierTerm(
              entity: number, key: key,
              entityName: names.term(number), storeIdentifier: store))
        }
      ])
  }

  @Sendable private static func isKnownChange(_ alias: String) -> SQLExpression {
    let kinds = HistoryTables.ChangeType.allCases.map { SQLExpression.integer($0.rawValue) }
    return .inList(.column(table: alias, name: Change.type), kinds)
  }
}

/// A text of a transaction: the one with its key, otherwise the one in the row itself.
private struct SharedText {
  let key: SQLExpression
  let twin: SQLExpression

  private static let texts = "texts"
  private static let source = TableReference(HistoryTables.Entity.text.table, as: texts)
  private static let value = SQLExpression.column(table: texts, name: HistoryTables.Text.value)

  /// The text with the key.
  private var found: SQLExpression {
    .subquery(
      Select(
        [Self.value], from: Self.source,
        where: .binary(RowColumns.key(of: Self.texts), .equal, key)))
  }

  var text: SQLExpression { .function("coalesce", [found, twin]) }

  func isOne(of spellings: [_StoredValue], _ bindings: inout StatementBindings) -> SQLExpression {
    let keys = Select(
      [RowColumns.key(of: Self.texts)], from: Self.source,
      where: bindings.inList(Self.value, spellings, of: .text))
    return .any([
      .orFalse(.inSelect(key, keys)),
      .all([.orFalse(bindings.inList(twin, spellings, of: .text)), found.isNull]),
    ])
  }
}

/// The names of entities by number, as in the identifiers of changes: entities of the models,
/// entities that migrations removed, and other entities of the file.
private struct EntityNames: Sendable {
  private let known: [(number: Int, name: String)]

  private static let entities = "entities"

  init(_ mapping: SchemaMapping, removed: [Int: String]) {
    let own = mapping.entities.map { (number: $0.number, name: $0.name) }
    known =
      own
      + removed.filter { mapping.entity(number: $0.key) == nil }.sorted { $0.key < $1.key }
      .map { (number: $0.key, name: $0.value) }
  }

  func term(_ number: SQLExpression) -> ScalarTerm {
    let name = name(of: number)
    var term = ScalarTerm(value: name, kind: .scalar(.string))
    term.search = TextSearch(text: name) { bindings, spellings in
      search(number, spellings, &bindings)
    }
    return term
  }

  private func name(of number: SQLExpression) -> SQLExpression {
    let stored = Select(
      [.column(table: Self.entities, name: EntityTable.entityName)],
      from: TableReference(EntityTable.name, as: Self.entities),
      where: .binary(
        .column(table: Self.entities, name: EntityTable.number), .equal, number))
    let other = SQLExpression.function(
      "coalesce",
      [
        .subquery(stored),
        .binary(.text(HistoryTables.unnamedEntity), .concatenate, .cast(number, to: .text)),
      ])
    if known.isEmpty { return other }
    return .conditional(
      known.map { entity in
        SQLBranch(
          when: .binary(number, .equal, .integer(Int64(entity.number))), then: .text(entity.name))
      }, otherwise: other)
  }

  /// The numbers of the names; for unknown names a query of the file's entities.
  private func search(
    _ number: SQLExpression, _ spellings: [_StoredValue], _ bindings: inout StatementBindings
  ) -> SQLExpression? {
    var numbers: [SQLExpression] = []
    var others: [_StoredValue] = []
    for case .text(let name) in spellings {
      let found = known.filter { $0.name == name }
      if found.isEmpty, name.hasPrefix(HistoryTables.unnamedEntity) { return nil }
      if found.isEmpty { others.append(.text(name)) }
      for entity in found { numbers.append(.integer(Int64(entity.number))) }
    }
    let isKnown: SQLExpression =
      switch numbers.count {
      case 0: .false
      case 1: .binary(number, .equal, numbers[0])
      default: .inList(number, numbers)
      }
    if others.isEmpty { return .orFalse(isKnown) }
    let stored = SQLExpression.column(table: Self.entities, name: EntityTable.number)
    let hasKnownNumber = SQLExpression.inList(
      stored, known.map { .integer(Int64($0.number)) })
    let found = Select(
      [stored], from: TableReference(EntityTable.name, as: Self.entities),
      where: .all([
        bindings.inList(
          .column(table: Self.entities, name: EntityTable.entityName), others, of: .text),
        known.isEmpty ? .true : hasKnownNumber.negated,
      ]))
    return .orFalse(.any([isKnown, .inSelect(number, found)]))
  }
}
