public import Foundation

// A property whose members or methods are used is not optional, so an optional property is an
// implicitly unwrapped one here. As part of a key path it would stop the program.
extension PredicateExpressions {
  /// Builds the property of a value.
  public static func build_Member<Root, Value>(
    root: Root, keyPath: any Swift.KeyPath<Root.Output, Value> & Sendable
  ) -> KeyPath<Root, Value> {
    KeyPath(root: root, keyPath: keyPath)
  }

  /// Builds an implicitly unwrapped property of a value, as `!` does.
  public static func build_Member<Root, Value>(
    root: Root, keyPath: any Swift.KeyPath<Root.Output, Value?> & Sendable
  ) -> ForcedUnwrap<KeyPath<Root, Value?>, Value> {
    ForcedUnwrap(KeyPath(root: root, keyPath: keyPath))
  }
}
