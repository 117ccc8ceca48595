import Foundation
import SwiftData

/// The history of a `ReferenceStore`, with types of its own.
struct ReferenceToken: HistoryToken {
  let number: Int

  var tokenValue: Int? { number }
  var id: Int { number }

  static func < (left: ReferenceToken, right: ReferenceToken) -> Bool {
    left.number < right.number
  }
}

struct ReferenceTransaction: HistoryTransaction {
  let transactionIdentifier: Int
  let token: ReferenceToken
  let timestamp: Date
  let storeIdentifier: String
  let author: String?
  let changes: [HistoryChange]

  var id: Int { transactionIdentifier }

  static func == (left: ReferenceTransaction, right: ReferenceTransaction) -> Bool {
    left.id == right.id && left.storeIdentifier == right.storeIdentifier
  }

  func hash(into hasher: inout Hasher) { hasher.combine(transactionIdentifier) }
}

/// A change of a model of any class.
struct ReferenceChange<Model: PersistentModel>: HistoryInsert, HistoryUpdate, HistoryDelete {
  let changeIdentifier: Int
  let transactionIdentifier: Int
  let changedPersistentIdentifier: PersistentIdentifier

  var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { [] }
  var tombstone: HistoryTombstone<Model> { HistoryTombstone() }
}

enum ReferenceChangeKind { case insert, update, delete }

extension HistoryChange {
  static func reference(
    _ kind: ReferenceChangeKind, _ identifier: PersistentIdentifier, number: Int,
    in transaction: Int,
    of schema: Schema
  ) -> HistoryChange? {
    func make<M: PersistentModel>(_ type: M.Type) -> HistoryChange {
      let change = ReferenceChange<M>(
        changeIdentifier: number, transactionIdentifier: transaction,
        changedPersistentIdentifier: identifier)
      return switch kind {
      case .insert: .insert(change)
      case .update: .update(change)
      case .delete: .delete(change)
      }
    }
    guard let entity = schema.entitiesByName[identifier.entityName],
      let type = Mirror(reflecting: entity).descendant("_objectType") as? any PersistentModel.Type
    else { return nil }
    return make(type)
  }
}
