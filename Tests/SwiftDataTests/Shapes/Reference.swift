import SwiftData

/// A graph as it should be, in plain dictionaries: what a context shows, and what its store has.
///
/// 1. Edits (`Shape.Edit`) change `nodes`; both ends of a relationship change together.
/// 2. A stored node that is deleted stays in relationships until the save; a new one leaves at once, with
///    the new ones that it cascades to.
/// 3. A save applies the delete rules, or is refused and changes nothing.
struct Reference {
  struct Node {
    let kind: Shape.Kind
    /// The value of each field, as its position among the values of the field.
    var choices: [Int]
    /// The numbers of related nodes, by the index of the end.
    var links: [Int: Set<Int>] = [:]
  }

  /// Why a save must throw.
  struct Refusal: Error {
    let reason: String
  }

  private struct Gain: Hashable {
    let owner: Int
    let end: Int
    let member: Int
  }

  let shape: Shape
  /// Whether a save leaves a member of lists without an inverse in one of them.
  private let membersHaveOneOwner: Bool
  private(set) var nodes: [Int: Node] = [:]
  private(set) var stored: [Int: Node] = [:]
  private(set) var new: Set<Int> = []
  /// Stored nodes that the next save deletes.
  private(set) var doomed: Set<Int> = []
  /// Whether there were edits since the last save or rollback.
  private(set) var isTouched = false
  /// When lists got their members. Of several lists without an inverse the last one keeps a member.
  private var gains: [Gain: Int] = [:]
  private var clock = 0

  init(_ shape: Shape, membersHaveOneOwner: Bool = true) {
    self.shape = shape
    self.membersHaveOneOwner = membersHaveOneOwner
  }

  // MARK: Reading

  /// What a context shows: without the nodes to be deleted, but with links to them.
  var shown: [Int: Node] {
    nodes.filter { !doomed.contains($0.key) }.mapValues { node in
      var node = node
      // A link without an inverse may lead to what was never saved.
      for end in shape.endsOfKind[node.kind.index] where end.inverse == nil {
        node.links[end.index] = node.links[end.index]?.filter { nodes[$0] != nil }
      }
      return node
    }
  }

  /// Nodes that edits may concern, in order.
  func present(_ accepts: (any ShapeModel.Type) -> Bool = { _ in true }) -> [Int] {
    nodes.filter { !doomed.contains($0.key) && accepts($0.value.kind.type) }.keys.sorted()
  }

  func isPresent(_ number: Int) -> Bool { nodes[number] != nil && !doomed.contains(number) }

  func links(_ number: Int, _ end: Shape.End) -> Set<Int> {
    nodes[number]?.links[end.index] ?? []
  }

  /// The related nodes by the name of the end.
  func related(_ number: Int, _ name: String) -> [Int] {
    guard let node = nodes[number],
      let end = shape.endsOfKind[node.kind.index].first(where: { $0.name == name })
    else { return [] }
    return links(number, end).sorted()
  }

  func value(_ number: Int) -> Int { nodes[number]?.choices[0] ?? -1 }

  func choice(_ number: Int, _ field: String) -> Int? {
    guard let node = nodes[number],
      let index = shape.fieldsOfKind[node.kind.index].firstIndex(where: { $0.name == field })
    else { return nil }
    return node.choices[index]
  }

  /// Whether a required to-one leads nowhere: its value is a stand-in then.
  var hasStandIns: Bool {
    nodes.contains { number, node in
      shape.endsOfKind[node.kind.index].contains { end in
        let links = links(number, end)
        return end.form == .required && links.isEmpty || links.contains { nodes[$0] == nil }
      }
    }
  }

  /// The nodes of which a predicate is true.
  func numbers(_ question: Shape.Question, _ value: Int) -> [Int] {
    present().filter { number in
      guard let node = nodes[number] else { return false }
      return question.isAbout(node.kind, in: shape) && question.holds(self, number, value)
    }
  }

