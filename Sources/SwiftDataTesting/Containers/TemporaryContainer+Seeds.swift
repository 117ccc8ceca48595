public import SwiftData
import Synchronization

extension TemporaryContainer {
  /// Stores the models of a seed.
  /// - Parameter seed: The models. Their links may name models of earlier seeds.
  /// - Throws: `SeedError` with the entity, the row and the property; nothing is stored then.
  public func insert(_ seed: Seed) throws {
    if seed.isEmpty { return }
    let (container, known) = state.withLock { ($0.container, $0.seeded) }
    let seeded = try SeedInsertion(seed, known, container).run()
    state.withLock { $0.seeded = seeded }
  }

  /// The model of a seed.
  /// - Parameters:
  ///   - type: The class of the model.
  ///   - id: The local `id` of its row in the seed.
  ///   - context: The context that the model belongs to.
  /// - Throws: `SeedError` if no seed has such a row, or the model no longer exists.
  public func model<M: PersistentModel>(
    _ type: M.Type, _ id: String, in context: ModelContext
  ) throws -> M {
    let entity = Schema.entityName(for: type)
    let (known, schema) = state.withLock { ($0.seeded, $0.schema) }
    let key = SeededModels.Key(root: schema.root(of: entity), id: id)
    guard let identifier = known.identifier(of: key) else {
      throw SeedError(
        entity: entity, row: "\"\(id)\"", property: nil, problem: "no seed has a row with this id")
    }
    guard let model = context.model(for: identifier) as? M, !model.isDeleted else {
      throw SeedError(
        entity: entity, row: "\"\(id)\"", property: nil,
        problem: "the model has been deleted, or has another class")
    }
    return model
  }
}
