import OpenSwiftDataCRuntime

/// Passes the storage of a model that is being materialized to the model's backing.
///
/// `init(backingData:)` runs after the initial values of the declaration, so without this each
/// fetched model would first allocate a storage for values that are discarded.
enum Materialization {
  /// The storage for the next model of this thread; it is given once.
  ///
  /// A model of another class that an initial value creates meanwhile does not take it.
  static func take(for type: any PersistentModel.Type) -> Unmanaged<_ModelStorage>? {
    let state = openSwiftData_threadState()
    guard let pending = state.pointee.pendingStorage, state.pointee.pendingType == address(of: type)
    else { return nil }
    state.pointee.pendingStorage = nil
    return .fromOpaque(pending)
  }

  /// Creates the model that shows `storage`.
  static func makeModel<M: PersistentModel>(_ type: M.Type, over storage: _ModelStorage) -> M {
    var backing: any BackingData<M> = _ManagedBackingData<M>(storage)
    return makeModel(type, over: storage, passing: &backing)
  }

  /// Creates one of many models.
  /// - Parameter backing: The argument of the initialiser, which gets another storage for each model.
  ///   Creating it looks up a generic type and its conformance, which took a tenth of a fetch.
  @inline(__always)
  static func makeModel<M: PersistentModel>(
    _ type: M.Type, over storage: _ModelStorage, passing backing: inout any BackingData<M>
  ) -> M {
    storage.beginMaterializing()
    let state = openSwiftData_threadState()
    state.pointee.pendingStorage = Unmanaged.passUnretained(storage).toOpaque()
    state.pointee.pendingType = address(of: type)
    backing._replaceStorage(with: storage)
    let model = type.init(backingData: backing)
    state.pointee.pendingStorage = nil
    storage.endMaterializing(as: model)
    return model
  }

  private static func address(of type: any PersistentModel.Type) -> UnsafeRawPointer {
    unsafeBitCast(ObjectIdentifier(type), to: UnsafeRawPointer.self)
  }
}
