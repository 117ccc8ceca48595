import SwiftSyntax
import SwiftSyntaxMacros

/// Generates the accessors and the marker of a persisted property.
struct PersistedProperty {
  enum Form: String {
    case plain = ""
    case transformable = "Transformable"
  }

  private let property: PropertyDeclaration
  private let model: String
  private let slot: String
  private let form: Form
  private let bindings: PatternBindingListSyntax

  /// `nil` if the attribute is not on a stored variable of a class.
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
    bindings = variable.bindings
    let argument = attribute.arguments?.as(LabeledExprListSyntax.self)?.first
    let keyPath = "\\\(model).\(property.identifier.text)"
    slot = argument?.expression.trimmedDescription ?? "\(model)._$slot(for: \(keyPath))"
  }

  /// Indented as in the accessor block.
  func accessors(in context: some MacroExpansionContext) -> [AccessorDeclSyntax] {
    // The position of the property, where the compiler reports errors about its type: that of the
    // name, because attributes before it may be on other lines.
    basicAccessors(SourceDirective(of: bindings, in: context)) + inPlaceAccessors
  }

  /// Changes an array in place, so that an append to a to-many relationship adds one member.
  private var inPlaceAccessors: [AccessorDeclSyntax] {
    guard form == .plain, let type = property.type, type.mayBeArrayOfModels else { return [] }
    return [
      """
        _modify {
          _$backingData.access(self, \(slot))
          var value: \(type.trimmedDescription) = _$backingData.lend(\(slot))
          defer { _$backingData.takeBack(\(slot), &value, of: self) }
          yield &value
        }
      """
    ].map(AccessorDeclSyntax.init(text:))
  }

  private func basicAccessors(_ location: SourceDirective) -> [AccessorDeclSyntax] {
    let suffix = form.rawValue
    let marker = property.markerName
    return [
      """
        @storageRestrictions(accesses: _$backingData, initializes: \(marker))
        init(initialValue) {
      \(location.start)    _$backingData.initialize\(suffix)(\(model).self, \(slot), to: initialValue)
      \(location.end)    \(marker) = _SwiftDataNoType()
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

  /// Takes no memory; makes the compiler require that initialisers set the property.
  var marker: DeclSyntax {
    let declaration = "private var \(property.markerName): _SwiftDataNoType"
    let comment = property.foreignAttribute.map {
      "  " + ThirdPartyAttribute.comment($0, on: property.name)
    }
    return DeclSyntax(text: declaration + (comment ?? ""))
  }
}

extension PropertyDeclaration {
  /// A property wrapper stores its value under the name with an underscore, and macros of other
  /// libraries declare that name too; such a property uses another prefix.
  var markerName: String { foreignAttribute == nil ? "_\(name)" : "_$\(name)" }
}
