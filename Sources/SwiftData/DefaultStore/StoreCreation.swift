import Foundation
package import OpenSwiftDataSQLSyntax
package import OpenSwiftDataSQLiteEngine
package import OpenSwiftDataStoreFormat

/// Writes the structure of a file: its tables, entity numbers and model. Called by
/// `StoreFileOpening`, inside a transaction.
package struct StoreCreation {
  private let model: ModelDescription
  private let numbers: [String: Int]
  private let definitions: [any SQLStatement]
  private let externalAttributes: [String]
  private let integerTypes: [String: String]
  private let optionalParts: Set<String>
  /// The entities that `externalAttributes`, `integerTypes` and `optionalParts` describe; the file's
  /// entries for other entities are kept.
  private let ownEntities: Set<String>

  /// - Parameters:
  ///   - model: The model of the file.
  ///   - numbers: The numbers of its entities.
  ///   - definitions: The statements that create tables and indexes of the entities, all tables
  ///     first.
  ///   - externalAttributes: The attributes whose values have tags: `Photo.data`.
  ///   - integerTypes: The Swift types of integers whose column type is ambiguous.
  ///   - optionalParts: The parts of composites that may be nil: `Trip.place.zip`.
  ///   - ownEntities: The entities that the three arguments before describe.
  package init(
    model: ModelDescription, numbers: [String: Int], definitions: [any SQLStatement],
    externalAttributes: [String] = [], integerTypes: [String: String] = [:],
    optionalParts: Set<String> = [], ownEntities: Set<String> = []
  ) {
    self.externalAttributes = externalAttributes
    self.integerTypes = integerTypes
    self.optionalParts = optionalParts
    self.ownEntities = ownEntities
    self.model = model
    self.numbers = numbers
    self.definitions = definitions
  }

  /// A copy with another description of the model; the tables do not change.
  /// - Parameter model: A model with the same entities; the version identifiers stay.
  func describing(_ model: ModelDescription) -> StoreCreation {
    StoreCreation(
      model: ModelDescription(
        entities: model.entities, versionIdentifiers: self.model.versionIdentifiers),
      numbers: numbers, definitions: definitions, externalAttributes: externalAttributes,
      integerTypes: integerTypes, optionalParts: optionalParts, ownEntities: ownEntities)
  }

  /// Creates all tables of an empty file, in the same order as Apple's framework.
  /// - Parameter describesModel: Whether the model is written into the file.
  package func create(_ connection: Connection, describesModel: Bool = true) throws {
    for statement in definitions {
      try connection.execute(statement.rendered(in: .sqlite).sql)
    }
    try connection.execute(
      """
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, \
      Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
      """)
    try createHistory(connection)
    let insert = try connection.prepare("INSERT INTO Z_PRIMARYKEY VALUES (?1, ?2, ?3, 0)")
    for entity in model.entities {
      try insert.bind(Int64(numbers[entity.name] ?? 0), at: 1)
      try insert.bind(entity.name, at: 2)
      try insert.bind(Int64(entity.superName.flatMap { numbers[$0] } ?? 0), at: 3)
      try insert.run()
    }
    let metadata = try connection.prepare("INSERT INTO Z_METADATA VALUES (1, ?1, ?2)")
    try metadata.bind(UUID().uuidString, at: 1)
    try metadata.bind(
      describesModel
        ? StoreMetadata.data(
          model, externalAttributes: externalAttributes, integerTypes: integerTypes,
          optionalParts: optionalParts) : Data(),
      at: 2)
    try metadata.run()
    if describesModel { try writeModelCache(connection) }
  }

  /// Writes the model into a file that already has its tables.
  /// - Parameters:
  ///   - metadata: The existing metadata dictionary of the file.
  ///   - removedEntities: Removed entities that occur in the history; `nil` keeps those of the
  ///     dictionary.
  ///   - lastKeysOfEarlierEntities: The last keys of entities whose names no entity continues; `nil`
  ///     keeps those of the dictionary.
  ///   - lowestKeyOfDeletedRows: The lowest key in identifiers of deleted rows; `nil` keeps that of the
  ///     dictionary.
  package func describe(
    _ session: any SQLSession, _ dialect: SQLDialect = .sqlite, replacing metadata: Data,
    removedEntities: [Int: String]? = nil, lastKeysOfEarlierEntities: [String: Int64]? = nil,
    lowestKeyOfDeletedRows: Int64? = nil
  ) throws {
    let known = StoreMetadata(metadata)
    func isOfOther(_ attribute: String) -> Bool {
      let entity = attribute.entityOfAttribute
      return !ownEntities.contains(entity) && model[entity] != nil
    }
    let description = try StoreMetadata.data(
      model, replacing: metadata,
      externalAttributes: externalAttributes
        + (known?.externalAttributes ?? []).filter(isOfOther),
      integerTypes: integerTypes.merging(
        (known?.integerTypes ?? [:]).filter { isOfOther($0.key) }, uniquingKeysWith: { $1 }),
      optionalParts: optionalParts.union((known?.optionalParts ?? []).filter(isOfOther)),
      recordsForm: {
        ownEntities.contains($0.entityOfAttribute) || known?.compositeForms?[$0] != nil
      },
      recordsList: {
        ownEntities.contains($0.entityOfAttribute) || known?.listTypes?[$0] != nil
      },
      removedEntities: removedEntities, lastKeysOfEarlierEntities: lastKeysOfEarlierEntities,
      lowestKeyOfDeletedRows: lowestKeyOfDeletedRows)
    let first = "\(dialect.placeholder)1"
    try session.statement("UPDATE \"Z_METADATA\" SET \"Z_PLIST\" = \(first)")
      .run(.values([.blob(description)]))
    let table =
      dialect == .sqlite
      ? "Z_MODELCACHE (Z_CONTENT BLOB)" : "\"Z_MODELCACHE\" (\"Z_CONTENT\" BYTEA)"
    try session.execute(
      "CREATE TABLE IF NOT EXISTS \(table); DELETE FROM \"Z_MODELCACHE\"")
    try session.statement("INSERT INTO \"Z_MODELCACHE\" VALUES (\(first))")
      .run(.values([.blob(try ModelCache.encode(model))]))
  }

  /// Creates the tables of the history, with columns for the preserved values of every entity.
  func createHistory(_ session: any SQLSession, _ dialect: SQLDialect = .sqlite) throws {
    for statement in HistoryTables(for: model).creationStatements(for: dialect) {
      try session.execute(statement.rendered(in: dialect).sql)
    }
  }

  /// The number of columns for preserved values: the largest number that an entity needs.
  var tombstoneCount: Int { HistoryTables(for: model).tombstoneCount }

  private func writeModelCache(_ connection: Connection) throws {
    let insert = try connection.prepare("INSERT INTO Z_MODELCACHE VALUES (?1)")
    try insert.bind(try ModelCache.encode(model), at: 1)
    try insert.run()
  }
}

extension StoreCreation {
  /// - Parameter version: The version identifier for a new file; `nil` uses that of the schema.
  package init(_ mapping: SchemaMapping, version: String? = nil) {
    let model = mapping.layout.model
    self.init(
      model: version.map {
        ModelDescription(entities: model.entities, versionIdentifiers: [$0])
      } ?? model, numbers: mapping.layout.numbers,
      definitions: mapping.creationStatements, externalAttributes: mapping.externalAttributes,
      integerTypes: mapping.integerTypes, optionalParts: mapping.optionalParts,
      ownEntities: Set(mapping.entities.map(\.name)))
  }
}

extension String {
  /// The entity in an attribute's name in the metadata: `Photo` of `Photo.data`.
  var entityOfAttribute: String { String(prefix { $0 != "." }) }
}
