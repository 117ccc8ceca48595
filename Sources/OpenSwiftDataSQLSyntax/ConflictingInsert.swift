/// An insert with a rule for rows whose values a unique index already contains.
package struct ConflictingInsert: SQLStatement {
  package var insert: Insert
  package var onConflict: OnConflict

  package init(_ insert: Insert, _ onConflict: OnConflict) {
    self.insert = insert
    self.onConflict = onConflict
  }

  package func write(to renderer: inout SQLRenderer) {
    insert.write(to: &renderer)
    renderer.write(" ON CONFLICT ")
    renderer.writeColumns(onConflict.target)
    switch onConflict.action {
    case .nothing: renderer.write(" DO NOTHING")
    case .update(let assignments, let returning):
      renderer.write(" DO UPDATE SET ")
      renderer.writeList(assignments) { renderer, assignment in
        switch assignment {
        case .excluded(let column):
          renderer.write(identifier: column)
          renderer.write(" = excluded.")
          renderer.write(identifier: column)
        case .increment(let column):
          renderer.write(identifier: column)
          renderer.write(" = ")
          renderer.write(identifier: insert.table)
          renderer.write(".")
          renderer.write(identifier: column)
          renderer.write(" + 1")
        }
      }
      renderer.write(" RETURNING ")
      renderer.write(identifier: returning)
    }
  }
}

/// The columns of a unique index, and what to do with an existing row that has the same values.
package struct OnConflict: Hashable, Sendable {
  package enum Assignment: Hashable, Sendable {
    /// Takes the value of the row that was to be inserted.
    case excluded(String)
    case increment(String)
  }

  package enum Action: Hashable, Sendable {
    case nothing
    /// Updates the existing row and returns one of its columns.
    case update([Assignment], returning: String)
  }

  package var target: [String]
  package var action: Action

  package init(_ target: [String], _ action: Action) {
    self.target = target
    self.action = action
  }
}
