import Foundation
import SwiftData
import Synchronization

/// One way in which a store is wrong.
enum Defect: String, CaseIterable, Sendable {
  case dropsARow, dropsTheLastOfMany, losesUpdates, keepsDeletedRows, revivesDeletedRows
  case returnsRowsTwice, returnsOtherEntities, answersFromBeforeTheSave, changesTheOrder
  case keepsStaleCache, sharesRowsBetweenNames, reusesKeys, savesHalfAndThrows, refusesEmptySaves
  case returnsNoIdentifiers, keepsTemporaryIdentifiers, namesAnotherStore, namesAnotherEntity
  case losesNil, keepsOldValuesForNil, dropsRequiredValues, truncatesText, composesText
  case losesEmptyData, losesFractionsOfSeconds, losesSigns, losesInfinity
  case forgetsInverses, remapsNothing, remapsOnlyTheFirst, keepsOldMembers
  case ignoresPredicate, ignoresOrder, ignoresTheSecondKey, reversesWrongly, limitsBeforePredicate
  case limitsBeforeOrder, ignoresOffset, ignoresLimit, countsWrong
  case forgetsSubclasses, confusesSubclasses, deletesSubclassesAlways, ignoresDeleteRulesInBatches
  case insertsDuplicates, mixesContexts, renumbersRows, forgetsAtReopening, ignoresErase
  case countsTokensDown, forgetsDeletionsInHistory, forgetsAuthors, ignoresTokens
  case keepsDeletedHistory, linksToMissingModels, givesNilForRequiredValues, givesOtherTypes
  case mixesCachedRows, givesOtherClasses, linksToOtherClasses, listsOtherClasses
  case mergesNewModels, overwritesStoredRows, ignoresPredicatesInBatches, ignoresBatches

  /// A rule that has to find the defect.
  var rule: String {
    switch self {
    case .dropsARow: "models/several"
    case .dropsTheLastOfMany: "models/large save"
    case .losesUpdates: "models/update"
    case .keepsDeletedRows: "models/delete"
    case .revivesDeletedRows: "faults/deleted elsewhere"
    case .returnsRowsTwice: "models/several"
    case .returnsOtherEntities: "models/entities"
    case .answersFromBeforeTheSave: "models/freshness"
    case .changesTheOrder: "models/stable order"
    case .keepsStaleCache: "models/cached snapshots"
    case .sharesRowsBetweenNames: "models/separate stores"
    case .reusesKeys: "models/keys"
    case .savesHalfAndThrows: "faults/all or nothing"
    case .refusesEmptySaves: "models/empty save"
    case .returnsNoIdentifiers: "models/remapped"
    case .keepsTemporaryIdentifiers: "models/remapped"
    case .namesAnotherStore: "models/identifiers"
    case .namesAnotherEntity: "models/identifiers"
    case .losesNil: "attributes/nil"
    case .keepsOldValuesForNil: "attributes/value to nil"
    case .dropsRequiredValues: "models/insert"
    case .truncatesText, .composesText: "attributes/texts"
    case .losesEmptyData: "attributes/data"
    case .losesFractionsOfSeconds: "attributes/dates"
    case .losesSigns: "attributes/integers"
    case .losesInfinity: "attributes/floating point"
    case .forgetsInverses: "relationships/to-many"
    case .remapsNothing, .remapsOnlyTheFirst: "relationships/permanent links"
    case .keepsOldMembers: "relationships/moves"
    case .ignoresPredicate: "predicates/comparisons"
    case .ignoresOrder: "orders/one key"
    case .ignoresTheSecondKey: "orders/several keys"
    case .reversesWrongly: "orders/reverse"
    case .limitsBeforePredicate: "orders/limit after predicate"
    case .limitsBeforeOrder: "orders/limit after order"
    case .ignoresOffset: "orders/offset"
    case .ignoresLimit: "orders/limit"
    case .countsWrong: "fetching/count"
    case .forgetsSubclasses: "inheritance/superclass"
    case .confusesSubclasses: "inheritance/own properties"
    case .deletesSubclassesAlways: "inheritance/batch without subclasses"
    case .ignoresDeleteRulesInBatches: "delete rules/batching store"
    case .insertsDuplicates: "uniqueness/update"
    case .mixesContexts: "concurrency/contexts"
    case .renumbersRows: "persistence/identifiers"
    case .forgetsAtReopening: "persistence/reopening"
    case .ignoresErase: "erasure/erase"
    case .countsTokensDown: "history/tokens"
    case .forgetsDeletionsInHistory: "history/deletions"
    case .forgetsAuthors: "history/author"
    case .ignoresTokens: "history/after a token"
    case .keepsDeletedHistory: "history/deletion of history"
    case .linksToMissingModels, .linksToOtherClasses: "relationships/to-one"
    case .listsOtherClasses: "relationships/to-many"
    case .givesNilForRequiredValues, .givesOtherTypes: "models/insert"
    case .mergesNewModels: "models/identifiers"
    case .overwritesStoredRows: "models/identifiers"
    case .ignoresPredicatesInBatches, .ignoresBatches: "delete rules/batch without rules"
    case .mixesCachedRows: "models/cached snapshots"
    case .givesOtherClasses: "inheritance/superclass"
    }
  }

