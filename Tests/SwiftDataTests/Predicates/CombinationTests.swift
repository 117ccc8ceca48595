import Foundation
import SwiftData
import Testing

/// Conditions that touch `nil` everywhere, put together at random: what one of them lets through
/// as null would show under a negation.
@Suite(.databases) struct CombinationTests {
  let court: PredicateCourt

  init() throws { court = try PredicateCourt() }

  private var atoms: [Predicate<Job>] {
    get throws {
      let date = Date(timeIntervalSinceReferenceDate: 150)
      let low = Priority.low
      let phase = Phase.running
      let names: [String?] = ["alpha", nil, "Beta"]
      let ann = try court.member("Ann").persistentModelID
      return [
        #Predicate { $0.alias == "alpha" }, #Predicate { $0.alias != "Beta" },
        #Predicate { $0.alias?.contains("a") == true }, #Predicate { names.contains($0.alias) },
        #Predicate { $0.isPaid == true }, #Predicate { $0.isPaid != false },
        #Predicate { $0.isPaid ?? true }, #Predicate { $0.isUrgent },
        #Predicate { if let due = $0.due { return due < date } else { return false } },
        #Predicate { $0.due.flatMap { $0 > date } != true }, #Predicate { ($0.score ?? 3) > 4 },
        #Predicate { $0.fallback == low }, #Predicate { $0.phase != phase },
        #Predicate { $0.site?.zip != 7 }, #Predicate { $0.place.position.longitude == 1.25 },
        #Predicate { $0.owner?.name == "Ann" }, #Predicate { $0.owner?.age != 21 },
        #Predicate { ($0.owner?.age ?? 0) > 20 }, #Predicate { $0.owner?.leader?.age == nil },
        #Predicate { $0.owner?.persistentModelID != ann },
        #Predicate { $0.labels.contains { $0.maker?.name != "Ann" } },
        #Predicate { $0.labels.allSatisfy { $0.maker?.age == nil } },
        #Predicate { $0.owner?.entries.contains { $0.alias == nil } ?? false },
        #Predicate { $0.rank > 0 },
      ]
    }
  }

  @Test(arguments: 1...12) func negationsAndChoicesStayTwoValued(seed: UInt64) throws {
    var random = Sequential(state: seed)
    let atoms = try atoms
    for _ in 0..<8 { try court.judge(combination(of: atoms, depth: 3, &random)) }
  }

  private func combination(
    of atoms: [Predicate<Job>], depth: Int, _ random: inout Sequential
  ) -> Predicate<Job> {
    if depth == 0 { return atoms[Int.random(in: atoms.indices, using: &random)] }
    let first = combination(of: atoms, depth: depth - 1, &random)
    let second = combination(of: atoms, depth: depth - 1, &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return #Predicate { first.evaluate($0) && second.evaluate($0) }
    case 1: return #Predicate { first.evaluate($0) || !second.evaluate($0) }
    case 2: return #Predicate { !(first.evaluate($0) && second.evaluate($0)) }
    default: return #Predicate { $0.isUrgent ? first.evaluate($0) : second.evaluate($0) }
    }
  }

  private struct Sequential: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
      return mixed ^ (mixed >> 31)
    }
  }
}
