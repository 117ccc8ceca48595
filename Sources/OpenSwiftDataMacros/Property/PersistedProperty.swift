import SwiftSyntax
import SwiftSyntaxMacros

/// What the accessor and peer roles of a persisted property read from their surroundings.
struct PersistedProperty {
  enum Form: String {
    case plain = ""
    case transformable = "Transformable"
  }

  private let property: PropertyDeclaration
  private let model: String
  private let slot: String
  private let form: Form

  /// `nil` where the attribute does not stand on a stored variable of a class.
  init?(
    _ declaration: some DeclSyntaxProtocol, attribute: AttributeSyntax, form: Form,
    in context: some MacroExpansionContext
  ) {
    guard let variable = declaration.as(VariableDeclSyntax.self),
      let property = PropertyDeclaration(variable),
      let model = context.lexicalContext.first?.as(ClassDeclSyntax.self)?.name.text
    else { return nil }
    self.property = property
    self.model = model
    self.form = form
    let argument = attribute.arguments?.as(LabeledExprListSyntax.self)?.first
    let keyPath = "\\\(model).\(property.identifier.text)"
    slot = argument?.expression.trimmedDescription ?? "\(model)._$slot(for: \(keyPath))"
  }

  /// Indented as they stand in the accessor block.
  var accessors: [AccessorDeclSyntax] {
    let suffix = form.rawValue
    let marker = property.markerName
    return [
      """
        @storageRestrictions(accesses: _$backingData, initializes: \(marker))
        init(initialValue) {
          _$backingData.initialize\(suffix)(\(model).self, \(slot), to: initialValue)
          \(marker) = _SwiftDataNoType()
        }
      """,
      """
        get {
          _$backingData.access(self, \(slot))
          return _$backingData.get\(suffix)(\(slot))
        }
      """,
      """
        set {
          _$backingData.set\(suffix)(\(slot), to: newValue, of: self)
        }
      """,
    ].map(AccessorDeclSyntax.init(text:))
  }

  /// Takes no space; it lets the compiler demand that initialisers set the property.
  var marker: DeclSyntax {
    DeclSyntax(text: "private var \(property.markerName): _SwiftDataNoType")
  }
}

extension PropertyDeclaration {
  var markerName: String { "_\(name)" }
}
