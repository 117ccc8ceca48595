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

  private static func names(_ property: PropertyDescription) -> [String] {
    guard case .attribute(let attribute) = property else { return [property.name] }
    return names(attribute)
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
    guard let first = unicodeScalars.first, self != "_", !("0"..."9").contains(first) else {
      return false
    }
    return (first.properties.isXIDStart || first == "_" || !first.isASCII)
      && unicodeScalars.allSatisfy(\.isInNames)
  }

  /// The text in one line, for a comment.
  var singleLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}

extension Unicode.Scalar {
  fileprivate var isInNames: Bool {
    // The joiner and the variation selector are parts of emoji.
    let isPartOfEmoji = !isASCII && (properties.isEmoji || self == "\u{200D}" || self == "\u{FE0F}")
    return properties.isXIDContinue || isPartOfEmoji
  }
}
