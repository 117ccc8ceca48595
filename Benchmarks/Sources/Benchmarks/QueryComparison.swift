import BenchmarkSQLite
import Foundation
import SwiftData

/// Questions about relationships and boxes, by this package and by SQL that a person wrote for them.
///
/// Both read the same file, so they differ in the statement and in what they make of its rows: models here,
/// structs there. Rounds take turns, the best one counts.
struct QueryComparison {
  private let container: ModelContainer
  private let database: OpaquePointer?
  private static let rounds = 5

  /// - Parameter path: A file that does not exist yet.
  init(path: String) throws {
    let url = URL(fileURLWithPath: path)
    let container = try ModelContainer(
      for: Student.self, Grade.self, Point.self, configurations: ModelConfiguration(url: url))
    self.container = container
    let context = ModelContext(container)
    let students = (0..<100_000).map(Student.init)
    for student in students { context.insert(student) }
    for index in 0..<300_000 {
      let grade = Grade(index)
      context.insert(grade)
      grade.student = students[(index &* 7919) % students.count]
    }
    try context.save()
    let clock = ContinuousClock()
    let time = try clock.measure {
      let context = ModelContext(container)
      for index in 0..<100_000 { context.insert(Point(index)) }
      try context.save()
    }
    print("insert and save 100,000 points with their tree: \(Int(time / .milliseconds(1))) ms\n")
    var opened: OpaquePointer?
    guard sqlite3_open(path, &opened) == SQLITE_OK else {
      throw SQLiteFailure(message: "\(path) cannot be opened")
    }
    database = opened
  }

  func run() throws {
    print("Milliseconds of a fetch: this package, handwritten, their ratio, rows\n")
    let students = "SELECT Z_PK, Z_OPT, ZNAME, ZCITY, ZAGE FROM ZSTUDENT"
    for limit in [98, 90, 50] {
      try compare(
        "students with a grade above \(limit)",
        FetchDescriptor<Student>(
          predicate: #Predicate { $0.grades.contains { $0.value > limit } }),
        "\(students) WHERE Z_PK IN (SELECT ZSTUDENT FROM ZGRADE WHERE ZVALUE > \(limit))")
    }
    try compare(
      "students without a grade above 50",
      FetchDescriptor<Student>(
        predicate: #Predicate { !$0.grades.contains { $0.value > 50 } }),
      """
      \(students) WHERE Z_PK NOT IN \
      (SELECT ZSTUDENT FROM ZGRADE WHERE ZVALUE > 50 AND ZSTUDENT IS NOT NULL)
      """)
    try compare(
      "students of a city with a grade above 90",
      FetchDescriptor<Student>(
        predicate: #Predicate { $0.city == "City 7" && $0.grades.contains { $0.value > 90 } }),
      """
      \(students) AS s WHERE ZCITY = 'City 7' AND EXISTS \
      (SELECT 1 FROM ZGRADE WHERE ZSTUDENT = s.Z_PK AND ZVALUE > 90)
      """)
    try compare(
      "students with more than 3 grades above 50",
      FetchDescriptor<Student>(
        predicate: #Predicate { $0.grades.filter { $0.value > 50 }.count > 3 }),
      """
      \(students) AS s WHERE (SELECT count(*) FROM ZGRADE WHERE ZSTUDENT = s.Z_PK AND ZVALUE > 50) > 3
      """)
    for side in [10.0, 100.0] {
      let (x, y) = (400...(400 + side), 500...(500 + side))
      try compare(
        "points in a box of \(Int(side)) by \(Int(side))",
        FetchDescriptor<Point>(
          predicate: #Predicate { x.contains($0.x) && y.contains($0.y) }),
        """
        SELECT p.Z_PK, p.Z_OPT, ZLABEL, ZLABEL, 0 FROM Z_RT_Point_SwiftDataIndexOnRTreexy AS r \
        JOIN ZPOINT AS p ON p.Z_PK = r.Z_PK WHERE ZX_MAX >= \(x.lowerBound) \
        AND ZX_MIN <= \(x.upperBound) AND ZY_MAX >= \(y.lowerBound) AND ZY_MIN <= \(y.upperBound) \
        AND ZX BETWEEN \(x.lowerBound) AND \(x.upperBound) \
        AND ZY BETWEEN \(y.lowerBound) AND \(y.upperBound)
        """)
    }
  }

  private func compare<T: PersistentModel>(
    _ title: String, _ descriptor: FetchDescriptor<T>, _ sql: String
  ) throws {
    let clock = ContinuousClock()
    var (ours, theirs) = (Double.infinity, Double.infinity)
    var counts: Set<Int> = []
    for _ in 0..<Self.rounds {
      let context = ModelContext(container)
      var start = clock.now
      let models = try context.fetch(descriptor)
      ours = min(ours, (clock.now - start) / .milliseconds(1))
      start = clock.now
      let rows = try rows(sql)
      theirs = min(theirs, (clock.now - start) / .milliseconds(1))
      counts.formUnion([models.count, rows.count])
    }
    guard counts.count == 1, let count = counts.first else {
      throw SQLiteFailure(message: "wrong answer to “\(title)”: \(counts)")
    }
    let name = title.padding(toLength: 44, withPad: " ", startingAt: 0)
    print(name + String(format: "%10.2f %10.2f %8.2f x %8ld", ours, theirs, ours / theirs, count))
  }

  private struct Row {
    var key: Int64
    var version: Int64
    var name: String
    var place: String
    var number: Int64
  }

  private func rows(_ sql: String) throws -> [Row] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
      throw SQLiteFailure(message: String(cString: sqlite3_errmsg(database)))
    }
    defer { sqlite3_finalize(statement) }
    func text(_ column: Int32) -> String {
      sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
    }
    var rows: [Row] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append(
        Row(
          key: sqlite3_column_int64(statement, 0), version: sqlite3_column_int64(statement, 1),
          name: text(2), place: text(3), number: sqlite3_column_int64(statement, 4)))
    }
    return rows
  }
}
