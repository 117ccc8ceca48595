/// A set of slots, exact for any number of properties.
///
/// The first 64 slots are the bits of one word, so a set for a model with no more properties never
/// allocates. The slots after them are words without end, of which the last one repeats, as in
/// two's complement. So `all` is an ordinary value, and subtracting from it is exact too.
package struct SlotSet: Sendable {
  private var word: UInt64 = 0
  private var rest = Rest.none

  package init() {}

  package init(_ slot: Int) { insert(slot) }

  package static var all: SlotSet {
    var set = SlotSet()
    set.word = .max
    set.rest = .all
    return set
  }

  package var isEmpty: Bool { word == 0 && rest == .none }

  package mutating func insert(_ slot: Int) {
    if slot < 64 {
      word |= 1 << UInt64(slot)
    } else {
      rest.insert(slot - 64)
    }
  }

  package mutating func remove(_ slot: Int) { self = subtracting(SlotSet(slot)) }

  package func contains(_ slot: Int) -> Bool {
    if slot < 64 { return word & (1 << UInt64(slot)) != 0 }
    return rest.contains(slot - 64)
  }

  package mutating func formUnion(_ other: SlotSet) {
    word |= other.word
    if other.rest != .none { rest = rest.combined(with: other.rest, |) }
  }

  package func intersection(_ other: SlotSet) -> SlotSet {
    combined(with: other) { $0 & $1 }
  }

  package func subtracting(_ other: SlotSet) -> SlotSet {
    combined(with: other) { $0 & ~$1 }
  }

  private func combined(
    with other: SlotSet, _ operation: (UInt64, UInt64) -> UInt64
  ) -> SlotSet {
    var set = SlotSet()
    set.word = operation(word, other.word)
    if rest != .none || other.rest != .none {
      set.rest = rest.combined(with: other.rest, operation)
    }
    return set
  }
}

extension SlotSet: Hashable {
  package func hash(into hasher: inout Hasher) {
    hasher.combine(word)
    if case .words(let words) = rest { hasher.combine(words) }
  }
}

extension SlotSet {
  /// The slots from 64 on. Each set has one form only, so sets are equal if their forms are equal.
  private enum Rest: Sendable, Hashable {
    case none
    case all
    /// At least two words; the last repeats without end and differs from the one before.
    case words(ContiguousArray<UInt64>)

    private init(_ words: ContiguousArray<UInt64>) {
      var words = words
      while let last = words.last, words.count > 1, words[words.count - 2] == last {
        words.removeLast()
      }
      if words.count > 1 {
        self = .words(words)
      } else {
        self = words.first == .max ? .all : .none
      }
    }

    /// The number of words before the last one repeats.
    private var count: Int {
      switch self {
      case .none, .all: 1
      case .words(let words): words.count
      }
    }

    private subscript(index: Int) -> UInt64 {
      switch self {
      case .none: 0
      case .all: .max
      case .words(let words): words[Swift.min(index, words.count - 1)]
      }
    }

    func contains(_ bit: Int) -> Bool { self[bit / 64] & (1 << UInt64(bit % 64)) != 0 }

    mutating func insert(_ bit: Int) {
      if contains(bit) { return }
      var words = ContiguousArray((0...Swift.max(count, bit / 64 + 1)).map { self[$0] })
      words[bit / 64] |= 1 << UInt64(bit % 64)
      self = Rest(words)
    }

    func combined(with other: Rest, _ operation: (UInt64, UInt64) -> UInt64) -> Rest {
      Rest(
        ContiguousArray(
          (0..<Swift.max(count, other.count)).map { operation(self[$0], other[$0]) }))
    }
  }
}
