import Foundation

extension StoreInspection: CustomStringConvertible {
  /// A report about the file, as several lines of text.
  public var description: String {
    var lines = ["\(path): \(Self.size(bytes))" + (logBytes.map { ", log \(Self.size($0))" } ?? "")]
    let versions = modelVersions.filter { !$0.isEmpty }
    lines.append(
      "store \(identifier)"
        + (versions.isEmpty ? "" : ", model version \(versions.joined(separator: ", "))")
        + (frameworkVersion.map { ", framework \($0)" } ?? ""))
    if !hasModel { lines.append("The file contains no model, so properties are not known.") }
    for entity in entities {
      lines.append("")
      lines.append(
        "\(entity.name)" + (entity.superentity.map { ": \($0)" } ?? "")
          + " — \(Self.rows(entity.rows)) in \(entity.table)")
      lines += entity.properties.map { property in
        "  \(property.name): \(property.type)"
          + (property.columns.isEmpty ? "" : " — \(property.columns.joined(separator: ", "))")
      }
      lines += entity.uniqueConstraints.map { "  unique: \($0.joined(separator: ", "))" }
    }
    lines += table("tables", tables) + table("indexes", indexes)
    lines.append("")
    if let history {
      let span = [history.first, history.last].compactMap { $0?.ISO8601Format() }
      lines.append(
        "history: \(history.transactions) transactions, \(history.changes) changes"
          + (span.isEmpty ? "" : ", \(span.joined(separator: " to "))"))
    } else {
      lines.append("history: none")
    }
    return lines.joined(separator: "\n")
  }

  private func table(_ title: String, _ objects: [Object]) -> [String] {
    if objects.isEmpty { return [] }
    return ["", title]
      + objects.map { object in
        let facts = [object.rows.map(Self.rows), object.bytes.map(Self.size)].compactMap(
          \.self)
        return "  \(object.name)" + (facts.isEmpty ? "" : " — \(facts.joined(separator: ", "))")
      }
  }

  private static func rows(_ count: Int) -> String { count == 1 ? "1 row" : "\(count) rows" }

  private static func size(_ bytes: Int) -> String {
    let kilobyte = 1024.0
    if bytes < 10 * Int(kilobyte) { return "\(bytes) bytes" }
    let kilobytes = Double(bytes) / kilobyte
    let (number, unit) =
      kilobytes < 10 * kilobyte ? (kilobytes, "KiB") : (kilobytes / kilobyte, "MiB")
    return "\(Int(number.rounded())) \(unit)"
  }
}
