/// What a graph looks like, in plain values: the oracle that a context is held against.
struct Picture: Equatable {
  struct Thing: Equatable {
    let kind: Kind
    var value: Int
    /// The unique value of a team or a club; that of a badge is its value.
    var code: Int?

    var uniqueValue: Int? { kind == .badge ? value : code }
  }

  struct Pair: Hashable {
    let left: Int
    let right: Int

    func end(_ side: Bond.Side) -> Int { side == .left ? left : right }
  }

  /// Whether an upsert is pending that concerns a thing.
  func sharesUniqueValue(_ number: Int) -> Bool {
    guard let thing = things[number] else { return false }
    return things.values.count {
      $0.kind == thing.kind && $0.uniqueValue == thing.uniqueValue
    } > 1
  }

  var things: [Int: Thing] = [:]
  /// The pairs of each bond, by its raw value.
  var bonds = [Set<Pair>](repeating: [], count: Bond.allCases.count)
  /// Stored things that the next save deletes.
  var doomed: Set<Int> = []

  /// Things that are not to be deleted, in order.
  func present(_ accepts: (Kind) -> Bool) -> [Int] {
    things.filter { accepts($0.value.kind) && !doomed.contains($0.key) }.keys.sorted()
  }

  subscript(_ bond: Bond) -> Set<Pair> {
    get { bonds[bond.rawValue] }
    set { bonds[bond.rawValue] = newValue }
  }

  func partners(_ bond: Bond, _ side: Bond.Side, of number: Int) -> [Int] {
    self[bond].filter { $0.end(side) == number }.map { $0.end(side.opposite) }.sorted()
  }

  // MARK: Changes

  /// A side that has room for one only loses the partner it had.
  mutating func link(_ bond: Bond, _ side: Bond.Side, _ owner: Int, _ partner: Int) {
    let pair =
      side == .left ? Pair(left: owner, right: partner) : Pair(left: partner, right: owner)
    if !bond.isToMany(.left) { self[bond] = self[bond].filter { $0.left != pair.left } }
    if !bond.isToMany(.right) { self[bond] = self[bond].filter { $0.right != pair.right } }
    self[bond].insert(pair)
  }

  mutating func unlink(_ bond: Bond, _ side: Bond.Side, _ owner: Int, _ partner: Int) {
    self[bond] = self[bond].filter {
      $0.end(side) != owner || $0.end(side.opposite) != partner
    }
  }

  mutating func replace(_ bond: Bond, _ side: Bond.Side, _ owner: Int, by partners: [Int]) {
    self[bond] = self[bond].filter { $0.end(side) != owner }
    for partner in partners { link(bond, side, owner, partner) }
  }

  mutating func remove(_ numbers: Set<Int>) {
    for number in numbers { things[number] = nil }
    for bond in Bond.allCases {
      self[bond] = self[bond].filter { !numbers.contains($0.left) && !numbers.contains($0.right) }
    }
    doomed.subtract(numbers)
  }

  /// A thing that was never saved goes at once, with all new ones that it cascades to.
  mutating func delete(_ number: Int, isStored: (Int) -> Bool) {
    var queue = [number]
    while let next = queue.popLast() {
      guard things[next] != nil else { continue }
      if isStored(next) {
        doomed.insert(next)
      } else {
        queue += cascade(from: next)
        remove([next])
      }
    }
  }

  private func cascade(from number: Int) -> [Int] {
    Bond.allCases.filter(\.cascades).flatMap { partners($0, .left, of: number) }
  }

  // MARK: Saving

  /// All that goes with what is doomed.
  var goesWithDoomed: Set<Int> {
    var going: Set<Int> = []
    var queue = Array(doomed)
    while let next = queue.popLast() {
      if going.insert(next).inserted { queue += cascade(from: next) }
    }
    return going
  }

  /// Whether the deny rule keeps a save from deleting what is doomed.
  func isDenied(isStored: (Int) -> Bool) -> Bool {
    let going = goesWithDoomed
    return self[.chore].contains {
      going.contains($0.left) && isStored($0.left) && !going.contains($0.right)
    }
  }

  /// What a save leaves.
  var settled: Picture {
    var picture = self
    picture.remove(goesWithDoomed)
    return picture
  }

  /// What an upsert leaves: a new thing with the unique value of another one becomes its row. All
  /// its attributes win; a to-one only where it was set; members of both are kept.
  /// - Returns: The numbers that are gone, each with the one that took its row over, in order.
  mutating func mergeUniqueValues(isStored: (Int) -> Bool) -> [(old: Int, new: Int)] {
    var merged: [(old: Int, new: Int)] = []
    for kind in Kind.allCases where kind.isUnique {
      var holders: [Int: Int] = [:]
      let numbers = things.keys.filter { things[$0]?.kind == kind }.sorted()
      for number in numbers.filter(isStored) + numbers.filter({ !isStored($0) }) {
        guard let value = things[number]?.uniqueValue else { continue }
        if let old = holders[value] {
          take(old, by: number)
          merged.append((old, number))
        }
        holders[value] = number
      }
    }
    return merged
  }

  private mutating func take(_ old: Int, by new: Int) {
    func members(_ bond: Bond, _ side: Bond.Side) -> [Int] {
      partners(bond, side, of: old) + partners(bond, side, of: new)
    }
    let (clubMembers, teamMembers) = (members(.club, .right), members(.team, .left))
    let holders = partners(.badge, .right, of: new) + partners(.badge, .right, of: old)
    remove([old])
    replace(.club, .right, new, by: clubMembers)
    replace(.team, .left, new, by: teamMembers)
    if let holder = holders.first { replace(.badge, .right, new, by: [holder]) }
  }

  // MARK: Text

  /// One line for each thing and each pair, for messages.
  var lines: [String] {
    things.map { number, thing in
      "\(thing.kind) \(number) = \(thing.value)\(thing.code.map { " #\($0)" } ?? "")"
        + (doomed.contains(number) ? " (doomed)" : "")
    }
      + Bond.allCases.flatMap { bond in self[bond].map { "\(bond) \($0.left) - \($0.right)" } }
  }

  /// What another picture has otherwise; nil when they are equal.
  func difference(from other: Picture) -> String? {
    if self == other { return nil }
    let (mine, theirs) = (Set(lines), Set(other.lines))
    return "unexpected \(mine.subtracting(theirs).sorted()), "
      + "missing \(theirs.subtracting(mine).sorted())"
  }
}

extension Picture.Thing {
  /// What a model shows.
  init(_ model: any Citizen) {
    let code = (model as? World.Club)?.code ?? (model as? World.Team)?.code
    self.init(kind: Kind(of: model), value: model.value, code: code)
  }
}
