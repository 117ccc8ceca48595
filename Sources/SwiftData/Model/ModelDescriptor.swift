import Foundation
package import OpenSwiftDataRowStorage
import Synchronization

/// One persisted property of a model class: its metadata, resolved with its type.
package struct ModelProperty: @unchecked Sendable {
  package let name: String
  package let keyPath: AnyKeyPath
  /// The declared type without one level of `Optional`.
  package let valueType: any Any.Type
  package let isOptional: Bool
  package let form: PropertyForm
  package let isEphemeral: Bool
  package let defaultValue: Any?
  package let metadata: (any SchemaProperty)?
  /// The cells of a flattened composite, in the order of its leaves; empty for everything else.
  package internal(set) var leafCells: Range<Int> = 0..<0

  /// The destination of either kind of relationship.
  package var destination: (any PersistentModel.Type)? {
    switch form {
    case .toOne(let type), .toMany(let type): type
    case .attribute, .transformable: nil
    }
  }

  /// Whether the property is declared with `let`.
  var isConstant: Bool { !(keyPath is any WritableProperty) }

  var needsConversion: Bool {
    switch form {
    case .attribute(.scalar(let type)), .attribute(.rawValue(let type)):
      type.traits.isBoxed
    default: true
    }
  }

  /// Whether values of both are read alike: one type, or relationships of one kind to one entity.
  func hasSameForm(as other: ModelProperty) -> Bool {
    if let destination, let theirs = other.destination {
      return isToMany == other.isToMany
        && destination._$descriptor.entityName == theirs._$descriptor.entityName
    }
    return valueType == other.valueType && isOptional == other.isOptional
  }

  package var isToMany: Bool {
    if case .toMany = form { return true }
    return false
  }

  package var isToOne: Bool {
    if case .toOne = form { return true }
    return false
  }

  /// Whether the value may be stored in a file beside the store, so that its column has a tag byte.
  package var isExternallyStored: Bool {
    guard (metadata as? Schema.Attribute)?.options.contains(.externalStorage) ?? false else {
      return false
    }
    switch form {
    case .attribute(.encoded), .transformable: return true
    case .attribute(.scalar(let type)), .attribute(.rawValue(let type)):
      return [.data, .string, .url].contains(type)
    case .attribute(.composite), .toOne, .toMany: return false
    }
  }
}

package enum PropertyForm: Sendable {
  case attribute(StorageForm)
  case transformable(transformerName: String?)
  case toOne(destination: any PersistentModel.Type)
  case toMany(destination: any PersistentModel.Type)

  /// Whether an edit may change a part of the value, such as a member of a list or a structure.
  var hasParts: Bool {
    switch self {
    case .attribute(.composite), .attribute(.encoded), .transformable: true
    case .attribute(.scalar), .attribute(.rawValue), .toOne, .toMany: false
    }
  }
}

/// The library's description of one model class, built once per process from its `schemaMetadata`.
///
/// Slots number the properties, inherited ones first, so that a subclass keeps the slots of its
/// superclass. A row of the entity has one cell per slot and then one per leaf of each composite.
public final class _ModelDescriptor: Sendable {
  package let type: any PersistentModel.Type
  package let entityName: String
  /// The name of the entity in earlier versions of the models, if it was another one.
  package let originalName: String?
  package let superclass: (any PersistentModel.Type)?
  package let properties: [ModelProperty]
  package let layout: RowLayout
  /// The members of `#Unique` and `#Index` declarations, by names that do not depend on slots.
  package let uniqueConstraints: [[String]]
  /// Whether new models can become existing rows: the class or a superclass has unique values.
  package let isConstrained: Bool
  package let indices: [[String]]
  package let spatialIndices: [[String]]
  package let problems: [SwiftDataError]
  @usableFromInline let cellsOffset: Int
  /// Slots whose values in memory differ from those in a snapshot.
  let slotsToConvert: [Int]
  /// Whether new models can have their values in a row: each property has one cell, which shows its
  /// values as they are.
  let packsNewValues: Bool
  /// The slots of properties that are not optional.
  let requiredSlots: SlotSet
  /// The slots of properties that have values in memory only.
  let ephemeralSlots: SlotSet
  /// The slots of constants, which the initialiser of a materialised model reads.
  let constantSlots: SlotSet
  let relationshipSlots: [Int]
  let toManySlots: SlotSet
  let dateSlots: [Int]
  /// Slots with single values that their column may not give back: optional floating-point numbers, and URLs.
  let inexactSlots: [Int]
  /// Slots whose values may be stored outside the row.
  package let externalSlots: [Int]
  /// The properties by their steps in longer key paths.
  package let keyPathSteps: KeyPathSteps
  private let slotsByKeyPath: Slots

  private struct Slots: @unchecked Sendable { let byKeyPath: [AnyKeyPath: Int] }

  /// The number of persisted properties, inherited ones included.
  public let slotCount: Int

