import Foundation
import SwiftData
import Testing

@Suite struct DefaultHistoryTokenTests {
  @Test func tokensOfOneStoreAreOrderedByTransaction() {
    #expect(DefaultHistoryToken(["a": 1]) < DefaultHistoryToken(["a": 2]))
    #expect(!(DefaultHistoryToken(["a": 2]) < DefaultHistoryToken(["a": 2])))
    #expect(DefaultHistoryToken(["a": 2]).id == 2)
  }

  @Test func onlyStoresThatBothKnowAreCompared() {
    let merged = DefaultHistoryToken(["a": 3, "b": 7])
    #expect(DefaultHistoryToken(["b": 8]) > merged)
    #expect(DefaultHistoryToken(["a": 2]) < merged)
    #expect(!(DefaultHistoryToken(["c": 1]) < merged))
  }

  @Test func tokensAreCoded() throws {
    let token = DefaultHistoryToken(["a": 3, "b": 7])
    let copy = try JSONDecoder().decode(
      DefaultHistoryToken.self, from: JSONEncoder().encode(token))
    #expect(copy == token)
    #expect(copy.tokenValue == ["a": 3, "b": 7])
  }
}
