import Foundation
import SwiftData

/// The properties of entries, read from a class of theirs. The compiler (6.3.1) crashes on key paths
/// of a generic subclass.
struct EntryPaths<E: Entry> {
  var name: any KeyPath<E, String> & Sendable
  var alias: any KeyPath<E, String?> & Sendable
  var rank: any KeyPath<E, Int> & Sendable
  var owner: any KeyPath<E, Member?> & Sendable
  var persistentModelID: any KeyPath<E, PersistentIdentifier> & Sendable
}

extension EntryPaths<Entry> {
  static var entry: Self {
    Self(
      name: \.name, alias: \.alias, rank: \.rank, owner: \.owner,
      persistentModelID: \.persistentModelID)
  }
}

extension EntryPaths<Job> {
  static var job: Self {
    Self(
      name: \.name, alias: \.alias, rank: \.rank, owner: \.owner,
      persistentModelID: \.persistentModelID)
  }
}

/// Writes random conditions about models. A copy with the same state writes the same condition.
struct PredicateWriter {
  var random: SeededRandom
  var identifiers: [PersistentIdentifier] = []

  /// A closure that writes the same again each time, as builders of bound variables need it.
  private mutating func repeatable<V, R>(
    _ body: @escaping (inout PredicateWriter, V) -> R
  ) -> (V) -> R {
    var copy = self
    copy.random = SeededRandom(random.next())
    return { [copy] in
      var writer = copy
      return body(&writer, $0)
    }
  }

  mutating func entry<E: Entry>(
    _ it: Piece<E>, _ paths: EntryPaths<E>, depth: Int
  ) -> Piece<Bool> {
    switch random.below(13) {
    case 10: return text(it.property(paths.alias, "alias").forced())
    case 11 where depth > 0:
      let member = self.member(it.property(paths.owner, "owner").forced(), depth: depth - 1)
      return random.chance(50) ? member : member.falseOnFailure
    case 12:
      let (first, second) = (random.pick(Hostile.numbers), random.pick(Hostile.numbers))
      let rank = it.property(paths.rank, "rank")
      let result = rank.computesChecked(
        random.pick(["+", "-", "*", "/", "%"]), random.chance(80) ? .value(first) : rank)
      return number(
        random.chance(50) ? result : Piece.value(second).computesChecked("/", result),
        Hostile.numbers)
    case 0...2: return text(string(of: it, paths, depth: depth))
    case 3: return optional(it.property(paths.alias, "alias")) { $0.text($1) }
    case 4: return number(it.property(paths.rank, "rank"), Hostile.numbers)
    case 5: return maybeMember(it.property(paths.owner, "owner"), depth: depth)
    case 6:
      return Piece<PersistentIdentifier>(
        it.property(paths.persistentModelID, "id").node, "\(it.text).id"
      ).isMember(of: Array(identifiers.shuffled(using: &random).prefix(random.below(5))))
    case 7:
      let isJob = it.isKind(of: Job.self)
      return random.chance(50) || it.node is PredicateTree<Job> ? isJob.negated : isJob
    case 8: return optional(it.cast(to: Job.self)) { $0.job($1, depth: depth - 1) }
    default:
      return it.property(paths.alias, "alias").equals(
        Piece(
          PredicateExpressions.Value(random.chance(50) ? nil : random.pick(Hostile.texts)),
          "alias"), negated: random.chance(50))
    }
  }

  mutating func job(_ it: Piece<Job>, depth: Int) -> Piece<Bool> {
    switch random.below(20) {
    case 0...2:
      return entry(it, .job, depth: depth)
    case 16: return words(it.property(\Job.words, "words"))
    case 17:
      let due = it.property(\Job.due, "due")
      let seconds = Piece<TimeInterval>.value(random.pick(Hostile.reals))
      return random.chance(50)
        ? number(due.forced().offset(by: seconds), Hostile.dates)
        : optional(due) { $0.number($1.offset(by: seconds), Hostile.dates) }
    case 18:
      let price = it.property(\Job.price, "price").computes(
        random.pick(["+", "-", "*"]), .value(random.pick(Hostile.decimals)))
      return number(price, Hostile.decimals)
    case 3: return it.property(\Job.isUrgent, "isUrgent")
    case 4:
      return it.property(\Job.isPaid, "isPaid").equals(
        .value(random.pick([nil, true, false])), negated: random.chance(50))
    case 5:
      return optional(it.property(\Job.due, "due")) { $0.number($1, Hostile.dates) }
    case 6: return number(it.property(\Job.size, "size"), Hostile.sizes)
    case 7: return number(it.property(\Job.price, "price"), Hostile.decimals)
    case 8: return optional(it.property(\Job.score, "score")) { $0.real($1) }
    case 9: return number(it.property(\Job.key, "key"), Hostile.keys)
    case 10:
      return real(
        it.property(\Job.place, "place").property(\Whereabouts.position, "position")
          .property(\Whereabouts.Position.latitude, "latitude"))
    case 11:
      return optional(
        it.property(\Job.place, "place").property(\Whereabouts.position, "position")
          .property(\Whereabouts.Position.longitude, "longitude")
      ) { $0.real($1) }
    case 12:
      return optional(it.property(\Job.place, "place").property(\Whereabouts.zip, "zip")) {
        $0.number($1, Hostile.numbers)
      }
    case 13:
      return random.chance(50)
        ? it.property(\Job.priority, "priority").equals(
          .value(random.pick([.low, .normal, .high])), negated: random.chance(50))
        : it.property(\Job.fallback, "fallback").equals(
          .value(random.pick([nil, .low, .normal, .high])), negated: random.chance(50))
    default:
      return elements(it.property(\Job.labels, "labels"), depth: depth) {
        $0.label($1, depth: depth - 1)
      }
    }
  }

