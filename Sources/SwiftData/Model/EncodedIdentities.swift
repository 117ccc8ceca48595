import Synchronization

/// Finds the identity for an encoded temporary identifier, so that an identifier that was encoded
/// in this process equals the original when it is decoded.
///
/// An identity is in the table from its first encoding or decoding until its last owner releases
/// it: the model, a copy of the identifier, or the context that stored the model.
enum EncodedIdentities {
  private struct Reference: @unchecked Sendable {
    weak var scope: TemporaryScope?
  }

  /// By entity and textual key.
  private static let known = Mutex<[String: Reference]>([:])

  static func insert(_ scope: TemporaryScope) {
    known.withLock { $0[name(scope.entityName, scope.primaryKey)] = Reference(scope: scope) }
  }

  /// Called while `scope` is deinitialised, when weak references to it are already nil. Another
  /// scope may have taken its name.
  static func remove(_ scope: TemporaryScope) {
    let name = name(scope.entityName, scope.primaryKey)
    let other = known.withLock { known -> TemporaryScope? in
      guard let other = known[name]?.scope else {
        known[name] = nil
        return nil
      }
      return other
    }
    // Released outside of the lock, because its own removal takes the lock.
    withExtendedLifetime(other) {}
  }

  /// The identity with a textual key; a new one without a model if none is known.
  static func scope(entityName: String, primaryKey: String) -> TemporaryScope {
    let name = name(entityName, primaryKey)
    return known.withLock { known in
      if let scope = known[name]?.scope { return scope }
      let made = TemporaryScope(entityName: entityName, decodedKey: primaryKey)
      known[name] = Reference(scope: made)
      return made
    }
  }

  private static func name(_ entityName: String, _ primaryKey: String) -> String {
    "\(entityName)/\(primaryKey)"
  }
}
