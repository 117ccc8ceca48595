/// A set of slots in one word; slots from 63 on share a bit.
package struct SlotSet: Sendable, Hashable {
  package private(set) var bits: UInt64 = 0

  package var isEmpty: Bool { bits == 0 }

  package mutating func insert(_ slot: Int) { bits |= 1 << UInt64(min(slot, 63)) }

  package func contains(_ slot: Int) -> Bool { bits & (1 << UInt64(min(slot, 63))) != 0 }

  package mutating func formUnion(_ other: SlotSet) { bits |= other.bits }

  package func intersection(_ other: SlotSet) -> SlotSet { SlotSet(bits: bits & other.bits) }

  package func subtracting(_ other: SlotSet) -> SlotSet { SlotSet(bits: bits & ~other.bits) }

  /// Whether other slots have the same bit.
  package static func isShared(_ slot: Int) -> Bool { slot >= 63 }

  package static let all: SlotSet = {
    var set = SlotSet()
    set.bits = .max
    return set
  }()
}