  mutating func member(_ it: Piece<Member>, depth: Int) -> Piece<Bool> {
    switch random.below(depth > 0 ? 8 : 3) {
    case 0, 1: return text(it.property(\Member.name, "name"))
    case 2, 3: return optional(it.property(\Member.age, "age")) { $0.number($1, [0, 3, 20, 39]) }
    case 4, 5: return maybeMember(it.property(\Member.leader, "leader"), depth: depth - 1)
    default:
      return elements(it.property(\Member.entries, "entries"), depth: depth) {
        $0.entry($1, .entry, depth: depth - 1)
      }
    }
  }

  mutating func label(_ it: Piece<Label>, depth: Int) -> Piece<Bool> {
    switch random.below(depth > 0 ? 6 : 2) {
    case 0, 1: return text(it.property(\Label.text, "text"))
    case 2, 3: return maybeMember(it.property(\Label.maker, "maker"), depth: depth - 1)
    default:
      return elements(it.property(\Label.jobs, "jobs"), depth: depth) {
        $0.job($1, depth: depth - 1)
      }
    }
  }

  private mutating func words(_ it: Piece<[String]>) -> Piece<Bool> {
    switch random.below(6) {
    case 0: return it.property(\[String].isEmpty, "isEmpty")
    case 1: return number(it.property(\[String].count, "count"), [0, 1, 2])
    case 2: return text(it.element(at: random.below(3) - 1))
    case 3: return optional(it.property(\[String].first, "first")) { $0.text($1) }
    case 4: return optional(it.extreme(isLeast: random.chance(50))) { $0.text($1) }
    default: return it.holds(.value(random.pick(Hostile.texts)))
    }
  }

  private mutating func maybeMember(_ it: Piece<Member?>, depth: Int) -> Piece<Bool> {
    optional(it) { $0.member($1, depth: depth - 1) }
  }

  /// What may be absent: asked, replaced, or compared with nil.
  private mutating func optional<W>(
    _ it: Piece<W?>, _ body: @escaping (inout PredicateWriter, Piece<W>) -> Piece<Bool>
  ) -> Piece<Bool> {
    let answer = it.flatMap(repeatable(body))
    switch random.below(4) {
    case 0: return answer.orElse(.value(random.chance(50)))
    case 1: return answer.equals(.value(random.chance(50)), negated: random.chance(50))
    case 2:
      return answer.equals(
        Piece(PredicateExpressions.NilLiteral<Bool>(), "nil"), negated: random.chance(50))
    default:
      return answer.orElse(answer.equals(.value(true), negated: random.chance(50)))
    }
  }

  private mutating func elements<E>(
    _ it: Piece<[E]>, depth: Int,
    _ body: @escaping (inout PredicateWriter, Piece<E>) -> Piece<Bool>
  ) -> Piece<Bool> {
    let small = random.below(4)
    let count = it.property(\[E].count, "count")
    if depth <= 0 { return it.property(\[E].isEmpty, "isEmpty") }
    switch random.below(8) {
    case 0: return it.property(\[E].isEmpty, "isEmpty")
    case 1:
      return count.computes(random.pick(["+", "-", "*"]), .value(2)).compares(
        .greaterThan, .value(small))
    case 2:
      return it.filter(repeatable(body)).property(\[E].count, "count").equals(
        .value(small), negated: random.chance(50))
    case 3: return it.filter(repeatable(body)).elements(all: random.chance(50), repeatable(body))
    case 4: return it.elements(all: random.chance(50), repeatable { body(&$0, $1).falseOnFailure })
    default: return it.elements(all: random.chance(50), repeatable(body))
    }
  }

  private mutating func string<E: Entry>(
    of it: Piece<E>, _ paths: EntryPaths<E>, depth: Int
  ) -> Piece<String> {
    let name = it.property(paths.name, "name")
    switch random.below(8) {
    case 0: return it.property(paths.alias, "alias").orElse(.value(random.pick(Hostile.texts)))
    case 1: return it.property(paths.alias, "alias").orElse(name)
    case 2: return random.pick(TextChange.allCases).apply(to: name)
    case 3:
      let change = random.pick(TextChange.allCases)
      return it.property(paths.alias, "alias").flatMap { change.apply(to: $0) }
        .orElse(name)
    case 4:
      return Piece<Int>.choiceByRank(it.property(paths.rank, "rank")).choose(
        name, .value(random.pick(Hostile.texts)))
    case 5 where depth > 0:
      return it.property(paths.owner, "owner").flatMap { $0.property(\Member.name, "name") }
        .orElse(.value(random.pick(Hostile.texts)))
    default: return name
    }
  }

