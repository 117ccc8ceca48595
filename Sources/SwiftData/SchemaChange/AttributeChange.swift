import OpenSwiftDataSQLSyntax
import OpenSwiftDataStoreFormat

/// The sources of one attribute's columns, for the rows of one entity.
struct AttributeChange {
  let current: AttributeDescription
  private let typeText: String
  let entity: String
  let rows: TableSource.Rows
  let table: String
  /// The attribute in the file; `nil` for a new one.
  let stored: Earlier?
  /// The declared default for rows without a value, by the paths of the columns.
  let fallback: Fallback?
  /// The Swift types of integers, by the paths of the columns.
  let integers: [[String]: IntegerTypes]
  /// The columns that are null only if an enclosing part is nil, by their paths, with the path of that part.
  let required: [[String]: [String]]
  /// Of these, the columns that might be null in a present part; `nil` if the file does not record them.
  let wereOptional: Set<[String]>?
  /// Whether code of the migration sets values that cannot be carried over.
  let toleratesLosses: Bool
  /// Whether lists with other elements are checked one by one.
  let checksLists: Bool
  /// The paths of the parts that unique constraints contain whose other members do not tell rows apart; an
  /// empty path is the whole value.
  let uniquePaths: [[String]]
  private let sql: ChangeSQL

  /// The attribute in the file.
  struct Earlier {
    let property: PropertyDescription
    let typeText: String
    /// The columns, by the paths of their content.
    let columns: [[String]: (name: String, leaf: AttributeDescription)]

    /// A condition that is true for rows without a value.
    var isNil: String {
      columns.isEmpty
        ? ChangedValues.all
        : columns.values.map(\.name.quotedName).sorted().map { "\($0) IS NULL" }
          .joined(separator: " AND ")
    }

    /// A condition that is true for rows with a value in a part; `nil` if the part has no columns.
    func hasValue(at path: [String]) -> String? {
      let names = columns.filter { $0.key.starts(with: path) }.values.map(\.name.quotedName)
      if names.isEmpty { return nil }
      return names.sorted().map { "\($0) IS NOT NULL" }.joined(separator: " OR ")
    }

    /// A condition that is true for rows without a value in a part, but with one in the part around it.
    func lacksValue(at path: [String], in owner: [String]) -> String? {
      guard let hasValue = hasValue(at: path), let hasOwner = self.hasValue(at: owner) else {
        return nil
      }
      return "NOT (\(hasValue)) AND (\(hasOwner))"
    }
  }

  /// The declared default of the property: a term for each column.
  struct Fallback {
    let terms: [[String]: ColumnSource]
    /// The columns whose term is null in some rows, although the default is not.
    var limited: Set<[String]> = []
  }

  private(set) var sources: [[String]: ColumnSource] = [:]
  /// The columns that get stored values, by their paths.
  private var continued: Set<[String]> = []
  private(set) var checks: [ChangeCheck] = []
  /// Conditions for the rows of the file whose value changes; empty if no value changes.
  private(set) var changes: [String] = []
  /// Conditions for the rows of the file whose values only code can carry over.
  private(set) var losses: [String] = []
  /// Whether some rows get their value only from code.
  private(set) var needsCode = false
  /// The paths of the parts that are new or were optional, and are required now.
  private(set) var requiredParts: [[String]] = []
  /// The members of structs that the current type lacks.
  private(set) var removedMembers: [CompositePart] = []

