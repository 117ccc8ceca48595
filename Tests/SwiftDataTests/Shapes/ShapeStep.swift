extension Shape {
  /// A change of one context. Numbers are those of models, so that a program stays the same where others
  /// of its steps are left out; an edit of a model that is not there is skipped.
  enum Edit {
    case insert(New, Connection?)
    /// The number of a model, the index of a field, and the position of the new value.
    case set(Int, Int, Int)
    /// Sets a to-one, or adds a member to a to-many.
    case link(Int, End, Int, atEnd: Bool)
    /// Sets a to-one to nil, or removes a member.
    case unlink(Int, End, Int)
    /// Sets a whole to-many.
    case replace(Int, End, [Int])
    /// Sets a to-many to its members in another order.
    case reverse(Int, End)
    case delete(Int)
    /// Inserts a model that is to be deleted.
    case keep(Int)
  }

  /// A new model.
  struct New {
    let number: Int
    let kind: Kind
    /// Determines the values of its fields.
    let seed: Int
    /// The values of its required to-ones.
    let required: [Int]

    func choice(_ field: Int) -> Int { (seed + field) % Field.count }
  }

  /// How a new model comes into the context, where it is not inserted alone.
  enum Connection {
    /// One of its to-ones is set before it is inserted.
    case to(End, Int)
    /// It is not inserted, but appended to a list.
    case asMember(Int, End)
  }

  enum Step {
    case edit(Edit)
    /// - Parameter rollsBack: Whether a rollback follows if the save is refused.
    case save(rollsBack: Bool)
    case rollback
    /// Edits, saves and looks in a transaction, which fails at its end unless it commits.
    indirect case transaction([Step], commits: Bool)
    /// Edits of another context, which saves them.
    /// - Parameter isProcessed: Whether this context is told to look for changes then.
    case elsewhere([Edit], isProcessed: Bool)
    /// Compares everything that the context shows.
    /// - Parameter fetches: False for the models only to which the program has references.
    case look(fetches: Bool)
    case read(Int, End)
    case ask(Question, Int, includesPending: Bool)
    /// Deletes the rows of which a predicate is true, where nothing is unsaved.
    case deleteAll(Question, Int)
    /// Releases the references of the test to these models, or to all.
    case forget([Int]?)
    case process
    case newContext
    /// Opens the store with another container.
    case reopen
  }
}

extension Shape.Edit: CustomStringConvertible {
  var description: String {
    switch self {
    case .insert(let new, nil): "insert \(new)"
    case .insert(let new, .to(let end, let other)): "insert \(new) with \(end.name) = \(other)"
    case .insert(let new, .asMember(let owner, let end)): "\(owner).\(end.name).append(\(new))"
    case .set(let number, let field, let choice): "\(number).field \(field) = value \(choice)"
    case .link(let owner, let end, let partner, let atEnd):
      end.form != .toMany
        ? "\(owner).\(end.name) = \(partner)"
        : atEnd
          ? "\(owner).\(end.name).append(\(partner))"
          : "\(owner).\(end.name).insert(\(partner), at: 0)"
    case .unlink(let owner, let end, let partner):
      end.form == .toMany
        ? "\(owner).\(end.name).remove(\(partner))" : "\(owner).\(end.name) = nil"
    case .replace(let owner, let end, let members): "\(owner).\(end.name) = \(members)"
    case .reverse(let owner, let end): "\(owner).\(end.name).reverse()"
    case .delete(let number): "delete \(number)"
    case .keep(let number): "insert \(number), which is to be deleted"
    }
  }
}

extension Shape.New: CustomStringConvertible {
  var description: String {
    "\(kind.name)(\(([number] + required).map { "\($0)" }.joined(separator: ", ")))"
  }
}

extension Shape.Step: CustomStringConvertible {
  var description: String {
    switch self {
    case .edit(let edit): "\(edit)"
    case .save(let rollsBack): rollsBack ? "save, or roll back" : "save"
    case .rollback: "rollback"
    case .transaction(let steps, let commits):
      "transaction { \(Self.joined(steps)) \(commits ? "" : "; throw ")}"
    case .elsewhere(let edits, let isProcessed):
      "another context { \(Self.joined(edits)); save }\(isProcessed ? ", process" : "")"
    case .look(let fetches): fetches ? "look" : "look without a fetch"
    case .read(let number, let end): "read \(number).\(end.name)"
    case .ask(let question, let value, let includesPending):
      "fetch \(question.name) \(value)\(includesPending ? "" : ", without pending changes")"
    case .deleteAll(let question, let value): "delete all with \(question.name) \(value)"
    case .forget(let numbers): "release \(numbers.map { "\($0)" } ?? "all")"
    case .process: "process pending changes"
    case .newContext: "new context"
    case .reopen: "new container"
    }
  }

  private static func joined(_ parts: [some CustomStringConvertible]) -> String {
    parts.map(\.description).joined(separator: "; ")
  }
}
