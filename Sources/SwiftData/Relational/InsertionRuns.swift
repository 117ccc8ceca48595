/// The new models of a save, with the statements that write their rows. Made by `SaveWriter`.
struct InsertionRuns {
  /// Consecutive models of one entity that get their keys in the same way.
  struct Run {
    let indices: Range<Int>
    let save: EntitySave
    let keySource: EntitySave.KeySource
  }

  let models: NewModels
  private(set) var runs: [Run] = []
  /// Whether unique attributes contain identifiers of new models.
  private(set) var namesInUniqueSlots = false

  init() { models = NewModels() }

  /// - Parameter doomed: The indices of models that the delete rules delete at once. They are not
  ///   merged with a stored row.
  init(_ models: NewModels, doomed: Set<Int>, _ prepared: PreparedSave) throws {
    self.models = models
    func isDoomed(_ index: Int) -> Bool { !doomed.isEmpty && doomed.contains(index) }
    // Identifiers of new models in unique attributes are known when those have keys.
    func isNaming(_ index: Int, _ save: EntitySave) -> Bool {
      models.namesNewModels && save.isConstrained
        && !models.temporaryIdentifiers(at: index, in: save.uniqueSlots(among: .all)).isEmpty
    }
    var rest = models.indices
    while let start = rest.first {
      let (descriptor, isDoomedRun) = (models.descriptor(at: start), isDoomed(start))
      let save = try prepared.save(of: descriptor)
      let isNamingRun = isNaming(start, save)
      if isNamingRun { namesInUniqueSlots = true }
      let end =
        rest.first {
          models.descriptor(at: $0) !== descriptor || isDoomed($0) != isDoomedRun
            || isNaming($0, save) != isNamingRun
        } ?? rest.upperBound
      runs.append(
        Run(
          indices: start..<end, save: save,
          keySource: isDoomedRun ? .nextFree : isNamingRun ? .lookingUp : save.keySource))
      rest = end..<rest.upperBound
    }
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
