import SwiftData

/// Moves that edit; nothing of them reaches the file before the next save.
extension LeagueWriter {
  func edit(_ move: League.Move, number: Int) {
    switch move {
    case .insertLeague: insertLeague(number)
    case .insert(let kind, let which): _ = make(kind, number: number, which)
    case .upsert(let code):
      let seat = League.Seat(number, code: code)
      context.insert(seat)
      hold(seat)
      wishes.hasUpserts = true
    case .grow(let bond, let which):
      guard let owner = choose(bond.kind(.left), which) else { return }
      link(bond, .left, owner, make(bond.kind(.right), number: number, which))
    case .edit(let kind, let which, let value):
      guard let model = choose(kind, which), model.value != value else { return }
      wishes.noteValue(of: model, value)
      model.value = value
    case .recode(let which, let code):
      guard let seat = choose(.seat, which) as? League.Seat, seat.code != code else { return }
      seat.code = code
      isRisky = true
    case .link(let bond, let side, let one, let other):
      guard let owner = choose(bond.kind(side), one),
        let partner = choose(bond.kind(side.opposite), other)
      else { return }
      link(bond, side, owner, partner)
    case .unlink(let bond, let side, let one, let other):
      guard let owner = choose(bond.kind(side), one), let end = bond.end(side) else { return }
      let partners = end.read(owner)
      if partners.isEmpty || end.isRequired { return }
      write(bond, side, owner, without: partners[other % partners.count], of: partners)
    case .replace(let bond, let side, let one, let bits):
      guard bond.isToMany(side), let owner = choose(bond.kind(side), one) else { return }
      replace(bond, side, owner, bits)
    case .swap(let one, let other): swapSeats(one, other)
    case .load(let bond, let side, let which):
      guard let owner = choose(bond.kind(side), which), let end = bond.end(side) else { return }
      _ = end.read(owner).count
    case .delete(let kind, let which):
      guard let model = choose(kind, which) else { return }
      context.delete(model)
      isRisky = isRisky || kind.canBeKept
    case .deleteAll, .save, .attempt, .transaction, .rollback, .undo, .redo, .fetch, .look: return
    }
  }

  // MARK: New models

  /// Two clubs with a team each, and what belongs to them.
  private func insertLeague(_ number: Int) {
    isRisky = true
    var number = number
    func next() -> Int {
      defer { number += 1 }
      return number
    }
    for index in 0..<2 {
      let (club, team, fan) = (League.Club(next()), League.Team(next()), League.Fan(next()))
      let player = League.Player(next(), team: team)
      let seat = League.Seat(next(), code: index)
      context.insert(club)
      context.insert(player)
      club.teams = [team]
      player.seat = seat
      fan.club = club
      fan.idols = [player]
      fan.favourite = player
      let others = [League.Fan(next()), League.Fan(next())]
      let crew = League.Crew(next(), members: others)
      let debt = League.Debt(next())
      context.insert(crew)
      crew.tabs = [debt]
      var models: [any LeagueModel] = [club, team, fan, player, seat, crew, debt]
      if index == 1 {
        let lesson = League.Lesson(next(), team: team, teacher: fan)
        context.insert(lesson)
        debt.club = club
        models.append(lesson)
      }
      for model in models + others {
        model.value = index
        hold(model)
      }
    }
  }

  /// - Parameters:
  ///   - number: The number of the model, above those of the models that it needs.
  ///   - which: Chooses among the models that may be what it needs.
  private func make(_ kind: League.Kind, number: Int, _ which: Int) -> any LeagueModel {
    func team() -> League.Team {
      choose(.team, which) as? League.Team
        ?? make(.team, number: number - 1, which) as? League.Team ?? League.Team(number - 1)
    }
    func fan() -> League.Fan {
      choose(.fan, which) as? League.Fan
        ?? make(.fan, number: number - 2, which) as? League.Fan ?? League.Fan(number - 2)
    }
    let model: any LeagueModel
    switch kind {
    case .club: model = League.Club(number)
    case .team: model = League.Team(number)
    case .player: model = League.Player(number, team: team())
    case .seat: model = League.Seat(number, code: 1000 + number)
    case .fan: model = League.Fan(number)
    case .lesson: model = League.Lesson(number, team: team(), teacher: fan())
    case .debt: model = League.Debt(number)
    case .crew:
      let member = fan()
      let crew = League.Crew(number, members: [member])
      wishes.noteLink(.members, .left, crew, member)
      model = crew
    }
    switch kind {
    case .player, .lesson, .crew: isRisky = true
    case .club, .team, .seat, .fan, .debt: break
    }
    context.insert(model)
    hold(model)
    return model
  }

  // MARK: Links

  private func link(
    _ bond: League.Bond, _ side: League.Side, _ owner: any LeagueModel,
    _ partner: any LeagueModel
  ) {
    guard let end = bond.end(side) else { return }
    let partners = end.read(owner)
    if partners.contains(where: { $0 === partner }) { return }
    wishes.noteLink(bond, side, owner, partner)
    end.write(owner, bond.isToMany(side) ? partners + [partner] : [partner])
    isRisky = isRisky || bond.canBeRefused
  }

  private func write(
    _ bond: League.Bond, _ side: League.Side, _ owner: any LeagueModel,
    without partner: any LeagueModel, of partners: [any LeagueModel]
  ) {
    wishes.noteUnlink(bond, side, owner, partner)
    bond.end(side)?.write(owner, partners.filter { $0 !== partner })
    isRisky = isRisky || bond.canBeRefused
  }

  private func replace(
    _ bond: League.Bond, _ side: League.Side, _ owner: any LeagueModel, _ bits: Int
  ) {
    guard let end = bond.end(side) else { return }
    let old = end.read(owner)
    let new = all(bond.kind(side.opposite)).enumerated()
      .filter { bits >> ($0.offset % 4) & 1 == 1 }.map(\.element)
    for partner in old where !new.contains(where: { $0 === partner }) {
      wishes.noteUnlink(bond, side, owner, partner)
    }
    for partner in new where !old.contains(where: { $0 === partner }) {
      wishes.noteLink(bond, side, owner, partner)
    }
    end.write(owner, new)
    isRisky = isRisky || bond.canBeRefused
  }

  private func swapSeats(_ one: Int, _ other: Int) {
    guard let one = choose(.player, one) as? League.Player,
      let other = choose(.player, other) as? League.Player, one !== other
    else { return }
    let (first, second) = (one.seat, other.seat)
    if first == nil && second == nil { return }
    if let first, second == nil { wishes.noteUnlink(.seat, .left, one, first) }
    if let second, first == nil { wishes.noteUnlink(.seat, .left, other, second) }
    if let second { wishes.noteLink(.seat, .left, one, second) }
    if let first { wishes.noteLink(.seat, .left, other, first) }
    (one.seat, other.seat) = (second, first)
  }
}
