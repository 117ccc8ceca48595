import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// What administrators have set for the tables of a server: owners, privileges and storage options.
/// Tables that a migration creates again get the settings of the earlier ones.
///
/// Read before the tables change, and again to learn what the new ones have already.
struct TableSettings {
  /// A new table, and the table of the store whose settings it gets.
  struct Replacement {
    let table: String
    let earlier: String
    /// The names of the earlier columns in the new table; `nil` if it has other contents, and so
    /// gets no storage options.
    let columns: [String: String]?
  }

  private struct Grant: Hashable {
    let privilege: String
    /// `nil` for a privilege on the whole table.
    var column: String?
    /// A role in quotes, or `PUBLIC`.
    let role: String
    let isGrantable: Bool

    var object: String { privilege + (column.map { " (\($0.quotedName))" } ?? "") }
  }

  /// Roles in quotes, by table.
  private var owners: [String: String] = [:]
  /// Actions of `ALTER TABLE`, by table.
  private var options: [String: [String]] = [:]
  private var grants: [String: Set<Grant>] = [:]

  init(_ session: any SQLSession) throws {
    for row in try session.statement(TableSettings.listing).values(.none) {
      let texts = row.map { if case .text(let text) = $0 { text } else { "" } }
      guard texts.count == 5 else { continue }
      let (table, kind, text) = (texts[0], texts[1], texts[2])
      switch kind {
      case "owner": owners[table] = text
      case "option": options[table, default: []].append(text)
      default:
        grants[table, default: []].insert(
          Grant(
            privilege: text, column: texts[3].isEmpty ? nil : texts[3], role: texts[4],
            isGrantable: kind == "grantable"))
      }
    }
  }

  /// Sets for new tables what the earlier ones had.
  func restore(_ replacements: [Replacement], _ session: any SQLSession) throws {
    if replacements.isEmpty { return }
    let current = try TableSettings(session)
    for replacement in replacements {
      let alteration = "ALTER TABLE \(replacement.table.quotedName)"
      if let owner = owners[replacement.earlier], owner != current.owners[replacement.table] {
        try session.execute("\(alteration) OWNER TO \(owner)")
      }
      if replacement.columns == nil { continue }
      for option in options[replacement.earlier] ?? []
      where current.options[replacement.table]?.contains(option) != true {
        try session.execute("\(alteration) \(option)")
      }
    }
    // Another owner has other privileges.
    let present = try TableSettings(session).grants
    for replacement in replacements {
      try restorePrivileges(replacement, present[replacement.table] ?? [], session)
    }
  }

  private func restorePrivileges(
    _ replacement: Replacement, _ present: Set<Grant>, _ session: any SQLSession
  ) throws {
    let table = replacement.table.quotedName
    let wanted = Set(
      (grants[replacement.earlier] ?? []).compactMap { grant -> Grant? in
        guard let column = grant.column else { return grant }
        guard let name = replacement.columns?[column] else { return nil }
        var grant = grant
        grant.column = name
        return grant
      })
    for grant in present.subtracting(wanted) {
      try session.execute("REVOKE \(grant.object) ON \(table) FROM \(grant.role)")
    }
    for grant in wanted.subtracting(present) {
      let addition = grant.isGrantable ? " WITH GRANT OPTION" : ""
      try session.execute("GRANT \(grant.object) ON \(table) TO \(grant.role)\(addition)")
    }
  }

  /// The columns: table, kind, text, column, role.
  private static let listing = """
    WITH t AS (SELECT * FROM pg_class WHERE relkind IN ('r', 'p') \
    AND relnamespace = to_regnamespace(quote_ident(current_schema()))) \
    SELECT relname::text, 'owner', quote_ident(pg_get_userbyid(relowner)), '', '' FROM t \
    UNION ALL SELECT relname, 'option', format('SET (%s%s = %L)', o.prefix, \
    split_part(o.text, '=', 1), substr(o.text, strpos(o.text, '=') + 1)), '', '' FROM t, \
    LATERAL (SELECT '' AS prefix, unnest(t.reloptions) AS text UNION ALL \
    SELECT 'toast.', unnest(s.reloptions) FROM pg_class AS s WHERE s.oid = t.reltoastrelid) AS o \
    UNION ALL SELECT relname, 'option', 'REPLICA IDENTITY FULL', '', '' FROM t \
    WHERE relreplident = 'f' \
    UNION ALL SELECT p.relname, CASE WHEN a.is_grantable THEN 'grantable' ELSE 'grant' END, \
    a.privilege_type, p.attname, \
    CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END \
    FROM (SELECT relname, '' AS attname, coalesce(relacl, acldefault('r', relowner)) AS acl FROM t \
    UNION ALL SELECT t.relname, c.attname, c.attacl FROM t JOIN pg_attribute AS c \
    ON c.attrelid = t.oid AND NOT c.attisdropped) AS p, aclexplode(p.acl) AS a
    """
}

extension SchemaChange {
  /// The new tables that continue tables of the store, or hold links that these had or could have.
  var replacements: [TableSettings.Replacement] {
    let rows = made.compactMap { change -> TableSettings.Replacement? in
      guard let source = change.sources.first else { return nil }
      let names = change.table.columns.map(\.name) + RowColumns.all
      var columns = Dictionary(uniqueKeysWithValues: names.map { ($0, $0) })
      for (column, origin) in zip(change.table.columns, change.columns[0]) {
        if case .column(let name) = origin { columns[name] = column.name }
      }
      return TableSettings.Replacement(
        table: change.table.name, earlier: source.table, columns: columns)
    }
    let pairs = plan.joins.compactMap { change -> TableSettings.Replacement? in
      guard case .filled = change.kind else { return nil }
      let table = change.table
      if oldTables.contains(table.name) {
        return TableSettings.Replacement(
          table: table.name, earlier: table.name,
          columns: Dictionary(uniqueKeysWithValues: table.columns.map { ($0, $0) }))
      }
      let owners = new.model.entities.filter { entity in
        entity.properties.contains { new.joinSide($0.name, of: entity.name)?.table == table }
      }
      return owners.compactMap { counterparts.entity($0.name) }.first.map {
        TableSettings.Replacement(
          table: table.name, earlier: old.table(of: $0.name), columns: nil)
      }
    }
    return rows + pairs
  }
}
