import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataStoreFormat
import SwiftData
import Testing

/// Files of random models, judged by a program that shares no code with the library.
@Suite struct RandomStoreFiles {
  private static let count =
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_RANDOM_FILES"].flatMap(Int.init) ?? 40
  private static let seed =
    ProcessInfo.processInfo.environment["OPENSWIFTDATA_RANDOM_SEED"].flatMap(UInt64.init) ?? 1

  @Test func whatIsWrittenFollowsFromTheModelInTheFile() throws {
    let folder = try TemporaryFolder()
    var files: [URL] = []
    for seed in Self.seed..<(Self.seed + UInt64(Self.count)) {
      let model = RandomModel(seed: seed).description
      let url = folder.url.appending(path: "random-\(seed).store")
      let connection = try Connection(path: url.path)
      let layout = StoreLayout(model, numbers: model.freshNumbers)
      try connection.transaction(.immediate) {
        try StoreCreation(
          model: model, numbers: layout.numbers, definitions: layout.creationStatements
        ).create(connection)
      }
      let cache = try SQLiteFile.data("SELECT Z_CONTENT FROM Z_MODELCACHE", in: url)
      #expect(try ModelCache.decode(cache) == model, "seed \(seed)")
      files.append(url)
    }
    let (status, text) = try StoreJudge.judge(files)
    #expect(status == 0, "\(text)")
  }

  /// A judge that finds nothing is none.
  @Test func theJudgeFindsWhatIsWrong() throws {
    let folder = try TemporaryFolder()
    _ = try ModelContainer(
      for: Schema(Library.types), configurations: ModelConfiguration(url: folder.store))
    #expect(try StoreJudge.judge([folder.store]).status == 0)
    for sql in [
      "ALTER TABLE ZBOOK ADD COLUMN ZMORE INTEGER", "CREATE INDEX more ON ZBOOK (ZTITLE)",
      "UPDATE Z_PRIMARYKEY SET Z_ENT = 40 WHERE Z_NAME = 'Book'",
    ] {
      let other = folder.url.appending(path: "other.store")
      try? FileManager.default.removeItem(at: other)
      try SQLiteFile.execute("VACUUM INTO '\(other.path)'", in: folder.store)
      try SQLiteFile.execute(sql, in: other)
      #expect(try StoreJudge.judge([other]).status == 1, "\(sql)")
    }
  }

  /// Files of the models of other tests.
  @Test(arguments: [
    Library.types, Numbered.types, [Everything.self], [Scheduler.Task.self],
    [Garage.Car.self, Garage.SportCar.self, Garage.ExpensiveSportCar.self],
    [Publishing.GraphicNovel.self, Publishing.Author.self], [Table.self], [Recipe.self, Chef.self],
  ])
  func filesOfModels(_ types: [any PersistentModel.Type]) throws {
    let folder = try TemporaryFolder()
    _ = try ModelContainer(
      for: Schema(types), configurations: ModelConfiguration(url: folder.store))
    let (status, text) = try StoreJudge.judge([folder.store])
    #expect(status == 0, "\(text)")
  }
}

