import SwiftSyntax
import SwiftSyntaxBuilder

extension ModelExpansion {
  var access: DeclSyntax? {
    guard !model.declared.functions.contains("access(keyPath:)") else { return nil }
    return unlessDeclared(variable: "access") {
      """
      internal nonisolated func access<_M>(keyPath: KeyPath<\(raw: name), _M>) {
        _$backingData.access(self, keyPath: keyPath)
      }
      """
    }
  }

  var withMutation: DeclSyntax? {
    guard !model.declared.functions.contains("withMutation(keyPath:_:)") else { return nil }
    return unlessDeclared(variable: "withMutation") {
      """
      internal nonisolated func withMutation<_M, _MR>(
        keyPath: KeyPath<\(raw: name), _M>, _ mutation: () throws -> _MR
      ) rethrows -> _MR {
        try _$backingData.withMutation(self, keyPath: keyPath, mutation)
      }
      """
    }
  }
}
