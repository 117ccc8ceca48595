/// The values of a model, held in place of its stored properties.
///
/// The accessors that `@Model` generates call these functions with the slot of their property; the
/// overload for the property's type is chosen when the model is compiled.
@frozen
public struct _ModelBacking {
  @usableFromInline var object: _ModelStorage? {
    didSet { borrowed = object.map(Unmanaged.passUnretained) }
  }

  /// The same storage, unretained. Reading a property through `object` would retain and release the
  /// storage each time, which took a third of the read. Reads end before anything can replace the
  /// storage.
  @usableFromInline var borrowed: Unmanaged<_ModelStorage>?

  /// Creates an empty backing, or takes that of the model of this class that is being materialized.
  public init<M: PersistentModel>(_ type: M.Type) {
    borrowed = Materialization.take(for: type)
    object = borrowed?.takeUnretainedValue()
  }

  init(object: _ModelStorage) {
    self.object = object
    borrowed = Unmanaged.passUnretained(object)
  }

  /// Puts an initial value into the storage, which is created for the first one. A model that is
  /// being created for a row has its values in the row.
  ///
  /// The storage is not retained meanwhile: this backing owns it. Not inlinable, like `change`.
  @usableFromInline
  mutating func initialize<M: PersistentModel>(
    _ type: M.Type, _ slot: Int, with value: _SlotValue
  ) {
    if borrowed == nil { object = _ModelStorage(type._$descriptor) }
    borrowed?._withUnsafeGuaranteedRef { storage in
      if !storage.flags.contains(.isMaterializing) { storage.overlay(value, at: slot) }
    }
  }

  /// Whether a model is being created for a row, so that its initial values need not be made.
  var ignoresInitialValues: Bool {
    borrowed?._withUnsafeGuaranteedRef { $0.flags.contains(.isMaterializing) } ?? false
  }

  /// Changes the value of a slot.
  ///
  /// The setters of all properties of attributes call it. It is not inlinable, because the compiler
  /// would optimise a copy of it for each property of a user's models.
  /// It takes the storage instead of `self`, and consumes the value, so that a call retains the storage
  /// once and the value not at all.
  @usableFromInline
  static func change<M: PersistentModel>(
    _ slot: Int, to value: consuming _SlotValue, of model: M, in object: _ModelStorage?
  ) {
    guard let object else { return model._$storage.change(slot, to: value) }
    if object.observers == nil { return object.change(slot, to: value) }
    let value = value
    object.noteMutation(model, slot) { object.change(slot, to: value) }
  }

  /// The storage of `model`, created if it has none.
  public mutating func storage<M: PersistentModel>(of model: M) -> _ModelStorage {
    if let object {
      if !object.hasModel { object.belong(to: model) }
      return object
    }
    let made = _ModelStorage(M._$descriptor)
    made.belong(to: model)
    object = made
    return made
  }

  /// The storage of `model`; values that the class declares with `let` are copied to it once.
  public mutating func storage<M: PersistentModel>(
    of model: M, keepingConstants keep: (inout _ModelBacking) -> Void
  ) -> _ModelStorage {
    let isNew = object?.hasModel != true
    let storage = storage(of: model)
    if isNew { _ModelBacking.keepConstants(keep, in: storage) }
    return storage
  }

  /// Replaces the storage; a subclass does so to share its own with its superclass.
  public mutating func replace(with storage: _ModelStorage) { object = storage }

  /// Takes the values of `backingData`; those of another model are copied.
  public mutating func adopt<M: PersistentModel>(_ backingData: any BackingData<M>) {
    if let object, object.flags.contains(.isMaterializing) { return }
    guard let storage = backingData._storage, storage.hasModel else {
      object = backingData._storage ?? backingData.copiedStorage()
      return
    }
    if storage === object { return }
    let copy = backingData.copiedStorage()
    copy.forgetIdentifier()
    object = copy
  }

  /// Combines the values of a subclass with those that its superclass has initialised.
  public mutating func unify<M: PersistentModel>(
    of model: M, inherited: _ModelStorage, replaceInherited: (_ModelStorage) -> Void,
    keepingConstants keep: (inout _ModelBacking) -> Void = { _ in }
  ) -> _ModelStorage {
    if let object, object === inherited { return object }
    let own = object ?? _ModelStorage(Swift.type(of: model)._$descriptor)
    own.takeValues(of: inherited)
    own.belong(to: model)
    object = own
    replaceInherited(own)
    _ModelBacking.keepConstants(keep, in: own)
    return own
  }

  /// Copies the constants of a model that the user created; a fetched one has them in its row.
  private static func keepConstants(
    _ keep: (inout _ModelBacking) -> Void, in storage: _ModelStorage
  ) {
    guard storage.row == nil, storage.source == nil, !storage.flags.contains(.isMaterializing)
    else { return }
    var backing = _ModelBacking(object: storage)
    keep(&backing)
  }
}
