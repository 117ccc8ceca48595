/// The order in which new models are looked up by their unique values. Used by `RowWriter`.
///
/// 1. A model whose unique values refer to other new models, or contain their identifiers, comes after those,
///    because it can be looked up only when they have keys.
/// 2. Models that are ready at the same time come in the order of the request.
/// 3. Models that wait for each other come last.
struct LookUpOrder {
  typealias Position = (index: Int, save: EntitySave)

  private struct Waiting {
    let save: EntitySave
    /// The number of models that it waits for.
    var count: Int
  }

  private let models: NewModels
  private var ready: [Position] = []
  /// The models that `next` returned last.
  private var latest: [Position] = []
  /// By index.
  private var waiting: [Int: Waiting] = [:]
  /// The indices of the models that wait for a model, by its temporary identifier.
  private var dependents: [ObjectIdentifier: [Int]] = [:]

  init(_ runs: [InsertionRuns.Run], of models: NewModels, _ keys: InsertedKeys) {
    self.models = models
    for run in runs {
      for index in run.indices {
        let cells = models.cells(at: index)
        var missing: [ObjectIdentifier] = []
        for cell in run.save.statements.lookups.lazy.flatMap(\.cells) {
          guard let identifier = keys.unassigned(cell, of: cells) else { continue }
          let identity = ObjectIdentifier(identifier.id.scope)
          if !missing.contains(identity) { missing.append(identity) }
        }
        if models.namesNewModels {
          let named = models.temporaryIdentifiers(
            at: index, in: run.save.uniqueSlots(among: .all))
          for identifier in named where !keys.isNew(identifier) {
            let identity = ObjectIdentifier(identifier.id.scope)
            if !missing.contains(identity) { missing.append(identity) }
          }
        }
        if missing.isEmpty {
          ready.append((index, run.save))
          continue
        }
        waiting[index] = Waiting(save: run.save, count: missing.count)
        for identity in missing { dependents[identity, default: []].append(index) }
      }
    }
  }

  /// - Returns: The models to write next; `nil` at the end. Those that it returned before must have keys.
  mutating func next() -> [Position]? {
    if !waiting.isEmpty {
      wakeDependents()
      if ready.isEmpty {
        ready = waiting.map { ($0.key, $0.value.save) }
        waiting = [:]
      }
      ready.sort { $0.index < $1.index }
    }
    (latest, ready) = (ready, [])
    return latest.isEmpty ? nil : latest
  }

  private mutating func wakeDependents() {
    for position in latest {
      guard let identifier = models.knownIdentifier(at: position.index),
        let indices = dependents.removeValue(forKey: ObjectIdentifier(identifier.id.scope))
      else { continue }
      for index in indices {
        waiting[index]?.count -= 1
        guard let model = waiting[index], model.count == 0 else { continue }
        waiting[index] = nil
        ready.append((index, model.save))
      }
    }
  }
}