  // MARK: Edits

  /// - Returns: False, and nothing is changed, if the edit is impossible.
  mutating func apply(_ edit: Shape.Edit) -> Bool {
    guard isPossible(edit) else { return false }
    isTouched = true
    switch edit {
    case .insert(let new, nil): insert(new)
    case .insert(let new, .to(let end, let partner)):
      insert(new)
      setToOne(new.number, end, partner)
    case .insert(let new, .asMember(let owner, let end)):
      insert(new)
      setToMany(owner, end, links(owner, end).union([new.number]))
    case .set(let number, let field, let choice): nodes[number]?.choices[field] = choice
    case .link(let owner, let end, let partner, _):
      if end.form == .toMany {
        setToMany(owner, end, links(owner, end).union([partner]))
      } else {
        setToOne(owner, end, partner)
      }
    case .unlink(let owner, let end, let partner):
      if end.form == .toMany {
        setToMany(owner, end, links(owner, end).subtracting([partner]))
      } else {
        setToOne(owner, end, nil)
      }
    case .replace(let owner, let end, let members): setToMany(owner, end, Set(members))
    case .reverse: break
    case .delete(let number): delete(number)
    case .keep(let number): doomed.remove(number)
    }
    return true
  }

  private func isPossible(_ edit: Shape.Edit) -> Bool {
    switch edit {
    case .insert(let new, let connection):
      guard nodes[new.number] == nil, new.required.allSatisfy(isPresent) else { return false }
      return switch connection {
      case nil: true
      case .to(_, let other), .asMember(let other, _): isPresent(other)
      }
    case .set(let number, _, _), .reverse(let number, _), .delete(let number):
      return isPresent(number)
    case .keep(let number): return doomed.contains(number)
    case .link(let owner, _, let partner, _): return isPresent(owner) && isPresent(partner)
    case .unlink(let owner, let end, let partner):
      return isPresent(owner) && end.form != .required && links(owner, end).contains(partner)
    case .replace(let owner, _, let members):
      return isPresent(owner) && members.allSatisfy(isPresent)
    }
  }

  private mutating func insert(_ new: Shape.New) {
    let count = shape.fieldsOfKind[new.kind.index].count
    nodes[new.number] = Node(kind: new.kind, choices: (0..<count).map(new.choice))
    self.new.insert(new.number)
    let required = shape.endsOfKind[new.kind.index].filter { $0.form == .required }
    for (end, partner) in zip(required, new.required) { setToOne(new.number, end, partner) }
  }

  private mutating func setToOne(_ owner: Int, _ end: Shape.End, _ partner: Int?) {
    let old = links(owner, end).first
    if let inverse = end.inverse {
      if old == partner { return }
      if let old { drop(owner, from: old, inverse) }
    }
    nodes[owner]?.links[end.index] = partner.map { [$0] } ?? []
    if let partner, let inverse = end.inverse { gain(owner, at: partner, inverse) }
  }

  private mutating func setToMany(_ owner: Int, _ end: Shape.End, _ members: Set<Int>) {
    let old = links(owner, end)
    for member in old.subtracting(members) {
      drop(member, from: owner, end.index)
      if let inverse = end.inverse { drop(owner, from: member, inverse) }
    }
    for member in members.subtracting(old) {
      gain(member, at: owner, end.index)
      if let inverse = end.inverse { gain(owner, at: member, inverse) }
    }
  }

  private mutating func drop(_ number: Int, from owner: Int, _ end: Int) {
    nodes[owner]?.links[end]?.remove(number)
  }

  private mutating func gain(_ number: Int, at owner: Int, _ end: Int) {
    if shape.ends[end].form == .toMany {
      guard nodes[owner]?.links[end, default: []].insert(number).inserted ?? false else { return }
      clock += 1
      gains[Gain(owner: owner, end: end, member: number)] = clock
    } else {
      let current = nodes[owner]?.links[end]?.first
      if current == number { return }
      if let current, let inverse = shape.ends[end].inverse {
        drop(owner, from: current, inverse)
      }
      nodes[owner]?.links[end] = [number]
    }
  }

