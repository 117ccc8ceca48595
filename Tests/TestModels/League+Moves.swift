extension League {
  /// What one writer does in a step. Numbers choose among what the writer holds, so a move has a meaning
  /// in whatever program it stands; where it holds nothing of the kind, nothing is done.
  package enum Move: Codable, Sendable {
    /// Some models of each class, linked.
    case insertLeague
    /// A new model. What it needs is chosen by the number, or new as well.
    case insert(Kind, Int)
    /// A new seat with a code of which there are few: one that is there is taken over.
    case upsert(Int)
    /// A new model for the right end, linked to one that is held.
    case grow(Bond, Int)
    case edit(Kind, Int, Int)
    /// Gives a seat another code.
    case recode(Int, Int)
    /// Sets a to-one, or appends to a to-many.
    case link(Bond, Side, Int, Int)
    /// Sets a to-one to nil, or removes the member of the last number.
    case unlink(Bond, Side, Int, Int)
    /// Sets a whole to-many, chosen by the bits of the last number.
    case replace(Bond, Side, Int, Int)
    /// Two players swap their seats.
    case swap(Int, Int)
    /// Reads a list, so that it is in memory.
    case load(Bond, Side, Int)
    case delete(Kind, Int)
    /// Deletes what has a value, at once where nothing of it is unsaved.
    case deleteAll(Kind, Int)
    /// A save that throws is followed by a rollback.
    case save
    /// A save that keeps the changes where it throws, to be mended by what follows.
    case attempt
    /// Moves in a transaction, which fails at its end unless it commits.
    indirect case transaction([Move], commits: Bool)
    case rollback
    /// Undoes or repeats the last move that edited; only where the writer has an undo manager.
    case undo, redo
    /// Fetches a class.
    case fetch(Kind)
    /// Fetches everything; what the writer sees is compared with the file where it has no changes.
    case look
  }
}

extension League.Move: CustomStringConvertible {
  /// The move as source text.
  package var description: String {
    switch self {
    case .insertLeague: ".insertLeague"
    case .insert(let kind, let which): ".insert(.\(kind), \(which))"
    case .upsert(let code): ".upsert(\(code))"
    case .grow(let bond, let which): ".grow(.\(bond), \(which))"
    case .edit(let kind, let which, let value): ".edit(.\(kind), \(which), \(value))"
    case .recode(let which, let code): ".recode(\(which), \(code))"
    case .link(let bond, let side, let one, let other):
      ".link(.\(bond), .\(side), \(one), \(other))"
    case .unlink(let bond, let side, let one, let other):
      ".unlink(.\(bond), .\(side), \(one), \(other))"
    case .replace(let bond, let side, let one, let bits):
      ".replace(.\(bond), .\(side), \(one), \(bits))"
    case .swap(let one, let other): ".swap(\(one), \(other))"
    case .load(let bond, let side, let which): ".load(.\(bond), .\(side), \(which))"
    case .delete(let kind, let which): ".delete(.\(kind), \(which))"
    case .deleteAll(let kind, let value): ".deleteAll(.\(kind), \(value))"
    case .save: ".save"
    case .attempt: ".attempt"
    case .transaction(let moves, let commits):
      ".transaction([\(moves.map(\.description).joined(separator: ", "))], commits: \(commits))"
    case .rollback: ".rollback"
    case .undo: ".undo"
    case .redo: ".redo"
    case .fetch(let kind): ".fetch(.\(kind))"
    case .look: ".look"
    }
  }
}
