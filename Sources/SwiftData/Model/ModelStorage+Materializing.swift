#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Hands the storage of a model that is being materialized to the model's backing.
///
/// `init(backingData:)` runs after the initial values of the declaration, so without this each
/// fetched model would first allocate a storage for values that are thrown away.
enum Materialization {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// The storage for the next model of this thread, once.
  static func take() -> _ModelStorage? {
    guard let pointer = pthread_getspecific(key) else { return nil }
    pthread_setspecific(key, nil)
    return Unmanaged<_ModelStorage>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Makes the model that shows `storage`.
  static func makeModel<M: PersistentModel>(_ type: M.Type, over storage: _ModelStorage) -> M {
    storage.flags.insert(.isMaterializing)
    pthread_setspecific(key, Unmanaged.passUnretained(storage).toOpaque())
    let model = type.init(backingData: _ManagedBackingData<M>(storage))
    pthread_setspecific(key, nil)
    storage.flags.remove(.isMaterializing)
    storage.model = model
    return model
  }
}