  /// - Parameter carried: The source of a new column for the value of a stored one.
  init(
    _ current: AttributeDescription, typeText: String, entity: String, rows: TableSource.Rows,
    table: String,
    stored: Earlier?, fallback: Fallback?, integers: [[String]: IntegerTypes],
    required: [[String]: [String]], wereOptional: Set<[String]>?, toleratesLosses: Bool,
    checksLists: Bool, uniquePaths: [[String]], _ sql: ChangeSQL,
    carried: (ColumnSource) -> ColumnSource
  ) {
    self.sql = sql
    self.current = current
    self.typeText = typeText
    self.entity = entity
    self.rows = rows
    self.table = table
    self.stored = stored
    self.fallback = fallback
    self.integers = integers
    self.required = required
    self.wereOptional = wereOptional
    self.toleratesLosses = toleratesLosses
    self.checksLists = checksLists
    self.uniquePaths = uniquePaths
    if let stored, case .attribute(let earlier) = stored.property {
      carryOver(earlier, stored, carried)
    } else {
      // In a transformation `noteRemovals` reports the lost links.
      if !toleratesLosses, let stored, !stored.columns.isEmpty {
        refuseLoss(where: "NOT (\(stored.isNil))", stored)
      }
      begin()
    }
  }

  private static let anything = ChangedValues.all

  func isUnique(_ path: [String]) -> Bool { uniquePaths.contains { path.starts(with: $0) } }

  /// Whether the declared default fills all rows.
  private var hasDefault: Bool {
    fallback?.limited.isEmpty ?? false
  }

  /// Sets the sources of a new attribute.
  private mutating func begin() {
    fill()
    if hasValues { changes.append(AttributeChange.anything) }
    if !current.isOptional, !hasDefault, !current.leaves.isEmpty {
      refuseNil(where: AttributeChange.anything, "nothing", .transformation)
    }
  }

  private mutating func carryOver(
    _ earlier: AttributeDescription, _ stored: Earlier, _ carried: (ColumnSource) -> ColumnSource
  ) {
    let isNil = stored.isNil
    for (path, leaf) in current.paths {
      if let column = stored.columns[path],
        let conversion = ValueConversion(
          column.name.quotedName, from: column.leaf, to: leaf,
          integers: integers[path] ?? IntegerTypes(), checksLists: checksLists, sql)
      {
        continued.insert(path)
        if let loss = conversion.loss(of: column.leaf, in: column.name.quotedName), toleratesLosses
        {
          sources[path] = .expression(
            "CASE WHEN \(loss) THEN \(filler(leaf, at: path).sql) ELSE \(conversion.expression) END"
          )
          changes.append(
            conversion.isSameValue
              ? loss
              : "(\(loss)) OR "
                + sql.areDifferent(conversion.expression, column.name.quotedName))
          refuseLoss(where: loss, stored)
          continue
        }
        if conversion.expression == column.name.quotedName {
          sources[path] = .column(column.name)
        } else {
          sources[path] = .expression(conversion.expression)
          // A number that is equal in another type is not a change.
          if !conversion.isSameValue {
            changes.append(sql.areDifferent(conversion.expression, column.name.quotedName))
          }
        }
        if let loss = conversion.loss(of: column.leaf, in: column.name.quotedName) {
          refuseLoss(where: loss, stored)
        }
      } else if stored.columns[path] == nil {
        addMember(leaf, at: path, isNil: isNil, stored)
      }
    }
    // Declared defaults come in the form of the new column.
    sources = sources.mapValues(carried)
    if continued.isEmpty {
      // No part is missing beside others: the whole value is lost.
      (checks, changes) = ([], [])
      refuseLoss(where: "NOT (\(isNil))", stored)
      sources = [:]
      if !current.isOptional, !hasDefault {
        refuseNil(where: isNil, stored.typeText, .transformation)
      }
      fill()
      changes.append(hasValues ? AttributeChange.anything : "NOT (\(isNil))")
      return
    }
    for (path, leaf) in current.paths where sources[path] == nil {
      // A part whose type has changed, while other parts continue.
      if let column = stored.columns[path] {
        refuseLoss(where: "\(column.name.quotedName) IS NOT NULL", stored)
        // Values of two types cannot be compared in all databases.
        changes.append(
          filler(leaf, at: path) == .null
            ? "\(column.name.quotedName) IS NOT NULL" : AttributeChange.anything)
      }
      sources[path] = filler(leaf, at: path)
    }
    noteMissingParts(of: earlier, stored)
    requireParts(since: earlier, stored)
    if earlier.isOptional, !current.isOptional { require(isNil: isNil, stored) }
  }

