import OpenSwiftDataStoreFormat
import SwiftData

/// Finds names in a model that are no names in Swift. Any program may have written the file, so such a
/// name could contain code.
struct SourceNames {
  private let model: ModelDescription

  init(_ model: ModelDescription) { self.model = model }

  /// - Throws: `SwiftDataError.loadIssueModelContainer` for the first name that can't be in a source.
  func check(path: String) throws {
    for entity in model.entities {
      for name in [entity.name, entity.superName].compactMap(\.self) where !name.isSwiftName {
        throw refusal("the entity \(name.debugDescription)", path)
      }
      let properties = entity.properties.flatMap(SourceNames.names)
      let constraints = entity.uniqueConstraints.joined().flatMap {
        $0.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      }
      for name in properties + constraints where !name.isSwiftName {
        throw refusal("the property \(name.debugDescription) of \(entity.name)", path)
      }
    }
  }

  /// The names that a class contains for a property; none for properties that no class declares.
  private static func names(_ property: PropertyDescription) -> [String] {
    switch property {
    case .attribute(let attribute): attribute.isTransient ? [] : names(attribute)
    case .relationship(let relationship):
      relationship.isTransient
        ? [] : [relationship.name, relationship.inverse].compactMap(\.self)
    case .fetched: []
    }
  }

  private static func names(_ attribute: AttributeDescription) -> [String] {
    [attribute.name] + attribute.elements.flatMap(names)
  }

  private func refusal(_ place: String, _ path: String) -> SwiftDataError {
    .loadIssueModelContainer.with(
      "The model in the file at \(path) has \(place), which is no name in Swift, so classes can't be generated. "
        + "Check where the file comes from; it is unchanged.", doing: "generating models")
  }
}

extension String {
  /// Whether the text is an identifier, which may be a keyword.
  var isSwiftName: Bool {
    self != "_" && unicodeScalars.first?.beginsNames == true
      && unicodeScalars.allSatisfy(\.isInNames)
  }

  /// The text in one line, for a comment.
  var singleLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}

extension Unicode.Scalar {
  /// Other characters that begin a name (The Swift Programming Language, Lexical Structure). Those that
  /// change the direction of text (202A-202E, 2066-2069) are left out: with them source does not
  /// look like what it is.
  private static let heads: [ClosedRange<UInt32>] = [
    0xA8...0xA8, 0xAA...0xAA, 0xAD...0xAD, 0xAF...0xAF, 0xB2...0xB5, 0xB7...0xBA, 0xBC...0xBE,
    0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x167F, 0x1681...0x180D, 0x180F...0x1DBF,
    0x1E00...0x1FFF, 0x200B...0x200D, 0x203F...0x2040, 0x2054...0x2054, 0x2060...0x2065,
    0x206A...0x20CF, 0x2100...0x218F, 0x2460...0x24FF, 0x2776...0x2793, 0x2C00...0x2DFF,
    0x2E80...0x2FFF, 0x3004...0x3007, 0x3021...0x302F, 0x3031...0xD7FF, 0xF900...0xFD3D,
    0xFD40...0xFDCF, 0xFDF0...0xFE1F, 0xFE30...0xFE44, 0xFE47...0xFFFD,
  ]

  /// Other characters that continue a name.
  private static let marks: [ClosedRange<UInt32>] = [
    0x300...0x36F, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F,
  ]

  fileprivate var beginsNames: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "_": true
    // The last two characters of each further plane are none.
    case "\u{10000}"..."\u{EFFFF}": value & 0xFFFF <= 0xFFFD
    default: Self.heads.contains { $0.contains(value) }
    }
  }

  fileprivate var isInNames: Bool {
    beginsNames || ("0"..."9").contains(self) || Self.marks.contains { $0.contains(value) }
  }
}
