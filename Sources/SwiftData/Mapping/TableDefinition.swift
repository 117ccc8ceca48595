package import SQLSyntax

/// A table with its indexes, as a store creates them.
package struct TableDefinition: Hashable, Sendable {
  package var table: CreateTable
  package var indexes: [CreateIndex]

  /// The statements in the order in which they have to run.
  package var statements: [any SQLStatement] { [table] + indexes }
}
