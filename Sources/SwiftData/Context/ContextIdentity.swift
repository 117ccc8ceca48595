/// Which models belong to a context, for parts of the context that do not hold the context itself.
///
/// Models refer to their context as their `source`. The parts compare it by identity, so they need
/// no reference that could keep the context alive.
final class ContextIdentity {
  /// Set once, at the end of the context's initialiser, so the check for exclusive access is not
  /// needed; it would cost time on each edit of a relationship.
  @exclusivity(unchecked) private(set) var id: ObjectIdentifier?

  func identify(_ source: any _FaultSource) { id = ObjectIdentifier(source) }

  /// Whether a model belongs to this context.
  func owns(_ storage: _ModelStorage) -> Bool {
    guard let source = storage.source else { return false }
    return ObjectIdentifier(source) == id
  }

  /// Whether a model belongs to this context and is not deleted.
  func has(_ storage: _ModelStorage) -> Bool {
    owns(storage) && storage.flags.isDisjoint(with: [.isDeleted, .hasNoRow])
  }
}