  /// Reads the metadata that the model's macro wrote.
  public init<M: PersistentModel>(_ type: M.Type, originalName: String? = nil) {
    self.type = type
    self.originalName = originalName
    entityName = _ModelDescriptor.entityName(of: type)
    superclass = _getSuperclass(type).flatMap(KnownModels.model)
    var reading = PropertyParser(type, entityName: entityName)
    for metadata in type.schemaMetadata { reading.read(metadata) }
    reading.assignCells()
    properties = reading.properties
    slotCount = reading.properties.count
    layout = RowLayout(reading.cellKinds)
    cellsOffset = layout.cellsOffset
    slotsToConvert = reading.properties.indices.filter { reading.properties[$0].needsConversion }
    var (required, toMany) = (SlotSet(), SlotSet())
    var (ephemeral, constant) = (SlotSet(), SlotSet())
    for (slot, property) in reading.properties.enumerated() {
      if !property.isOptional { required.insert(slot) }
      if property.isToMany { toMany.insert(slot) }
      if property.isEphemeral { ephemeral.insert(slot) }
      if property.isConstant { constant.insert(slot) }
    }
    requiredSlots = required
    toManySlots = toMany
    ephemeralSlots = ephemeral
    constantSlots = constant
    packsNewValues = !reading.properties.contains { $0.needsConversion || $0.isEphemeral }
    relationshipSlots = reading.properties.indices.filter {
      reading.properties[$0].destination != nil
    }
    dateSlots = reading.properties.indices.filter {
      if case .attribute(.scalar(.date)) = reading.properties[$0].form { true } else { false }
    }
    inexactSlots = reading.properties.indices.filter { slot in
      let property = reading.properties[slot]
      return switch property.form {
      case .attribute(.scalar(.url)): true
      case .attribute(.scalar(let type)), .attribute(.rawValue(let type)):
        property.isOptional && type.storesNaNAsNull
      default: false
      }
    }
    externalSlots = reading.properties.indices.filter {
      reading.properties[$0].isExternallyStored
    }
    uniqueConstraints = reading.uniqueConstraints
    isConstrained =
      !reading.uniqueConstraints.isEmpty || superclass?._$descriptor.isConstrained == true
    indices = reading.indices
    spatialIndices = reading.spatialIndices
    problems = reading.problems
    keyPathSteps = KeyPathSteps(reading.properties)
    slotsByKeyPath = Slots(
      byKeyPath: Dictionary(
        reading.properties.enumerated().map { ($1.keyPath, $0) },
        uniquingKeysWith: { first, _ in first }))
  }

  /// The slot of the property that `keyPath` names.
  ///
  /// A key path with a superclass as root names the same slot in both classes.
  package func slot(for keyPath: AnyKeyPath) -> Int? {
    if let slot = slotsByKeyPath.byKeyPath[keyPath] { return slot }
    return lineage.dropFirst().lazy.compactMap { $0.slotsByKeyPath.byKeyPath[keyPath] }.first
      ?? slot(forOtherVersion: keyPath)
  }

  /// The slot of the property of the same name and type, for a key path of another class with the
  /// entity's name: an older version of this class. Classes of older versions that are still in use
  /// refer to it in their relationships.
  private func slot(forOtherVersion keyPath: AnyKeyPath) -> Int? {
    guard let root = Swift.type(of: keyPath).rootType as? any PersistentModel.Type, root != type
    else { return nil }
    let other = root._$descriptor
    guard lineage.contains(where: { $0.entityName == other.entityName && $0.type != root }),
      let otherSlot = other.slotsByKeyPath.byKeyPath[keyPath],
      let slot = slot(named: other.properties[otherSlot].name),
      properties[slot].hasSameForm(as: other.properties[otherSlot])
    else { return nil }
    return slot
  }

  package func slot(named name: String) -> Int? {
    properties.firstIndex { $0.name == name }
  }

  /// The names of the properties of some slots, in the order of the slots.
  func names(of slots: SlotSet, includingToMany: Bool = true) -> [String] {
    properties.indices
      .filter { slots.contains($0) && (includingToMany || !properties[$0].isToMany) }
      .map { properties[$0].name }
  }

  package func property(named name: String) -> ModelProperty? {
    properties.first { $0.name == name }
  }

  /// This descriptor and those of the superclasses, the nearest first.
  package var lineage: some Sequence<_ModelDescriptor> {
    sequence(first: self) { $0.superclass?._$descriptor }
  }

  /// The descriptor of the class that declares a property.
  func declaring(_ slot: Int) -> _ModelDescriptor {
    lineage.reduce(self) { slot < $1.slotCount ? $1 : $0 }
  }

  package func isKind(of other: _ModelDescriptor) -> Bool {
    lineage.contains { $0 === other || $0.type == other.type }
  }

  /// The entity of a nested class has the name of the class alone.
  static func entityName(of type: any PersistentModel.Type) -> String {
    // What `String(describing:)` writes for a type, which first looks for four conformances of it.
    _typeName(type, qualified: false)
  }
}

/// Descriptors of classes that conform by hand, which have no static property for one.
enum DescriptorRegistry {
  private static let known = Mutex<[ObjectIdentifier: _ModelDescriptor]>([:])

  static func descriptor<M: PersistentModel>(for type: M.Type) -> _ModelDescriptor {
    if let found = known.withLock({ $0[ObjectIdentifier(type)] }) { return found }
    let made = _ModelDescriptor(type)
    return known.withLock { table in
      if let found = table[ObjectIdentifier(type)] { return found }
      table[ObjectIdentifier(type)] = made
      return made
    }
  }
}
