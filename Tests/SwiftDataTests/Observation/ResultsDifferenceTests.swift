import Foundation
import SwiftData
import Testing

@Suite struct ResultsDifferenceTests {
  private func model(_ number: Int) throws -> PersistentIdentifier {
    try .identifier(for: "store", entityName: "Trip", primaryKey: "p\(number)")
  }

  private func models(_ numbers: [Int]) throws -> [PersistentIdentifier] {
    try numbers.map(model)
  }

  @Test func eachKindOfChangeIsReported() throws {
    let old = try models([1, 2, 3, 4, 5])
    let new = try models([1, 6, 4, 2, 5])
    let difference = ResultsDifference(from: old, to: new, updated: [try model(4), try model(6)])
    #expect(difference.removed == [.init(offset: 2, identifier: try model(3))])
    #expect(difference.inserted == [.init(offset: 1, identifier: try model(6))])
    let move = try #require(difference.moved.first)
    #expect(difference.moved.count == 1)
    #expect((move.source, move.destination) == (1, 3) || (move.source, move.destination) == (3, 2))
    #expect(difference.updated == [.init(offset: 2, identifier: try model(4))])
    #expect(difference.applying(to: old) == new)
    #expect(ResultsDifference(from: old, to: old).isEmpty)
    #expect(!ResultsDifference(from: old, to: old, updated: [try model(1)]).isEmpty)
  }

  @Test func aDifferenceOfAnotherListIsNotApplied() throws {
    let old = try models([1, 2, 3])
    let difference = ResultsDifference(from: old, to: try models([3, 4]))
    #expect(try difference.applying(to: models([2, 1, 3])) == nil)
    #expect(try difference.applying(to: models([1])) == nil)
    #expect(try difference.applying(to: models([1, 2, 3, 5])) == models([3, 4, 5]))
    let appending = ResultsDifference(from: old, to: try models([1, 2, 3, 4]))
    #expect(appending.applying(to: []) == nil)
    let decoded = try JSONDecoder().decode(
      ResultsDifference.self,
      from: Data(
        String(decoding: try JSONEncoder().encode(appending), as: UTF8.self)
          .replacingOccurrences(of: #""offset":3"#, with: #""offset":-3"#).utf8))
    #expect(decoded != appending && decoded.applying(to: old) == nil)
  }

  /// What comes from a file or from the network may have any numbers.
  @Test(arguments: ["source", "destination", "offset"], [Int.max, Int.min, 5])
  func placesOutsideOfTheListAreRefused(place: String, number: Int) throws {
    let old = try models([1, 2, 3, 4, 5])
    let difference = ResultsDifference(from: old, to: try models([2, 3, 4, 1, 6]))
    let text = String(decoding: try JSONEncoder().encode(difference), as: UTF8.self)
    let changed = text.replacing(try Regex("\"\(place)\":[0-9]+"), with: "\"\(place)\":\(number)")
    #expect(changed != text)
    let decoded = try JSONDecoder().decode(ResultsDifference.self, from: Data(changed.utf8))
    #expect(decoded.applying(to: old) == nil)
  }

  @Test func aDifferenceSurvivesEncoding() throws {
    let old = try models(Array(0..<9))
    let new = try models([8, 0, 1, 20, 3, 2, 5])
    let difference = ResultsDifference(from: old, to: new, updated: Set(old))
    let data = try JSONEncoder().encode(difference)
    let decoded = try JSONDecoder().decode(ResultsDifference.self, from: data)
    #expect(decoded == difference)
    #expect(decoded.hashValue == difference.hashValue)
    #expect(decoded.applying(to: old) == new)
  }

  /// Lists before and after some random edits, as a store and its changes make them.
  private struct Edited {
    var old: [Int]
    var new: [Int]

    init(_ random: inout SeededRandom) {
      old = Array(0..<Int.random(in: 0...30, using: &random)).shuffled(using: &random)
      new = old
      for index in 0..<Int.random(in: 0...8, using: &random) {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: new.insert(100 + index, at: Int.random(in: 0...new.count, using: &random))
        case 1 where !new.isEmpty: new.remove(at: Int.random(in: new.indices, using: &random))
        case 2 where !new.isEmpty:
          let moved = new.remove(at: Int.random(in: new.indices, using: &random))
          new.insert(moved, at: Int.random(in: 0...new.count, using: &random))
        default: continue
        }
      }
      if Int.random(in: 0..<10, using: &random) == 0 { new.shuffle(using: &random) }
    }
  }

  /// The length of a longest common subsequence of two lists of the same numbers, by the plain table.
  private func longestCommon(_ first: [Int], _ second: [Int]) -> Int {
    var row = Array(repeating: 0, count: second.count + 1)
    for one in first {
      var diagonal = 0
      for (place, other) in second.enumerated() {
        let above = row[place + 1]
        row[place + 1] = one == other ? diagonal + 1 : max(above, row[place])
        diagonal = above
      }
    }
    return row[second.count]
  }

  @Test(arguments: 0..<20)
  func randomListsAreReproducedWithAsFewMovesAsPossible(seed: Int) throws {
    var random = SeededRandom(UInt64(seed))
    for _ in 0..<50 {
      let edited = Edited(&random)
      let (old, new) = (try models(edited.old), try models(edited.new))
      let difference = ResultsDifference(from: old, to: new)
      #expect(difference.applying(to: old) == new)
      #expect(difference.removed.count == edited.old.filter { !edited.new.contains($0) }.count)
      #expect(difference.inserted.count == edited.new.filter { !edited.old.contains($0) }.count)
      let common = edited.old.filter(edited.new.contains)
      #expect(difference.moved.count == common.count - longestCommon(common, edited.new))
      #expect(try difference == patched(edited, [], &random))
    }
  }

  /// A patch that takes out and puts back more than the difference has is the same difference.
  @Test(arguments: 0..<10)
  func aPatchThatTouchesWhatStaysAddsNoMove(seed: Int) throws {
    var random = SeededRandom(UInt64(seed))
    for _ in 0..<50 {
      let edited = Edited(&random)
      let old = try models(edited.old)
      let touched = Set(edited.new.filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
      let difference = try patched(edited, touched, &random)
      #expect(try difference.applying(to: old) == models(edited.new))
      let direct = ResultsDifference(from: old, to: try models(edited.new))
      #expect(difference.moved.count <= direct.moved.count)
    }
  }

  /// The difference from a patch that touches what the difference of the lists does, and some others.
  private func patched(
    _ edited: Edited, _ touched: Set<Int>, _ random: inout SeededRandom
  ) throws -> ResultsDifference {
    let direct = ResultsDifference(from: try models(edited.old), to: try models(edited.new))
    let moved = Set(direct.moved.map(\.identifier))
    var taken = direct.removed
    var put = direct.inserted
    for (offset, number) in edited.old.enumerated() where edited.new.contains(number) {
      if try touched.contains(number) || moved.contains(model(number)) {
        taken.append(.init(offset: offset, identifier: try model(number)))
      }
    }
    for (offset, number) in edited.new.enumerated() where edited.old.contains(number) {
      if try touched.contains(number) || moved.contains(model(number)) {
        put.append(.init(offset: offset, identifier: try model(number)))
      }
    }
    return ResultsDifference(
      taking: taken.shuffled(using: &random), putting: put.shuffled(using: &random))
  }
}
