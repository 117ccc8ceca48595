import OpenSwiftDataSQLSyntax

/// Finds rows with certain texts if the text is computed from an indexed key, or if there are few
/// different texts.
struct TextSearch {
  /// The text of a row, computed without this search.
  let text: SQLExpression
  /// The condition, 0 or 1, that the text is one of the spellings; `nil` if it is not supported.
  let condition: (inout PredicateCompiler, _ spellings: [_StoredValue]) -> SQLExpression?
}
