import SwiftSyntax

extension ModelExpansion {
  var access: String? {
    guard !model.declared.functions.contains("access(keyPath:)") else { return nil }
    return unlessDeclared(variable: "access") {
      """
      internal nonisolated func access<_M>(keyPath: KeyPath<\(name), _M>) {
        _$backingData.access(self, keyPath: keyPath)
      }
      """
    }
  }

  var withMutation: String? {
    guard !model.declared.functions.contains("withMutation(keyPath:_:)") else { return nil }
    return unlessDeclared(variable: "withMutation") {
      """
      internal nonisolated func withMutation<_M, _MR>(
        keyPath: KeyPath<\(name), _M>, _ mutation: () throws -> _MR
      ) rethrows -> _MR {
        try _$backingData.withMutation(self, keyPath: keyPath, mutation)
      }
      """
    }
  }
}
