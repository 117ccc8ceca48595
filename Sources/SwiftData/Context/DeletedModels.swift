/// The models whose rows were deleted last, while the program has them: `model(for:)` returns such a model
/// with its last values, instead of a second one without values. At least the last 1,024 are known.
///
/// Belongs to an `IdentityRegistry` and is used on the thread of the context only.
struct DeletedModels {
  private struct Entry {
    weak var model: AnyObject?
  }

  private static let limit = 1024

  private var recent: [PersistentIdentifier: Entry] = [:]
  /// Those before the recent ones.
  private var earlier: [PersistentIdentifier: Entry] = [:]

  var isEmpty: Bool { recent.isEmpty && earlier.isEmpty }

  mutating func insert(_ storage: _ModelStorage) {
    guard let identifier = storage.knownIdentifier, let model = storage.model else { return }
    if recent.count == DeletedModels.limit { (earlier, recent) = (recent, [:]) }
    recent[identifier] = Entry(model: model)
  }

  /// The model that had the identifier, unless it has a row again.
  func model(for identifier: PersistentIdentifier) -> (any PersistentModel)? {
    guard
      let model = (recent[identifier] ?? earlier[identifier])?.model as? any PersistentModel
    else { return nil }
    let storage = model._$storage
    return storage.knownIdentifier == identifier && storage.flags.contains(.hasNoRow) ? model : nil
  }
}
