public import Observation

/// A class whose instances a store can keep; `@Model` makes a class conform.
///
/// `print` and `dump` show the identifier, the state and the values that are in memory, and read nothing from
/// the store.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype,
  CustomDebugStringConvertible, CustomReflectable
{
  /// The class at the root of the model's inheritance.
  associatedtype Root: PersistentModel = Self

  /// Makes the model that shows `backingData`.
  init(backingData: any BackingData<Self>)
  /// The values of this model.
  var persistentBackingData: any BackingData<Self> { get set }
  /// One entry per persisted property, in the order of declaration.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }
  /// The properties of earlier versions that are gone for good; none unless the class declares them.
  ///
  /// Where a stored property disappears while one comes that could hold its values, a migration is refused:
  /// the new one may be the old one under another name, which `@Attribute(originalName:)` tells. A class
  /// declares here that the values are to be deleted:
  ///
  /// ```swift
  /// @Model final class Expense {
  ///   static let removedProperties: Set<String> = ["price"]
  ///   var cost: Double?
  ///   init() {}
  /// }
  /// ```
  ///
  /// It counts for subclasses too. Not in Apple's framework; see <doc:Migrations>.
  static var removedProperties: Set<String> { get }
  /// What the library knows of this class.
  static var _$descriptor: _ModelDescriptor { get }
  /// The storage behind `persistentBackingData`.
  var _$storage: _ModelStorage { get }
}

extension PersistentModel {
  /// No property is declared to be gone.
  public static var removedProperties: Set<String> { [] }

  public static var _$descriptor: _ModelDescriptor { DescriptorRegistry.descriptor(for: Self.self) }

  public var _$storage: _ModelStorage {
    if let storage = persistentBackingData._storage {
      if !storage.hasModel { storage.belong(to: self) }
      return storage
    }
    let storage = _ModelStorage(copying: persistentBackingData)
    storage.belong(to: self)
    persistentBackingData = _ManagedBackingData<Self>(storage)
    return storage
  }

  /// Empty backing data for a model that is being initialised.
  public static func createBackingData<P>() -> some BackingData<P> where P: PersistentModel {
    _ManagedBackingData<P>(for: P.self)
  }

  /// The context the model belongs to; `nil` before `insert`, after a saved deletion, in the model's
  /// `deinit`, and once the context is gone.
  ///
  /// Asking a model whose row has not been read yet reads it; see ``isDeleted``.
  public var modelContext: ModelContext? {
    let storage = _$storage
    if storage.isGoing || storage.flagsWithRow.contains(.isGone) { return nil }
    return (storage.source as? any ContextOwning)?.owningContext
  }

  /// The identifier; temporary until the first save.
  public var persistentModelID: PersistentIdentifier { _$storage.identifier }

  /// The persistent identifier.
  public var id: PersistentIdentifier { persistentModelID }

  /// Whether the model has changes that no save has stored.
  public var hasChanges: Bool {
    !_$storage.flags.isDisjoint(with: [.isInserted, .isChanged, .isDeleted])
  }

  /// Whether the model is deleted: pending until the next save, and for good after it.
  ///
  /// A model that no store has counts as deleted. ``ModelContext/model(for:)`` and relationships give
  /// models whose row has not been read yet; asking one of these reads its row. Apple's framework
  /// answers false there, and stops the program when a property is read.
  public var isDeleted: Bool {
    !_$storage.flagsWithRow.isDisjoint(with: [.isDeleted, .isGone])
  }

  /// Whether both are the same model: one instance, or two contexts' instances of one row.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    if lhs === rhs { return true }
    guard let left = lhs._$storage.knownIdentifier, let right = rhs._$storage.knownIdentifier
    else { return false }
    return left == right
  }

  /// Feeds the model's identity into `hasher`; it stays the same when the model is first saved.
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
