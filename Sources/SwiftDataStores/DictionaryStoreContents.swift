import Foundation
import SwiftData
import Synchronization

/// The rows of `DictionaryStore`s. They exist as long as this object or a store that uses it.
///
/// A second container with the same contents sees the rows of the first one, as one that opens the
/// same file does.
public final class DictionaryStoreContents: Sendable {
  /// Part of the identifiers of the rows.
  let identifier = "dictionary-\(UUID().uuidString)"
  private let state = Mutex(State())

  private struct State: Sendable {
    var rows: DocumentRows?
    var lastKey = 0
  }

  /// Creates contents without rows.
  public init() {}

  /// Gives the rows the shape of a schema.
  /// - Throws: A `DocumentStoreError` if there are rows that do not fit, or if the schema lacks an
  ///   entity of an earlier one: a store that is still open may save rows of it.
  func open(_ schema: Schema) throws {
    let shape = DocumentShape(schema)
    try state.withLock { state in
      let new = DocumentRows(shape: shape, storeIdentifier: identifier)
      guard let rows = state.rows else { return state.rows = new }
      if rows.shape.schema == schema { return }
      if let name = rows.shape.names.first(where: { shape.entities[$0] == nil }) {
        throw DocumentStoreError(
          .unknownContent,
          "The contents have this entity, and the models do not. Add its class to the schema, or open "
            + "other contents.", entity: name)
      }
      let reader = RowReader(shape: shape, storeIdentifier: identifier)
      let all = try rows.rows.values.compactMap { row in
        try shape.entities[row.entity].map {
          try reader.row($0, row.key, row.documentValues, known: { _ in nil })
        }
      }
      state.rows = try new.replaced(by: all).rows
    }
  }

  func read<R: Sendable>(_ body: (inout DocumentRows) throws -> R) throws -> R {
    try state.withLock { state in
      guard var rows = state.rows else { throw DataStoreError.unsupportedFeature }
      state.rows = nil  // so that the rows are not copied
      defer { state.rows = rows }
      return try body(&rows)
    }
  }

  /// - Parameter makePlan: Makes the plan of a save. `makeKey` makes keys of new rows.
  /// - Throws: What `makePlan` throws; the rows have not changed then.
  func save(
    _ makePlan: (_ rows: inout DocumentRows, _ makeKey: (String) -> String) throws -> SavePlan
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    try state.withLock { state in
      guard var rows = state.rows else { throw DataStoreError.unsupportedFeature }
      state.rows = nil  // so that the rows are not copied
      defer { state.rows = rows }
      var lastKey = state.lastKey
      let makeKey = { (_: String) in
        lastKey += 1
        return "p\(lastKey)"
      }
      // The plan has a copy of the rows, and is released before they change.
      let changes = try makePlan(&rows, makeKey).changes
      state.lastKey = lastKey
      rows.apply(changes)
      return try rows.result(of: changes)
    }
  }

  func removeAll() {
    state.withLock { state in
      state.rows = state.rows.map {
        DocumentRows(shape: $0.shape, storeIdentifier: $0.storeIdentifier)
      }
    }
  }
}

extension DictionaryStoreContents: Hashable {
  /// Whether both are the same object.
  public static func == (a: DictionaryStoreContents, b: DictionaryStoreContents) -> Bool { a === b }

  /// Hashes the identity of the object.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
