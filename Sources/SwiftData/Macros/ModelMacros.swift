public import Observation

/// The protocol of observable types, named so that generated code needs no import.
public typealias _Observable = Observable

/// Runs code that is declared for the main actor on the caller's actor.
///
/// Generated code of models that may be isolated names their properties in it and reads no value of a
/// model. An attribute for isolation does not change the form of a function, so the bit cast changes
/// its type only.
public func _withoutIsolation<R>(_ body: @MainActor () -> R) -> R {
  withoutActuallyEscaping(body) { body in
    unsafeBitCast(body, to: (() -> R).self)()
  }
}

/// Marks a class to which `@Model` added storage; a class that inherits the mark is a submodel.
///
/// The extensions of `PersistentModel` provide what `print` and `dump` show.
public protocol _ManagedModel: AnyObject, CustomDebugStringConvertible, CustomReflectable {}

/// Makes a class a model: its stored properties are saved in a model container and can be observed.
///
/// Properties with `@Transient`, computed properties and static members are not changed. An `==` in
/// the body of the class, whose parameters name the class or `Self`, replaces the equality of models;
/// declare `hash(into:)` with it, because the other one hashes the identity. The macro does not see
/// extensions: for an `==` in one, the class has to state `Hashable`.
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
/// A property that was not fetched, or whose row was not read yet, is read at the first access: one
/// statement for the row, or for the members of a relationship. A property that cannot be stored
/// causes a compiler error, or `SwiftDataError.loadIssueModelContainer` when the container is
/// created. See <doc:GettingStarted>.
@attached(
  member,
  conformances: Observable, PersistentModel, _ManagedModel, Sendable,
  names: named(_$backingData), named(persistentBackingData), named(schemaMetadata), named(init),
  named(_SwiftDataNoType), named(access), named(withMutation), named(_$schemaMetadata),
  named(_$descriptor), named(_$ownDescriptor), named(_$storage), named(_$replaceStorage),
  named(_$firstSlot), named(_$RootModel), named(_$isEqual))
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, _ManagedModel, Sendable)
public macro Model() =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PersistentModelMacro")

/// Makes a class a model that had another name in earlier versions of the schema, so that a
/// migration keeps its rows.
///
/// Not in Apple's framework.
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
/// Without it a renamed class is a new entity, and the rows of the old entity have no counterpart.
/// A file records the earlier name too, where Apple's framework has the renaming identifier of an
/// entity.
///
/// - Parameter originalName: The name of the class in an earlier version, a string literal.
@attached(
  member,
  conformances: Observable, PersistentModel, _ManagedModel, Sendable,
  names: named(_$backingData), named(persistentBackingData), named(schemaMetadata), named(init),
  named(_SwiftDataNoType), named(access), named(withMutation), named(_$schemaMetadata),
  named(_$descriptor), named(_$ownDescriptor), named(_$storage), named(_$replaceStorage),
  named(_$firstSlot), named(_$RootModel), named(_$isEqual))
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, _ManagedModel, Sendable)
public macro Model(originalName: String) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PersistentModelMacro")

/// Declares how an attribute of a model is stored: options, its former name, a version mark.
///
/// ```swift
/// @Attribute(.unique, originalName: "identifier") var code: String
/// ```
///
/// - Parameters:
///   - options: How the store handles the value, such as `.unique` or `.externalStorage`.
///   - originalName: The property's name in an earlier version of the schema.
///   - hashModifier: Any text; changing it marks the property as changed in a migration.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option...,
  originalName: String? = nil,
  hashModifier: String? = nil
) = #externalMacro(module: "OpenSwiftDataMacros", type: "AttributePropertyMacro")

/// Declares how a model refers to other models: the inverse, and what a deletion does to them.
///
/// ```swift
/// @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
/// ```
///
/// Reading a relationship that is not in memory runs one statement and loads its members. Setting
/// one side loads nothing and sets the other side immediately. A deletion that a rule denies, and a
/// number of members outside of the bounds, make the save throw
/// `SwiftDataError.modelValidationFailure`; see <doc:Errors>.
///
/// - Parameters:
///   - options: How the store handles the relationship.
///   - deleteRule: What happens to the related models when this model is deleted.
///   - minimumModelCount: The minimum number of related models; 0 sets no bound.
///   - maximumModelCount: The maximum number of related models; 0 sets no bound.
///   - originalName: The property's name in an earlier version of the schema.
///   - inverse: The key path of the inverse relationship. Declare it on one of both sides.
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

/// Excludes a stored property of a model from the store; the property needs a default value.
@attached(peer)
public macro Transient() =
  #externalMacro(module: "OpenSwiftDataMacros", type: "TransientPropertyMacro")

/// Requires that no two models of a type have equal values in all properties of one group.
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

/// Creates an index of the given kind for each group of properties.
///
/// - Parameter indices: The kind and key paths of each index.
@freestanding(declaration)
public macro Index<T>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "IndexMacro")
where T: PersistentModel

/// Creates a binary index for each group of properties.
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

/// Rejects `#Unique` with a key path that names no property, with one error at its line.
@available(*, unavailable, message: "a key path does not name a property of the class")
@freestanding(declaration)
public macro Unique<T>(_ constraints: [PartialKeyPath<_AnyProperty<T>>]...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "UniqueConstraintsMacro")
where T: PersistentModel

/// Rejects `#Index` with a key path that names no property, with one error at its line.
@available(*, unavailable, message: "a key path does not name a property of the class")
@freestanding(declaration)
public macro Index<T>(_ indices: [PartialKeyPath<_AnyProperty<T>>]...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "IndexMacro")
where T: PersistentModel

/// Rejects `#Index` with a key path that names no property, with one error at its line.
@available(*, unavailable, message: "a key path does not name a property of the class")
@freestanding(declaration)
public macro Index<T>(_ indices: _AnyIndex<T>...) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "IndexMacro")
where T: PersistentModel

/// Gives an actor its own model context, and runs the actor on the executor of that context.
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

/// Turns a stored property into one that the model stores, with its slot looked up at run time.
///
/// `@Model` adds the attribute with a slot; this one is for hand-written declarations.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`), prefixed(`_$`))
public macro _PersistedProperty() =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PersistedPropertyMacro")

/// Turns a stored property into one that the model stores in a known slot.
///
/// - Parameter slot: The position of the value, counted from 0 with inherited properties first.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`), prefixed(`_$`))
public macro _PersistedProperty(_ slot: Int) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "PersistedPropertyMacro")

/// Turns a transformable property into one that the model stores, with its slot looked up at run
/// time.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`), prefixed(`_$`))
public macro _TransformablePersistedProperty() =
  #externalMacro(module: "OpenSwiftDataMacros", type: "TransformablePersistedPropertyMacro")

/// Turns a transformable property into one that the model stores in a known slot.
///
/// - Parameter slot: The position of the value, counted from 0 with inherited properties first.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`), prefixed(`_$`))
public macro _TransformablePersistedProperty(_ slot: Int) =
  #externalMacro(module: "OpenSwiftDataMacros", type: "TransformablePersistedPropertyMacro")
