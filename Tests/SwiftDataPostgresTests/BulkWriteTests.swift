import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

@Model
final class Sample {
  var number: Int
  var text: String
  var note: String?
  var integer: Int64
  var unsigned: UInt64
  var small: Int16?
  var real: Double
  var float: Float?
  var decimal: Decimal
  var flag: Bool
  var date: Date?
  var uuid: UUID
  var data: Data?
  var list: [String]
  var spot: Spot?
  @Attribute(.externalStorage) var image: Data?
  var parent: Sample?

  init(_ number: Int, _ random: inout some RandomNumberGenerator) {
    func pick<T>(_ values: T...) -> T { values.randomElement(using: &random)! }
    self.number = number
    text = pick("", "plain", "é e\u{301} 👩‍👩‍👧", "\\N\t\n", String(repeating: "x", count: 9000))
    note = pick(nil, "", "a note")
    integer = pick(.min, .max, 0, -1)
    unsigned = pick(.max, 0, 1 << 63)
    small = pick(nil, .min, .max)
    real = pick(.infinity, -.infinity, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1)
    float = pick(nil, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1)
    decimal = pick(
      0, -0.1, Decimal(string: "12345678901234567890123456789012345678")!,
      Decimal(string: "1e-100")!, Decimal(string: "1e100")!, 123.75)
    flag = pick(true, false)
    date = pick(nil, Date(timeIntervalSinceReferenceDate: 0.123_456_789), .distantPast)
    uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, pick(0, 255)))
    data = pick(nil, Data(), Data(0...255), Data(repeating: 0, count: 20_000))
    list = pick([], ["a", ""])
    spot = pick(nil, Spot(x: 1.5, label: nil), Spot(x: -0.0, label: "here"))
    image = pick(nil, Data(), Data(repeating: 5, count: 30_000))
  }
}

@Model
final class Coupon {
  @Attribute(.unique) var code: String
  var value: Int

  init(_ code: String, _ value: Int) {
    self.code = code
    self.value = value
  }
}

/// Saves of many rows, which are copied, beside saves of single rows.
@Suite(.enabled(if: PostgresServer.isAvailable))
struct BulkWriteTests {
  private func store(
    keeping retention: HistoryRetention? = nil
  ) throws -> (container: ModelContainer, connection: PostgresConnection) {
    let url = try PostgresServer.shared.addressOfNewSchema()
    var configuration = try PostgresConfiguration(url: url)
    configuration.historyRetention = retention
    let container = try ModelContainer(
      for: Sample.self, Coupon.self, configurations: configuration)
    return (container, try PostgresConnection(ConnectionParameters(url)))
  }

