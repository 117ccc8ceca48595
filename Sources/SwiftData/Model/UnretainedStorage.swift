import OpenSwiftDataCRuntime

/// A storage's reference to its model: it keeps the model's memory, not the model.
///
/// The last reference to a model may go on any thread, while the thread of its context looks the
/// model up. So a reference has to be tried: `live` is nil from the moment on in which the model
/// begins to be deinitialised, on whatever thread that is. As the memory stays until the storage is
/// gone, the attempt itself is always allowed.
struct ModelReference: ~Copyable {
  private var object: UnsafeMutableRawPointer?

  /// Whether there is, or was, a model.
  var isSet: Bool { object != nil }

  var live: AnyObject? {
    guard let object, let held = openSwiftData_tryRetain(object) else { return nil }
    return Unmanaged<AnyObject>.fromOpaque(held).takeRetainedValue()
  }

  init() {}

  init(_ model: AnyObject) {
    let object = Unmanaged.passUnretained(model).toOpaque()
    openSwiftData_retainMemory(object)
    self.object = object
  }

  deinit {
    if let object { openSwiftData_releaseMemory(object) }
  }
}

/// A model that is held, with its storage.
struct LiveModel {
  let model: AnyObject
  let storage: _ModelStorage

  /// nil for a storage whose model is being deinitialised.
  init?(_ storage: _ModelStorage) {
    guard let model = storage.model else { return nil }
    self.model = model
    self.storage = storage
  }
}

/// A reference to a storage that does not keep it alive.
///
/// A storage that is deinitialised, on whatever thread, removes the references to itself first: from
/// its identity table, through `_FaultSource._forget`, or from the scope of its temporary identifier.
/// It does so under the lock that guards the reference, and `held` is called under the same lock. So
/// the storage's memory is there. Whether its model is, too, is asked when the lock has been released:
/// the storage may have no other owner any more, and what is released under the lock would ask for it again.
struct UnretainedStorage: Equatable, @unchecked Sendable {
  private let reference: Unmanaged<_ModelStorage>

  init(_ storage: _ModelStorage) { reference = .passUnretained(storage) }

  /// The storage, unless it is being deinitialised.
  var held: _ModelStorage? {
    guard let held = openSwiftData_tryRetain(reference.toOpaque()) else { return nil }
    return Unmanaged<_ModelStorage>.fromOpaque(held).takeRetainedValue()
  }

  /// Asks about a storage that may be being deinitialised, without holding it.
  func satisfies(_ condition: (_ModelStorage) -> Bool) -> Bool {
    reference._withUnsafeGuaranteedRef(condition)
  }

  static func == (lhs: UnretainedStorage, rhs: UnretainedStorage) -> Bool {
    lhs.reference.toOpaque() == rhs.reference.toOpaque()
  }
}
