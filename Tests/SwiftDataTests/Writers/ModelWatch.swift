import Observation
import OpenSwiftDataTestModels
import SwiftData
import Synchronization

/// An observer of each property of each model that a writer holds. What it has seen must not change without
/// a notification.
final class ModelWatch {
  private struct Key: Hashable {
    let model: ObjectIdentifier
    let property: String
  }

  private struct Sight {
    let model: any LeagueModel
    let shown: [String]
    let isNotified: Flag
  }

  private final class Flag: Sendable {
    let isRaised = Mutex(false)
  }

  private var sights: [Key: Sight] = [:]

  /// A property that shows something else than before, and whose observer was not notified.
  struct Missed {
    let property: String
    let before: [String]
    let now: [String]
  }

  func missed() -> Missed? {
    for (key, sight) in sights where !sight.isNotified.isRaised.withLock(\.self) {
      guard
        let property = ModelWatch.properties(of: sight.model).first(where: {
          $0.name == key.property
        })
      else { continue }
      let shown = property.read(sight.model)
      if shown != sight.shown {
        let kind = League.Kind(of: sight.model)
        let state = sight.model.modelContext == nil ? " outside of its context" : ""
        return Missed(property: "\(kind).\(key.property)\(state)", before: sight.shown, now: shown)
      }
    }
    return nil
  }

  /// Observes all properties that have no observer.
  func update(_ models: [any LeagueModel]) {
    sights = sights.filter { !$0.value.isNotified.isRaised.withLock(\.self) }
    for model in models where model.modelContext != nil && !model.isDeleted {
      for property in ModelWatch.properties(of: model) {
        let key = Key(model: ObjectIdentifier(model), property: property.name)
        if sights[key] == nil { sights[key] = see(model, property.read) }
      }
    }
  }

  private func see(_ model: any LeagueModel, _ read: (any LeagueModel) -> [String]) -> Sight {
    let flag = Flag()
    let shown = withObservationTracking {
      read(model)
    } onChange: {
      flag.isRaised.withLock { $0 = true }
    }
    return Sight(model: model, shown: shown, isNotified: flag)
  }

  private typealias Property = (name: String, read: (any LeagueModel) -> [String])

  private static func properties(of model: any LeagueModel) -> [Property] {
    let kind = League.Kind(of: model)
    var found: [Property] = [
      ("number", { ["\($0.number)"] }), ("value", { ["\($0.value)"] }),
    ]
    for bond in League.Bond.allCases {
      for side in [League.Side.left, .right] where bond.kind(side) == kind {
        guard let name = bond.property(side), let end = bond.end(side) else { continue }
        found.append((name, { end.read($0).map { "\($0.number)" }.sorted() }))
      }
    }
    return found
  }
}