  private func rows(_ sql: String, _ connection: PostgresConnection) throws -> [[PostgresValue]] {
    try connection.prepare(sql).values()
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func copiedRowsEqualRowsThatAreSavedOneByOne(_ seed: UInt64) throws {
    let (many, manyConnection) = try store()
    let (single, singleConnection) = try store()
    func make(_ random: inout NumberSequence) -> [Sample] {
      (0..<300).map { Sample($0, &random) }
    }
    var random = NumberSequence(seed)
    let context = ModelContext(many)
    for sample in make(&random) { context.insert(sample) }
    try context.save()
    random = NumberSequence(seed)
    let other = ModelContext(single)
    for sample in make(&random) {
      other.insert(sample)
      try other.save()
    }
    let sql = "SELECT \"ZSAMPLE\"::text FROM \"ZSAMPLE\" ORDER BY \"ZNUMBER\""
    let (copied, saved) = try (rows(sql, manyConnection), rows(sql, singleConnection))
    #expect(copied.count == 300)
    #expect(copied == saved)
    // Both are read as they were made.
    random = NumberSequence(seed)
    let expected = (0..<300).map { Sample($0, &random) }
    let found = try ModelContext(many).fetch(
      FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.number)]))
    for (sample, value) in zip(found, expected) {
      #expect(sample.text == value.text && sample.note == value.note)
      #expect(sample.integer == value.integer && sample.unsigned == value.unsigned)
      #expect(sample.small == value.small && sample.float == value.float)
      #expect(sample.real.bitPattern == value.real.bitPattern)
      #expect(sample.decimal == value.decimal && sample.flag == value.flag)
      #expect(sample.date == value.date && sample.uuid == value.uuid)
      #expect(sample.data == value.data && sample.list == value.list)
      #expect(sample.spot == value.spot && sample.image == value.image)
    }
    let history = try ModelContext(many).fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.map(\.changes.count) == [300])
  }

  @Test func newRowsThatReferToEachOtherAreCopied() throws {
    let (container, _) = try store()
    let context = ModelContext(container)
    var random = NumberSequence(9)
    let samples = (0..<200).map { Sample($0, &random) }
    for sample in samples { context.insert(sample) }
    for (sample, parent) in zip(samples, samples.dropFirst()) { sample.parent = parent }
    try context.save()
    let found = try ModelContext(container).fetch(
      FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.number)]))
    #expect(found.map { $0.parent?.number } == (1..<200).map { $0 } + [nil])
  }

  @Test(arguments: [[], [0], [199], [3, 4, 150]], [[], [7]])
  func amongManyNewModelsSomeBecomeStoredRows(_ stored: [Int], _ repeated: [Int]) throws {
    let (container, connection) = try store()
    let context = ModelContext(container)
    for index in stored { context.insert(Coupon("code \(index)", -1)) }
    try context.save()
    let other = ModelContext(container)
    for index in 0..<200 { other.insert(Coupon("code \(index)", index)) }
    for index in repeated { other.insert(Coupon("code \(index)", 1000)) }
    try other.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Coupon>())
    let values = Dictionary(
      found.map { ($0.code, $0.value) }, uniquingKeysWith: { _, _ in Int.min })
    var expected = Dictionary(
      uniqueKeysWithValues: (0..<200).map { ("code \($0)", $0) })
    for index in repeated { expected["code \(index)"] = 1000 }
    #expect(values == expected)
    #expect(
      try rows("SELECT count(*) FROM \"ZCOUPON\"", connection) == [[.integer(200)]])
  }

  /// Makes the server note each statement of a kind in the table `noted`.
  private func countStatements(
    _ kind: String, on table: String, _ connection: PostgresConnection
  ) throws {
    try connection.execute(
      """
      CREATE TABLE noted (x BIGINT);
      CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO noted VALUES (1); RETURN NULL; END';
      CREATE TRIGGER note AFTER \(kind) ON "\(table)" FOR EACH STATEMENT EXECUTE FUNCTION note()
      """)
  }

  /// The first 32 rows show whether models are new. COPY is one statement for 128; 40 are too few for it.
  @Test func manyNewModelsWithUniqueValuesAreCopied() throws {
    let (container, connection) = try store()
    try countStatements("INSERT", on: "ZCOUPON", connection)
    let context = ModelContext(container)
    for index in 0..<200 { context.insert(Coupon("code \(index)", index)) }
    try context.save()
    #expect(try rows("SELECT count(*) FROM \"ZCOUPON\"", connection) == [[.integer(200)]])
    #expect(try rows("SELECT count(*) FROM noted", connection) == [[.integer(73)]])
  }

  /// Updated rows move to the end of the table. Without an order, models have that of the keys, so that
  /// batches are ranges of keys.
  @Test func modelsAreEnumeratedInTheOrderOfTheirKeys() throws {
    let (container, connection) = try store()
    let context = ModelContext(container)
    for index in 0..<200 { context.insert(Coupon("code \(index)", index)) }
    try context.save()
    try connection.execute("UPDATE \"ZCOUPON\" SET \"Z_OPT\" = 2 WHERE \"ZVALUE\" % 7 = 0")
    var values: [Int] = []
    try ModelContext(container).enumerate(FetchDescriptor<Coupon>(), batchSize: 70) {
      values.append($0.value)
    }
    #expect(values == Array(0..<200))
  }

  @Test func aKeyThatAnotherProgramHasTakenLeavesNothing() throws {
    let (container, connection) = try store()
    let context = ModelContext(container)
    try connection.execute(
      "ALTER TABLE \"ZSAMPLE\" ADD CONSTRAINT no_150 CHECK (\"ZNUMBER\" <> 150)")
    var random = NumberSequence(1)
    for index in 0..<200 { context.insert(Sample(index, &random)) }
    #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(try rows("SELECT count(*) FROM \"ZSAMPLE\"", connection) == [[.integer(0)]])
    try connection.execute("ALTER TABLE \"ZSAMPLE\" DROP CONSTRAINT no_150")
    try context.save()
    #expect(try rows("SELECT count(*) FROM \"ZSAMPLE\"", connection) == [[.integer(200)]])
  }

  @Test(arguments: [1, 3, 20, 300])
  func aTextWithANullCharacterIsRefusedAndNamed(_ count: Int) throws {
    let (container, connection) = try store()
    let context = ModelContext(container)
    var random = NumberSequence(1)
    let samples = (0..<count).map { Sample($0, &random) }
    for sample in samples { context.insert(sample) }
    samples[count / 2].note = "a\0b"
    do {
      try context.save()
      Issue.record("the text was stored")
    } catch let error as SwiftDataError {
      #expect("\(error)".contains("U+0000"))
      #expect("\(error)".contains("note"))
      #expect("\(error)".contains("Sample"))
    }
    #expect(try rows("SELECT count(*) FROM \"ZSAMPLE\"", connection) == [[.integer(0)]])
    samples[count / 2].note = "ab"
    try context.save()
    samples[count / 2].text = "c\0"
    do {
      try context.save()
      Issue.record("the text was stored")
    } catch let error as SwiftDataError {
      #expect("\(error)".contains("text"))
    }
    #expect(
      try ModelContext(container).fetchCount(FetchDescriptor<Sample>()) == count)
  }

  @Test func changedRowsAreUpdatedInOneRoundTrip() throws {
    let (container, connection) = try store()
    let context = ModelContext(container)
    for index in 0..<2000 { context.insert(Coupon("code \(index)", index)) }
    try context.save()
    let coupons = try context.fetch(FetchDescriptor<Coupon>())
    for coupon in coupons { coupon.value += 1 }
    try context.save()
    for coupon in coupons { coupon.value += 1 }
    let count = ExchangeCount()
    try ExchangeCount.$current.withValue(count) { try context.save() }
    #expect(count.value < 20)
    #expect(
      try rows("SELECT sum(\"ZVALUE\")::bigint, max(\"Z_OPT\") FROM \"ZCOUPON\"", connection)
        == [[.integer(2000 * 1999 / 2 + 4000), .integer(3)]])
  }

  /// The values that were changed last are stored, and the version counts one save.
  @Test(arguments: [4, 20])
  func twoInstancesOfARowAreChangedAmongOthers(_ count: Int) throws {
    let (container, connection) = try store()
    let context = ModelContext(container)
    let coupons = (0..<count).map { Coupon("code \($0)", 0) }
    for coupon in coupons { context.insert(coupon) }
    try context.save()
    let other = Coupon("code 2", 1)
    context.insert(other)
    try context.save()
    #expect(other.persistentModelID == coupons[2].persistentModelID)
    for coupon in coupons { coupon.value = 2 }
    other.value = 3
    try context.save()
    #expect(
      try rows(
        "SELECT \"ZVALUE\", \"Z_OPT\" FROM \"ZCOUPON\" WHERE \"ZCODE\" IN ('code 1', 'code 2') "
          + "ORDER BY \"ZCODE\"", connection)
        == [[.integer(2), .integer(2)], [.integer(3), .integer(3)]])
  }

  /// Many changed rows are written as lists of values, few with a statement for each.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func rowsThatAreChangedTogetherEqualRowsThatAreChangedOneByOne(_ seed: UInt64) throws {
    // Without the version: a parent is its child's child, so each save of one changes the other.
    let sql = """
      SELECT regexp_replace("ZSAMPLE"::text, '^(.\\d+,\\d+),\\d+', '\\1') FROM "ZSAMPLE" \
      ORDER BY "ZNUMBER"
      """
    func changed(savesEach: Bool) throws -> [[PostgresValue]] {
      let (container, connection) = try store()
      let context = ModelContext(container)
      var random = NumberSequence(seed)
      for index in 0..<200 { context.insert(Sample(index, &random)) }
      try context.save()
      let samples = try context.fetch(
        FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.number)]))
      for sample in samples {
        let new = Sample(0, &random)
        (sample.text, sample.note, sample.integer) = (new.text, new.note, new.integer)
        (sample.unsigned, sample.small, sample.real) = (new.unsigned, new.small, new.real)
        (sample.float, sample.decimal, sample.flag) = (new.float, new.decimal, new.flag)
        (sample.date, sample.uuid, sample.data) = (new.date, new.uuid, new.data)
        (sample.list, sample.spot, sample.image) = (new.list, new.spot, new.image)
        sample.parent = sample.number % 3 == 0 ? nil : samples[199 - sample.number]
        if savesEach { try context.save() }
      }
      try context.save()
      return try rows(sql, connection)
    }
    let together = try changed(savesEach: false)
    #expect(together.count == 200)
    #expect(together == (try changed(savesEach: true)))
  }

  /// One statement for each list of 1,000 rows.
  @Test func manyChangedRowsAreFewStatements() throws {
    let (container, connection) = try store()
    let context = ModelContext(container)
    for index in 0..<2500 { context.insert(Coupon("code \(index)", index)) }
    try context.save()
    try countStatements("UPDATE", on: "ZCOUPON", connection)
    for coupon in try context.fetch(FetchDescriptor<Coupon>()) { coupon.value += 1 }
    try context.save()
    #expect(try rows("SELECT count(*) FROM noted", connection) == [[.integer(3)]])
  }

  /// Pages have room for new versions of rows, so that updates do not write to the indexes.
  @Test func updatesLeaveTheIndexesAlone() throws {
    let (container, connection) = try store()
    let context = ModelContext(container)
    for index in 0..<1000 { context.insert(Coupon("code \(index)", index)) }
    try context.save()
    for coupon in try context.fetch(FetchDescriptor<Coupon>()) where coupon.value % 20 == 0 {
      coupon.value += 1
    }
    try context.save()
    // The connection of the store reports its counts when it has been idle for a second, or at its end.
    var counts: [[PostgresValue]] = []
    let deadline = ContinuousClock.now + .seconds(30)
    while counts != [[.integer(50), .integer(50)]], ContinuousClock.now < deadline {
      _ = try ModelContext(container).fetchCount(FetchDescriptor<Coupon>())
      Thread.sleep(forTimeInterval: 0.2)
      counts = try rows(
        """
        SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'ZCOUPON' \
        AND schemaname = current_schema()
        """, connection)
    }
    #expect(counts == [[.integer(50), .integer(50)]])
  }

  /// A list copies its values, so large rows are sent alone.
  @Test func aLargeRowDividesAList() throws {
    let (container, connection) = try store()
    let context = ModelContext(container)
    var random = NumberSequence(1)
    for index in 0..<20 { context.insert(Sample(index, &random)) }
    try context.save()
    try countStatements("UPDATE", on: "ZSAMPLE", connection)
    let samples = try context.fetch(FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.number)]))
    func data(_ number: Int) -> Data {
      Data(repeating: UInt8(number), count: [3, 7].contains(number) ? 1_500_000 : 10)
    }
    for sample in samples { sample.data = data(sample.number) }
    try context.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Sample>())
    #expect(found.count == 20 && found.allSatisfy { $0.data == data($0.number) })
    #expect(try rows("SELECT count(*) FROM noted", connection) == [[.integer(5)]])
  }

  /// The list would be one of truth values, or of whole numbers.
  @Test(arguments: [
    ("ZFLAG", "BIGINT", "\"ZFLAG\"::INTEGER"), ("ZNUMBER", "NUMERIC", "\"ZNUMBER\""),
  ])
  func columnsWithOtherTypesAreWrittenRowByRow(
    _ column: String, _ type: String, _ value: String
  ) throws {
    let (container, connection) = try store()
    let context = ModelContext(container)
    var random = NumberSequence(1)
    for index in 0..<20 { context.insert(Sample(index, &random)) }
    try context.save()
    try connection.execute(
      "ALTER TABLE \"ZSAMPLE\" ALTER \"\(column)\" TYPE \(type) USING \(value)")
    try countStatements("UPDATE", on: "ZSAMPLE", connection)
    for sample in try context.fetch(FetchDescriptor<Sample>()) {
      sample.flag.toggle()
      sample.number += 100
    }
    try context.save()
    #expect(try rows("SELECT count(*) FROM noted", connection) == [[.integer(20)]])
    #expect(
      try rows("SELECT sum(\"ZNUMBER\")::bigint FROM \"ZSAMPLE\"", connection)
        == [[.integer(20 * 100 + 190)]])
  }

  @Test func aChangedRowThatIsGoneIsFoundAmongMany() throws {
    let (container, connection) = try store()
    let context = ModelContext(container)
    for index in 0..<50 { context.insert(Coupon("code \(index)", index)) }
    try context.save()
    let coupons = try context.fetch(FetchDescriptor<Coupon>())
    for coupon in coupons { coupon.value += 100 }
    try connection.execute("DELETE FROM \"ZCOUPON\" WHERE \"ZVALUE\" IN (7, 30)")
    // The context drops models whose rows are gone, or refuses the save; either way no row comes back.
    try? context.save()
    #expect(try rows("SELECT count(*) FROM \"ZCOUPON\"", connection) == [[.integer(48)]])
  }

  @Test func aUniqueValueThatIsTakenIsFoundAmongManyChanges() throws {
    let (container, _) = try store()
    let context = ModelContext(container)
    for index in 0..<50 { context.insert(Coupon("code \(index)", index)) }
    try context.save()
    let coupons = try context.fetch(
      FetchDescriptor<Coupon>(sortBy: [SortDescriptor(\.value)]))
    for coupon in coupons.prefix(30) { coupon.code = "new \(coupon.value)" }
    coupons[20].code = "code 40"
    do {
      try context.save()
      Issue.record("two rows have one value")
    } catch let error as SwiftDataError {
      #expect("\(error)".contains("code"))
      #expect("\(error)".contains("Coupon"))
    }
    let found = try ModelContext(container).fetch(FetchDescriptor<Coupon>())
    #expect(Set(found.map(\.code)) == Set((0..<50).map { "code \($0)" }))
  }

  /// The numbers are the measured ones; more would be a regression. The least of several is that of the
  /// work itself, without preparing statements.
  @Test func roundTripsOfASaveAreCounted() throws {
    // Where history is removed, the last number is known, not read.
    let (container, _) = try store(keeping: HistoryRetention(maximumCount: 1_000_000))
    let context = ModelContext(container)
    var random = NumberSequence(1)
    func trips(_ body: () throws -> Void) throws -> Int {
      let counts = try (0..<5).map { _ in
        let count = ExchangeCount()
        try ExchangeCount.$current.withValue(count, operation: body)
        return count.value
      }
      return counts.min() ?? 0
    }
    var index = 0
    let inserting = try trips {
      let small = Sample(index, &random)
      // Rows with larger values are not deferred.
      (small.text, small.data, small.image) = ("small", nil, nil)
      context.insert(small)
      try context.save()
      index += 1
    }
    let sample = try #require(try context.fetch(FetchDescriptor<Sample>()).first)
    let updating = try trips {
      sample.number = 10 + index
      try context.save()
      index += 1
    }
    let other = ModelContext(container)
    for index in 0..<40 { other.insert(Coupon("code \(index)", index)) }
    try other.save()
    let coupons = try other.fetch(FetchDescriptor<Coupon>())
    let inTransaction = try [1, 10, 20, 40].map { count in
      try trips {
        try other.transaction { for coupon in coupons.prefix(count) { coupon.value += 1 } }
      }
    }
    let insertingInTransaction = try trips {
      let empty = ModelContext(container)
      try empty.transaction { empty.insert(Coupon("new \(index)", index)) }
      index += 1
    }
    let reading = try trips { _ = try context.fetchCount(FetchDescriptor<Sample>()) }
    #expect(inserting == 1)
    #expect(updating == 1)
    // The begin with its locks, the models as the transaction sees them, the save, and the commit. From five
    // models on the save waits to learn whether they exist.
    #expect(inTransaction == [4, 5, 5, 5])
    #expect(insertingInTransaction == 3)
    #expect(reading == 1)
  }
}

/// Random numbers that are the same in each run.
struct NumberSequence: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
