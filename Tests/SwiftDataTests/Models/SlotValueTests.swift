import Foundation
import SwiftData
import Testing

@Suite struct SlotValueTests {
  /// A model has one for each property, and reading one copies it.
  @Test func aSlotTakesNoMoreThanTheLargestValueAndATag() {
    #expect(MemoryLayout<_SlotValue>.size == MemoryLayout<UUID>.size + 1)
  }

  @Test func aChangeSetTakesTwoWords() {
    #expect(MemoryLayout<SlotSet>.size == 16)
  }
}