  private mutating func delete(_ number: Int) {
    var queue = [number]
    while let next = queue.popLast() {
      guard let node = nodes[next], !doomed.contains(next) else { continue }
      guard new.contains(next) else {
        doomed.insert(next)
        continue
      }
      for end in shape.endsOfKind[node.kind.index] {
        if end.rule == .cascade { queue += links(next, end) }
        guard let inverse = end.inverse else { continue }
        for partner in links(next, end) where partner != next { drop(next, from: partner, inverse) }
      }
      nodes[next] = nil
      new.remove(next)
    }
  }

  // MARK: Saving

  /// - Throws: `Refusal` if a rule forbids it.
  mutating func save() throws {
    restore(try saved())
  }

  mutating func rollback() { restore(stored) }

  /// Forgets unsaved changes and, at the end of a transaction that failed, what was saved in it.
  mutating func restore(_ stored: [Int: Node]) {
    self.stored = stored
    nodes = stored
    doomed = []
    new = []
    isTouched = false
  }

  /// Deletes the rows of which a predicate is true.
  /// - Throws: `Refusal`, and nothing is deleted, if a rule forbids it.
  mutating func deleteAll(_ question: Shape.Question, _ value: Int) throws {
    var next = self
    for number in numbers(question, value) { next.delete(number) }
    try next.save()
    self = next
  }

  /// What a save leaves.
  private func saved() throws -> [Int: Node] {
    var nodes = membersHaveOneOwner ? withSingleOwners() : nodes
    func links(_ number: Int, where accepts: (Shape.End) -> Bool) -> [Int] {
      guard let node = nodes[number] else { return [] }
      return shape.endsOfKind[node.kind.index].filter(accepts)
        .flatMap { node.links[$0.index] ?? [] }.filter { nodes[$0] != nil }
    }
    var gone = doomed
    var queue = Array(doomed)
    while let next = queue.popLast() {
      queue += links(next) { $0.rule == .cascade }.filter { gone.insert($0).inserted }
    }
    for number in gone where !links(number, where: { $0.rule == .deny }).allSatisfy(gone.contains) {
      throw Refusal(reason: "the deletion of \(number) is denied")
    }
    for number in gone { nodes[number] = nil }
    for (number, node) in nodes {
      for end in shape.endsOfKind[node.kind.index] {
        let links = (node.links[end.index] ?? []).filter { nodes[$0] != nil }
        nodes[number]?.links[end.index] = links
        if end.form == .required, links.isEmpty {
          throw Refusal(reason: "\(end.name) of \(number) is required")
        }
        if links.count > end.limit {
          throw Refusal(reason: "\(end.name) of \(number) has too many members")
        }
      }
    }
    return nodes
  }

  /// The nodes with one owner for each member of a list without an inverse: the one that got it last. The
  /// members of a node that is to be deleted are also its own where the delete rule concerns them.
  private func withSingleOwners() -> [Int: Node] {
    var nodes = nodes
    for end in shape.ends where end.form == .toMany && end.inverse == nil {
      func gained(_ member: Int, by owner: Int) -> Int {
        gains[Gain(owner: owner, end: end.index, member: member)] ?? 0
      }
      var owners: [Int: Int] = [:]
      for owner in nodes.keys.sorted() where !doomed.contains(owner) {
        for member in links(owner, end) {
          if let other = owners[member], gained(member, by: other) > gained(member, by: owner) {
            continue
          }
          owners[member] = owner
        }
      }
      for number in nodes.keys {
        nodes[number]?.links[end.index] = links(number, end).filter { member in
          owners[member] == number
            || doomed.contains(number)
              && (owners[member] == nil || end.rule != .nullify)
        }
      }
    }
    return nodes
  }
}
