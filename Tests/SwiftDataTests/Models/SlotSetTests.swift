import SwiftData
import Testing

@Suite struct SlotSetTests {
  private func set(_ slots: Int...) -> SlotSet {
    var set = SlotSet()
    for slot in slots { set.insert(slot) }
    return set
  }

  private func slots(_ set: SlotSet) -> [Int] { (0..<400).filter(set.contains) }

  @Test func slotsAfterTheFirstWordAreDistinct() {
    #expect(slots(set(3, 63, 64, 70, 127, 128, 300)) == [3, 63, 64, 70, 127, 128, 300])
    #expect(SlotSet().isEmpty && !set(64).isEmpty && !set(0).isEmpty)
  }

  @Test(arguments: 0..<50)
  func itBehavesLikeASetOfIntegers(seed: Int) {
    var generator = SeededRandom(UInt64(seed))
    func random() -> Set<Int> {
      Set(
        (0..<Int.random(in: 0..<9, using: &generator)).map { _ in
          Int.random(in: 0..<(seed % 2 == 0 ? 64 : 200), using: &generator)
        })
    }
    func made(_ integers: Set<Int>) -> SlotSet {
      var set = SlotSet()
      for slot in integers.shuffled(using: &generator) { set.insert(slot) }
      return set
    }
    for _ in 0..<20 {
      let (a, b) = (random(), random())
      var union = made(a)
      union.formUnion(made(b))
      #expect(slots(union) == a.union(b).sorted())
      #expect(slots(made(a).intersection(made(b))) == a.intersection(b).sorted())
      #expect(slots(made(a).subtracting(made(b))) == a.subtracting(b).sorted())
      #expect(made(a).subtracting(made(a)) == SlotSet())
      #expect(union == made(a.union(b)) && union.hashValue == made(a.union(b)).hashValue)
      #expect((made(a) == made(b)) == (a == b))
      #expect(made(a).isEmpty == a.isEmpty)
    }
  }

  @Test func allHasEverySlotAndWhatIsTakenFromItIsExact() {
    #expect(slots(.all) == Array(0..<400))
    #expect(SlotSet.all.contains(1_000_000))
    let rest = SlotSet.all.subtracting(set(5, 70))
    #expect(slots(rest) == (0..<400).filter { $0 != 5 && $0 != 70 })
    #expect(rest.contains(1_000_000))
    var again = rest
    again.insert(70)
    again.insert(5)
    #expect(again == .all && again.hashValue == SlotSet.all.hashValue)
    #expect(SlotSet.all.subtracting(.all).isEmpty)
    #expect(SlotSet.all.intersection(set(5, 70)) == set(5, 70))
    var union = set(70)
    union.formUnion(.all)
    #expect(union == .all)
  }
}
