package import OpenSwiftDataStoreFormat

/// What a file says of its entities: input of a mapping.
package struct FileEntities: Sendable {
  package let numbering: EntityNumbering
  /// The model of the file's cache, where it has one.
  let model: ModelDescription?
  /// The names of the tables.
  let tables: Set<String>
  /// What is put before the names of the tables of entities.
  let tablePrefix: String
  /// Superentity by entity, as the file's table of entities tells.
  private let superNames: [String: String?]

  /// What a new file says.
  package static let none = FileEntities(stored: [])

  /// - Parameters:
  ///   - stored: The entities of the file; `superNumber` is 0 for a root.
  ///   - model: The model of the file's cache.
  ///   - tables: The names of the file's tables.
  ///   - tablePrefix: What is put before the names of the tables of entities.
  package init(
    stored: [(name: String, number: Int, superNumber: Int)], model: ModelDescription? = nil,
    tables: Set<String> = [], tablePrefix: String = ""
  ) {
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

  /// The entities of the models and those that only the file has: their rows share tables with rows of
  /// the models, and names of columns follow from all of them.
  func completing(_ own: ModelDescription) -> ModelDescription {
    let others = (model?.entities ?? []).filter { own[$0.name] == nil }
    let known = Set(others.map(\.name))
    let bare = superNames.filter { own[$0.key] == nil && !known.contains($0.key) }
      .map { EntityDescription(name: $0.key, superName: $0.value, properties: []) }
    if others.isEmpty && bare.isEmpty { return own }
    return ModelDescription(
      entities: own.entities + others + bare, versionIdentifiers: own.versionIdentifiers)
  }

  /// Where the file keeps the rows of a model, with the numbers that it has given.
  package func layout(of own: ModelDescription) -> StoreLayout {
    let whole = completing(own)
    let order = whole.roots.flatMap { whole.subtree(of: $0.name) }.map(\.name)
    return StoreLayout(
      whole, numbers: numbering.numbers(of: order), knownTables: tables,
      tablePrefix: tablePrefix)
  }
}
