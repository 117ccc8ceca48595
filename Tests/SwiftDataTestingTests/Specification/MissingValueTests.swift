import SwiftData
import Testing

/// Required properties for which a store has no value.
@Suite struct MissingValueTests {
  /// Has no value that could stand in for a missing one.
  struct Code: Codable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
      let text = try decoder.singleValueContainer().decode(String.self)
      guard text.hasPrefix("code-") else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: decoder.codingPath, debugDescription: "no code"))
      }
      self.text = text
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }

  @Model final class Parcel {
    var title: String
    var code: Code

    init(_ title: String, _ code: Code) {
      self.title = title
      self.code = code
    }
  }

  @Test(arguments: [Defect?.none, .givesNilForRequiredValues, .dropsRequiredValues])
  func aValueWithoutStandInIsAnError(defect: Defect?) throws {
    var configuration = ReferenceStore<NamedSnapshot>.Configuration(
      name: "parcels \(defect as Any)")
    configuration.defect = defect
    let container = try ModelContainer(for: Schema([Parcel.self]), configurations: [configuration])
    let context = ModelContext(container)
    context.insert(Parcel("first", Code("code-1")))
    try context.save()
    guard defect != nil else {
      let found = try ModelContext(container).fetch(FetchDescriptor<Parcel>())
      #expect(found.map(\.code.text) == ["code-1"])
      return
    }
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContext(container).fetch(FetchDescriptor<Parcel>())
    }
    #expect(error?.property == "code")
    #expect(error?.description.contains("no value for a required property") == true)
  }
}
