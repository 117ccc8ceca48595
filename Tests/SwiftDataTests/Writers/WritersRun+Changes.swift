import OpenSwiftDataTestModels

/// What a step may change in the file: what its writer has set and deleted, and what follows from that by
/// the rules and by the rows that were there.
extension WritersRun {
  func judgeChanges(
    _ answer: League.Answer, of move: League.Move, before: League.Picture
  ) throws(WritersFailure) {
    let changes = WritersChanges(
      before: before, after: picture, answer, move, hasUpserts: hasUpserts)
    if let failure = changes.skippedRule ?? changes.deletion ?? changes.change { throw failure }
  }
}

struct WritersChanges {
  let before: League.Picture
  let after: League.Picture
  /// Whether a seat may have another number than the writer knows.
  let hasUpserts: Bool
  private var deleted: Set<Int>
  private var properties: [Int: Set<String>] = [:]
  private var pairs: Set<[Int]> = []
  /// Models whose seat or player was set, and the partners that were set.
  private var seated: Set<Int> = []
  private var tabs: Set<Int> = []

  init(
    before: League.Picture, after: League.Picture, _ answer: League.Answer, _ move: League.Move,
    hasUpserts: Bool = false
  ) {
    self.before = before
    self.after = after
    self.hasUpserts = hasUpserts
    deleted = Set(answer.deleted)
    if case .deleteAll(let kind, let value) = move {
      deleted = Set(before.filter { $0.value.kind == kind && $0.value.value == value }.keys)
    }
    for touch in answer.touches {
      switch touch.property {
      case "idols": pairs.insert([touch.number, touch.partner])
      case "tabs": tabs.insert(touch.partner)
      case "seat", "player": seated.formUnion([touch.number, touch.partner])
      default: properties[touch.number, default: []].insert(touch.property)
      }
    }
  }

  private var gone: [Int] { before.keys.filter { after[$0] == nil }.sorted() }

  /// A team that lost its club, or a debt, instead of going or of keeping the club.
  var skippedRule: WritersFailure? {
    for number in gone {
      for bond in [League.Bond.teams, .players, .debts] {
        let name = bond.property(.right) ?? ""
        for partner in before[number]?.partners[bond.rawValue] ?? [] {
          guard let row = after[partner], row.partners[name] == nil,
            properties[partner]?.contains(name) != true, bond.kind(.left) == before[number]?.kind
          else { continue }
          return WritersFailure(
            kind: .deleteRuleSkipped(bond.rawValue),
            description: "\(number) is gone and \(row.kind) \(partner) is still there without it")
        }
      }
    }
    return nil
  }

  var deletion: WritersFailure? {
    // What was moved goes with its new owner, and takes its members along.
    let moved = gone.filter { properties[$0]?.isDisjoint(with: ["club", "team"]) == false }
    var known = deleted.union(moved)
    var queue = Array(known)
    while let number = queue.popLast() {
      for bond in ["teams", "players"] {
        for partner in before[number]?.partners[bond] ?? [] where known.insert(partner).inserted {
          queue.append(partner)
        }
      }
    }
    for number in gone where !known.contains(number) {
      // A seat may have got another number.
      guard let kind = before[number]?.kind, kind != .seat else { continue }
      return WritersFailure(
        kind: .deletedUnasked(kind),
        description: "\(kind) \(number) is gone and nobody deleted it")
    }
    return nil
  }

  var change: WritersFailure? {
    for (number, old) in before.sorted(by: { $0.key < $1.key }) {
      guard let new = after[number] else { continue }
      if old.value != new.value, old.kind != .seat, !isTouched(number, "value") {
        return failure(old, number, "value", [old.value], [new.value])
      }
      for name in Set(old.partners.keys).union(new.partners.keys).sorted() {
        let (left, right) = (old.partners[name] ?? [], new.partners[name] ?? [])
        // Those that are gone, and new ones.
        let changed = Set(left).symmetricDifference(right)
          .filter { after[$0] != nil && (before[$0] != nil || left.contains($0)) }
        if changed.contains(where: { !mayChange(number, old.kind, name, $0) }) {
          return failure(old, number, name, left, right)
        }
      }
    }
    return nil
  }

  private func mayChange(
    _ number: Int, _ kind: League.Kind, _ name: String, _ partner: Int
  ) -> Bool {
    switch name {
    case "idols": return pairs.contains([number, partner])
    case "followers": return pairs.contains([partner, number])
    case "tabs": return tabs.contains(partner)
    case "seat", "player":
      return hasUpserts || !seated.isDisjoint(with: [number, partner])
    default: break
    }
    // The to-one is what user code set, from either end.
    for bond in League.Bond.allCases where bond.rawValue == name && bond.form == .oneToMany {
      if bond.kind(.left) == kind { return isTouched(partner, bond.property(.right) ?? "") }
    }
    return isTouched(number, name)
  }

  private func isTouched(_ number: Int, _ name: String) -> Bool {
    properties[number]?.contains(name) == true
  }

  private func failure(
    _ row: League.Sight, _ number: Int, _ name: String, _ old: [Int], _ new: [Int]
  ) -> WritersFailure {
    WritersFailure(
      kind: .changedUnasked("\(row.kind).\(name)"),
      description: "\(name) of \(row.kind) \(number) was \(old) and is \(new), and nobody set it")
  }
}
