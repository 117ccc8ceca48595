import Foundation
import SwiftData
import Testing

/// Each single change of models, with stores that are empty, small (tables are made anew) and large (tables are
/// altered), by itself and as a stage of a plan. The rows have a superclass and a subclass, structs, values
/// in files and links; what goes on is compared by plain SQL, what is new through the models.
@Suite struct MigrationMatrixTests {
  enum Size: CaseIterable { case empty, small, large }
  enum Way: CaseIterable { case alone, stage }

  /// A change: the version behind it, and what is checked besides.
  struct Change: CustomTestStringConvertible, Sendable {
    let version: any VersionedSchema.Type
    let plan: any SchemaMigrationPlan.Type
    /// Columns and tables with other names.
    var names: [String: String] = [:]
    /// Columns whose values change their form.
    var changed: Set<String> = []
    /// The properties of each item, by key, that the history tells as changed.
    var told: [[String]] = []
    let check: @Sendable (ModelContext) throws -> Void

    init<V: VersionedSchema>(
      _ version: V.Type, names: [String: String] = [:], changed: Set<String> = [],
      told: [[String]] = [], check: @escaping @Sendable (ModelContext) throws -> Void
    ) {
      (self.version, plan) = (version, Plan<V>.self)
      (self.names, self.changed, self.told, self.check) = (names, changed, told, check)
    }

    var testDescription: String { "\(version)" }
  }

