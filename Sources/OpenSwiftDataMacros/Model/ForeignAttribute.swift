import SwiftSyntax

/// Attributes on properties of models that come from other libraries.
///
/// The syntax does not tell a property wrapper from a macro. Those of Combine and SwiftUI are known; every
/// other one is passed on: a macro does its work, and the compiler refuses a property wrapper beside the
/// accessors of a model.
enum ForeignAttribute {
  static func knownPropertyWrapper(in attributes: AttributeListSyntax) -> AttributeSyntax? {
    attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }
      .first { knownPropertyWrappers.contains($0.plainName) }
  }

  /// The first attribute that may be a property wrapper or a macro: one with the name of a type.
  static func first(in attributes: AttributeListSyntax) -> AttributeSyntax? {
    attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }.first { attribute in
      let name = attribute.plainName
      return name.first?.isUppercase == true && !name.hasSuffix("Actor") && !ownNames.contains(name)
    }
  }

  /// A comment for generated code, which the compiler prints with its error at a property wrapper.
  static func comment(_ attribute: String, on property: String) -> String {
    "/* if '@\(attribute)' is a property wrapper, mark '\(property)' @Transient, "
      + "or persist the wrapped value in a property without it */"
  }

  private static let knownPropertyWrappers: Set<String> = [
    "AccessibilityFocusState", "AppStorage", "Binding", "Environment", "EnvironmentObject",
    "FetchRequest", "FocusState", "FocusedBinding", "FocusedValue", "GestureState",
    "ObservedObject", "Published", "SceneStorage", "ScaledMetric", "SectionedFetchRequest", "State",
    "StateObject",
  ]

  private static let ownNames: Set<String> = [
    "Attribute", "Relationship", "Transient", "ObservationIgnored", "ObservationTracked",
  ]
}
