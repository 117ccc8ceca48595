package import OpenSwiftDataStoreFormat

/// The entities of a file, as input of a mapping.
package struct FileEntities: Sendable {
  package let numbering: EntityNumbering
  /// The model in the file's cache, if it has one.
  let model: ModelDescription?
  let tables: Set<String>
  let tablePrefix: String
  /// The maximum length of names in bytes; `nil` if there is none.
  let longestName: Int?
  /// Superentity by entity, from the file's `Z_PRIMARYKEY`.
  private let superNames: [String: String?]

  /// The entities of a new file: none.
  package static let none = FileEntities(stored: [])

  /// - Parameters:
  ///   - stored: The entities of the file; `superNumber` is 0 for a root.
  ///   - model: The model in the file's cache.
  ///   - tables: The names of the file's tables.
  ///   - tablePrefix: The prefix of the names of entity tables.
  ///   - longestName: The maximum length of names in bytes; `nil` if there is none.
  package init(
    stored: [(name: String, number: Int, superNumber: Int)], model: ModelDescription? = nil,
    tables: Set<String> = [], tablePrefix: String = "", longestName: Int? = nil
  ) {
    self.longestName = longestName
    self.tablePrefix = tablePrefix
    let own = stored.filter { EntityNumbering.isValid($0.number) }
    let names = Dictionary(
      own.map { ($0.number, $0.name) }, uniquingKeysWith: { first, _ in first })
    numbering = EntityNumbering(own.map { ($0.name, $0.number) })
    superNames = Dictionary(
      own.map { ($0.name, names[$0.superNumber]) }, uniquingKeysWith: { first, _ in first })
    self.model = model
    self.tables = tables
  }

  /// The entities of the models, and those that only the file has: they may share tables with the
  /// models, and the names of columns depend on all of them.
  func completing(_ own: ModelDescription) -> ModelDescription {
    let others = (model?.entities ?? []).filter { own[$0.name] == nil }
    let known = Set(others.map(\.name))
    let bare = superNames.filter { own[$0.key] == nil && !known.contains($0.key) }
      .map { EntityDescription(name: $0.key, superName: $0.value, properties: []) }
    if others.isEmpty && bare.isEmpty { return own }
    return ModelDescription(
      entities: own.entities + others + bare, versionIdentifiers: own.versionIdentifiers)
  }

  /// The layout of a model in the file, with the file's entity numbers.
  package func layout(of own: ModelDescription) -> StoreLayout {
    let whole = completing(own)
    let order = whole.roots.flatMap { whole.subtree(of: $0.name) }.map(\.name)
    return StoreLayout(
      whole, numbers: numbering.numbers(of: order), knownTables: tables,
      tablePrefix: tablePrefix, longestName: longestName)
  }
}
