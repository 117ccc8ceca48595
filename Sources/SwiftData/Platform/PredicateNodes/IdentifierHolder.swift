/// Identifiers, or a collection of them, that a predicate may capture.
@_documentation(visibility: internal)
public protocol _IdentifierHolder {
  /// Whether one of them was temporary when this value was made.
  var _holdsTemporary: Bool { get }

  /// The same, with permanent identifiers in place of temporary ones whose models have been saved.
  var _resolved: Self { get }
}

extension Optional: _IdentifierHolder where Wrapped: _IdentifierHolder {
  public var _holdsTemporary: Bool { map(\._holdsTemporary) ?? false }
  public var _resolved: Wrapped? { map(\._resolved) }
}

extension Array: _IdentifierHolder where Element: _IdentifierHolder {
  public var _holdsTemporary: Bool { contains(where: \._holdsTemporary) }
  public var _resolved: Array<Element> { map(\._resolved) }
}

extension ArraySlice: _IdentifierHolder where Element: _IdentifierHolder {
  public var _holdsTemporary: Bool { contains(where: \._holdsTemporary) }
  public var _resolved: ArraySlice<Element> { map(\._resolved)[...] }
}

extension ContiguousArray: _IdentifierHolder where Element: _IdentifierHolder {
  public var _holdsTemporary: Bool { contains(where: \._holdsTemporary) }
  public var _resolved: ContiguousArray<Element> { ContiguousArray(map(\._resolved)) }
}

extension Set: _IdentifierHolder where Element: _IdentifierHolder {
  public var _holdsTemporary: Bool { contains(where: \._holdsTemporary) }
  public var _resolved: Set<Element> { Set(map(\._resolved)) }
}
