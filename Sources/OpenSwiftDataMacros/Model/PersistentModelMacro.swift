public import SwiftSyntaxMacros

/// `@Model`. Each role has a file of its own.
///
/// 1. *Members*: parse the class, report diagnostics, generate the members.
/// 2. *Member attributes*: give each persisted property its slot.
/// 3. *Extensions*: add conformances to a root class; a subclass inherits them.
public enum PersistentModelMacro {
  /// The generated text is already formatted, and string literals of the user keep their lines.
  public static var formatMode: FormatMode { .disabled }
}