  /// A captured value, whose computation fails at times.
  private mutating func captured<V: Codable & Sendable>(_ value: V) -> Piece<V> {
    switch random.below(20) {
    case 0: .attempt(nil)
    case 1, 2: .attempt(value)
    default: .value(value)
    }
  }

  mutating func text(_ it: Piece<String>) -> Piece<Bool> {
    let other = captured(random.pick(Hostile.texts))
    switch random.below(10) {
    case 0, 1: return it.equals(other, negated: random.chance(50))
    case 2: return it.compares(random.pick([.lessThan, .greaterThanOrEqual]), other)
    case 3:
      let list = (0..<random.below(6)).map { _ in random.pick(Hostile.texts) }
      return it.isMember(of: random.chance(90) ? list : list + (0..<80).map(String.init))
    case 4: return it.property(\String.isEmpty, "isEmpty")
    case 5:
      return it.property(\String.count, "count").compares(.greaterThan, .value(random.below(5)))
    case 6:
      return random.pick(TextOrder.allCases).ask(
        it, random.pick([.orderedAscending, .orderedSame, .orderedDescending]), other)
    default: return random.pick(TextQuestion.allCases).ask(it, about: other)
    }
  }

  private mutating func number<V: Comparable & Codable & Sendable>(
    _ it: Piece<V>, _ values: [V]
  ) -> Piece<Bool> {
    let first = random.pick(values)
    let second = random.pick(values)
    switch random.below(5) {
    case 0: return it.equals(captured(first), negated: random.chance(50))
    case 1: return it.isMember(of: [first, second, random.pick(values)])
    case 2:
      guard first <= second else { return it.compares(.lessThan, .value(first)) }
      return it.isWithin(first...second)
    default:
      return it.compares(
        random.pick([.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual]),
        captured(first))
    }
  }

  private mutating func real(_ it: Piece<Double>) -> Piece<Bool> {
    if random.chance(70) { return number(it, Hostile.reals) }
    let other = random.chance(30) ? it : .value(random.pick(Hostile.reals))
    return number(it.computes(random.pick(["+", "-", "*"]), other), Hostile.reals)
  }
}

extension Piece where Value == Int {
  fileprivate static func choiceByRank(_ rank: Piece<Int>) -> Piece<Bool> {
    rank.compares(.lessThan, .value(1))
  }
}

/// A predicate as a tree of conditions, so that a failing one can be made smaller.
indirect enum PredicateSketch<T> {
  case atom((Piece<T>) -> Piece<Bool>)
  case not(PredicateSketch)
  case both(PredicateSketch, PredicateSketch)
  case either(PredicateSketch, PredicateSketch)
  case choice(PredicateSketch, PredicateSketch, PredicateSketch)

  static func random(
    depth: Int, _ random: inout SeededRandom,
    atom: (inout SeededRandom) -> (Piece<T>) -> Piece<Bool>
  ) -> PredicateSketch {
    if depth == 0 || random.chance(30) { return .atom(atom(&random)) }
    func part() -> PredicateSketch { Self.random(depth: depth - 1, &random, atom: atom) }
    switch random.below(7) {
    case 0, 1: return .not(part())
    case 2, 3: return .both(part(), part())
    case 4, 5: return .either(part(), part())
    default: return .choice(part(), part(), part())
    }
  }

  func piece(about it: Piece<T>) -> Piece<Bool> {
    switch self {
    case .atom(let body): body(it)
    case .not(let part): part.piece(about: it).negated
    case .both(let first, let second):
      .joined(first.piece(about: it), and: true, second.piece(about: it))
    case .either(let first, let second):
      .joined(first.piece(about: it), and: false, second.piece(about: it))
    case .choice(let test, let first, let second):
      test.piece(about: it).choose(first.piece(about: it), second.piece(about: it))
    }
  }

  var smaller: [PredicateSketch] {
    switch self {
    case .atom: []
    case .not(let part): [part] + part.smaller.map { .not($0) }
    case .both(let first, let second):
      [first, second] + first.smaller.map { .both($0, second) }
        + second.smaller.map { .both(first, $0) }
    case .either(let first, let second):
      [first, second] + first.smaller.map { .either($0, second) }
        + second.smaller.map { .either(first, $0) }
    case .choice(let test, let first, let second):
      [test, first, second] + test.smaller.map { .choice($0, first, second) }
        + first.smaller.map { .choice(test, $0, second) }
        + second.smaller.map { .choice(test, first, $0) }
    }
  }

  var text: String { piece(about: Piece<T>(PredicateExpressions.Variable<T>(), "$0")).text }

  var predicate: Predicate<T> {
    Predicate { variable in piece(about: Piece<T>(variable, "$0")).node }
  }
}