  /// A new member of a struct, or a new case or associated value of an enum.
  private mutating func addMember(
    _ leaf: AttributeDescription, at path: [String], isNil: String, _ stored: Earlier
  ) {
    sources[path] = .null
    guard let owner = required[path] else { return }
    if !owner.isEmpty {
      // In rows without the enclosing part the value is absent, too.
      if let hasOwner = stored.hasValue(at: owner) {
        refuseMissing(path, where: hasOwner, .transformation)
      }
    } else if let term = fallback?.terms[path] {
      sources[path] = .expression("CASE WHEN \(isNil) THEN NULL ELSE \(term.sql) END")
      if term != .null { changes.append("NOT (\(isNil))") }
      if !hasDefault { needsCode = true }
    } else {
      if toleratesLosses {
        sources[path] = .expression(
          "CASE WHEN \(isNil) THEN NULL ELSE \(filler(leaf, at: path).sql) END")
      }
      refuseMissing(path, where: "NOT (\(isNil))", .transformation, orDefault: true)
    }
  }

  /// Handles what the stored value has and the current type lacks. Members of structs are deleted,
  /// which the planner reports. A value of an enum is another one without one of its parts.
  private mutating func noteMissingParts(of earlier: AttributeDescription, _ stored: Earlier) {
    var lost: [CompositePart.Kind: [(name: String, condition: String)]] = [:]
    for part in earlier.parts(missingIn: current) {
      guard let condition = stored.hasValue(at: part.path) else { continue }
      changes.append(condition)
      if part.kind == .member {
        removedMembers.append(part)
      } else {
        lost[part.kind, default: []].append((part.name, condition))
      }
    }
    for kind in CompositePart.Kind.allCases {
      guard let parts = lost[kind] else { continue }
      let names = parts.map(\.name).sorted().joined(separator: ", ")
      let reason =
        switch kind {
        case .enumCase: "have a removed case (\(names))"
        case .associatedValue: "have a removed associated value (\(names))"
        case .member, .otherForm: "would lose their values (\(names))"
        }
      refuseLoss(
        where: parts.map(\.condition).joined(separator: " OR "), stored, reason: reason)
    }
  }

  /// Handles parts of a composite that were optional and are required now, and new enums in a struct,
  /// all whose columns are optional.
  private mutating func requireParts(since earlier: AttributeDescription, _ stored: Earlier) {
    for part in current.parts(missingIn: earlier)
    where part.kind == .member && part.description.isEnumeration && !part.description.isOptional {
      guard let hasOwner = stored.hasValue(at: part.path.dropLast()) else { continue }
      require(part.path, where: hasOwner, .transformation)
    }
    for path in current.parts(requiredSince: earlier) {
      // Files that do not record the forms may call each enum in a struct optional, and a case whose
      // associated values are nil stores nothing.
      if wereOptional == nil, current.isEnumeration(at: path[...]) { continue }
      guard let condition = stored.lacksValue(at: path, in: path.dropLast()) else { continue }
      require(path, where: condition, .before)
    }
    // The description does not tell whether an enum with raw values, or a part of an optional value, was
    // optional.
    for (path, leaf) in current.paths where leaf.isOptional {
      guard let owner = required[path],
        let condition = stored.lacksValue(at: path, in: owner.isEmpty ? path.dropLast() : owner)
      else { continue }
      if let wereOptional {
        if wereOptional.contains(path) { require(path, where: condition, .before) }
      } else if current.differs(from: earlier), !leaf.type.isFloat {
        refuseMissing(path, where: condition, .before)
      }
    }
  }

