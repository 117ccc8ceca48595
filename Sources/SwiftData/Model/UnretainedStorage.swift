/// A reference to a storage that does not keep it alive.
///
/// A storage that is deinitialised removes the references to itself first: from its identity table,
/// through `_FaultSource._forget`, or from the scope of its temporary identifier. All of that
/// happens on the thread of its context, so on this thread every reference leads to a living
/// storage. `live` is the only place where an unretained reference becomes a strong one.
struct UnretainedStorage {
  private let reference: Unmanaged<_ModelStorage>

  init(_ storage: _ModelStorage) { reference = .passUnretained(storage) }

  var live: _ModelStorage? { reference.takeUnretainedValue() }

  func leads(to storage: _ModelStorage) -> Bool {
    reference.toOpaque() == Unmanaged.passUnretained(storage).toOpaque()
  }
}
