import Synchronization

/// Values requested by key path that no slot contains: transient and computed properties, and parts
/// of values. Called by the backing data.
enum UnpersistedProperty {
  private struct Access: Hashable {
    let storage: ObjectIdentifier
    let keyPathHash: Int
  }

  /// Current reads and writes, to detect a property that requests itself from its backing data.
  private static let current = Mutex<[Access: Int]>([:])

  private static let deepest = 64

  static func value<M: PersistentModel, V>(
    of model: M?, _ keyPath: KeyPath<M, V>, _ storage: _ModelStorage
  ) -> V {
    guard let model else {
      guard let value = PlaceholderValue.value(of: V.self) else { refuse(keyPath) }
      return value
    }
    return noting(keyPath, storage) { model[keyPath: keyPath] }
  }

  static func set<M: PersistentModel, V>(
    _ keyPath: KeyPath<M, V>, of model: M?, to value: V, _ storage: _ModelStorage
  ) {
    guard let writable = keyPath as? ReferenceWritableKeyPath<M, V>, let model else {
      return UnreadableValueLog.noteUnwritable("\(keyPath)")
    }
    noting(keyPath, storage) { model[keyPath: writable] = value }
  }

  private static func noting<M: PersistentModel, V, R>(
    _ keyPath: KeyPath<M, V>, _ storage: _ModelStorage, _ body: () -> R
  ) -> R {
    let access = Access(
      storage: ObjectIdentifier(storage), keyPathHash: (keyPath as AnyKeyPath).hashValue)
    let count = current.withLock { current in
      current[access, default: 0] += 1
      return current[access, default: 0]
    }
    defer {
      current.withLock { current in
        if let left = current[access], left > 1 {
          current[access] = left - 1
        } else {
          current[access] = nil
        }
      }
    }
    if count > deepest { refuse(keyPath) }
    return body()
  }

  private static func refuse(_ keyPath: AnyKeyPath) -> Never {
    preconditionFailure(
      "\(keyPath) is not in the schemaMetadata of its model, and its getter calls itself.")
  }
}
