public import Observation

/// The protocol of observable types, named so that generated code needs no import of its own.
public typealias _Observable = Observable

/// Runs what is written for the main actor where the caller is.
///
/// Generated code of models with `@MainActor` names their properties in it and reads no value of a model.
public func _withoutIsolation<R>(_ body: @MainActor () -> R) -> R {
  withoutActuallyEscaping(body) { body in
    unsafeBitCast(body, to: (() -> R).self)()
  }
}

/// Marks a class that `@Model` gave its storage; a class that inherits the mark is a submodel.
public protocol _ManagedModel: AnyObject {}

/// Makes a class a model: its stored properties are saved in a model container and can be observed.
///
/// Properties with `@Transient`, computed properties and static members are left as they are.
///
/// ```swift
/// @Model
/// final class Trip {
///   @Attribute(.unique) var name: String
///   var start: Date
///   @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
///
///   init(name: String, start: Date) {
///     self.name = name
///     self.start = start
///   }
/// }
/// ```
///
/// A property that was not fetched, or whose row was not read yet, is read when it is used: one
/// statement for the row, or for the members of a relationship. What cannot be stored is an error of the
/// compiler, or `SwiftDataError.loadIssueModelContainer` when the container is made. See
/// <doc:GettingStarted>.
@attached(
  member,
  conformances: Observable, PersistentModel, _ManagedModel, Sendable,
  names: named(_$backingData), named(persistentBackingData), named(schemaMetadata), named(init),
  named(_SwiftDataNoType), named(access), named(withMutation), named(_$schemaMetadata),
  named(_$descriptor), named(_$ownDescriptor), named(_$storage), named(_$replaceStorage),
  named(_$firstSlot), named(_$RootModel))
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, _ManagedModel, Sendable)
public macro Model() =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PersistentModelMacro")

/// Makes a class a model whose name was another one in earlier versions of the schema, so that a migration
/// keeps its rows. Not in Apple's framework.
///
/// ```swift
/// @Model(originalName: "Journey")
/// final class Trip {
///   var name: String
///
///   init(name: String) { self.name = name }
/// }
/// ```
///
/// Without it a renamed class is a new entity, and the rows of the old one have no counterpart. A file says the
/// earlier name too, where Apple's framework has the renaming identifier of an entity.
///
/// - Parameter originalName: The name of the class in an earlier version, a string literal.
@attached(
  member,
  conformances: Observable, PersistentModel, _ManagedModel, Sendable,
  names: named(_$backingData), named(persistentBackingData), named(schemaMetadata), named(init),
  named(_SwiftDataNoType), named(access), named(withMutation), named(_$schemaMetadata),
  named(_$descriptor), named(_$ownDescriptor), named(_$storage), named(_$replaceStorage),
  named(_$firstSlot), named(_$RootModel))
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, _ManagedModel, Sendable)
public macro Model(originalName: String) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PersistentModelMacro")

/// States how an attribute of a model is stored: options, a name it had before, a version mark.
///
/// ```swift
/// @Attribute(.unique, originalName: "identifier") var code: String
/// ```
///
/// - Parameters:
///   - options: What the store should do with the value, such as `.unique` or `.externalStorage`.
///   - originalName: The property's name in an earlier version of the schema.
///   - hashModifier: Any text; changing it marks the property as changed in a migration.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option...,
  originalName: String? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "OpenSwiftDataMacros", type: "AttributePropertyMacro")

/// States how a model refers to other models: its inverse and what a deletion does to them.
///
/// ```swift
/// @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
/// ```
///
/// Reading a relationship that is not in memory runs one statement and loads its members; setting one side
/// loads nothing and sets the other side at once. A deletion that a rule denies, and a
/// number of members that the bounds exclude, make the save throw
/// `SwiftDataError.modelValidationFailure`; see <doc:Errors>.
///
/// - Parameters:
///   - options: What the store should do with the relationship.
///   - deleteRule: What happens to the related models when this model is deleted.
///   - minimumModelCount: The smallest number of related models; 0 sets no bound.
///   - maximumModelCount: The greatest number of related models; 0 sets no bound.
///   - originalName: The property's name in an earlier version of the schema.
///   - inverse: The key path that leads back. Write it on one of both sides.
///   - hashModifier: Any text; changing it marks the property as changed in a migration.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option...,
  deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0,
  maximumModelCount: Int? = 0,
  originalName: String? = nil,
  inverse: AnyKeyPath? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "OpenSwiftDataMacros", type: "RelationshipPropertyMacro")

