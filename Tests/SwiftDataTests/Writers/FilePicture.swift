import Foundation
import OpenSwiftDataSQLiteEngine
import OpenSwiftDataTestModels

/// Reads what a store holds, by SQL on its tables alone.
final class FilePicture {
  struct DuplicateNumber: Error {
    let number: Int
  }

  private let tables: StoredTables
  /// To the file, on SQLite.
  private let connection: Connection?
  private let links: String
  private static let models = League.Kind.allCases.map {
    "SELECT '\($0)', ZNUMBER, ZVALUE FROM Z\($0.rawValue.uppercased())"
  }.joined(separator: " UNION ALL ")

  /// - Parameter url: That of a store which a container has opened.
  init(_ url: URL) throws {
    tables = StoredTables(url)
    connection = tables.countsInTables ? try Connection(path: url.path) : nil
    let columns = try LeagueColumns(tables)
    links = League.Bond.allCases.flatMap { FilePicture.queries($0, columns) }
      .joined(separator: "\nUNION ALL ")
  }

  /// Changes when another connection has written.
  func version() throws -> Int64 {
    guard let connection else {
      return try tables.integer("SELECT max(Z_PK) FROM ATRANSACTION") ?? 0
    }
    return try connection.integer("PRAGMA data_version") ?? 0
  }

  func read() throws -> League.Picture {
    var picture: League.Picture = [:]
    for row in try tables.rows(FilePicture.models) {
      guard let kind = League.Kind(rawValue: row[0]), let number = Int(row[1]) else { continue }
      let sight = League.Sight(kind, value: Int(row[2]) ?? 0)
      if picture.updateValue(sight, forKey: number) != nil {
        throw DuplicateNumber(number: number)
      }
    }
    for row in try tables.rows(links) {
      guard let owner = Int(row[1]), let partner = Int(row[2]) else { continue }
      picture[owner]?.partners[row[0], default: []].append(partner)
    }
    return picture.mapValues { sight in
      var sight = sight
      sight.partners = sight.partners.mapValues { $0.sorted() }
      return sight
    }
  }

  /// Queries for property, owner and partner; one where both ends have the same column.
  private static func queries(_ bond: League.Bond, _ columns: LeagueColumns) -> [String] {
    let (left, right) = (
      bond.kind(.left).rawValue.uppercased(), bond.kind(.right).rawValue.uppercased()
    )
    func query(_ property: String, _ owner: String, _ partner: String, _ join: String) -> String {
      "SELECT '\(property)', \(owner).ZNUMBER, \(partner).ZNUMBER FROM Z\(left) l JOIN \(join)"
    }
    func both(_ join: String) -> [String] {
      [
        query(bond.property(.left) ?? "", "l", "r", join),
        query(bond.property(.right) ?? "", "r", "l", join),
      ]
    }
    switch bond.form {
    case .oneToMany:
      return both("Z\(right) r ON r.Z\(bond.property(.right)?.uppercased() ?? "") = l.Z_PK")
    case .oneToOne:
      return [
        query("seat", "l", "r", "ZSEAT r ON r.Z_PK = l.ZSEAT"),
        query("player", "r", "l", "ZSEAT r ON r.ZPLAYER = l.Z_PK"),
      ]
    case .manyToMany:
      return both(
        "\(columns.pairs) j ON j.\(columns.pairFan) = l.Z_PK "
          + "JOIN ZPLAYER r ON r.Z_PK = j.\(columns.pairPlayer)")
    case .reference:
      return [
        query(bond.rawValue, "l", "r", "Z\(right) r ON r.Z_PK = l.Z\(bond.rawValue.uppercased())")
      ]
    case .collection:
      return [query(bond.rawValue, "l", "r", "ZDEBT r ON r.\(columns.tabs) = l.Z_PK")]
    }
  }
}
