extension StoreSpecification {
  /// An ability of a store, which it declares and a group of rules checks.
  public enum Level: String, CaseIterable, Sendable {
    /// Models are inserted, read, changed and deleted. Required of every store.
    case models
    /// Attributes of all types keep their values.
    case attributes
    /// Texts may have every character, also U+0000. Other stores refuse a text with it.
    case allCharacters
    /// Relationships of all kinds keep their members.
    case relationships
    /// Deletions obey the delete rules, also those of batches.
    case deleteRules
    /// Predicates compare properties with values, nil and captured lists.
    case predicates
    /// Predicates search in texts.
    case textPredicates
    /// Predicates follow relationships.
    case relationshipPredicates
    /// Orders, limits and offsets are obeyed, and all kinds of fetches agree.
    case fetching
    /// Several contexts use the store on several threads.
    case concurrency
    /// Models of subclasses are stored, with their own properties.
    case inheritance
    /// A new model with the unique value of a stored one updates it.
    case uniqueUpdates
    /// A save with the unique value of a stored model throws if `uniquenessPolicy` is `.refuse`.
    ///
    /// A store that always throws has this level and not ``uniqueUpdates``.
    case uniqueRefusals
    /// What was saved is there when the store is opened again.
    case persistent
    /// Several containers have the store open at once.
    case shared
    /// The store can be erased.
    case erasure
    /// The store opens the contents of an earlier version of the models.
    case migration
    /// The store has a history of its changes.
    case history

    /// What every store can do that keeps snapshots and leaves the rest to the context.
    public static let standard: Set<Level> = [
      .models, .attributes, .allCharacters, .relationships, .deleteRules, .predicates,
      .textPredicates, .relationshipPredicates, .fetching, .concurrency,
    ]
  }
}