  /// Whether the store changes values, which it can do with snapshots of its own only.
  var changesValues: Bool {
    switch self {
    case .losesNil, .keepsOldValuesForNil, .dropsRequiredValues, .truncatesText, .composesText,
      .losesEmptyData, .losesFractionsOfSeconds, .losesSigns, .losesInfinity, .forgetsInverses,
      .keepsOldMembers, .confusesSubclasses, .linksToMissingModels, .givesNilForRequiredValues,
      .givesOtherTypes, .linksToOtherClasses, .listsOtherClasses:
      true
    default: false
    }
  }

  /// The identifiers that links get.
  func remapped(
    _ all: [PersistentIdentifier: PersistentIdentifier], _ inserted: [PersistentIdentifier]
  ) -> [PersistentIdentifier: PersistentIdentifier] {
    switch self {
    case .remapsNothing: [:]
    case .remapsOnlyTheFirst: all.filter { $0.key == inserted.first }
    default: all
    }
  }
}

extension ReferenceStore {
  /// The row that a defective store keeps in place of a saved one.
  func altered(_ row: Snapshot, before old: Snapshot?) -> Snapshot {
    guard var named = row as? NamedSnapshot else { return row }
    let entity = schema.entitiesByName[row.persistentIdentifier.entityName]
    if configuration.leavesOutLists {
      for relationship in entity?.relationships ?? [] {
        let other = schema.entitiesByName[relationship.destination]
        let inverse = relationship.inverseName.flatMap { other?.relationshipsByName[$0] }
        if inverse?.isToOneRelationship == true, !relationship.isToOneRelationship {
          named.values[relationship.name] = nil
        }
      }
      return named as? Snapshot ?? row
    }
    guard let defect else { return row }
    let old = (old as? NamedSnapshot)?.values ?? [:]
    for (name, value) in named.values {
      named.values.updateValue(
        defect.altered(value, old[name] ?? nil, name, entity?.relationshipsByName[name]),
        forKey: name)
    }
    if defect == .dropsRequiredValues {
      for name in ["title", "code"] { named.values[name] = nil }
    }
    if defect == .confusesSubclasses, entity?.superentityName != nil {
      named.values["seats"] = named.values["wheels"]
    }
    return named as? Snapshot ?? row
  }

  /// What a defective store does with its rows when it is opened again.
  func reopen() {
    contents.state.withLock { state in
      switch defect {
      case .forgetsAtReopening: (state.rows, state.order) = ([:], [])
      case .renumbersRows:
        let rows = state.order.compactMap { state.rows[$0] }
        (state.rows, state.order) = ([:], [])
        for (index, row) in rows.enumerated() {
          let renumbered = try? PersistentIdentifier.identifier(
            for: identifier, entityName: row.persistentIdentifier.entityName,
            primaryKey: "new-\(index)")
          guard let renumbered else { continue }
          state.put(row.copy(persistentIdentifier: renumbered, remappedIdentifiers: [:]))
        }
      default: break
      }
    }
  }
}

extension Defect {
  fileprivate typealias Value = (any Codable)?

  fileprivate func altered(
    _ value: Value, _ old: Value, _ name: String, _ relationship: Schema.Relationship?
  ) -> Value {
    switch self {
    case .losesNil: return value == nil && ["someInt", "rank"].contains(name) ? 0 : value
    case .keepsOldValuesForNil: return value ?? old
    case .linksToMissingModels:
      return (value as? PersistentIdentifier)?.replaced(primaryKey: "missing") ?? value
    case .linksToOtherClasses:
      return (value as? PersistentIdentifier)?.replaced(entityName: "Tag", primaryKey: "row-1")
        ?? value
    case .listsOtherClasses:
      return (value as? [PersistentIdentifier])?.map {
        $0.replaced(entityName: "Author", primaryKey: "row-1")
      } ?? value
    case .givesNilForRequiredValues: return ["title", "code"].contains(name) ? nil : value
    case .givesOtherTypes: return name == "title" ? 7 : value
    case .truncatesText: return (value as? String).map { String($0.prefix(255)) } ?? value
    case .composesText:
      return (value as? String)?.precomposedStringWithCanonicalMapping ?? value
    case .losesEmptyData: return (value as? Data)?.isEmpty == true ? nil : value
    case .losesFractionsOfSeconds:
      return (value as? Date).map {
        Date(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate.rounded(.down))
      } ?? value
    case .losesSigns: return (value as? Int).map { $0 == .min ? .max : abs($0) } ?? value
    case .losesInfinity: return (value as? Double)?.isInfinite == true ? 0.0 : value
    case .forgetsInverses:
      return relationship?.inverseName != nil && value is PersistentIdentifier ? nil : value
    case .keepsOldMembers:
      guard let members = value as? [PersistentIdentifier],
        let known = old as? [PersistentIdentifier]
      else { return value }
      return known + members.filter { !known.contains($0) }
    default: return value
    }
  }
}

extension PersistentIdentifier {
  fileprivate func replaced(entityName: String? = nil, primaryKey: String) -> PersistentIdentifier {
    guard let storeIdentifier else { return self }
    let identifier = try? PersistentIdentifier.identifier(
      for: storeIdentifier, entityName: entityName ?? self.entityName, primaryKey: primaryKey)
    return identifier ?? self
  }
}
