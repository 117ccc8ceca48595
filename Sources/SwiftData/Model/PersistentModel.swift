public import Observation

/// A class whose instances can be stored. The macro `@Model` adds the conformance.
///
/// `print` and `dump` show the identifier, the state and the values in memory; they read nothing
/// from the store.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
  /// The class at the root of the model's inheritance.
  associatedtype Root: PersistentModel = Self

  /// Creates the model that shows `backingData`.
  init(backingData: any BackingData<Self>)
  /// The values of this model.
  var persistentBackingData: any BackingData<Self> { get set }
  /// One entry per persisted property, in the order of declaration. The key paths begin at this
  /// class, those of inherited properties too.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }
  /// The properties of earlier versions that were removed for good; none by default.
  ///
  /// If a stored property disappears while a new one could hold its values, a migration is refused:
  /// the new one may be the old one under another name, which `@Attribute(originalName:)` declares.
  /// A class declares here that the values are to be deleted:
  ///
  /// ```swift
  /// @Model final class Expense {
  ///   static let removedProperties: Set<String> = ["price"]
  ///   var cost: Double?
  ///   init() {}
  /// }
  /// ```
  ///
  /// It applies to subclasses too; one in a subclass is not seen, so declare it in the root class. A
  /// removed member of a struct is listed with its property: `address.street`. Not in Apple's
  /// framework; see <doc:Migrations>.
  static var removedProperties: Set<String> { get }
  /// The library's description of this class.
  static var _$descriptor: _ModelDescriptor { get }
  /// The storage of `persistentBackingData`.
  var _$storage: _ModelStorage { get }
}

extension PersistentModel {
  /// Empty: no property is declared as removed.
  public static var removedProperties: Set<String> { [] }

  public static var _$descriptor: _ModelDescriptor { DescriptorRegistry.descriptor(for: Self.self) }

  public var _$storage: _ModelStorage {
    if let storage = persistentBackingData._storage {
      if !storage.hasModel { storage.belong(to: self) }
      return storage
    }
    let storage = persistentBackingData.copiedStorage()
    storage.belong(to: self)
    persistentBackingData = _ManagedBackingData<Self>(storage)
    return storage
  }

  /// Creates empty backing data for a model that is being initialised.
  public static func createBackingData<P>() -> some BackingData<P> where P: PersistentModel {
    _ManagedBackingData<P>(for: P.self)
  }

  /// The context the model belongs to; `nil` before `insert`, after a saved deletion, in the
  /// model's `deinit`, and after the context is released.
  ///
  /// For a model whose row has not been read yet, this reads the row; see ``isDeleted``.
  public var modelContext: ModelContext? {
    let storage = _$storage
    if storage.isDeinitialising || storage.flagsWithRow.contains(.hasNoRow) { return nil }
    return (storage.source as? any ContextOwning)?.owningContext
  }

  /// The identifier; temporary until the first save.
  public var persistentModelID: PersistentIdentifier { _$storage.identifier }

  /// The persistent identifier.
  public var id: PersistentIdentifier { persistentModelID }

  /// Whether the model has unsaved changes.
  public var hasChanges: Bool {
    !_$storage.flags.isDisjoint(with: [.isInserted, .isChanged, .isDeleted])
  }

  /// Whether the model is deleted: by the next save, or already in the store.
  ///
  /// A model whose row does not exist counts as deleted. ``ModelContext/model(for:)`` and
  /// relationships return models whose row has not been read yet; for these, this property reads
  /// the row. Apple's framework returns false for them, and stops the program when a property is
  /// read.
  public var isDeleted: Bool {
    !_$storage.flagsWithRow.isDisjoint(with: [.isDeleted, .hasNoRow])
  }

  /// Whether both are the same model: one instance, or two contexts' instances of one row.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    if lhs === rhs { return true }
    guard let left = lhs._$storage.knownIdentifier, let right = rhs._$storage.knownIdentifier
    else { return false }
    return left == right
  }

  /// Hashes the model's identity; the hash stays the same when the model is first saved.
  public func hash(into hasher: inout Hasher) {
    let storage = _$storage
    if let identifier = storage.knownIdentifier, !identifier.isTemporary,
      !storage.flags.contains(.hashedWhileTemporary)
    {
      hasher.combine(identifier)
    } else {
      storage.noteHashedWhileTemporary()
      hasher.combine(ObjectIdentifier(self))
    }
  }
}

/// A fault source that belongs to a context.
protocol ContextOwning: AnyObject {
  var owningContext: ModelContext? { get }
}