  enum Plan<V: VersionedSchema>: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Matrix.Base.self, V.self] }
    static var stages: [MigrationStage] {
      [.custom(fromVersion: Matrix.Base.self, toVersion: V.self, willMigrate: nil, didMigrate: nil)]
    }
  }

  static let large = Data(repeating: 7, count: 200_000)
  static let small = Data([1, 2])

  private let store: MigratedStore

  /// The stores that the tests begin with.
  private static let templates = Result {
    try Dictionary(uniqueKeysWithValues: Size.allCases.map { ($0, try template($0)) })
  }

  private init(_ size: Size) throws {
    let templates = try Self.templates.get()
    store = try MigratedStore(copying: #require(templates[size]))
  }

  init() throws { try self.init(.small) }

  private static func template(_ size: Size) throws -> TemporaryFolder {
    let store = try MigratedStore()
    try store.make(Matrix.Base.models) { context in
      if size == .empty { return }
      let groups = ["x", "y"].map(Matrix.Base.Group.init)
      for group in groups { context.insert(group) }
      for number in 0..<4 {
        let name = "item \(number)"
        let item = number < 2 ? Matrix.Base.Item(name) : Matrix.Base.Special(name)
        context.insert(item)
        (item.count, item.note) = (number, number == 0 ? "note" : nil)
        item.size = Matrix.Size(width: Double(number), height: 9)
        item.photo = number == 1 ? Self.large : Self.small
        item.text = number == 2 ? Self.large : nil
        item.group = number == 3 ? nil : groups[number % 2]
        guard let special = item as? Matrix.Base.Special else { continue }
        special.bonus = number * 10
        special.extra = number == 2 ? nil : Matrix.Size(width: 3, height: 4)
        special.scan = number == 2 ? Self.large : nil
      }
    }
    return store.folder
  }

  @Test(arguments: MigrationMatrixTests.changes, Size.allCases)
  func whatGoesOnIsKept(_ change: Change, _ size: Size) throws {
    for way in Way.allCases {
      let test = try MigrationMatrixTests(size)
      try SchemaChange.$smallTable.withValue(size == .small ? 20_000 : 0) {
        try test.migrate(change, size, way)
      }
    }
  }

  private func migrate(_ change: Change, _ size: Size, _ way: Way) throws {
    let before = try values()
    let context = ModelContext(
      try ModelContainer(
        for: Schema(change.version.models, version: change.version.versionIdentifier),
        migrationPlan: way == .alone ? nil : change.plan,
        configurations: ModelConfiguration(url: store.url)))
    let isAlone = way == .alone
    // Without a plan nobody says that a model with rows is gone, and a delete rule makes no other version.
    let hasNoRow = size != .empty && change.version == Matrix.Fewer.self
    if !isAlone || !hasNoRow && change.version != Matrix.Rules.self {
      try store.expectLikeNew(
        change.version.models, version: change.version.versionIdentifier)
    }
    let after = try values()
    for (name, rows) in before where !change.changed.contains(name) {
      guard let found = after[change.names[name] ?? name] else { continue }
      #expect(found == rows, "\(name), \(size), \(way)")
    }
    if size == .small, way == .stage {
      let (status, text) = try StoreJudge.judge([store.url])
      #expect(status == 0, "\(text)")
    }
    let check = try ExternalFilesCheck(of: store.url)
    #expect(check.orphans.isEmpty && check.missing.isEmpty)
    let told = try told(context)
    #expect(told.items == (size == .empty ? [] : change.told), "\(size), \(way)")
    let isTold = hasNoRow && way == .stage
    #expect(told.others == (isTold ? ["Group 1: gone", "Group 2: gone"] : []), "\(size), \(way)")
    if size == .empty { return }
    try change.check(context)
    #expect(context.unreadableValues.isEmpty)
  }

  /// The values of all columns of the rows, by table and column.
  private func values() throws -> [String: [String]] {
    var values: [String: [String]] = [:]
    let tables = try SQLiteFile.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'Z[A-Z]*'", in: store.url)
    for table in tables {
      for column in try SQLiteFile.texts(
        "SELECT name FROM pragma_table_info('\(table)') WHERE name NOT IN ('Z_ENT', 'Z_OPT')",
        in: store.url)
      {
        values["\(table).\(column)"] = try SQLiteFile.texts(
          "SELECT quote(\(column)) FROM \(table) ORDER BY Z_PK", in: store.url)
      }
    }
    return values
  }

  /// What the history tells of the migration.
  private func told(_ context: ModelContext) throws -> (items: [[String]], others: [String]) {
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .filter { $0.contextName?.hasPrefix("migration") ?? false }
    #expect(transactions.count < 2)
    func names<U: HistoryUpdate>(_ update: U) -> [String] {
      let descriptor = U.Model._$descriptor
      return update.updatedAttributes.compactMap { path in
        descriptor.slot(for: path as PartialKeyPath<U.Model>).map {
          descriptor.properties[$0].name
        }
      }.sorted()
    }
    var items: [Int64: [String]] = [:]
    var others: [String] = []
    for change in transactions.flatMap(\.changes) {
      let identifier = change.changedPersistentIdentifier
      if case .update(let update) = change {
        items[identifier.rowKey ?? 0] = names(update)
      } else {
        others.append("\(identifier.entityName) \(identifier.rowKey ?? 0): gone")
      }
    }
    return (items.sorted { $0.key < $1.key }.map(\.value), others.sorted())
  }

  private static func all<T: PersistentModel>(_ context: ModelContext) throws -> [T] {
    try context.fetch(FetchDescriptor<T>()).sorted {
      $0.persistentModelID.rowKey ?? 0 < $1.persistentModelID.rowKey ?? 0
    }
  }

  // MARK: Changes

  static let changes: [Change] = values + links

  /// Two values of four, in the column of another form.
  private static let photos = [small, large, small, small]

  private static let values = [
    Change(
      Matrix.Added.self,
      // The new struct comes first in the order of names.
      names: [
        "ZITEM.ZWIDTH": "ZITEM.ZWIDTH1", "ZITEM.ZWIDTH1": "ZITEM.ZWIDTH2",
        "ZITEM.ZHEIGHT": "ZITEM.ZHEIGHT1", "ZITEM.ZHEIGHT1": "ZITEM.ZHEIGHT2",
      ],
      told: [
        ["kind", "place", "token"], ["kind", "place", "token"],
        ["award", "kind", "place", "token"], ["award", "kind", "place", "token"],
      ]
    ) { context in
      let items: [Matrix.Added.Item] = try all(context)
      #expect(items.map(\.count) == [0, 1, 2, 3] && items.allSatisfy { $0.rank == nil })
      #expect(Set(items.map(\.token)).count == 4 && items.allSatisfy { $0.kind == .small })
      #expect(items.allSatisfy { $0.place == Matrix.Size(width: 4, height: 5) })
      #expect(items.map(\.size.width) == [0, 1, 2, 3] && items.map(\.photo) == photos)
      let specials: [Matrix.Added.Special] = try all(context)
      #expect(specials.map(\.bonus) == [20, 30] && specials.map(\.award) == [2.5, 2.5])
      #expect(specials.map(\.blob) == [nil, nil] && specials.map(\.scan) == [large, nil])
      #expect(specials.map(\.extra) == [nil, Matrix.Size(width: 3, height: 4)])
    },
    Change(Matrix.Removed.self) { context in
      let items: [Matrix.Removed.Item] = try all(context)
      #expect(items.map(\.name) == (0..<4).map { "item \($0)" })
      #expect(items.compactMap { ($0 as? Matrix.Removed.Special)?.bonus } == [20, 30])
      #expect(items.map(\.group?.name) == ["x", "y", "x", nil])
    },
    Change(
      Matrix.Renamed.self,
      names: [
        "ZITEM.ZNAME": "ZITEM.ZTITLE", "ZITEM.ZCOUNT": "ZITEM.ZNUMBER",
        "ZITEM.ZNOTE": "ZITEM.ZREMARK", "ZITEM.ZPHOTO": "ZITEM.ZIMAGE",
        "ZITEM.ZTEXT": "ZITEM.ZBODY",
        "ZITEM.ZGROUP": "ZITEM.ZSET", "ZITEM.ZBONUS": "ZITEM.ZAWARD", "ZITEM.ZSCAN": "ZITEM.ZCOPY",
        // The places of the structs in the order of names are exchanged.
        "ZITEM.ZWIDTH": "ZITEM.ZWIDTH1", "ZITEM.ZWIDTH1": "ZITEM.ZWIDTH",
        "ZITEM.ZHEIGHT": "ZITEM.ZHEIGHT1", "ZITEM.ZHEIGHT1": "ZITEM.ZHEIGHT",
      ],
      changed: ["ZITEM.ZWIDTH", "ZITEM.ZWIDTH1", "ZITEM.ZHEIGHT", "ZITEM.ZHEIGHT1"]
    ) { context in
      let items: [Matrix.Renamed.Item] = try all(context)
      #expect(items.map(\.title) == (0..<4).map { "item \($0)" })
      #expect(items.map(\.extent.width) == [0, 1, 2, 3] && items.map(\.image) == photos)
      #expect(items.map(\.body) == [nil, nil, large, nil] && items.map(\.remark)[0] == "note")
      #expect(items.map(\.set?.name) == ["x", "y", "x", nil])
      let specials: [Matrix.Renamed.Special] = try all(context)
      #expect(specials.map(\.award) == [20, 30] && specials.map(\.copy) == [large, nil])
      #expect(specials.map(\.more) == [nil, Matrix.Size(width: 3, height: 4)])
    },
    Change(
      Matrix.Optional.self,
      changed: [
        "ZITEM.ZNOTE", "ZITEM.ZTEXT", "ZITEM.ZSCAN", "ZITEM.ZWIDTH", "ZITEM.ZHEIGHT",
        "ZITEM.ZWIDTH1", "ZITEM.ZHEIGHT1",
      ],
      told: [["text"], ["note", "text"], ["extra", "note"], ["note", "scan", "text"]]
    ) { context in
      let items: [Matrix.Optional.Item] = try all(context)
      #expect(items.map(\.note) == ["note", "none", "none", "none"])
      #expect(items.map(\.text) == [Data([8]), Data([8]), large, Data([8])])
      #expect(items.map(\.size?.width) == [0, 1, 2, 3] && items.map(\.photo) == photos)
      let specials: [Matrix.Optional.Special] = try all(context)
      #expect(specials.map(\.bonus) == [20, 30] && specials.map(\.scan) == [large, Data([7])])
      #expect(specials.map(\.extra.width) == [6, 3])
    },
    Change(Matrix.Wider.self, changed: ["ZITEM.ZCOUNT", "ZITEM.ZBONUS"]) { context in
      let items: [Matrix.Wider.Item] = try all(context)
      #expect(items.map(\.count) == [0, 1, 2, 3])
      #expect(items.compactMap { ($0 as? Matrix.Wider.Special)?.bonus } == [20, 30])
    },
    Change(Matrix.Moved.self, changed: ["ZITEM.ZPHOTO", "ZITEM.ZTEXT", "ZITEM.ZSCAN"]) { context in
      let items: [Matrix.Moved.Item] = try all(context)
      #expect(items.map(\.photo) == photos && items.map(\.text) == [nil, nil, large, nil])
      #expect(items.compactMap { ($0 as? Matrix.Moved.Special)?.scan } == [large])
    },
    Change(
      Matrix.Composed.self, told: [["size"], ["size"], ["size"], ["extra", "size"]]
    ) { context in
      let items: [Matrix.Composed.Item] = try all(context)
      #expect(items.map(\.size.width) == [0, 1, 2, 3] && items.allSatisfy { $0.size.depth == nil })
      let specials: [Matrix.Composed.Special] = try all(context)
      #expect(specials.map(\.extra?.width) == [nil, 3])
    },
    Change(Matrix.Unique.self) { context in
      context.insert(Matrix.Unique.Item("item 1"))
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Matrix.Unique.Item>()) == 4)
    },
  ]

  private static let links = [
    Change(Matrix.Rules.self) { context in
      let groups: [Matrix.Rules.Group] = try all(context)
      #expect(groups.map(\.items.count) == [2, 1])
      context.delete(groups[0])
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Matrix.Rules.Item>()) == 2)
    },
    Change(Matrix.OneWay.self) { context in
      let items: [Matrix.OneWay.Item] = try all(context)
      #expect(items.map(\.group?.name) == ["x", "y", "x", nil])
    },
    Change(Matrix.Paired.self) { context in
      let items: [Matrix.Paired.Item] = try all(context)
      #expect(items.map { $0.groups.map(\.name) } == [["x"], ["y"], ["x"], []])
      let groups: [Matrix.Paired.Group] = try all(context)
      #expect(groups.map(\.items.count) == [2, 1])
    },
    Change(Matrix.Models.self) { context in
      let rare = Matrix.Models.Rare("rare")
      rare.owner = Matrix.Models.Owner()
      context.insert(rare)
      try context.save()
      let items: [Matrix.Models.Item] = try all(context)
      #expect(items.count == 5 && items.last is Matrix.Models.Rare)
      #expect(items.compactMap { ($0 as? Matrix.Models.Special)?.bonus } == [20, 30])
      #expect(items.map(\.group?.name) == ["x", "y", "x", nil, nil])
    },
    Change(Matrix.Fewer.self) { context in
      let items: [Matrix.Fewer.Item] = try all(context)
      #expect(items.map(\.name) == (0..<4).map { "item \($0)" } && items.map(\.photo) == photos)
    },
    Change(Matrix.Raised.self) { context in
      let items: [Matrix.Raised.Item] = try all(context)
      #expect(items.map(\.bonus) == [nil, nil, 20, 30])
      #expect(items.map(\.scan) == [nil, nil, large, nil])
      #expect(items.compactMap { ($0 as? Matrix.Raised.Special)?.extra?.width } == [3])
    },
    Change(
      Matrix.Named.self,
      names: [
        "NAME", "COUNT", "NOTE", "PHOTO", "TEXT", "GROUP", "BONUS", "SCAN", "WIDTH", "WIDTH1",
        "HEIGHT",
      ].reduce(into: ["ZGROUP.ZNAME": "ZBUNDLE.ZNAME"]) { $0["ZITEM.Z\($1)"] = "ZTHING.Z\($1)" }
    ) { context in
      let things: [Matrix.Named.Thing] = try all(context)
      #expect(things.map(\.group?.name) == ["x", "y", "x", nil] && things.map(\.photo) == photos)
      #expect(things.compactMap { ($0 as? Matrix.Named.Extra)?.bonus } == [20, 30])
      let bundles: [Matrix.Named.Bundle] = try all(context)
      #expect(bundles.map(\.items.count) == [2, 1])
    },
  ]

  @Test(arguments: [Int64(20_000), 0]) func aPropertyMovesToTheSubclass(_ size: Int64) throws {
    try SQLiteFile.execute("UPDATE ZITEM SET ZNOTE = Z_PK", in: store.url)
    try SQLiteFile.execute(
      "UPDATE ZITEM SET ZNOTE = NULL WHERE Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Item')",
      in: store.url)
    try SchemaChange.$smallTable.withValue(size) {
      let context = try store.open(Matrix.Lowered.models)
      let specials: [Matrix.Lowered.Special] = try Self.all(context)
      #expect(specials.map(\.note) == ["3", "4"] && specials.map(\.bonus) == [20, 30])
    }
  }
}
