/// The new models of a save, with the statements that write their rows. Made by `SaveWriter`.
struct NewRows {
  /// Consecutive models of one entity that get their keys in the same way.
  struct Run {
    fileprivate(set) var indices: Range<Int>
    let save: EntitySave
    let keySource: EntitySave.KeySource
  }

  let models: NewModels
  private(set) var runs: [Run] = []

  init() { models = NewModels() }

  /// - Parameter doomed: The indices of models that the delete rules delete at once. They are not
  ///   merged with a stored row.
  init(_ models: NewModels, doomed: Set<Int>, _ prepared: PreparedSave) throws {
    self.models = models
    var start = 0
    while start < models.indices.upperBound {
      let (save, source) = try NewRows.way(start, models, doomed, prepared)
      var end = start + 1
      while end < models.indices.upperBound {
        let next = try NewRows.way(end, models, doomed, prepared)
        guard next.save === save, next.source == source else { break }
        end += 1
      }
      runs.append(Run(indices: start..<end, save: save, keySource: source))
      start = end
    }
  }

  private static func way(
    _ index: Int, _ models: NewModels, _ doomed: Set<Int>, _ prepared: PreparedSave
  ) throws -> (save: EntitySave, source: EntitySave.KeySource) {
    let save = try prepared.save(of: models.descriptor(at: index))
    let isDoomed = !doomed.isEmpty && doomed.contains(index)
    return (save, isDoomed ? .nextFree : save.keySource)
  }

  /// The models that get their keys in a certain way.
  func runs(_ source: EntitySave.KeySource) -> [Run] { runs.filter { $0.keySource == source } }

  /// The identifiers of the models, in the order of the request.
  func identifiers(_ keys: KeyAssigner, _ plans: StorePlans) -> [PersistentIdentifier] {
    var identifiers: [PersistentIdentifier] = []
    identifiers.reserveCapacity(models.indices.count)
    let all = keys.all
    for run in runs {
      let scope = plans.scope(number: run.save.statements.entity.number)
      for index in run.indices {
        identifiers.append(PersistentIdentifier(scope: scope, key: all[index]))
      }
    }
    return identifiers
  }
}
