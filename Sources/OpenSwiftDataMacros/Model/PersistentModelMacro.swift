public import SwiftSyntaxMacros

/// `@Model`. Each role stands in a file of its own.
///
/// 1. *Members*: parse the class, report what is wrong, write the members.
/// 2. *Member attributes*: give each persisted property its slot.
/// 3. *Extensions*: conform a root class; a subclass inherits its conformances.
public enum PersistentModelMacro {
  /// The text is laid out as it is written, and literals of the user keep their lines.
  public static var formatMode: FormatMode { .disabled }
}
