import SwiftData
import Testing

@Model final class SectionedNote {
  var title: String
  var folder: String

  init(title: String, folder: String) {
    self.title = title
    self.folder = folder
  }
}

@Suite(.databases) struct SectionedResultsTests {
  private let notes = [
    SectionedNote(title: "1", folder: "b"), SectionedNote(title: "2", folder: "a"),
    SectionedNote(title: "3", folder: "b"),
  ]

  @Test func sectionsComeInOrderOfFirstAppearance() {
    let sections = SectionedResults(notes, by: \.folder)
    #expect(sections.sectionTitles == ["b", "a"])
    #expect(sections.map(\.id) == ["b", "a"])
    #expect(sections[0].map(\.title) == ["1", "3"])
    #expect(sections[sectionTitle: "a"]?.map(\.title) == ["2"])
    #expect(sections[sectionTitle: "c"] == nil)
    #expect(sections.index(ofSectionTitled: "a") == 1)
    #expect(sections.contains(sectionTitle: "b"))
    #expect(!sections.contains(sectionTitle: "c"))
  }

  @Test func sectionsOfTheSameModelsAreEqual() {
    #expect(SectionedResults(notes, by: \.folder) == SectionedResults(notes, by: \.folder))
    #expect(SectionedResults(notes, by: \.folder) != SectionedResults(notes, by: \.title))
    #expect(SectionedResults<SectionedNote, String>().isEmpty)
  }
}
