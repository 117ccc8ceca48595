/// One section of the results of a fetch.
public struct ResultsSection<Element, SectionTitle>
where Element: PersistentModel, SectionTitle: Hashable {
  /// The value that all models of the section share.
  public let title: SectionTitle

  private let elements: [Element]

  init(title: SectionTitle, elements: [Element]) {
    self.title = title
    self.elements = elements
  }
}

extension ResultsSection: Identifiable {
  /// The title, which is unique among the sections.
  public var id: SectionTitle { title }
}

extension ResultsSection: RandomAccessCollection {
  /// The position of the first model.
  public var startIndex: Int { 0 }

  /// The number of models.
  public var endIndex: Int { elements.count }

  /// The model at a position.
  public subscript(position: Int) -> Element { elements[position] }
}
