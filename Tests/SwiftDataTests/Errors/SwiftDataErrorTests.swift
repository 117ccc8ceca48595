import Foundation
import SwiftData
import Testing

@Suite struct SwiftDataErrorTests {
  private struct Cause: Error, CustomStringConvertible {
    var description: String { "the disk is full" }
  }

  @Test func errorsOfOneKindAreEqual() {
    let detailed = SwiftDataError.unsupportedPredicate.with("A regex.", entity: "Item")
    #expect(detailed == .unsupportedPredicate)
    #expect(detailed != .unsupportedKeyPath)
    #expect(Set([detailed, .unsupportedPredicate]).count == 1)
  }

  @Test func errorsAreCaughtByKind() {
    func fail() throws {
      throw SwiftDataError.modelValidationFailure.with("No name.")
    }
    do {
      try fail()
    } catch SwiftDataError.unsupportedPredicate {
      Issue.record("another kind matched")
    } catch SwiftDataError.modelValidationFailure {
      return
    } catch {
      Issue.record("nothing matched")
    }
    Issue.record("nothing was thrown")
  }

  @Test func theDescriptionSaysWhatWhereAndWhy() {
    let error = SwiftDataError.modelValidationFailure.with(
      "The value is missing. Set one", entity: "Item", property: "name", underlying: Cause())
    let text =
      "The model cannot be saved (Item.name). The value is missing. Set one. "
      + "Cause: the disk is full."
    #expect(error.description == text)
    #expect(error.localizedDescription == text)
    #expect(error.debugDescription == "SwiftDataError.modelValidationFailure: \(text)")
  }

  @Test func detailsAreKeptWhenTheErrorIsWrapped() {
    let error = SwiftDataError.modelValidationFailure.with("a", entity: "Item", property: "name")
      .with("b")
    #expect(error.description.contains("(Item.name)"))
  }

  @Test(arguments: SwiftDataError.Kind.allCases)
  func everyKindSaysWhatToDo(_ kind: SwiftDataError.Kind) {
    #expect(SwiftDataError(kind).description == "\(kind.summary). \(kind.advice)")
    #expect(kind.advice.hasSuffix("."))
    #expect(!kind.summary.hasSuffix("."))
  }

  @Test(arguments: SwiftDataError.Kind.allCases)
  func everyKindSaysItsOccasionOnce(_ kind: SwiftDataError.Kind) throws {
    let full = SwiftDataError.DatabaseFailure(
      name: "SQLITE_FULL", code: 13, extendedCode: 13, message: "disk is full",
      sql: "INSERT INTO \"ZTRIP\" VALUES (?1)", path: "/trips.store", sentence: "No space left.")
    let error = SwiftDataError(kind).with(
      "It went wrong. Do that.", doing: "inserting rows of Trip", entity: "Trip",
      property: "name", underlying: full)
    #expect(
      error.description
        == "\(kind.summary) (Trip.name) while inserting rows of Trip. It went wrong. Do that. "
        + "Cause: No space left.")
    #expect(error.code == kind.rawValue && error.operation == "inserting rows of Trip")
    #expect(error.entity == "Trip" && error.property == "name")
    #expect(error.database == full && error.underlyingError is SwiftDataError.DatabaseFailure)
    #expect(!SwiftDataError(kind).operation.isEmpty && SwiftDataError(kind).database == nil)
  }

  @Test func aCauseOfTheSameKindIsNotTheSentenceAgain() {
    let inner = SwiftDataError.modelValidationFailure.with("The value is too long. Shorten it.")
    let outer = SwiftDataError.modelValidationFailure.with("Nothing was saved.", underlying: inner)
    #expect(
      outer.description
        == "The model cannot be saved. Nothing was saved. Cause: The value is too long. Shorten it."
    )
  }

  private enum Colour: String, Codable { case red }

  @Test func errorsOfDecodersNameThePathAndNotTheValue() throws {
    struct Paint: Codable { var colour: Colour, price: Double }
    func description(_ body: () throws -> Void) -> String {
      do {
        try body()
        return "nothing was thrown"
      } catch {
        return SwiftDataError.modelValidationFailure.with("Fix it.", underlying: error).description
      }
    }
    let decoding = description {
      _ = try JSONDecoder().decode(Paint.self, from: Data(#"{"colour":"secret"}"#.utf8))
    }
    #expect(decoding.contains("at 'colour'") && !decoding.contains("secret"))
    let encoding = description {
      _ = try JSONEncoder().encode(Paint(colour: .red, price: .infinity))
    }
    #expect(encoding.contains("a value of Double at 'price'") && !encoding.contains("inf"))
  }

  @Test func storesThatCannotAnswerSayWhatToDo() {
    let errors: [(DataStoreError, String)] = [
      (.unsupportedFeature, "does not support"), (.preferInMemoryFilter, "predicate"),
      (.preferInMemorySort, "sort"), (.invalidPredicate, "predicate"),
    ]
    for (error, word) in errors {
      #expect(error.description.contains(word) && error.localizedDescription == error.description)
    }
  }
}
