import Foundation
import SwiftData

/// Stores the models of a seed.
///
/// 1. The JSON is decoded with the types of the properties (`SeedDocument`).
/// 2. A model is made for each row, over backing data instead of its initialiser: given values,
///    then the defaults of the declaration. What is required and has neither is an error.
/// 3. All models are inserted, and linked by their local identifiers.
/// 4. Required relationships are checked, and the context saves.
struct SeedInsertion {
  private let rows: [SeedRow]
  private let schema: Schema
  private let known: SeededModels
  private let container: ModelContainer

  init(_ seed: Seed, _ known: SeededModels, _ container: ModelContainer) throws {
    schema = container.schema
    rows = try SeedDocument.rows(of: seed, schema)
    self.known = known
    self.container = container
  }

  /// - Returns: The known models and the new ones.
  /// - Throws: `SeedError`; nothing is stored then.
  func run() throws -> SeededModels {
    let context = ModelContext(container)
    // An upsert would merge two rows of the seed, or replace a stored one.
    context.uniquenessPolicy = .refuse
    // What an error leaves unsaved is reported by the error.
    context.reportsUnsavedChanges = false
    let models = try rows.map { try model(of: $0) }
    let local = try localIdentifiers(models)
    for model in models { insert(model, into: context) }
    var linked: Set<Link> = []
    var links = SeedLinks()
    for (row, model) in zip(rows, models) {
      for (name, ids) in row.links.sorted(by: { $0.key < $1.key }) {
        try link(row, model, name, ids, local, context, &linked, &links)
      }
    }
    for (row, model) in zip(rows, models) { try requireLinks(row, model, linked) }
    do {
      try context.save()
    } catch {
      let failure = error as? SwiftDataError
      throw SeedError(
        entity: failure?.entity, row: nil, property: failure?.property,
        problem: "the models can't be saved: \(failure?.explanation ?? "\(error)")")
    }
    var seeded = known
    for (row, model) in zip(rows, models) {
      guard let id = row.id else { continue }
      seeded.add(model.persistentModelID, id, root: schema.root(of: row.entity))
    }
    return seeded
  }

  // MARK: Models

  private func model(of row: SeedRow) throws -> any PersistentModel {
    func make<M: PersistentModel>(_ type: M.Type) throws -> any PersistentModel {
      let model = M(backingData: _ManagedBackingData<M>(for: type))
      // Defaults such as `UUID()` are evaluated for each row. The entries of constraints are between
      // those of a superclass and a subclass, so an entry is found by its name.
      let fresh = type.schemaMetadata
      for property in type._$descriptor.properties where property.destination == nil {
        let value: Any?
        if let given = row.values[property.name] {
          value = given
        } else {
          value = fresh.first { $0.name == property.name }?.defaultValue
          if value == nil, !property.isOptional {
            throw row.error(
              property.name,
              "no value, but the property is required and has no default in its declaration")
          }
        }
        guard set(property, of: model, to: value) else {
          throw row.error(property.name, "the property can't have a value of this type")
        }
      }
      return model
    }
    return try make(row.type)
  }

  /// - Returns: Whether the property can have the value.
  private func set<M: PersistentModel>(
    _ property: ModelProperty, of model: M, to value: Any?
  ) -> Bool {
    func set<V>(_ type: V.Type) -> Bool {
      if let keyPath = property.keyPath as? KeyPath<M, V>, let value = value as? V {
        return assign(value, to: keyPath)
      }
      if let keyPath = property.keyPath as? KeyPath<M, V?>, value == nil || value is V {
        return assign(value as? V, to: keyPath)
      }
      return false
    }
    func assign<V>(_ value: V, to keyPath: KeyPath<M, V>) -> Bool {
      if case .transformable = property.form {
        model.setTransformableValue(forKey: keyPath, to: value)
        return true
      }
      func encodable<E: Encodable>(_ type: E.Type) -> Bool {
        guard let keyPath = keyPath as? KeyPath<M, E>, let value = value as? E else {
          return false
        }
        model.setValue(forKey: keyPath, to: value)
        return true
      }
      return (V.self as? any Encodable.Type).map { encodable($0) } ?? false
    }
    return _openExistential(property.valueType, do: set)
  }

  private func insert(_ model: any PersistentModel, into context: ModelContext) {
    func insert<M: PersistentModel>(_ model: M) { context.insert(model) }
    insert(model)
  }

  // MARK: Links

  private struct Link: Hashable {
    let model: ObjectIdentifier
    let property: String
  }

  private typealias LocalModels = [SeededModels.Key: any PersistentModel]

  private func localIdentifiers(_ models: [any PersistentModel]) throws -> LocalModels {
    var local: LocalModels = [:]
    for (row, model) in zip(rows, models) {
      guard let id = row.id else { continue }
      let key = SeededModels.Key(root: schema.root(of: row.entity), id: id)
      if local[key] != nil || known.has(key) {
        throw row.error(
          SeedRow.id,
          "another row has the same id. Rows of one entity and of its subclasses need "
            + "different ones")
      }
      local[key] = model
    }
    return local
  }

