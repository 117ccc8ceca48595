import SwiftDiagnostics
import SwiftSyntax

/// What `#Predicate` and `#Expression` do not support, and what to write instead.
enum PredicateDiagnostic {
  case closureExpected(macro: String)
  case captureSpecifier
  case resultMissing
  case unusedValue
  case unusedCall(String)
  case statement
  case loop
  case variable
  case pattern
  case initialValueMissing
  case availability
  case function(String)
  case method(String)
  case otherMethod(String, instead: String)
  case listOfParts(String)
  case methodArguments(String, expected: String)
  case closureArgument(String)
  case keyPathArgument
  case prefixOperator(String)
  case infixOperator(String)
  case assignment
  case identity(String)
  case coercion(String)
  case interpolation
  case collectionLiteral
  case tuple
  case elsewhere

  var text: String {
    switch self {
    case .closureExpected(let macro):
      "#\(macro) requires a closure literal"
    case .captureSpecifier:
      "a predicate has no capture list; bind the value with 'let' before the predicate"
    case .resultMissing:
      "this branch has no value; end it with a value or with 'return'"
    case .unusedValue:
      "the value of this expression is not used; join the conditions with '&&'"
    case .unusedCall(let name):
      "'\(name)' is never called, because a predicate is translated and not run; "
        + "call it outside the predicate"
    case .statement:
      "this statement is not supported in a predicate; use 'let', 'if', 'guard' or 'return'"
    case .loop:
      "loops are not supported; use 'contains(where:)', 'allSatisfy(_:)' or 'filter(_:)'"
    case .variable:
      "a predicate cannot change values; declare this with 'let'"
    case .pattern:
      "this pattern is not supported here; bind one name for each 'let', or compare with '=='"
    case .initialValueMissing:
      "this 'let' requires an initial value"
    case .availability:
      "'#available' is not supported; check it outside and choose between two predicates"
    case .function(let name):
      "'\(name)' cannot be called with values of the model; "
        + "call it before the predicate and use the result, or write the condition with operators"
    case .method(let name):
      "'\(name)' is not supported in a predicate; "
        + "compute it outside if it does not depend on the model, or store it in a property"
    case .otherMethod(let name, let instead):
      "'\(name)' is not supported in a predicate; write \(instead)"
    case .listOfParts(let name):
      "'\(name)' of a collection is not supported in a predicate; "
        + "write a condition on its elements: 'contains(where:)', 'allSatisfy(_:)' or 'filter(_:)'"
    case .methodArguments(let name, let expected):
      "'\(name)' is not supported with these arguments; write '\(expected)'"
    case .closureArgument(let name):
      "'\(name)' requires a closure literal"
    case .keyPathArgument:
      "only key paths of plain properties are supported; write a closure"
    case .prefixOperator(let name):
      "the prefix operator '\(name)' is not supported; use '!' or '-'"
    case .infixOperator(let name):
      "the operator '\(name)' is not supported on values of the model; "
        + "use one of '== != < <= > >= && || + - * / % ?? ... ..<'"
    case .assignment:
      "an assignment is not supported in a predicate; compare with '=='"
    case .identity(let name):
      "'\(name)' is not supported; compare 'persistentModelID' with '\(name.dropLast())'"
    case .coercion(let type):
      "'as' is not supported on values of the model; write 'as? \(type)' or 'as! \(type)'"
    case .interpolation:
      "string interpolation of values of the model is not supported; join strings with '+'"
    case .collectionLiteral:
      "a collection of values of the model is only supported before '.contains(_:)'"
    case .tuple:
      "tuples are not supported; compare the elements one by one"
    case .elsewhere:
      "this expression is not supported on values of the model; "
        + "if it does not depend on the model, compute it with 'let' before the predicate"
    }
  }

  /// A stable identifier for tools.
  var code: String {
    String(describing: self).prefix { $0.isLetter }.description
  }
}

extension PredicateDiagnostic: DiagnosticMessage {
  var message: String { text }
  var severity: DiagnosticSeverity { .error }
  var diagnosticID: MessageID { MessageID(domain: "SwiftData.Predicate", id: code) }

  /// The error to throw at a node of the user's source.
  func error(at node: some SyntaxProtocol, fixIt: FixIt? = nil) -> DiagnosticsError {
    DiagnosticsError(diagnostics: [
      Diagnostic(node: node, message: self, fixIts: fixIt.map { [$0] } ?? [])
    ])
  }
}

/// The title of a fix-it that replaces one token.
struct PredicateFixIt: FixItMessage {
  var message: String
  var fixItID: MessageID { MessageID(domain: "SwiftData.Predicate", id: "replaceToken") }

  static func replace(_ token: TokenSyntax, with kind: TokenKind) -> FixIt {
    let replacement = token.with(\.tokenKind, kind)
    return FixIt(
      message: PredicateFixIt(message: "replace with '\(replacement.text)'"),
      changes: [.replace(oldNode: Syntax(token), newNode: Syntax(replacement))])
  }
}
