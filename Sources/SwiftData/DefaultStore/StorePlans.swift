import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax
import OpenSwiftDataSQLiteEngine
import Synchronization

/// What is built once per store and shape: selections, save statements and the text of queries.
package final class StorePlans: Sendable {
  let mapping: SchemaMapping
  /// By entity number; without a name where no entity has the number.
  let scopes: [IdentifierScope]
  /// Whether new models of one save can name each other.
  let hasRelationships: Bool
  private let constraints: [String: [[String]]]
  private let state: Mutex<State>

  private struct State {
    /// Of whole rows, by entity number.
    var selections: [EntitySelection?]
    var partialSelections: [SelectionKey: EntitySelection] = [:]
    var saves: [String: EntitySave] = [:]
    var queries: [QueryShape: String] = [:]
    var renderedCount = 0
    var members: [MembersKey: MembersQuery] = [:]
    /// By entity number.
    var deletions: [Int: DeletionSteps] = [:]
  }

  init(mapping: SchemaMapping, schema: Schema, storeIdentifier: String) {
    self.mapping = mapping
    let names = mapping.namesByNumber
    state = Mutex(State(selections: Array(repeating: nil, count: names.count)))
    scopes = names.map {
      IdentifierScope(storeIdentifier: storeIdentifier, entityName: $0, kind: .row)
    }
    var constraints: [String: [[String]]] = [:]
    for entity in mapping.entities {
      constraints[entity.name] = schema.uniquenessConstraints(of: entity.name)
    }
    self.constraints = constraints
    hasRelationships = mapping.entities.contains { !$0.descriptor.relationshipSlots.isEmpty }
  }

  func selection(of entity: EntityMapping) -> EntitySelection {
    state.withLock { state in
      if let known = state.selections[entity.number] { return known }
      let made = EntitySelection(RowSelection(entity, in: mapping), entity: entity, plans: self)
      state.selections[entity.number] = made
      return made
    }
  }

  private struct SelectionKey: Hashable {
    let entity: Int
    let slots: Set<Int>
  }

  /// - Parameter slots: The properties to read; `nil` for whole rows.
  func selection(of entity: EntityMapping, slots: Set<Int>?) -> EntitySelection {
    guard let slots else { return selection(of: entity) }
    let key = SelectionKey(entity: entity.number, slots: slots)
    return state.withLock { state in
      if let known = state.partialSelections[key] { return known }
      let made = EntitySelection(
        RowSelection(entity, in: mapping, slots: slots), entity: entity, plans: self)
      if state.partialSelections.count > 512 { state.partialSelections.removeAll() }
      state.partialSelections[key] = made
      return made
    }
  }

  func save(of entity: EntityMapping) -> EntitySave {
    state.withLock { state in
      if let known = state.saves[entity.name] { return known }
      let made = EntitySave(entity, constraints: constraints[entity.name] ?? [], mapping: mapping)
      state.saves[entity.name] = made
      return made
    }
  }

  /// What the deletion of an entity's rows does to others, read from the schema once.
  func deletion(of entity: EntityMapping, _ schema: Schema) -> DeletionSteps {
    if let known = state.withLock({ $0.deletions[entity.number] }) { return known }
    let made = DeletionSteps(of: entity, in: mapping, schema)
    state.withLock { $0.deletions[entity.number] = made }
    return made
  }

  private struct MembersKey: Hashable {
    let entity: Int
    let slot: Int
  }

  func members(
    of entity: EntityMapping, slot: Int, _ make: () -> MembersQuery
  ) -> MembersQuery {
    let key = MembersKey(entity: entity.number, slot: slot)
    if let known = state.withLock({ $0.members[key] }) { return known }
    let made = make()
    state.withLock { $0.members[key] = made }
    return made
  }

  /// How often the text of a query was rendered, because its shape was new.
  package var renderedCount: Int { state.withLock { $0.renderedCount } }

  /// The text of a query, rendered once per shape.
  func text(of shape: QueryShape, _ render: () -> String) -> String {
    if let known = state.withLock({ $0.queries[shape] }) { return known }
    let text = render()
    state.withLock { state in
      state.renderedCount += 1
      if state.queries.count > 512 { state.queries.removeAll() }
      state.queries[shape] = text
    }
    return text
  }

  func scope(number: Int) -> IdentifierScope { scopes[number] }
}

/// What decides the text of a query.
struct QueryShape: Hashable {
  enum Purpose: Hashable {
    case rows, keys, count
    case partialRows(Set<Int>)
  }

