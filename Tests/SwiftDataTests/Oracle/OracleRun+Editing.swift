import Foundation
import SwiftData

/// Steps that edit, in a context and in the picture alike.
extension OracleRun {
  func model(_ number: Int, in context: ModelContext) throws -> any Citizen {
    if context === self.context, let model = held[number] { return model }
    func find<T: Citizen>(_ type: T.Type) throws -> (any Citizen)? {
      try context.fetch(FetchDescriptor<T>()).first { $0.number == number }
    }
    let found =
      switch now.things[number]?.kind {
      case .team: try find(World.Team.self)
      case .member, .captain: try find(World.Member.self)
      case .club: try find(World.Club.self)
      case .badge: try find(World.Badge.self)
      default: try find(World.Chore.self)
      }
    guard let found else { throw Disagreement(description: "\(number) is not found") }
    return found
  }

  mutating func choose(
    _ which: Int, _ accepts: (Kind) -> Bool = { _ in true }
  ) -> Int? {
    choose(which, among: now.present(accepts))
  }

  mutating func choose(_ which: Int, among numbers: [Int]) -> Int? {
    if numbers.isEmpty { return nil }
    noteEdits(of: [numbers[which % numbers.count]])
    return numbers[which % numbers.count]
  }

  private mutating func noteEdits(of numbers: [Int]) {
    if now.doomed.isEmpty || context.undoManager == nil { return }
    hasEditedGoing = hasEditedGoing || !now.goesWithDoomed.isDisjoint(with: numbers)
  }

  private mutating func made(
    _ kind: Kind, code: Int? = nil, in context: ModelContext
  ) -> any Citizen {
    counter += 1
    let model = kind.make(counter, code: code ?? 1000 + counter)
    now.things[counter] = Picture.Thing(model)
    if context === self.context { held[counter] = model }
    return model
  }

  mutating func edit(_ step: Move, in context: ModelContext) throws {
    switch step {
    case .insert(let kind): context.insert(made(kind, in: context))
    case .insertTree: insertTree(in: context)
    case .edit(let which, let value):
      guard let number = choose(which, { $0 != .badge }) else { return }
      try model(number, in: context).value = value
      now.things[number]?.value = value
    case .swap(let one, let two):
      let badges = now.present { $0 == .badge }.filter { !now.sharesUniqueValue($0) }
      guard let one = choose(one, among: badges), let two = choose(two, among: badges)
      else { return }
      let (first, second) = (try model(one, in: context), try model(two, in: context))
      (first.value, second.value) = (second.value, first.value)
      now.things[one]?.value = first.value
      now.things[two]?.value = second.value
    case .upsert(let kind, let which):
      // An undo after such a save has no state to lead back to.
      let code =
        context.undoManager == nil
        ? choose(which, { $0 == kind }).flatMap { now.things[$0]?.uniqueValue } : nil
      context.insert(made(kind, code: code, in: context))
    case .link(let bond, let side, let one, let two):
      guard let (one, two) = ends(bond, side, one, two) else { return }
      bond.end(side).append(try model(one, in: context), try model(two, in: context))
      now.link(bond, side, one, two)
    case .unlink(let bond, let side, let one, let two):
      guard let (one, two) = ends(bond, side, one, two) else { return }
      if bond.isToMany(side) {
        bond.end(side).remove(try model(one, in: context), try model(two, in: context))
        now.unlink(bond, side, one, two)
      } else {
        bond.end(side).write(try model(one, in: context), [])
        now.replace(bond, side, one, by: [])
      }
    case .replace(let bond, let side, let one, let bits):
      guard let one = choose(one, { bond.accepts($0, on: side) }) else { return }
      try replace(bond, side, (one, try model(one, in: context)), bits, in: context)
    case .delete(let which):
      guard let number = choose(which) else { return }
      let saved = saved
      delete(try model(number, in: context), from: context)
      now.delete(number) { saved.things[$0] != nil }
    default: return
    }
  }

  /// Sets a whole to-many, chosen by `bits`, or a to-one to nil, through an instance of `owner`.
  mutating func replace(
    _ bond: Bond, _ side: Bond.Side, _ owner: (number: Int, model: any Citizen), _ bits: Int,
    in context: ModelContext
  ) throws {
    let chosen = now.present { bond.accepts($0, on: side.opposite) }.enumerated()
      .filter { bits >> ($0.offset % 4) & 1 == 1 }.map(\.element)
    noteEdits(of: chosen)
    let partners = bond.isToMany(side) ? chosen : []
    let models = try partners.map { try model($0, in: context) }
    bond.end(side).write(owner.model, models)
    now.replace(bond, side, owner.number, by: partners)
  }

  private mutating func ends(_ bond: Bond, _ side: Bond.Side, _ one: Int, _ two: Int) -> (Int, Int)?
  {
    guard let one = choose(one, { bond.accepts($0, on: side) }),
      let two = choose(two, { bond.accepts($0, on: side.opposite) })
    else { return nil }
    return (one, two)
  }

  func delete(_ model: some Citizen, from context: ModelContext) { context.delete(model) }

  private mutating func insertTree(in context: ModelContext) {
    let root = made(.team, in: context)
    let team = root.number
    let members = [made(.member, in: context), made(.captain, in: context)]
    let badge = made(.badge, in: context)
    Bond.badge.end(.left).write(members[0], [badge])
    Bond.team.end(.left).write(root, members)
    Bond.mentor.end(.right).write(members[1], [members[0]])
    context.insert(root)
    now.replace(.team, .left, team, by: members.map(\.number))
    now.link(.badge, .left, members[0].number, badge.number)
    now.link(.mentor, .right, members[1].number, members[0].number)
  }
}
