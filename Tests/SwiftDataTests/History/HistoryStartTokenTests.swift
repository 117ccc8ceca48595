import Foundation
import SwiftData
import Testing

/// The tokens behind which a predicate asks for transactions: those that may have expired.
struct HistoryStartTokenTests {
  private let token = DefaultHistoryToken(["a": 3])
  private let other = DefaultHistoryToken(["a": 5])

  private func starts(_ predicate: Predicate<DefaultHistoryTransaction>) -> [DefaultHistoryToken] {
    HistoryTokens.starts(in: predicate)
  }

  @Test func aTokenBeforeTransactionsIsAStart() {
    let token = token
    #expect(starts(#Predicate { $0.token > token }) == [token])
    #expect(starts(#Predicate { $0.token >= token }) == [token])
    #expect(starts(#Predicate { token < $0.token }) == [token])
    #expect(starts(#Predicate { token <= $0.token }) == [token])
    #expect(starts(#Predicate { $0.author == "a" && $0.token > token && $0.id > 4 }) == [token])
    #expect(starts(#Predicate { $0.author == "a" || $0.token > token }) == [token])
    #expect(starts(#Predicate { (token...).contains($0.token) }) == [token])
  }

  @Test func otherQuestionsAboutTokensAreNone() {
    let token = token
    let tokens = [token]
    #expect(starts(#Predicate { $0.token < token }) == [])
    #expect(starts(#Predicate { token >= $0.token }) == [])
    #expect(starts(#Predicate { $0.token == token || $0.token != token }) == [])
    #expect(starts(#Predicate { tokens.contains($0.token) }) == [])
    #expect(starts(#Predicate { $0.author == "a" }) == [])
  }

  @Test func negationTurnsQuestions() {
    let token = token
    #expect(starts(#Predicate { !($0.token <= token) }) == [token])
    #expect(starts(#Predicate { !($0.token > token) }) == [])
    #expect(starts(#Predicate { !($0.token > token || $0.token < token) }) == [token])
    #expect(starts(#Predicate { !(!($0.token > token)) }) == [token])
    #expect(starts(#Predicate { ($0.token <= token) == false }) == [token])
  }

  @Test func choicesOfCapturedFlagsAreKnown() {
    let (token, other) = (token, other)
    for isFirst in [true, false] {
      #expect(
        starts(#Predicate { isFirst || $0.author == "a" || $0.token > token })
          == (isFirst ? [] : [token]))
      #expect(starts(#Predicate { isFirst ? $0.token > token : true }) == (isFirst ? [token] : []))
    }
    #expect(
      starts(#Predicate { $0.author == nil ? $0.token > token : $0.token > other })
        == [other, token])
  }

  @Test func capturedOptionalsAndProperties() {
    struct State: Codable {
      var token: DefaultHistoryToken?
    }
    let (none, some) = (State(), State(token: token))
    #expect(starts(#Predicate { none.token == nil || $0.token > none.token! }) == [])
    #expect(starts(#Predicate { some.token == nil || $0.token > some.token! }) == [token])
    let fallback = other
    #expect(starts(#Predicate { $0.token > some.token ?? fallback }) == [token])
    #expect(starts(#Predicate { $0.token > none.token ?? fallback }) == [fallback])
  }

  @Test func nestedPredicatesAndLoopsAreLookedInto() {
    let (token, other) = (token, other)
    let inner = #Predicate<DefaultHistoryTransaction> { $0.token > token }
    #expect(starts(#Predicate { inner.evaluate($0) && $0.author == nil }) == [token])
    #expect(starts(#Predicate { !inner.evaluate($0) }) == [])
    #expect(starts(Predicate(all: [inner, #Predicate { $0.token > other }])) == [other, token])
    let tokens = [token, other]
    #expect(
      Set(starts(#Predicate { transaction in tokens.contains { transaction.token > $0 } }))
        == [token, other])
  }

  @Test func longChainsAreWalkedWithoutRecursion() {
    var predicates = (0..<5_000).map { number in
      #Predicate<DefaultHistoryTransaction> { $0.id != number }
    }
    let token = token
    predicates.append(#Predicate { $0.token > token })
    #expect(starts(Predicate(all: predicates)) == [token])
  }
}
