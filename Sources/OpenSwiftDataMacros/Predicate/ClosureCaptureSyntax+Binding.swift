import SwiftSyntax

extension ClosureCaptureSyntax {
  /// The name and the value of `[name = value]`; nil for a plain capture.
  var binding: (name: String, value: ExprSyntax)? {
    #if canImport(SwiftSyntax601)
      initializer.map { (name.text, $0.value) }
    #else
      name.map { ($0.text, expression) }
    #endif
  }
}