  /// Sets a part to the declared default in the rows that need a value for it.
  private mutating func require(
    _ path: [String], where condition: String, _ remedy: MigrationProblem.Remedy
  ) {
    requiredParts.append(path)
    changes.append(condition)
    let leaves = current.paths.filter { $0.path.starts(with: path) }
    let terms = leaves.map { fallback?.terms[$0.path] }
    let hasDefault = terms.allSatisfy { $0 != nil } && terms.contains { $0 != .null }
    if hasDefault || toleratesLosses {
      for (path, leaf) in leaves {
        let term = hasDefault ? fallback?.terms[path] : filler(leaf, at: path)
        guard let term, let source = sources[path] else { continue }
        sources[path] = .expression(
          "CASE WHEN \(condition) THEN \(term.sql) ELSE \(source.sql) END")
      }
    }
    if hasDefault, leaves.contains(where: { fallback?.limited.contains($0.path) == true }) {
      needsCode = true
    }
    if !hasDefault { refuseMissing(path, where: condition, remedy, orDefault: true) }
  }

  /// Handles an optional attribute that is required now.
  private mutating func require(isNil: String, _ stored: Earlier) {
    guard let fallback else {
      return refuseNil(where: isNil, stored.typeText, .before)
    }
    if !hasDefault { needsCode = true }
    changes.append(isNil)
    for (path, source) in sources {
      guard let term = fallback.terms[path] else { continue }
      let value = current.leaves.count == 1 ? "coalesce(\(source.sql), \(term.sql))" : nil
      sources[path] = .expression(
        value ?? "CASE WHEN \(isNil) THEN \(term.sql) ELSE \(source.sql) END")
    }
  }

  // MARK: Refusing

  /// Reports values that are not the raw value of a case of the current enum.
  mutating func refuseOtherCases(
    of type: any RawRepresentable.Type, at path: [String], _ isCase: (String) -> String
  ) {
    guard let stored, continued.contains(path), let source = sources[path],
      let known = stored.columns[path]
    else { return }
    let column = known.name.quotedName
    let condition = "\(column) IS NOT NULL AND NOT \(isCase(column))"
    if toleratesLosses {
      sources[path] = .expression("CASE WHEN \(condition) THEN NULL ELSE \(source.sql) END")
      changes.append(condition)
    }
    let wasRaw = stored.property.attribute?.type == .composite
    let types =
      path.isEmpty
      ? (wasRaw ? "an enum with other raw values" : known.leaf.typeText, "\(type)")
      : (
        "a value with other raw values",
        "a value whose member \(path.joined(separator: ".")) is \(type)"
      )
    refuseLoss(
      where: condition, stored, types: types,
      reason: "have a value that is not the raw value of a case",
      advice: wasRaw
        ? "Keep the case with its raw value, or set the new values in a stage .transform." : nil,
      probe: sql.dialect == .sqlite ? probe(column, isCase) : nil)
  }

  /// Reports lists that the current type cannot contain.
  mutating func refuseOtherLists(_ fits: (String) -> String) {
    guard let stored, continued.contains([]), let source = sources[[]],
      let column = stored.columns[[]]?.name.quotedName
    else { return }
    let condition = "\(column) IS NOT NULL AND NOT \(fits(column))"
    if toleratesLosses {
      let value = fallback?.terms[[]] ?? filler(current, at: [])
      sources[[]] = .expression("CASE WHEN \(condition) THEN \(value.sql) ELSE \(source.sql) END")
      changes.append(condition)
    }
    refuseLoss(where: condition, stored)
  }

  /// A query that calls the function for few values, not for each row: without the limit SQLite would move the
  /// call into the inner query. A server is asked with a table.
  private func probe(_ column: String, _ isCase: (String) -> String) -> String {
    """
    SELECT 1 FROM (SELECT DISTINCT \(column) AS V FROM \(table.quotedName) WHERE \(rows.condition) \
    AND \(column) IS NOT NULL LIMIT \(Int64.max)) WHERE NOT \(isCase("V")) LIMIT 1
    """
  }

