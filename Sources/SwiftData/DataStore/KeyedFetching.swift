import OpenSwiftDataRowStorage

/// A store that finds the keys of rows first and reads the rows later, a batch at a time.
package protocol KeyedFetching: DataStore {
  /// The keys of all rows that may match, and what is left to do in memory.
  func fetchKeys<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> FetchedKeys

  /// The rows with some keys, in their order, read by one statement; rows that are gone are left out.
  /// - Parameters:
  ///   - descriptor: The entity of the rows, or one above them.
  ///   - keys: The rows' primary keys.
  ///   - slots: The properties to read; `nil` for whole rows.
  func rows(
    of descriptor: _ModelDescriptor, withKeys keys: some Collection<Int64>, slots: Set<Int>?
  ) throws -> FetchedRows
}

/// Keys of rows and what is left to do in memory.
package struct FetchedKeys {
  package var keys: RowKeys
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
