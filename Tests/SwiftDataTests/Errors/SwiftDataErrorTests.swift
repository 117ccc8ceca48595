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

  @Test func detailsAreKeptWhenTheErrorIsToldAgain() {
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
}
