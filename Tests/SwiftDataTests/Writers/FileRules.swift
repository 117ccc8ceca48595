import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataTestModels

/// What a file breaks of the rules of the league, by SQL on its tables alone.
final class FileRules {
  enum Rule: String {
    /// A to-one column names no row.
    case dangling
    /// A required to-one column is null.
    case required
    /// A pair of a join table names no row.
    case pair
    /// The two ends of a one-to-one do not name each other.
    case oneToOne
    case unique
    /// A list has too few or too many members.
    case count
  }

  struct Breach: Hashable {
    let rule: Rule
    /// The relationship or property, such as `fan.club`.
    let place: String
    let text: String
  }

  private let connection: Connection
  private let query: String

  /// - Parameter url: A file that a container has opened.
  init(_ url: URL) throws {
    connection = try Connection(path: url.path)
    let columns = try LeagueColumns(connection)
    query = FileRules.queries(columns).map { "SELECT '\($0.rule)', '\($0.place)', \($0.sql)" }
      .joined(separator: "\nUNION ALL ")
  }

  func breaches() throws -> [Breach] {
    let statement = try connection.prepare(query)
    defer { statement.reset() }
    var breaches: [Breach] = []
    while try statement.step() {
      guard let rule = Rule(rawValue: statement.string(0)) else { continue }
      breaches.append(Breach(rule: rule, place: statement.string(1), text: statement.string(2)))
    }
    return breaches
  }

  private typealias Query = (rule: Rule, place: String, sql: String)

  private static func queries(_ columns: LeagueColumns) -> [Query] {
    LeagueColumns.toOnes.map { leadingNowhere($0, "Z\($1)", $2, place: $1) }
      + [leadingNowhere("DEBT", columns.tabs, "CREW", place: "tabs")]
      + LeagueColumns.required.map { table, column in
        (
          .required, "\(table).\(column)".lowercased(),
          "'\(table.lowercased()) ' || ZNUMBER || ' has none' FROM Z\(table) WHERE Z\(column) IS NULL"
        )
      }
      + [
        (
          .pair, "fan.idols",
          """
          'fan ' || ifnull(f.ZNUMBER, 'none') || ' with player ' || ifnull(p.ZNUMBER, 'none')
          FROM \(columns.pairs) j LEFT JOIN ZFAN f ON f.Z_PK = j.\(columns.pairFan)
          LEFT JOIN ZPLAYER p ON p.Z_PK = j.\(columns.pairPlayer)
          WHERE f.Z_PK IS NULL OR p.Z_PK IS NULL
          """
        ),
        oneSided("PLAYER", "SEAT"), oneSided("SEAT", "PLAYER"),
        (
          .unique, "seat.code",
          """
          'seats ' || group_concat(ZNUMBER) || ' have code ' || ZCODE
          FROM ZSEAT GROUP BY ZCODE HAVING count(*) > 1
          """
        ),
        (
          .count, "crew.members",
          """
          'crew ' || c.ZNUMBER || ' has ' || count(f.Z_PK) || ' members'
          FROM ZCREW c LEFT JOIN ZFAN f ON f.ZCREW = c.Z_PK
          GROUP BY c.Z_PK HAVING count(f.Z_PK) NOT BETWEEN 1 AND 3
          """
        ),
      ]
  }

  private static func leadingNowhere(
    _ table: String, _ column: String, _ target: String, place: String
  ) -> Query {
    (
      .dangling, "\(table).\(place)".lowercased(),
      """
      '\(table.lowercased()) ' || r.ZNUMBER || ' names a \(target.lowercased()) that is not there'
      FROM Z\(table) r LEFT JOIN Z\(target) t ON t.Z_PK = r.\(column)
      WHERE r.\(column) IS NOT NULL AND t.Z_PK IS NULL
      """
    )
  }

  private static func oneSided(_ table: String, _ target: String) -> Query {
    (
      .oneToOne, "\(table).\(target)".lowercased(),
      """
      '\(table.lowercased()) ' || l.ZNUMBER || ' names \(target.lowercased()) ' || r.ZNUMBER
        || ', which names '
        || ifnull((SELECT ZNUMBER FROM Z\(table) WHERE Z_PK = r.Z\(table)), 'none')
      FROM Z\(table) l JOIN Z\(target) r ON r.Z_PK = l.Z\(target)
      WHERE r.Z\(table) IS NOT l.Z_PK
      """
    )
  }
}

/// Where the relationships of the league are stored.
struct LeagueColumns {
  /// Table, property and table of the partner.
  static let toOnes = [
    ("TEAM", "CLUB", "CLUB"), ("PLAYER", "TEAM", "TEAM"), ("PLAYER", "SEAT", "SEAT"),
    ("SEAT", "PLAYER", "PLAYER"), ("FAN", "CLUB", "CLUB"), ("FAN", "CREW", "CREW"),
    ("FAN", "FAVOURITE", "PLAYER"), ("LESSON", "TEAM", "TEAM"), ("LESSON", "TEACHER", "FAN"),
    ("DEBT", "CLUB", "CLUB"),
  ]
  static let required = [("PLAYER", "TEAM"), ("LESSON", "TEAM"), ("LESSON", "TEACHER")]

  /// The table of fans and players, and its columns.
  let pairs: String
  let pairFan: String
  let pairPlayer: String
  /// The column of debts that names the crew.
  let tabs: String

  init(_ connection: Connection) throws {
    func name(_ sql: String) throws -> String {
      guard let name = try connection.text(sql) else {
        throw Disagreement(description: "the file lacks what '\(sql)' looks for")
      }
      return name
    }
    pairs = try name(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
    pairFan = try name(
      "SELECT name FROM pragma_table_info('\(pairs)') WHERE name LIKE '%FOLLOWERS'")
    pairPlayer = try name(
      "SELECT name FROM pragma_table_info('\(pairs)') WHERE name LIKE '%IDOLS'")
    tabs = try name("SELECT name FROM pragma_table_info('ZDEBT') WHERE name LIKE '%TABS%'")
  }
}
