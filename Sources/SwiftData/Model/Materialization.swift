#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// Passes the storage of a model that is being materialized to the model's backing.
///
/// `init(backingData:)` runs after the initial values of the declaration, so without this each
/// fetched model would first allocate a storage for values that are discarded.
enum Materialization {
  /// Holds the storage of the model that a thread creates next.
  private final class Slot {
    var pending: Unmanaged<_ModelStorage>?
    /// The class of that model.
    var type = ObjectIdentifier(Slot.self)
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { slot in
      if let slot { Unmanaged<AnyObject>.fromOpaque(slot).release() }
    }
    return key
  }()

  private static func slot() -> Slot? {
    pthread_getspecific(key).map { Unmanaged<Slot>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The storage for the next model of this thread; it is given once.
  ///
  /// A model of another class that an initial value creates meanwhile does not take it.
  static func take(for type: any PersistentModel.Type) -> _ModelStorage? {
    guard let slot = slot(), let pending = slot.pending, slot.type == ObjectIdentifier(type)
    else { return nil }
    slot.pending = nil
    return pending.takeUnretainedValue()
  }

  /// Creates the model that shows `storage`.
  static func makeModel<M: PersistentModel>(_ type: M.Type, over storage: _ModelStorage) -> M {
    Maker().makeModel(type, over: storage)
  }

  /// Creates models on the thread on which it was created.
  struct Maker {
    private let slot: Slot

    init() {
      if let known = Materialization.slot() {
        slot = known
      } else {
        slot = Slot()
        pthread_setspecific(key, Unmanaged.passRetained(slot).toOpaque())
      }
    }

    func makeModel<M: PersistentModel>(_ type: M.Type, over storage: _ModelStorage) -> M {
      storage.beginMaterializing()
      slot.pending = Unmanaged.passUnretained(storage)
      slot.type = ObjectIdentifier(type)
      let model = type.init(backingData: _ManagedBackingData<M>(storage))
      slot.pending = nil
      storage.endMaterializing(as: model)
      return model
    }
  }
}