  private func link(
    _ row: SeedRow, _ model: any PersistentModel, _ name: String, _ ids: [String],
    _ local: LocalModels, _ context: ModelContext, _ linked: inout Set<Link>,
    _ links: inout SeedLinks
  ) throws {
    guard let property = row.type._$descriptor.property(named: name),
      let destination = property.destination
    else { return }
    let partners = try ids.map { id in
      try partner(id, of: destination, local, context) { row.error(name, $0) }
    }
    try requireAgreement(row, model, property, Array(zip(ids, partners)), &links)
    func link<M: PersistentModel, D: PersistentModel>(_ model: M, _ destination: D.Type) throws {
      let partners = partners.compactMap { $0 as? D }
      if let keyPath = property.keyPath as? KeyPath<M, D?> {
        model.setValue(forKey: keyPath, to: partners.first)
      } else if let keyPath = property.keyPath as? KeyPath<M, D> {
        if let partner = partners.first { model.setValue(forKey: keyPath, to: partner) }
      } else {
        // The other side may have added members already.
        try add(partners, to: property, of: model) { row.error(name, $0) }
      }
    }
    try link(model, destination)
    if !ids.isEmpty { linked.insert(Link(model: ObjectIdentifier(model), property: name)) }
    if let inverse = schema.entitiesByName[row.entity]?.relationshipsByName[name]?.inverseName {
      for partner in partners {
        linked.insert(Link(model: ObjectIdentifier(partner), property: inverse))
      }
    }
  }

  /// Refuses a link that would replace that of another entry.
  private func requireAgreement(
    _ row: SeedRow, _ model: any PersistentModel, _ property: ModelProperty,
    _ partners: [(id: String, model: any PersistentModel)], _ links: inout SeedLinks
  ) throws {
    let entry = "\(row.entity), row \(row.name), property \(property.name)"
    func refuse(_ subject: String, _ entity: String, _ other: String) -> SeedError {
      row.error(
        property.name,
        "\(subject) has one \(entity) at most, and \(other) says otherwise. Keep one of the two entries"
      )
    }
    if property.isToOne,
      let other = links.decide(property.name, of: model, partners.first?.model, entry)
    {
      throw refuse("this row", property.destinationName, other)
    }
    let owner = schema.owner(of: property.name, in: row.entity)
    let inverse = owner?.relationshipsByName[property.name]?.inverseName
    for partner in partners {
      let relationship: String
      if let inverse {
        let other = type(of: partner.model)._$descriptor.property(named: inverse)
        guard other?.isToOne == true else { continue }
        relationship = inverse
      } else {
        // A list without an inverse owns its members: each one is in one list.
        if property.isToOne { continue }
        relationship = "\(owner?.name ?? row.entity).\(property.name)"
      }
      if let other = links.decide(relationship, of: partner.model, model, entry) {
        throw refuse(
          "the row with the id \"\(partner.id)\"", owner?.name ?? row.entity, other)
      }
    }
  }

  private func add<M: PersistentModel, D: PersistentModel>(
    _ partners: [D], to property: ModelProperty, of model: M, _ error: (String) -> SeedError
  ) throws {
    func merged(_ members: [D]) -> [D] {
      members + partners.filter { partner in !members.contains { $0 === partner } }
    }
    if let keyPath = property.keyPath as? KeyPath<M, [D]> {
      model.setValue(forKey: keyPath, to: merged(model.getValue(forKey: keyPath)))
    } else if let keyPath = property.keyPath as? KeyPath<M, [D]?> {
      model.setValue(forKey: keyPath, to: .some(merged(model.getValue(forKey: keyPath) ?? [])))
    } else {
      throw error("relationships of this type can't be set by a seed")
    }
  }

  private func partner(
    _ id: String, of destination: any PersistentModel.Type, _ local: LocalModels,
    _ context: ModelContext, _ error: (String) -> SeedError
  ) throws -> any PersistentModel {
    let entity = destination._$descriptor.entityName
    let key = SeededModels.Key(root: schema.root(of: entity), id: id)
    let found = local[key] ?? known.identifier(of: key).map { context.model(for: $0) }
    guard let found, !found.isDeleted else {
      throw error("no row of \(entity) has the id \"\(id)\"")
    }
    guard type(of: found)._$descriptor.isKind(of: destination._$descriptor) else {
      throw error(
        "the row with the id \"\(id)\" is a \(type(of: found)._$descriptor.entityName), no \(entity)"
      )
    }
    return found
  }

  private func requireLinks(
    _ row: SeedRow, _ model: any PersistentModel, _ linked: Set<Link>
  ) throws {
    for property in row.type._$descriptor.properties where property.isToOne && !property.isOptional
    {
      if linked.contains(Link(model: ObjectIdentifier(model), property: property.name)) { continue }
      throw row.error(
        property.name,
        "no value, but the relationship is required. Give it the id of a row of "
          + property.destinationName)
    }
  }
}
