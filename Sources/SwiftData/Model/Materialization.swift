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
    var maker = Maker<M>(startingWith: storage)
    return maker.makeModel(over: storage)
  }

  private static func address(of type: any PersistentModel.Type) -> UnsafeRawPointer {
    unsafeBitCast(ObjectIdentifier(type), to: UnsafeRawPointer.self)
  }

  /// Creates models of one class, on one thread.
  struct Maker<M: PersistentModel> {
    /// The argument of the initialiser. It is created once and then gets another storage for each
    /// model: creating it looks up a generic type and its conformance, which took a tenth of a fetch.
    private var backing: any BackingData<M>

    /// - Parameter storage: Any storage of the class, for example the first one.
    init(startingWith storage: _ModelStorage) { backing = _ManagedBackingData<M>(storage) }

    mutating func makeModel(over storage: _ModelStorage) -> M {
      storage.beginMaterializing()
      let state = openSwiftData_threadState()
      state.pointee.pendingStorage = Unmanaged.passUnretained(storage).toOpaque()
      state.pointee.pendingType = Materialization.address(of: M.self)
      backing._replaceStorage(with: storage)
      let model = M(backingData: backing)
      state.pointee.pendingStorage = nil
      storage.endMaterializing(as: model)
      return model
    }
  }
}