/// Leaves a stored property of a model out of the store; it needs a default value.
@attached(peer)
public macro Transient() =
  #externalMacro(module: "OpenSwiftDataMacros", type: "TransientPropertyMacro")

/// Demands that no two models of a type agree in all properties of one group.
///
/// ```swift
/// #Unique<Ticket>([\.number], [\.row, \.seat])
/// ```
///
/// - Parameter constraints: Groups of key paths; each group is one constraint.
@freestanding(declaration)
public macro Unique<T>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "UniqueConstraintsMacro")
where T: PersistentModel

/// Asks the store for an index of the given kind over each group of properties.
///
/// - Parameter indices: The kind and key paths of each index.
@freestanding(declaration)
public macro Index<T>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "IndexMacro")
where T: PersistentModel

/// Asks the store for a binary index over each group of properties.
///
/// ```swift
/// #Index<Ticket>([\.row], [\.row, \.seat])
/// ```
///
/// - Parameter indices: Groups of key paths; each group is one index.
@freestanding(declaration)
public macro Index<T>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "IndexMacro")
where T: PersistentModel

/// Refuses `#Unique` with a key path that names no property, once and where it is written.
@available(*, unavailable, message: "a key path names no property of the class")
@freestanding(declaration)
public macro Unique<T>(_ constraints: [PartialKeyPath<_AnyProperty<T>>]...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "UniqueConstraintsMacro")
where T: PersistentModel

/// Refuses `#Index` with a key path that names no property, once and where it is written.
@available(*, unavailable, message: "a key path names no property of the class")
@freestanding(declaration)
public macro Index<T>(_ indices: [PartialKeyPath<_AnyProperty<T>>]...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "IndexMacro")
where T: PersistentModel

/// Refuses `#Index` with a key path that names no property, once and where it is written.
@available(*, unavailable, message: "a key path names no property of the class")
@freestanding(declaration)
public macro Index<T>(_ indices: _AnyIndex<T>...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "IndexMacro")
where T: PersistentModel

/// Gives an actor its own model context and lets it run where that context is used.
///
/// ```swift
/// @ModelActor
/// actor Importer {
///   func add(_ names: [String]) throws {
///     for name in names { modelContext.insert(Trip(name: name, start: .now)) }
///     try modelContext.save()
///   }
///
///   func name(of id: PersistentIdentifier) -> String? {
///     self[id, as: Trip.self]?.name
///   }
/// }
/// ```
///
/// See <doc:Concurrency>.
@attached(
  member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PersistentModelActorMacro")

/// Turns a stored property into one kept by the model, with its slot looked up at run time.
///
/// `@Model` writes the attribute with a slot; this one is for hand-written declarations.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`), prefixed(`_$`))
public macro _PersistedProperty() =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PersistedPropertyMacro")

/// Turns a stored property into one kept by the model in a known slot.
///
/// - Parameter slot: The position of the value, counted from 0 with inherited properties first.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`), prefixed(`_$`))
public macro _PersistedProperty(_ slot: Int) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PersistedPropertyMacro")

/// Turns a transformable property into one kept by the model, its slot looked up at run time.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`), prefixed(`_$`))
public macro _TransformablePersistedProperty() =
  #externalMacro(module: "OpenSwiftDataMacros", type: "TransformablePersistedPropertyMacro")

/// Turns a transformable property into one kept by the model in a known slot.
///
/// - Parameter slot: The position of the value, counted from 0 with inherited properties first.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`), prefixed(`_$`))
public macro _TransformablePersistedProperty(_ slot: Int) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "TransformablePersistedPropertyMacro")
