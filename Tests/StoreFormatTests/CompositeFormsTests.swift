import OpenSwiftDataStoreFormat
import Testing

/// What version hashes leave out of composites.
@Suite struct CompositeFormsTests {
  private func composite(_ name: String, _ parts: [AttributeDescription]) -> AttributeDescription {
    var composite = AttributeDescription(name: name, type: .composite)
    composite.elements = parts
    return composite
  }

  private func point(_ name: String) -> AttributeDescription {
    composite(name, ["x", "y"].map { AttributeDescription(name: $0, type: .double) })
  }

  private func model(_ attributes: AttributeDescription...) -> ModelDescription {
    ModelDescription(entities: [
      EntityDescription(name: "Map", properties: attributes.map(PropertyDescription.attribute))
    ])
  }

  @Test func theColumnsOfPartsAreNumberedInTheirOrder() {
    var area = composite("area", [point("min"), point("max")])
    area.renamingIdentifier = "box"
    let forms = CompositeForms(model(area, AttributeDescription(name: "x", type: .double)))
    #expect(
      forms.texts == [
        "Map.area": "min.x=ZX min.y=ZY max.x=ZX1 max.y=ZY1 formerly box"
      ])
    #expect(CompositeForms(model(AttributeDescription(name: "x", type: .double))).texts.isEmpty)
  }

  @Test func movedPartsAreFoundInTheModelIfTheFileDoesNotRecordThem() {
    let (first, second) = (
      model(composite("area", [point("min"), point("max")])),
      model(composite("area", [point("max"), point("min")]))
    )
    #expect(VersionHashes(first) == VersionHashes(second))
    let forms = CompositeForms(second)
    #expect(forms.changes(from: nil, in: second).isEmpty)
    #expect(forms.changes(from: nil, in: nil).isEmpty)
    #expect(forms.changes(from: forms.texts, in: first).isEmpty)
    for recorded in [nil, CompositeForms(first).texts] {
      #expect(
        forms.changes(from: recorded, in: first) == [
          .changedProperty(
            entity: "Map", stored: first.entities[0].properties[0],
            current: second.entities[0].properties[0])
        ])
    }
    // A renamed part is in the same column.
    let renamed = CompositeForms(model(composite("area", [point("low"), point("max")])))
    #expect(renamed.changes(from: nil, in: first).isEmpty)
  }

  @Test func textsAreComparedByTheColumnsOfTheirParts() {
    func isSame(_ text: String, _ other: String, comparesNil: Bool = true) -> Bool {
      let results = [(text, other), (other, text)].map {
        CompositeForms.isSame($0, $1, comparesNil: comparesNil)
      }
      #expect(results[0] == results[1])
      return results[0]
    }
    let text = "min.x=ZX min.y=ZY max.x=ZX1 max.y=ZY1"
    #expect(isSame(text, text + " formerly box"))
    #expect(isSame(text, "low.x=ZX low.y=ZY max.x=ZX1 max.y=ZY1"))
    #expect(!isSame(text, "max.x=ZX max.y=ZY min.x=ZX1 min.y=ZY1", comparesNil: false))
    for optional in ["min.x=ZX? min.y=ZY max.x=ZX1 max.y=ZY1", text + " min?"] {
      #expect(!isSame(text, optional))
      #expect(isSame(text, optional, comparesNil: false))
    }
    #expect(isSame(text, "low.x=ZX low.y=ZY max.x=ZX1 max.y=ZY1 low?"))
    #expect(!isSame(text, text + " ?", comparesNil: false))
  }

  /// Earlier versions of this package add composites to a file without recording them.
  @Test func formsThatDoNotDescribeTheModelAreUnknown() {
    var kind = AttributeDescription(name: "kind", type: .string, isOptional: true)
    kind.isEnumeration = true
    let first = model(composite("area", [kind]))
    let forms = CompositeForms(first, optionalParts: ["Map.area.kind"])
    let text = ["Map.area": "kind=ZKIND"]
    #expect(CompositeForms.valid(text, for: first) == text)
    #expect(forms.changes(from: text, in: first).count == 1)
    for unknown in [
      [:], ["Map.area": ""], ["Map.area": "kind=ZKIND1"], ["Map.place": "kind=ZKIND"],
    ] {
      #expect(CompositeForms.valid(unknown, for: first).isEmpty)
      #expect(forms.changes(from: unknown, in: first).isEmpty)
    }
  }
}
