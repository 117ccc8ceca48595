import OpenSwiftDataRowStorage

/// Identifies the models of a fetch: by the keys of their rows, or by identifier.
package enum FetchedIdentifiers {
  case keys(RowKeys)
  case identifiers([PersistentIdentifier])

  package var count: Int {
    switch self {
    case .keys(let keys): keys.count
    case .identifiers(let identifiers): identifiers.count
    }
  }

  subscript(position: Int) -> PersistentIdentifier {
    switch self {
    case .keys(let keys): keys[position]
    case .identifiers(let identifiers): identifiers[position].resolved
    }
  }

  package var identifiers: [PersistentIdentifier] {
    switch self {
    case .keys(let keys): keys.identifiers
    case .identifiers(let identifiers): identifiers
    }
  }

  /// The entries at some positions.
  func picking(_ positions: some Sequence<Int>) -> FetchedIdentifiers {
    switch self {
    case .keys(let keys): .keys(keys.picking(positions))
    case .identifiers(let identifiers): .identifiers(positions.map { identifiers[$0] })
    }
  }
}

/// The identities that a fetch found, and what must still be done in memory.
package struct FoundIdentifiers {
  package var identifiers: FetchedIdentifiers
  package var rest: InMemoryRest
}

/// The keys of a fetch's rows, eight bytes each.
package struct RowKeys {
  /// Primary keys; with several entities, the upper 16 bits contain the entity number.
  private var words = ContiguousArray<Int64>()
  /// One scope for all rows, or one per entity number.
  private let scopes: [IdentifierScope]
  private let isMixed: Bool

  init(scope: IdentifierScope) {
    scopes = [scope]
    isMixed = false
  }

  init(scopes: [IdentifierScope]) {
    self.scopes = scopes
    isMixed = true
  }

  private init(like other: RowKeys) {
    scopes = other.scopes
    isMixed = other.isMixed
  }

  package var count: Int { words.count }

  /// Rows of entities that are not in the schema are ignored.
  package mutating func append(_ key: Int64, entityNumber: Int) {
    if isMixed, !scopes.indices.contains(entityNumber) { return }
    words.append(isMixed ? PackedKey(key: key, entity: Int64(entityNumber)).word : key)
  }

  func rowKey(at position: Int) -> Int64 {
    isMixed ? PackedKey(word: words[position]).key : words[position]
  }

  subscript(position: Int) -> PersistentIdentifier {
    let scope = isMixed ? scopes[Int(PackedKey(word: words[position]).entity)] : scopes[0]
    return PersistentIdentifier(scope: scope, key: rowKey(at: position))
  }

  var identifiers: [PersistentIdentifier] { (0..<count).map { self[$0] } }

  func picking(_ positions: some Sequence<Int>) -> RowKeys {
    var picked = RowKeys(like: self)
    for position in positions { picked.words.append(words[position]) }
    return picked
  }
}
