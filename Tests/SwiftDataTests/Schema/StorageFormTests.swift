import Foundation
import SwiftData
import Testing

@Suite struct StorageFormTests {
  @Test func scalarsFillOneColumn() throws {
    #expect(try describe(Int.self) == "scalar int")
    #expect(try describe(String?.self) == "scalar string")
    #expect(try describe(URL.self) == "scalar url")
    #expect(try describe(CGFloat.self) == "scalar double")
  }

  @Test func rawValuesFillOneColumn() throws {
    #expect(try describe(Measure.self) == "raw string")
    #expect(try describe(Strength?.self) == "raw int")
  }

  @Test func typesThatCodeThemselvesAreStoredWhole() throws {
    let types: [any Any.Type] = [
      [String].self, [String: Int].self, Set<Int>.self, Range<Int>.self, Int??.self,
      Locale.self,
    ]
    for type in types {
      #expect(try describe(type) == "encoded", "\(type)")
    }
  }

  /// Such a value has the column of what it codes itself as.
  @Test func typesThatCodeThemselvesAsAScalarFillOneColumn() throws {
    #expect(try describe(Code.self) == ": scalar string")
    #expect(
      try describe(Pair<Code>.self) == """
        first: scalar string
        second: scalar string?
        """)
  }

  @Test func structsAreTakenApartAtAnyDepth() throws {
    #expect(
      try describe(PostalAddress.self) == """
        street: scalar string
        zip: scalar int?
        place.latitude: scalar double?
        place.longitude: scalar double?
        """)
  }

  @Test func renamedKeysKeepTheNamesOfTheProperties() throws {
    guard case .composite(let leaves) = try storageForm(of: PostalAddress.self) else {
      Issue.record("not a composite")
      return
    }
    #expect(leaves[0].name == "street")
    #expect(leaves[0].codingPath == ["s"])
  }

  @Test func everyCaseOfAnEnumHasColumns() throws {
    #expect(
      try describe(Preparation.self) == """
        custom._0: scalar string?
        layered.first: scalar string?
        layered.depth: scalar double?
        served._0.latitude: scalar double?
        served._0.longitude: scalar double?
        named._0: scalar string?
        tagged._0: encoded?
        shaken: case?
        stirred: case?
        """)
  }

  @Test func aTypeInsideOfItselfIsStoredWhole() throws {
    #expect(
      try describe(Tree.self) == """
        leaf._0: scalar int?
        node._0: encoded?
        node._1: encoded?
        """)
  }

  @Test func durationsAreTwoNumbers() throws {
    #expect(
      try describe(Duration.self) == """
        high: scalar int64
        low: scalar int64
        """)
  }

  @Test func genericTypesAreTakenApart() throws {
    #expect(
      try describe(Pair<String>.self) == """
        first: scalar string
        second: scalar string?
        """)
    #expect(
      try describe(Choice<Int>.self) == """
        one._0: scalar int?
        many._0: encoded?
        none: case?
        """)
  }

  @Test func aTypeThatIsNotCodableIsNamed() {
    let error = #expect(throws: SwiftDataError.self) { try storageForm(of: Plain.self) }
    #expect(error == .loadIssueModelContainer)
    #expect(error?.description.contains("Plain is not Codable") == true)
  }

  @Test func aClassInsideOfAStructIsNamed() {
    let error = #expect(throws: SwiftDataError.self) { try storageForm(of: BoxHolder.self) }
    #expect(error?.description.contains("BoxHolder.box is of the class SharedBox") == true)
  }

  private func describe(_ type: any Any.Type) throws -> String {
    switch try storageForm(of: type) {
    case .scalar(let scalar): "scalar \(scalar)"
    case .rawValue(let scalar): "raw \(scalar)"
    case .encoded: "encoded"
    case .composite(let leaves): leaves.map(describe).joined(separator: "\n")
    }
  }

  private func describe(_ leaf: CompositeLeaf) -> String {
    let form =
      switch leaf.form {
      case .scalar(let scalar): "scalar \(scalar)"
      case .rawValue(let scalar): "raw \(scalar)"
      case .encoded: "encoded"
      case .enumCase: "case"
      }
    return "\(leaf.path.joined(separator: ".")): \(form)\(leaf.isOptional ? "?" : "")"
  }
}
