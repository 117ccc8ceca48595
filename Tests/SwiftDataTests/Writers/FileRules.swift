import Foundation
import OpenSwiftDataTestModels

/// What a store breaks of the rules of the league, by SQL on its tables alone.
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

  private let tables: StoredTables
  private let query: String

  /// - Parameter url: That of a store which a container has opened.
  init(_ url: URL) throws {
    tables = StoredTables(url)
    let columns = try LeagueColumns(tables)
    query = FileRules.queries(columns).map { "SELECT '\($0.rule)', '\($0.place)', \($0.sql)" }
      .joined(separator: "\nUNION ALL ")
  }

  func breaches() throws -> [Breach] {
    try tables.rows(query).compactMap { row in
      Rule(rawValue: row[0]).map { Breach(rule: $0, place: row[1], text: row[2]) }
    }
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
          'fan ' || coalesce(CAST(f.ZNUMBER AS TEXT), 'none')
            || ' with player ' || coalesce(CAST(p.ZNUMBER AS TEXT), 'none')
          FROM \(columns.pairs) j LEFT JOIN ZFAN f ON f.Z_PK = j.\(columns.pairFan)
          LEFT JOIN ZPLAYER p ON p.Z_PK = j.\(columns.pairPlayer)
          WHERE f.Z_PK IS NULL OR p.Z_PK IS NULL
          """
        ),
        oneSided("PLAYER", "SEAT"), oneSided("SEAT", "PLAYER"),
        (
          .unique, "seat.code",
          """
          count(*) || ' seats, of them ' || min(ZNUMBER) || ', have code ' || ZCODE
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
        || coalesce((SELECT CAST(ZNUMBER AS TEXT) FROM Z\(table) WHERE Z_PK = r.Z\(table)), 'none')
      FROM Z\(table) l JOIN Z\(target) r ON r.Z_PK = l.Z\(target)
      WHERE coalesce(r.Z\(table), -1) <> l.Z_PK
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

  init(_ tables: StoredTables) throws {
    let columns = try tables.columns()
    func column(_ name: String, of table: String) throws -> String {
      guard let found = columns[table]?.first(where: { $0.contains(name) }) else {
        throw Disagreement(description: "\(table) has no column \(name)")
      }
      return found
    }
    pairs = columns.keys.first { $0.contains(/^Z_[0-9]/) } ?? ""
    pairFan = try column("FOLLOWERS", of: pairs)
    pairPlayer = try column("IDOLS", of: pairs)
    tabs = try column("TABS", of: "ZDEBT")
  }
}
