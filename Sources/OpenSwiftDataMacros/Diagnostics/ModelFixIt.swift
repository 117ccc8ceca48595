import SwiftDiagnostics
import SwiftSyntax

/// The titles of the fix-its that the model macros offer.
enum ModelFixIt: String {
  case useVar = "Replace 'let' with 'var'"
  case renameReserved = "Rename the property and keep the stored values of the old name"
  case useOwnModel = "Name the enclosing class"
  case splitBindings = "Declare each property separately"
  case removeAttribute = "Remove the attribute"
  case removeOption = "Remove the repeated option"
  case removeUnique = "Remove '.unique'"
  case markTransient = "Mark the property @Transient"
  case removeOptional = "Remove one level of optional"
  case removeValue = "Remove the initial value"
  case addInitializer = "Add an initializer"
}

extension ModelFixIt: FixItMessage {
  var message: String { rawValue }

  var fixItID: MessageID { MessageID(domain: "SwiftData", id: "\(self)") }

  func removing(_ attribute: AttributeSyntax, from node: VariableDeclSyntax) -> FixIt {
    let kept = node.attributes.filter { $0.id != Syntax(attribute).id }
    let fixed = node.with(\.attributes, kept).with(\.leadingTrivia, node.leadingTrivia)
    return replacing(node, with: fixed)
  }

  func replacing(_ old: some SyntaxProtocol, with new: some SyntaxProtocol) -> FixIt {
    FixIt(message: self, changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
  }
}