  let purpose: Purpose
  let shape: CompiledFetch.Shape
  let hasLimit: Bool

  /// What most often tells two queries of a program apart; the rest is left to `==`.
  func hash(into hasher: inout Hasher) {
    guard let condition = shape.condition else { return hasher.combine(shape.entityName) }
    hasher.combine(condition)
    hasher.combine(shape.order.count)
  }
}

/// How rows of an entity are read, down to the cells.
final class EntitySelection: Sendable {
  let columns: [SQLExpression]
  let hasEntityNumber: Bool
  /// By entity number.
  let members: [Int: Member]
  let onlyMember: Member
  /// Reads one row by key.
  let byKey: String
  /// Reads the rows whose keys are in the JSON array that is parameter 0, in the order of the array.
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

    func builder(expectedRows: Int) -> RowBuilder {
      RowBuilder(layout: descriptor.layout, blankNulls: blankNulls, expectedRows: expectedRows)
    }
  }

  init(_ selection: RowSelection, entity: EntityMapping, plans: StorePlans) {
    columns = selection.columns
    hasEntityNumber = selection.hasEntityNumber
    var members: [Int: Member] = [:]
    for (number, places) in selection.places {
      guard let member = plans.mapping.entity(number: number) else { continue }
      members[number] = Member(
        descriptor: member.descriptor, sources: ContiguousArray(places.map(CellSource.init)),
        scope: plans.scope(number: number))
    }
    self.members = members
    onlyMember =
      members[entity.number]
      ?? Member(
        descriptor: entity.descriptor, sources: [], scope: plans.scope(number: entity.number))
    let table = TableReference(entity.table, as: RowSelection.alias)
    let key = SQLExpression.column(table: RowSelection.alias, name: "Z_PK")
    byKey =
      Select(selection.columns, from: table, where: .binary(key, .equal, .parameter(0)))
      .rendered().sql
    let keys = TableReference("json_each", as: "keys", arguments: [.parameter(0)])
    byKeys =
      Select(
        selection.columns, from: keys,
        joins: [
          Join(.cross, table, on: .binary(key, .equal, .column(table: "keys", name: "value")))
        ]
      ).rendered().sql
  }
}

/// How rows of an entity are written.
final class EntitySave: Sendable {
  let statements: SaveStatements
  let toMany: [ToManyStatements]
  let keySource: KeySource
  /// Empties the to-one columns of others that name a deleted row and have no inverse to tell them.
  let referring: [String]
  /// Frees the old partners of one-to-one relationships when an upsert brings new ones, by slot.
  let displacing: [Int: String]
  private let emptyings = Mutex<[SlotSet: String?]>([:])
  private let updates = Mutex<[SlotSet: Update?]>([:])

  /// Where the key of a new model comes from.
  enum KeySource {
    case nextFree
    /// The statement that writes the row finds the row with the same unique values.
    case writing
    /// The row with the same unique values is looked up first.
    case lookingUp
  }

  struct Update: Sendable {
    let sql: String
    let columns: [SaveStatements.Column]
  }

  init(_ entity: EntityMapping, constraints: [[String]], mapping: SchemaMapping) {
    statements = SaveStatements(entity, constraints: constraints)
    toMany = entity.properties.compactMap(ToManyStatements.init)
    referring = ReferringColumns(to: entity, in: mapping).emptying
    displacing = DisplacingColumns(of: entity, in: mapping).emptying
    keySource =
      statements.lookups.isEmpty
      ? .nextFree : statements.upsert == nil ? .lookingUp : .writing
  }

  /// Sets the unique columns of some slots to null in one row; `nil` when there are none.
  func emptying(_ slots: SlotSet) -> String? {
    if slots.isEmpty { return nil }
    return emptyings.withLock { known in
      if let sql = known[slots] { return sql }
      let made = statements.emptying(slots)
      known[slots] = .some(made)
      return made
    }
  }

  func update(of slots: SlotSet) -> Update? {
    updates.withLock { known in
      if let update = known[slots] { return update }
      let made = statements.update(of: slots).map { Update(sql: $0.sql, columns: $0.columns) }
      known[slots] = .some(made)
      return made
    }
  }
}

extension CellSource {
  init(_ place: RowSelection.Place) {
    let conversion: Conversion =
      switch place.content {
      case .keyAndEntity: .keyAndEntity
      case .plain(.integer): .integer
      case .plain(.real): .real
      case .plain(.text): .text
      case .plain(.blob): .blob
      case .plain(.tagged): .tagged
      }
    self.init(column: place.column, cell: place.cell, conversion: conversion)
  }
}