/// `Scripts/check-store`.
enum StoreJudge {
  static func judge(_ files: [URL]) throws -> (status: Int32, text: String) {
    let script = URL(filePath: #filePath).appending(path: "../../../../Scripts/check-store")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", script.standardized.path, "--quiet"] + files.map(\.path)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}

/// A model that a seed makes.
struct RandomModel {
  private var generator: SeededRandom
  private var entities: [EntityDescription] = []

  init(seed: UInt64) {
    generator = SeededRandom(seed)
    make()
  }

  var description: ModelDescription {
    ModelDescription(entities: entities, versionIdentifiers: ["1.0.0"])
  }

  /// Few names, so that columns clash.
  private static let names = ["a", "b1", "hour", "id", "Name", "x_0", "größe", "_0", "key"]
  private static let types = AttributeType.allCases.filter { $0 != .composite }

  private mutating func make() {
    let names = ["Alpha", "Beta", "Beta2", "Gamma", "Task"].prefix(
      Int.random(in: 1...5, using: &generator))
    var properties: [String: [PropertyDescription]] = [:]
    var above: [String: String] = [:]
    for (place, name) in names.enumerated() where place > 0 && Bool.random(using: &generator) {
      above[name] = names.prefix(place).randomElement(using: &generator)
    }
    func used(_ name: String) -> Set<String> {
      // A property is declared once in a hierarchy.
      var root = name
      while let parent = above[root] { root = parent }
      func below(_ name: String) -> [String] {
        [name] + names.filter { above[$0] == name }.flatMap(below)
      }
      return Set(below(root).flatMap { properties[$0] ?? [] }.map(\.name))
    }
    for name in names {
      for _ in 0..<Int.random(in: 0...6, using: &generator) {
        let property = Self.names.randomElement(using: &generator) ?? "a"
        if used(name).contains(property) { continue }
        properties[name, default: []].append(.attribute(attribute(property, depth: 0)))
      }
      for number in 0..<Int.random(in: 0...2, using: &generator) {
        guard let destination = names.randomElement(using: &generator) else { continue }
        let (own, back) = ("to\(name)\(number)", "from\(name)\(number)")
        var link = RelationshipDescription(
          name: own, destination: destination, isOptional: .random(using: &generator),
          maximumCount: Bool.random(using: &generator) ? 1 : 0, deleteRule: .cascade)
        if Bool.random(using: &generator) {
          link.inverse = back
          var inverse = RelationshipDescription(
            name: back, destination: name, inverse: own, isOptional: true,
            maximumCount: Bool.random(using: &generator) ? 1 : 0)
          inverse.renamingIdentifier = back
          properties[destination, default: []].append(.relationship(inverse))
        }
        link.renamingIdentifier = own
        properties[name, default: []].append(.relationship(link))
      }
    }
    entities = names.map { name in
      let own = properties[name] ?? []
      let plain = own.compactMap(\.attribute).filter { $0.type != .composite }.map(\.name)
      let indexed = plain.shuffled(using: &generator).prefix(2)
      return EntityDescription(
        name: name, superName: above[name],
        properties: own.map { property in
          guard case .attribute(var attribute) = property else { return property }
          attribute.isIndexed = indexed.contains(attribute.name)
          return .attribute(attribute)
        },
        uniqueConstraints: plain.shuffled(using: &generator).prefix(1).map { [$0] },
        indexes: indexed.isEmpty
          ? []
          : [
            IndexDescription(
              name: "SwiftDataIndexOnBinary\(indexed.joined())", elements: indexed.map { .init($0) }
            )
          ], renamingIdentifier: name)
    }
  }

  private mutating func attribute(_ name: String, depth: Int) -> AttributeDescription {
    var made: AttributeDescription
    if depth < 2, Int.random(in: 0..<4, using: &generator) == 0 {
      made = AttributeDescription(
        name: name, type: .composite, isOptional: .random(using: &generator))
      let parts = Self.names.shuffled(using: &generator).prefix(3)
      for part in parts { made.elements.append(attribute(part, depth: depth + 1)) }
    } else {
      made = AttributeDescription(
        name: name, type: Self.types.randomElement(using: &generator) ?? .string,
        isOptional: .random(using: &generator))
      made.preservesValueOnDeletion = depth == 0 && Int.random(in: 0..<8, using: &generator) == 0
      if made.type == .transformable { made.transformerName = "NSSecureUnarchiveFromData" }
      if made.type == .integer64, Bool.random(using: &generator) {
        made.defaultValue = .integer(Int64.random(in: -9...9, using: &generator))
      }
    }
    made.renamingIdentifier = name
    made.valueClassName = made.type.valueClassName ?? "Array<String>"
    return made
  }
}
