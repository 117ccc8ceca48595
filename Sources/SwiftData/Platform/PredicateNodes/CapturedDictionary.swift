public import Foundation

// The keys and values of a dictionary are not Codable, so that Foundation's nodes for captured values
// cannot be part of a predicate with them. Lists of them can.
extension PredicateExpressions {
  /// Builds the node for the keys of a captured dictionary.
  public static func build_Arg<Key, Content>(
    _ keys: Dictionary<Key, Content>.Keys
  ) -> Value<[Key]> {
    build_Arg(Array(keys))
  }

  /// Builds the node for the values of a captured dictionary.
  public static func build_Arg<Key, Content>(
    _ values: Dictionary<Key, Content>.Values
  ) -> Value<[Content]> {
    build_Arg(Array(values))
  }

  /// Builds the node for captured identifiers that are the keys of a dictionary.
  public static func build_Arg<Identifier: _IdentifierHolder, Content>(
    _ keys: Dictionary<Identifier, Content>.Keys
  ) -> _CapturedAttempt<[Identifier]> {
    build_Arg(Array(keys))
  }

  /// Builds the node for captured identifiers that are the values of a dictionary.
  public static func build_Arg<Key, Identifier: _IdentifierHolder>(
    _ values: Dictionary<Key, Identifier>.Values
  ) -> _CapturedAttempt<[Identifier]> {
    build_Arg(Array(values))
  }

  /// Builds the node for the keys of a captured dictionary whose computation may fail.
  public static func build_Attempt<Key, Content>(
    _ keys: () throws -> Dictionary<Key, Content>.Keys
  ) -> _CapturedAttempt<[Key]> {
    build_Attempt { Array(try keys()) }
  }

  /// Builds the node for the values of a captured dictionary whose computation may fail.
  public static func build_Attempt<Key, Content>(
    _ values: () throws -> Dictionary<Key, Content>.Values
  ) -> _CapturedAttempt<[Content]> {
    build_Attempt { Array(try values()) }
  }
}
