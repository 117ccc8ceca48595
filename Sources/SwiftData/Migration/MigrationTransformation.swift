/// Both sides of a migration at once: the old models, and the new models made from their rows.
///
/// A stage `.transform` passes it to its code. The tables have changed by then as in a lightweight
/// stage, and the old ones still exist. So the code can read an old model and complete its
/// counterpart at the same time:
///
/// ```swift
/// MigrationStage.transform(
///   fromVersion: TripsV1.self, toVersion: TripsV2.self,
///   transformation: { transformation in
///     try transformation.forEach(TripsV1.Trip.self, TripsV2.Trip.self) { old, new, context in
///       new?.price = Decimal(string: old.price) ?? 0
///     }
///   })
/// ```
///
/// Values that can't be converted are no problem in such a stage: required properties of the new
/// models have an empty value until the code sets another, or none if values must be unique. Not in
/// Apple's framework.
public struct MigrationTransformation {
  /// A context for the new models. Unsaved changes at the end of the stage are an error.
  public let context: ModelContext

  /// A context for the old models, which can't be changed.
  let old: ModelContext

  /// The number that was added to the key of a row, by the names of its old entity and of a new one;
  /// `nil` if the row does not belong to the new one.
  private let offset: (_ from: String, _ to: String) -> Int64?

  init(
    old: ModelContext, new: ModelContext, offset: @escaping (_ from: String, _ to: String) -> Int64?
  ) {
    self.old = old
    context = new
    self.offset = offset
  }

  /// Calls `body` with each old model and its counterpart, and saves after each batch.
  ///
  /// Models are released after their batch, so memory is needed for one batch only.
  /// - Parameters:
  ///   - old: The class of the old models; subclasses are included.
  ///   - new: The class of their counterparts.
  ///   - batchSize: How many rows are read at a time, with one statement for each side.
  ///   - body: Called with an old model, its counterpart, which is `nil` if the row has none in the
  ///     new class, and the context of the new models.
  /// - Throws: Errors of `body` or of a save.
  public func forEach<Old: PersistentModel, New: PersistentModel>(
    _ old: Old.Type, _ new: New.Type, batchSize: Int = 1000,
    _ body: (_ old: Old, _ new: New?, _ context: ModelContext) throws -> Void
  ) throws {
    var offsets: [String: Int64?] = [:]
    try forEachBatch(of: old, batchSize) { models in
      let keys = models.map { model -> Int64? in
        let entity = model.persistentModelID.entityName
        let offset = offsets[entity] ?? offset(entity, New._$descriptor.entityName)
        offsets.updateValue(offset, forKey: entity)
        return offset.flatMap { offset in model.rowKey.map { $0 + offset } }
      }
      let counterparts = try counterparts(of: models, at: keys, as: new)
      for (model, key) in zip(models, keys) {
        try body(model, key.flatMap { counterparts[$0] }, context)
      }
    }
  }

  /// Calls `body` with each old model of a class without counterparts, and saves after each batch.
  /// - Parameters:
  ///   - old: The class of the old models; subclasses are included.
  ///   - batchSize: How many rows are read at a time.
  ///   - body: Called with an old model and the context of the new models.
  /// - Throws: Errors of `body` or of a save.
  public func forEach<Old: PersistentModel>(
    _ old: Old.Type, batchSize: Int = 1000,
    _ body: (_ old: Old, _ context: ModelContext) throws -> Void
  ) throws {
    try forEachBatch(of: old, batchSize) { models in
      for model in models { try body(model, context) }
    }
  }

  private func forEachBatch<Old: PersistentModel>(
    of type: Old.Type, _ batchSize: Int, _ body: ([Old]) throws -> Void
  ) throws {
    let descriptor = FetchDescriptor<Old>()
    let reading = BatchReading(
      prefetcher: old.core.prefetcher, descriptor: descriptor,
      identifiers: try old.core.fetchOperation(descriptor).fetchedIdentifiers())
    for range in reading.batches(of: max(batchSize, 1)) {
      try body(try reading.models(at: range).compactMap(\.self))
      try context.save()
    }
  }

  /// The counterparts of some models, by row key.
  /// - Parameter keys: For each model the key of its counterpart; `nil` if it has none.
  private func counterparts<Old: PersistentModel, New: PersistentModel>(
    of models: [Old], at keys: [Int64?], as type: New.Type
  ) throws -> [Int64: New] {
    let descriptor = New._$descriptor
    let core = context.core
    guard let port = core.stores.coordinator.port(forEntity: descriptor.entityName) else {
      throw SwiftDataError.unknownSchema.with(
        "The new version has no such model. Use a class of the stage's toVersion.",
        entity: descriptor.entityName)
    }
    let identifiers = zip(models, keys).compactMap { model, key in
      key.map {
        PersistentIdentifier(
          storeIdentifier: model.persistentModelID.storeIdentifier,
          entityName: descriptor.entityName, primaryKey: "p\($0)")
      }
    }
    if identifiers.isEmpty { return [:] }
    let rows = try port.rows(
      at: .identifiers(identifiers), in: 0..<identifiers.count, of: descriptor, slots: nil,
      core.stores.editingState)
    let found = core.materializer.materialize(rows, as: type, in: core).compactMap { model in
      model.rowKey.map { ($0, model) }
    }
    return Dictionary(found, uniquingKeysWith: { first, _ in first })
  }
}

extension PersistentModel {
  fileprivate var rowKey: Int64? { persistentModelID.rowKey }
}
