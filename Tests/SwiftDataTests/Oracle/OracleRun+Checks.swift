import Foundation
import SwiftData

/// What has to hold after every step.
extension OracleRun {
  func check() throws {
    let seen = try picture(of: context)
    if let difference = seen.difference(from: now) {
      throw Disagreement(description: "in memory \(difference)")
    }
    try checkLists()
    try checkInstances()
    try checkPredicates()
    if let difference = try observers?.difference(in: context) {
      throw Disagreement(description: "an observer shows \(difference)")
    }
  }

  /// The picture that a context shows; both sides of each relationship are compared on the way.
  func picture(of context: ModelContext) throws -> Picture {
    var picture = Picture()
    var models: [Int: any Citizen] = [:]
    func note(_ model: any Citizen) throws {
      if let other = models.updateValue(model, forKey: model.number), other !== model {
        throw Disagreement(description: "two instances show \(model.number)")
      }
      picture.things[model.number] = Picture.Thing(model)
    }
    func noteAll<T: Citizen>(_ type: T.Type) throws {
      for model in try context.fetch(FetchDescriptor<T>()) {
        try note(model)
        if model.isDeleted || model.modelContext !== context {
          throw Disagreement(description: "\(model.number) was fetched and is not in the context")
        }
      }
    }
    try noteAll(World.Team.self)
    try noteAll(World.Member.self)
    try noteAll(World.Club.self)
    try noteAll(World.Badge.self)
    try noteAll(World.Chore.self)
    for case let model as any Citizen in context.deletedModelsArray
    where context !== self.context || !lost.contains(model.number) {
      try note(model)
      picture.doomed.insert(model.number)
    }
    for bond in Bond.allCases {
      var sides: [Set<Picture.Pair>] = []
      for side in [Bond.Side.left, .right] {
        var pairs: [Picture.Pair] = []
        for (number, model) in models where bond.accepts(Kind(of: model), on: side) {
          for partner in bond.end(side).read(model) {
            guard models[partner.number] === partner else {
              throw Disagreement(
                description: "\(bond) of \(number) leads to \(partner.number), which is not there")
            }
            let ends = (number, partner.number)
            pairs.append(
              side == .left
                ? Picture.Pair(left: ends.0, right: ends.1)
                : Picture.Pair(left: ends.1, right: ends.0))
          }
        }
        if Set(pairs).count < pairs.count {
          throw Disagreement(description: "the \(side) side of \(bond) repeats a member")
        }
        sides.append(Set(pairs))
      }
      if sides[0] != sides[1] {
        throw Disagreement(
          description: "the sides of \(bond) disagree about "
            + "\(sides[0].symmetricDifference(sides[1]).map { [$0.left, $0.right] }.sorted { $0[0] < $1[0] })"
        )
      }
      picture[bond] = sides[0]
    }
    return picture
  }

  /// The lists of pending models have each changed model once, in the right list.
  private func checkLists() throws {
    let lists = [
      context.insertedModelsArray, context.changedModelsArray, context.deletedModelsArray,
    ]
    let numbers = lists.map { $0.compactMap { ($0 as? any Citizen)?.number } }
    func expect(_ condition: Bool, _ text: String) throws {
      if !condition { throw Disagreement(description: "\(text), of the lists \(numbers)") }
    }
    let all = numbers.flatMap { $0 }
    try expect(Set(all).count == all.count, "a model is listed twice")
    try expect(context.hasChanges == !all.isEmpty, "hasChanges is wrong")
    let new = now.things.keys.filter { saved.things[$0] == nil }
    try expect(Set(numbers[0]) == Set(new), "inserted models are not \(new.sorted())")
    let doomed = Set(numbers[2].filter { !lost.contains($0) })
    try expect(doomed == now.doomed, "deleted models are not \(now.doomed.sorted())")
    let changed = Set(numbers[1].filter { !lost.contains($0) })
    try expect(changed.isSubset(of: saved.things.keys), "a changed model was never saved")
    let differing = now.things.filter { number, thing in
      guard let before = saved.things[number], !now.doomed.contains(number) else { return false }
      return before != thing
        || Bond.allCases.contains { bond in
          [Bond.Side.left, .right].contains {
            now.partners(bond, $0, of: number) != saved.partners(bond, $0, of: number)
          }
        }
    }
    // A partner that a save deleted is no change of who named it.
    try expect(
      changed.isSuperset(of: differing.keys), "\(differing.keys.sorted()) should be changed")
    if lists[0].isEmpty, lists[1].isEmpty, lists[2].isEmpty, now != saved {
      throw Disagreement(description: "changes are pending and none is listed")
    }
  }

