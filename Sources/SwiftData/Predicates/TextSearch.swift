import OpenSwiftDataSQLSyntax

/// How the rows with certain texts are found where the text of a row is computed from a key that has an index,
/// or comes from few texts.
struct TextSearch {
  /// The text of a row, as it is computed otherwise.
  let text: SQLExpression
  /// The condition, 0 or 1, that the text is one of the spellings; `nil` where this way does not know.
  let condition: (inout PredicateCompiler, _ spellings: [_StoredValue]) -> SQLExpression?
}
