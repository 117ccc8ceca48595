import SwiftSyntax
import SwiftSyntaxBuilder
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

  var accessors: [AccessorDeclSyntax] {
    [
      """
      @storageRestrictions(accesses: _$backingData, initializes: \(raw: property.markerName))
      init(initialValue) {
        _$backingData.initialize\(raw: form.rawValue)(\(raw: model).self, \(raw: slot), to: initialValue)
        \(raw: property.markerName) = _SwiftDataNoType()
      }
      """,
      """
      get {
        _$backingData.access(self, keyPath: \\.\(property.identifier))
        return _$backingData.get\(raw: form.rawValue)(\(raw: slot))
      }
      """,
      """
      set {
        _$backingData.set\(raw: form.rawValue)(\
      \(raw: slot), to: newValue, of: self, keyPath: \\.\(property.identifier))
      }
      """,
    ]
  }

  /// Takes no space; it lets the compiler demand that initialisers set the property.
  var marker: DeclSyntax {
    "private var \(raw: property.markerName): _SwiftDataNoType"
  }
}

extension PropertyDeclaration {
  var markerName: String { "_\(name)" }
}
