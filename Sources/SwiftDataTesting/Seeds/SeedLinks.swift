import SwiftData

/// The entries of a seed that decide to which one model another model is linked.
struct SeedLinks {
  private struct End: Hashable {
    let model: ObjectIdentifier
    let relationship: String
  }

  /// Keeps the models alive, so that no other object gets their identity.
  private struct Decision {
    let model: any PersistentModel
    let partner: (any PersistentModel)?
    let entry: String
  }

  private var decisions: [End: Decision] = [:]

  /// Notes that an entry links a model to another one, or to none.
  /// - Returns: An earlier entry that has decided otherwise.
  mutating func decide(
    _ relationship: String, of model: any PersistentModel, _ partner: (any PersistentModel)?,
    _ entry: String
  ) -> String? {
    let end = End(model: ObjectIdentifier(model), relationship: relationship)
    if let known = decisions[end] { return known.partner === partner ? nil : known.entry }
    decisions[end] = Decision(model: model, partner: partner, entry: entry)
    return nil
  }
}
