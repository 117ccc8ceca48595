import Synchronization

/// The identifiers that a save gives to new models. Values that contain temporary ones are encoded with them.
final class NewIdentifiers: Sendable {
  private let permanent: @Sendable (PersistentIdentifier) -> PersistentIdentifier?
  private let isFound = Atomic(false)
  private let isMissing = Atomic(false)

  init(_ permanent: @escaping @Sendable (PersistentIdentifier) -> PersistentIdentifier?) {
    self.permanent = permanent
  }

  fileprivate func identifier(for temporary: PersistentIdentifier) -> PersistentIdentifier? {
    guard let found = permanent(temporary) else {
      isMissing.store(true, ordering: .relaxed)
      return nil
    }
    isFound.store(true, ordering: .relaxed)
    if found.isTemporary { isMissing.store(true, ordering: .relaxed) }
    return found
  }

  /// These, for values that are encoded with others already.
  func after(_ earlier: NewIdentifiers?) -> NewIdentifiers {
    guard let earlier else { return self }
    return NewIdentifiers { [permanent] identifier in
      let known = earlier.permanent(identifier)
      if let known, !known.isTemporary { return known }
      return permanent(known ?? identifier) ?? known
    }
  }

  /// Encodes a value.
  /// - Returns: Whether it contains identifiers that are permanent now, and others that are still temporary.
  func encoding(_ body: () throws -> Void) rethrows -> (hasFound: Bool, lacksSome: Bool) {
    try PersistentIdentifier.$new.withValue(self, operation: body)
    return (
      isFound.exchange(false, ordering: .relaxed), isMissing.exchange(false, ordering: .relaxed)
    )
  }

  /// How many temporary identifiers all threads have encoded: if that has not changed, a value contains none.
  static var encodedCount: Int { count.load(ordering: .relaxed) }

  private static let count = Atomic<Int>(0)

  fileprivate static func noteEncoded() { count.add(1, ordering: .relaxed) }
}

extension PersistentIdentifier {
  /// What temporary identifiers are encoded as.
  @TaskLocal fileprivate static var new: NewIdentifiers?

  /// The identifier to encode: the permanent one as soon as it is known.
  var stable: PersistentIdentifier {
    let identifier = resolved
    guard identifier.isTemporary else { return identifier }
    if let permanent = PersistentIdentifier.new?.identifier(for: identifier) { return permanent }
    NewIdentifiers.noteEncoded()
    return identifier
  }
}

/// The values of a model that contain identifiers of models without a key, when a save encodes them.
final class IdentifierValues: @unchecked Sendable {
  let all: [(slot: Int, value: _SlotValue)]
  /// The identifiers that the cells of the values have already, beside others that are still temporary.
  let known: NewIdentifiers?

  /// - Returns: `nil` for none.
  init?(_ values: [(slot: Int, value: _SlotValue)]) {
    if values.isEmpty { return nil }
    all = values
    known = nil
  }

  /// The same values, encoded with more identifiers.
  init(_ values: IdentifierValues, _ new: NewIdentifiers) {
    all = values.all
    known = new.after(values.known)
  }
}