  /// A model that is held is the instance that a fetch gives, and knows whether it is there.
  private func checkInstances() throws {
    for (number, model) in held {
      if now.things[number] == nil {
        if model.modelContext != nil {
          throw Disagreement(description: "\(number) is gone and names a context")
        }
      } else if model.isDeleted != now.doomed.contains(number) || model.modelContext !== context {
        throw Disagreement(description: "\(number) does not know where it belongs")
      }
    }
    try checkDuplicates()
    for model in try context.fetch(FetchDescriptor<World.Member>()) {
      if let known = held[model.number], known !== model {
        throw Disagreement(description: "\(model.number) came back as another instance")
      }
      if context.registeredModel(for: model.persistentModelID) as World.Member? !== model {
        throw Disagreement(description: "\(model.number) is not registered")
      }
    }
  }

  /// What is saved through one instance of a row is read by the others.
  private func checkDuplicates() throws {
    guard now == saved, !context.hasChanges else { return }
    for (number, model) in duplicates {
      guard let thing = now.things[number] else {
        if model.modelContext != nil || !model.isDeleted {
          throw Disagreement(description: "a duplicate of \(number) does not know that it is gone")
        }
        continue
      }
      if model.number != number || Picture.Thing(model) != thing || model.isDeleted {
        throw Disagreement(
          description: "a duplicate of \(number) shows \(model.number) = \(model.value)")
      }
      guard let (bond, side) = thing.kind.uniqueEnd else { continue }
      let partners = bond.end(side).read(model).map(\.number).sorted()
      if partners != now.partners(bond, side, of: number) {
        throw Disagreement(description: "a duplicate of \(number) has the \(bond)s \(partners)")
      }
    }
  }

  private func checkPredicates() throws {
    func members(_ condition: (Int, Picture.Thing) -> Bool) -> [Int] {
      now.present(\.isMember).filter { number in
        now.things[number].map { condition(number, $0) } ?? false
      }
    }
    func expect<T: Citizen>(
      _ wanted: [Int], _ name: String, _ predicate: Predicate<T>?
    ) throws {
      let descriptor = FetchDescriptor(predicate: predicate)
      let fetched = try context.fetch(descriptor).map(\.number).sorted()
      let count = try context.fetchCount(descriptor)
      if fetched != wanted || count != wanted.count {
        throw Disagreement(
          description: "\(name): \(fetched), counted \(count), instead of \(wanted)")
      }
    }
    try expect(members { $1.value > 5 }, "value > 5", #Predicate<World.Member> { $0.value > 5 })
    try expect(
      now.present { $0 == .captain }, "captains", nil as Predicate<World.Captain>?)
    // A condition on a partner that is to be deleted is not defined.
    guard now.doomed.isEmpty else { return }
    let team = now.present { $0 == .team }.last ?? 0
    try expect(
      members { number, _ in now.partners(.team, .right, of: number) == [team] }, "of the team",
      #Predicate<World.Member> { $0.team?.number == team })
    try expect(
      members { number, _ in
        now.partners(.club, .left, of: number).contains { now.things[$0]?.value ?? 0 > 5 }
      }, "in a club of value",
      #Predicate<World.Member> { $0.clubs.contains { $0.value > 5 } })
    try expect(
      now.present { $0 == .team }.filter { now.partners(.team, .left, of: $0).isEmpty },
      "empty teams",
      #Predicate<World.Team> { $0.members.isEmpty })
  }
}
