public import Foundation
import SwiftData

/// A change that a store's history has recorded, without the identity of its model.
public enum RecordedChange: Hashable, Sendable {
  /// A model of an entity was inserted.
  case insert(String)

  /// Properties of a model of an entity were changed.
  case update(String, Set<String>)

  /// A model of an entity was deleted.
  case delete(String)
}

extension RecordedChange: CustomStringConvertible {
  /// The change as it is written in Swift, with the properties in order.
  public var description: String {
    switch self {
    case .insert(let entity): return ".insert(\"\(entity)\")"
    case .update(let entity, let properties):
      let names = properties.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
      return ".update(\"\(entity)\", [\(names)])"
    case .delete(let entity): return ".delete(\"\(entity)\")"
    }
  }
}

extension RecordedChange {
  init(_ change: HistoryChange) {
    let entity = change.changedPersistentIdentifier.entityName
    switch change {
    case .insert: self = .insert(entity)
    case .update(let update): self = .update(entity, RecordedChange.names(update))
    case .delete: self = .delete(entity)
    }
  }

  private static func names<U: HistoryUpdate>(_ update: U) -> Set<String> {
    let descriptor = U.Model._$descriptor
    return Set(
      update.updatedAttributes.map { keyPath in
        let keyPath = keyPath as PartialKeyPath<U.Model>
        return descriptor.slot(for: keyPath).map { descriptor.properties[$0].name }
          ?? "\(keyPath)"
      })
  }
}

/// A transaction that a store's history has recorded.
public struct RecordedTransaction: Hashable, Sendable {
  /// The author that the context declared.
  public let author: String?

  /// The name of the context.
  public let contextName: String?

  /// When the changes were saved.
  public let timestamp: Date

  /// The changes, in the order of the history.
  public let changes: [RecordedChange]

  init(_ transaction: DefaultHistoryTransaction) {
    author = transaction.author
    contextName = transaction.contextName
    timestamp = transaction.timestamp
    changes = transaction.changes.map(RecordedChange.init)
  }
}
