import OpenSwiftDataRowStorage

/// Where the models of a fetch are: by the keys of their rows, or by identifier.
package enum FetchedPlaces {
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

  var identifiers: [PersistentIdentifier] {
    switch self {
    case .keys(let keys): keys.identifiers
    case .identifiers(let identifiers): identifiers
    }
  }

  /// Those at some positions.
  func picking(_ positions: some Sequence<Int>) -> FetchedPlaces {
    switch self {
    case .keys(let keys): .keys(keys.picking(positions))
    case .identifiers(let identifiers): .identifiers(positions.map { identifiers[$0] })
    }
  }
}

/// The places of a fetch and what is left to do in memory.
package struct FoundPlaces {
  package var places: FetchedPlaces
  package var rest: InMemoryRest
}

/// Where the rows of a fetch are, in eight bytes each.
package struct RowKeys {
  /// Primary keys; where there are several entities the number of the row's is in the upper 16 bits.
  private var words = ContiguousArray<Int64>()
  /// One for all rows, or one per entity number.
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

  /// Rows of entities that the schema lacks are left out.
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

  /// The keys at some positions.
  func picking(_ positions: some Sequence<Int>) -> RowKeys {
    var picked = RowKeys(like: self)
    for position in positions { picked.words.append(words[position]) }
    return picked
  }
}
