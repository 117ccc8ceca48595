/// The results of a fetch in sections, in the order in which their titles first appear.
///
/// Queries and observers with `sectionBy` order models by the property of the titles first: as their `sort` does, if
/// it names the property, otherwise ascending.
///
/// ```swift
/// for section in sections {
///   print(section.title, section.count)
/// }
/// ```
public struct SectionedResults<Element, SectionTitle>
where Element: PersistentModel, SectionTitle: Hashable {
  private let sections: [ResultsSection<Element, SectionTitle>]
  private let positions: [SectionTitle: Int]

  /// Groups models by title; keeps their order in each section.
  package init(
    _ elements: some Sequence<Element>, by title: (Element) throws -> SectionTitle
  ) rethrows {
    var groups: [(title: SectionTitle, elements: [Element])] = []
    var positions: [SectionTitle: Int] = [:]
    for element in elements {
      let title = try title(element)
      if let position = positions[title] {
        groups[position].elements.append(element)
      } else {
        positions[title] = groups.count
        groups.append((title, [element]))
      }
    }
    self.sections = groups.map { ResultsSection(title: $0.title, elements: $0.elements) }
    self.positions = positions
  }

  /// Groups models whose titles are already known, as text.
  package init(_ elements: some Sequence<(Element, String)>, title: (String) -> SectionTitle) {
    let pairs = Array(elements)
    var index = 0
    self.init(pairs.lazy.map(\.0)) { _ in
      defer { index += 1 }
      return title(pairs[index].1)
    }
  }

  /// Creates results without sections.
  package init() {
    sections = []
    positions = [:]
  }

  /// The titles in the order of the sections.
  public var sectionTitles: [SectionTitle] { sections.map(\.title) }

  /// Whether there is a section with this title.
  public func contains(sectionTitle: SectionTitle) -> Bool {
    positions[sectionTitle] != nil
  }

  /// The position of the section with this title; `nil` if there is none.
  public func index(ofSectionTitled title: SectionTitle) -> Int? {
    positions[title]
  }

  /// The section with this title; `nil` if there is none.
  public subscript(sectionTitle title: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    positions[title].map { sections[$0] }
  }
}

extension SectionedResults: RandomAccessCollection {
  /// The position of the first section.
  public var startIndex: Int { 0 }

  /// The number of sections.
  public var endIndex: Int { sections.count }

  /// The section at a position.
  public subscript(position: Int) -> ResultsSection<Element, SectionTitle> {
    sections[position]
  }
}

extension SectionedResults: Equatable {
  /// Whether both have the same models in the same sections, in the same order.
  public static func == (
    lhs: SectionedResults<Element, SectionTitle>, rhs: SectionedResults<Element, SectionTitle>
  ) -> Bool {
    lhs.elementsEqual(rhs) { $0.title == $1.title && $0.elementsEqual($1) }
  }
}
