import Foundation
import SwiftData
import Testing

@Suite struct CompositeCodingTests {
  @Test func absentValuesAreNull() throws {
    let values = try flatten(PostalAddress(street: "x", zip: nil, place: nil))
    #expect(values == [.text("x"), .null, .null, .null])
  }

  @Test func theActiveCaseHoldsItsName() throws {
    let values = try flatten(Preparation.stirred)
    #expect(values.filter { !$0.isNull } == [.text("stirred")])
  }

  @Test func listsInsideAreBytesOfJSON() throws {
    let values = try flatten(Preparation.tagged(["Stirred", "Martini Variation"]))
    let json = Data(#"["Stirred","Martini Variation"]"#.utf8)
    #expect(values.filter { !$0.isNull } == [.blob(json)])
  }

  @Test func durationsAreTheHalvesOfAttoseconds() throws {
    let values = try flatten(Duration.seconds(-1))
    #expect(values == [.integer(-1), .integer(-1_000_000_000_000_000_000)])
  }

  @Test(
    arguments: [
      .shaken, .stirred, .custom(""), .custom("x"), .layered(first: "a", depth: nil),
      .layered(first: "a", depth: 1), .served(MapPoint(latitude: 1, longitude: 2)), .named(nil),
      .named("n"), .tagged([]), .tagged(["t"]),
    ] as [Preparation])
  func everyCaseIsRestored(_ preparation: Preparation) throws {
    #expect(try roundTrip(preparation) == preparation)
    let recipe = Cocktail.sample(preparation)
    #expect(try roundTrip(recipe) == recipe)
  }

  @Test func genericAndRecursiveTypesAreRestored() throws {
    let tree = Tree.node(.leaf(1), .node(.leaf(2), .leaf(3)))
    #expect(try roundTrip(tree) == tree)
    #expect(try roundTrip(Choice.many([1, 2])) == .many([1, 2]))
    #expect(try roundTrip(Choice<String>.none) == Choice<String>.none)
    let pair = Pair(first: MapPoint(latitude: 1, longitude: 2), second: nil)
    #expect(try roundTrip(pair) == pair)
    let codes = Pair(first: Code(text: "a"), second: Code(text: "b"))
    #expect(try roundTrip(codes) == codes)
  }

  @Test(arguments: [.zero, .seconds(5), .milliseconds(-3), .seconds(1e15)] as [Duration])
  func durationsAreRestored(_ duration: Duration) throws {
    #expect(try roundTrip(duration) == duration)
  }

  @Test func anEmptyColumnOfARequiredValueThrows() throws {
    let leaves = try leaves(of: PostalAddress.self)
    #expect(throws: DecodingError.self) {
      try CompositeCoding.restore(
        PostalAddress.self, leaves: leaves, values: [.null, .null, .null, .null])
    }
  }

  @Test func aColumnOfAnotherKindThrows() throws {
    let leaves = try leaves(of: MapPoint.self)
    #expect(throws: DecodingError.self) {
      try CompositeCoding.restore(MapPoint.self, leaves: leaves, values: [.text("x"), .real(1)])
    }
  }

  @Test func aValueThatEncodesOtherKeysSaysWhatToDo() throws {
    let leaves = try leaves(of: MapPoint.self)
    let error = #expect(throws: SwiftDataError.self) {
      try CompositeCoding.flatten(PostalAddress(street: "x"), leaves: leaves)
    }
    #expect(error == .modelValidationFailure)
    #expect(error?.description.contains("@Attribute(.codable)") == true)
  }

  private func leaves(of type: any Any.Type) throws -> [CompositeLeaf] {
    guard case .composite(let leaves) = try storageForm(of: type) else { return [] }
    return leaves
  }

  private func flatten(_ value: some Encodable) throws -> [_StoredValue] {
    try CompositeCoding.flatten(value, leaves: leaves(of: type(of: value)))
  }

  private func roundTrip<T: Codable>(_ value: T) throws -> T {
    let coding = CompositeCoding(leaves: try leaves(of: T.self))
    return try coding.restore(T.self, from: coding.flatten(value))
  }
}
