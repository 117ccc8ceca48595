import SwiftData

/// What user code has set since the last save: the later save wins, so the file has to have it.
///
/// A property that gets back what it had counts as neither changed nor unchanged, so nothing is expected
/// of it then.
struct LeagueWishes {
  private struct Key: Hashable {
    let model: ObjectIdentifier
    let property: String
    /// The partner, where there can be several.
    var partner: ObjectIdentifier?
  }

  private struct Entry {
    let model: any LeagueModel
    let bond: League.Bond?
    let property: String
    let form: League.Wish.Form
    let partner: (any LeagueModel)?
    var value = 0
    var isPending = false
    var ledToStored = false
  }

  private var entries: [Key: Entry] = [:]
  private var originals: [Key: Int] = [:]
  /// Every property that was set, whatever to.
  private var touched: [(model: any LeagueModel, property: String, partner: (any LeagueModel)?)] =
    []
  /// New seats may become the rows of others, and bring partners of their own.
  var hasUpserts = false

  // MARK: Edits

  mutating func noteValue(of model: any LeagueModel, _ value: Int) {
    let key = Key(model: ObjectIdentifier(model), property: "value")
    touched.append((model, "value", nil))
    let original = originals[key] ?? model.value
    originals[key] = original
    entries[key] =
      original == value
      ? nil
      : Entry(
        model: model, bond: nil, property: "value", form: .hasValue, partner: nil, value: value)
  }

  /// Called before the edit.
  mutating func noteLink(
    _ bond: League.Bond, _ side: League.Side, _ owner: any LeagueModel,
    _ partner: any LeagueModel
  ) {
    note(bond, side, owner, partner, isLinked: true)
  }

  /// Called before the edit.
  mutating func noteUnlink(
    _ bond: League.Bond, _ side: League.Side, _ owner: any LeagueModel,
    _ partner: any LeagueModel
  ) {
    note(bond, side, owner, partner, isLinked: false)
  }

  private mutating func note(
    _ bond: League.Bond, _ side: League.Side, _ owner: any LeagueModel,
    _ partner: any LeagueModel, isLinked: Bool
  ) {
    switch bond.form {
    case .oneToMany:
      // The to-one is what is stored. A member that leaves a list may be in another one by now.
      let (owner, partner) = side == .left ? (partner, owner) : (owner, partner)
      let without: League.Wish.Form = side == .right ? .isEmpty : .isWithout
      setToOne(bond, .right, owner, partner, isLinked ? .leadsTo : without)
    case .reference:
      setToOne(bond, .left, owner, partner, isLinked ? .leadsTo : .isEmpty)
    case .oneToOne:
      let both = [ObjectIdentifier(owner), ObjectIdentifier(partner)]
      entries = entries.filter { key, entry in
        entry.bond != bond
          || !(both.contains(key.model)
            || entry.partner.map { both.contains(ObjectIdentifier($0)) } == true)
      }
      setToOne(bond, side, owner, partner, isLinked ? .leadsTo : .isEmpty)
    case .manyToMany:
      let (left, right) = side == .left ? (owner, partner) : (partner, owner)
      setPair(bond, left, right, isLinked)
    case .collection:
      // A member has one owner.
      entries = entries.filter { _, entry in entry.bond != bond || entry.partner !== partner }
      setPair(bond, owner, partner, isLinked)
    }
  }

  private mutating func setToOne(
    _ bond: League.Bond, _ side: League.Side, _ owner: any LeagueModel,
    _ partner: any LeagueModel, _ form: League.Wish.Form
  ) {
    guard let property = bond.property(side), let end = bond.end(side) else { return }
    let key = Key(model: ObjectIdentifier(owner), property: property)
    touched.append((owner, property, partner))
    func number(_ model: (any LeagueModel)?) -> Int { model?.number ?? 0 }
    let original = originals[key] ?? number(end.read(owner).first)
    originals[key] = original
    entries[key] =
      original == (form == .leadsTo ? number(partner) : 0)
      ? nil
      : Entry(model: owner, bond: bond, property: property, form: form, partner: partner)
  }

  private mutating func setPair(
    _ bond: League.Bond, _ left: any LeagueModel, _ right: any LeagueModel, _ isLinked: Bool
  ) {
    guard let property = bond.property(.left) else { return }
    touched.append((left, property, right))
    let key = Key(
      model: ObjectIdentifier(left), property: property, partner: ObjectIdentifier(right))
    let original = originals[key] ?? (isLinked ? 0 : 1)
    originals[key] = original
    entries[key] =
      original == (isLinked ? 1 : 0)
      ? nil
      : Entry(
        model: left, bond: bond, property: property, form: isLinked ? .leadsTo : .isWithout,
        partner: right)
  }

  // MARK: Saves

  /// Called when a save begins.
  mutating func look(at context: ModelContext) {
    let new = Set(context.insertedModelsArray.map(ObjectIdentifier.init))
    for (key, entry) in entries {
      var entry = entry
      entry.isPending =
        entry.model.modelContext === context && !entry.model.isDeleted
        && !(hasUpserts && (entry.bond == .seat || entry.model is League.Seat))
      if let partner = entry.partner, let bond = entry.bond {
        let sides = [League.Side.left, .right].filter { bond.property($0) == entry.property }
        let leads = sides.contains { side in
          bond.end(side)?.read(entry.model).contains { $0 === partner } == true
        }
        if entry.form == .leadsTo, partner.isDeleted, partner.modelContext === context {
          entry.isPending = false
        }
        entry.ledToStored =
          leads && !new.contains(ObjectIdentifier(partner))
          && partner.persistentModelID.storeIdentifier != nil
      }
      entries[key] = entry
    }
  }

  /// What the file has to have now.
  var afterSave: [League.Wish] {
    entries.values
      .filter { $0.isPending && !$0.model.isDeleted && $0.model.modelContext != nil }
      .map { entry in
        League.Wish(
          number: entry.model.number, property: entry.property, form: entry.form,
          partner: entry.partner?.number ?? entry.value, ledToStored: entry.ledToStored)
      }.sorted { ($0.number, $0.property, $0.partner) < ($1.number, $1.property, $1.partner) }
  }

  var touches: [League.Touch] {
    touched.map { League.Touch($0.model.number, $0.property, partner: $0.partner?.number ?? 0) }
  }
}