  /// Reports rows that have no value for a part that must have one.
  /// - Parameter orDefault: Whether a default value of the property would be used.
  private mutating func refuseMissing(
    _ path: [String], where condition: String, _ remedy: MigrationProblem.Remedy,
    orDefault: Bool = false
  ) {
    if toleratesLosses {
      needsCode = true
      return
    }
    let name = path.joined(separator: ".")
    let code =
      remedy == .before
      ? "set it in willMigrate of a custom stage" : "set it in a stage .transform"
    checks.append(
      ChangeCheck(
        entity, current.name, from: "without \(name)",
        to: "a value whose member \(name) is required", reason: "have no value for it",
        advice: "Make the member optional, "
          + (orDefault ? "declare a default value of the property, " : "") + "or \(code).",
        remedy, table: table, condition: "\(rows.condition) AND (\(condition))"))
  }

  private mutating func refuseNil(
    where condition: String, _ from: String, _ remedy: MigrationProblem.Remedy
  ) {
    if toleratesLosses {
      for (path, source) in sources {
        // Enums have no default case, an optional member of a composite may be null, and rows cannot
        // share a placeholder that must be unique.
        guard let leaf = current.paths.first(where: { $0.path == path })?.leaf,
          !current.isEnumeration, !leaf.isOptional || current.type != .composite, !isUnique(path)
        else { continue }
        sources[path] = .expression("coalesce(\(source.sql), \(sql.placeholder(leaf.type)))")
      }
      changes.append(condition)
      needsCode = true
      return
    }
    let code =
      remedy == .before
      ? "set it in willMigrate of a custom stage" : "set it in a stage .transform"
    checks.append(
      ChangeCheck(
        entity, current.name, from: from, to: typeText, reason: "have no value",
        advice:
          "Declare a default value\(uniquePaths.isEmpty ? "" : " that differs in each row, such as UUID()"), "
          + "make the property optional, or \(code).",
        remedy, table: table, condition: "\(rows.condition) AND (\(condition))"))
  }

  /// - Parameters:
  ///   - types: The stored and the current type, if those of the attribute do not differ.
  private mutating func refuseLoss(
    where condition: String, _ stored: Earlier, types: (stored: String, current: String)? = nil,
    reason: String = "would lose their values", advice: String? = nil, probe: String? = nil
  ) {
    if toleratesLosses {
      losses.append(condition)
      needsCode = true
      return
    }
    checks.append(
      ChangeCheck(
        entity, current.name, from: types?.stored ?? stored.typeText,
        to: types?.current ?? typeText, reason: reason,
        advice: advice
          ?? "Set the new values in a stage .transform. Or add a version with both properties, the old one "
          + "under another name, and copy the values in didMigrate.",
        .transformation, table: table, condition: "\(rows.condition) AND (\(condition))",
        probe: probe
      ))
  }

  /// Whether some column gets a value.
  private var hasValues: Bool { sources.values.contains { $0 != .null } }

  /// Sets the sources if nothing is carried over.
  private mutating func fill() {
    for (path, leaf) in current.paths {
      sources[path] = fallback?.terms[path] ?? filler(leaf, at: path)
    }
  }

  /// The source of a column for which there is neither a value nor a default.
  private func filler(_ leaf: AttributeDescription, at path: [String]) -> ColumnSource {
    toleratesLosses && !current.isOptional && !leaf.isOptional && !isUnique(path)
      ? .constant(sql.placeholder(leaf.type)) : .null
  }
}

extension TableSource.Rows {
  /// The condition for the rows of the entity in the file.
  var condition: String { "\(RowTerms.entity) = \(storedNumber)" }
}

extension AttributeDescription {
  /// Whether the part with a path is an enum with several columns.
  fileprivate func isEnumeration(at path: ArraySlice<String>) -> Bool {
    guard let name = path.first else { return isEnumeration }
    return elements.first { $0.name == name }?.isEnumeration(at: path.dropFirst()) ?? false
  }
}
