import SwiftSyntax

/// Attributes of other libraries on properties of models.
///
/// The syntax does not tell a property wrapper from a macro. The wrappers of Combine and SwiftUI
/// are known by name. Other attributes are kept: a macro works as usual, and the compiler rejects a
/// property wrapper on a property with accessors.
enum ThirdPartyAttribute {
  static func knownPropertyWrapper(in attributes: AttributeListSyntax) -> AttributeSyntax? {
    attributes.compiled.first { knownPropertyWrappers.contains($0.plainName) }
  }

  /// The first attribute whose name is that of a type, so it may be a property wrapper or a macro.
  static func first(in attributes: AttributeListSyntax) -> AttributeSyntax? {
    attributes.compiled.first { attribute in
      let name = attribute.plainName
      return name.first?.isUppercase == true && !name.hasSuffix("Actor") && !ownNames.contains(name)
    }
  }

  /// A comment in generated code; the compiler prints it with its error about a property wrapper.
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
