import Foundation
import OpenSwiftDataTestModels

/// What has to hold after a step.
extension WritersRun {
  func judge(
    _ answer: League.Answer, of move: League.Move, hasWritten: Bool
  ) throws(WritersFailure) {
    func fail(_ kind: WritersFailure.Kind, _ text: String) -> WritersFailure {
      WritersFailure(kind: kind, description: text)
    }
    if let error = answer.error {
      if !answer.isRefusal { throw fail(.otherError, error) }
      if answer.isHarmless { throw fail(.harmlessSaveThrew, error) }
      if hasWritten { throw fail(.wroteUnasked, "it wrote and threw: \(error)") }
    }
    switch move {
    case .save, .attempt, .deleteAll, .transaction(_, commits: true): return
    default: if hasWritten { throw fail(.wroteUnasked, "it wrote") }
    }
  }

  /// The later save wins. What it can't store because others have deleted is named.
  func judgeSave(
    _ answer: League.Answer, before: League.Picture
  ) throws(WritersFailure) {
    for number in answer.inserted where picture[number] == nil {
      throw WritersFailure(
        kind: .laterSaveLost, description: "\(number) is new in memory and has no row")
    }
    for wish in answer.wishes {
      guard let row = picture[wish.number] else { continue }
      let partners = row.partners[wish.property] ?? []
      let what = "\(wish.property) of \(row.kind) \(wish.number)"
      let holds =
        switch wish.form {
        case .hasValue: row.value == wish.partner
        case .isEmpty: partners.isEmpty
        case .isWithout: !partners.contains(wish.partner)
        case .leadsTo: partners.contains(wish.partner)
        }
      // Another writer may have given a seat another number.
      if holds || (wish.property == "seat" && picture[wish.partner] == nil) { continue }
      guard wish.form == .leadsTo, picture[wish.partner] == nil else {
        throw WritersFailure(
          kind: .laterSaveLost,
          description: "\(what) was set to \(wish.form) \(wish.partner) and the file has "
            + (wish.form == .hasValue ? "\(row.value)" : "\(partners)"))
      }
      let isToOne = League.Bond.allCases.contains { bond in
        [League.Side.left, .right].contains { side in
          bond.property(side) == wish.property && bond.kind(side) == row.kind
            && !bond.isToMany(side)
        }
      }
      if isToOne, wish.ledToStored, before[wish.partner] == nil,
        answer.discarded[wish.number]?.contains(wish.property) != true
      {
        throw WritersFailure(
          kind: .dropUnnamed,
          description: "\(what) lost \(wish.partner), which was gone, and nobody was told")
      }
    }
  }

  func compare(_ seen: League.Picture) throws(WritersFailure) {
    for number in Set(seen.keys).union(picture.keys).sorted() where seen[number] != picture[number]
    {
      func text(_ sight: League.Sight?) -> String {
        guard let sight else { return "nothing" }
        let partners = sight.partners.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return "\(sight.kind) = \(sight.value) \(partners.joined(separator: ", "))"
      }
      throw WritersFailure(
        kind: .memory,
        description:
          "\(number) shows as \(text(seen[number])), and stored is \(text(picture[number]))")
    }
  }
}
