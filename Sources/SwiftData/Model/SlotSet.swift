/// A set of slots in one word; slots from 63 on share a bit.
package struct SlotSet: Sendable, Hashable {
  package private(set) var bits: UInt64 = 0

  package var isEmpty: Bool { bits == 0 }

  package mutating func insert(_ slot: Int) { bits |= 1 << UInt64(min(slot, 63)) }

  package func contains(_ slot: Int) -> Bool { bits & (1 << UInt64(min(slot, 63))) != 0 }

  package static let all: SlotSet = {
    var set = SlotSet()
    set.bits = .max
    return set
  }()
}
