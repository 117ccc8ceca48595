import OpenSwiftDataCRuntime

/// A storage's reference to its model: it keeps the model's memory, not the model.
///
/// The last reference to a model may be released on any thread, while the thread of its context
/// looks the model up. So a reference has to be tried: `live` is nil from the moment when the model
/// starts to be deinitialised, on any thread. The memory exists until the storage is released, so
/// trying is always allowed.
package struct ModelReference: ~Copyable {
  private var object: UnsafeMutableRawPointer?

  /// Whether there is, or was, a model.
  var isSet: Bool { object != nil }

  package var live: AnyObject? {
    guard let object, let held = openSwiftData_tryRetain(object) else { return nil }
    return Unmanaged<AnyObject>.fromOpaque(held).takeRetainedValue()
  }

  /// Whether the object is of this class and not of a subclass. Reads the class without retaining
  /// the object, whose memory exists; see `init(_:)`.
  func isInstance(of type: any PersistentModel.Type) -> Bool {
    guard let object else { return false }
    return Unmanaged<AnyObject>.fromOpaque(object)._withUnsafeGuaranteedRef {
      ObjectIdentifier(Swift.type(of: $0)) == ObjectIdentifier(type)
    }
  }

  init() {}

  package init(_ model: AnyObject) {
    let object = Unmanaged.passUnretained(model).toOpaque()
    openSwiftData_retainMemory(object)
    self.object = object
  }

  deinit {
    if let object { openSwiftData_releaseMemory(object) }
  }
}

/// A retained model, with its storage.
struct RetainedModel {
  let model: AnyObject
  let storage: _ModelStorage

  /// nil for a storage whose model is being deinitialised.
  init?(_ storage: _ModelStorage) {
    guard let model = storage.model else { return nil }
    self.model = model
    self.storage = storage
  }
}

/// A reference to a storage that does not retain it.
///
/// A storage that is deinitialised, on any thread, first removes the references to itself: from its
/// identity table, through `_FaultSource._forget`, or from the scope of its temporary identifier.
/// It does so under the lock that guards the reference, and `held` is called under the same lock.
/// So the storage's memory exists. Whether its model exists is tested after the lock has been
/// released: the storage may have no other owner any more, and releasing it under the lock would
/// take the lock again.
struct UnretainedStorage: Equatable, @unchecked Sendable {
  private let reference: Unmanaged<_ModelStorage>

  init(_ storage: _ModelStorage) { reference = .passUnretained(storage) }

  /// The storage, unless it is being deinitialised.
  var held: _ModelStorage? {
    guard let held = openSwiftData_tryRetain(reference.toOpaque()) else { return nil }
    return Unmanaged<_ModelStorage>.fromOpaque(held).takeRetainedValue()
  }

  /// Tests a storage that may be being deinitialised, without retaining it.
  func satisfies(_ condition: (_ModelStorage) -> Bool) -> Bool {
    reference._withUnsafeGuaranteedRef(condition)
  }

  static func == (lhs: UnretainedStorage, rhs: UnretainedStorage) -> Bool {
    lhs.reference.toOpaque() == rhs.reference.toOpaque()
  }
}
