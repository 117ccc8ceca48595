/// The tables of a model's file: the names, types and order of all tables, columns and indexes, as
/// Apple's framework derives them from the model and its entity numbers.
package struct StoreLayout: Sendable {
  /// Identifies a column by its property and the entity that declares the property.
  package struct ColumnID: Hashable, Sendable {
    package enum Part: Hashable, Sendable {
      /// An attribute, or the key of a to-one relationship.
      case value
      /// A leaf of a composite, with the path of names that leads to it.
      case leaf([String])
      /// The entity number of a to-one relationship whose destination has subentities.
      case entityNumber
      /// The owner's key of a to-many relationship without an inverse, in the members' table.
      case owner
    }

    package let entity: String
    package let property: String
    package let part: Part

    package init(entity: String, property: String, part: Part) {
      self.entity = entity
      self.property = property
      self.part = part
    }
  }

  package struct Column: Equatable, Sendable {
    package let id: ColumnID
    package let name: String
    package let type: ColumnType
    /// Whether the column holds keys of other rows, and so has an index.
    package let isKey: Bool
  }

  /// The table of an entity hierarchy.
  package struct Table: Sendable {
    package let name: String
    package let root: String
    /// The columns after `Z_PK`, `Z_ENT` and `Z_OPT`, in their order.
    package internal(set) var columns: [Column]
  }

  /// The table that holds the pairs of a many-to-many relationship.
  package struct JoinTable: Equatable, Sendable {
    package let name: String
    /// In the order of the table.
    package let columns: [String]
  }

  /// One side of a many-to-many relationship.
  package struct JoinSide: Equatable, Sendable {
    package let table: JoinTable
    package let ownerColumn: String
    package let memberColumn: String
  }

  package struct Index: Equatable, Sendable {
    package struct Column: Equatable, Sendable {
      package let name: String
      /// `nil` in the index of a key column.
      package let isAscending: Bool?
    }

    package let name: String
    package let table: String
    package let columns: [Column]
    package let isUnique: Bool
  }

  package let model: ModelDescription
  package let numbers: [String: Int]
  package let tablePrefix: String
  /// The maximum length of names in bytes; `nil` if there is none.
  package let longestName: Int?
  /// In the order of the roots' names.
  package private(set) var tables: [Table] = []
  /// In the order of the entities that name them.
  package private(set) var joinTables: [JoinTable] = []
  private(set) var columns: [ColumnID: Column] = [:]
  private var sides: [ColumnID: JoinSide] = [:]

  /// - Parameters:
  ///   - model: The model.
  ///   - numbers: The entity numbers.
  ///   - knownTables: The tables of the file, which decide between names that are both possible.
  ///   - tablePrefix: The prefix of table names.
  ///   - longestName: The maximum length of names in bytes; longer ones are shortened.
  package init(
    _ model: ModelDescription, numbers: [String: Int], knownTables: Set<String> = [],
    tablePrefix: String = "", longestName: Int? = nil
  ) {
    self.tablePrefix = tablePrefix
    self.longestName = longestName
    self.model = model
    self.numbers = numbers
    let owners = OwnerKey.byDestination(model)
    for root in model.roots {
      let builder = TableBuilder(root, model, numbers, owners, tablePrefix, longestName)
      tables.append(builder.table)
      for column in builder.table.columns { columns[column.id] = column }
    }
    placeJoinTables(knownTables)
  }

  package func column(
    _ property: String, of entity: String, _ part: ColumnID.Part = .value
  ) -> Column? {
    columns[ColumnID(entity: entity, property: property, part: part)]
  }

  /// The side of a many-to-many relationship that an entity declares.
  package func joinSide(_ property: String, of entity: String) -> JoinSide? {
    sides[ColumnID(entity: entity, property: property, part: .value)]
  }

  package static func table(forRoot entity: String) -> String { "Z" + entity.uppercased() }

  /// The table of the hierarchy of an entity.
  package func table(of entity: String) -> String {
    tablePrefix
      + StoreLayout.table(forRoot: model.lineage(of: entity).last?.name ?? entity)
      .shortened(to: longestName)
  }

  // MARK: Many-to-many relationships

  private mutating func placeJoinTables(_ knownTables: Set<String>) {
    var joinTableNames: Set<String> = []
    let ordered = model.entities.sorted { numbers[$0.name] ?? 0 < numbers[$1.name] ?? 0 }
    for entity in ordered {
      for property in entity.properties {
        guard let relationship = property.relationship, relationship.isToMany,
          let inverseName = relationship.inverse,
          // A superentity of the destination may declare the inverse.
          let (partner, inverse) = model.property(inverseName, of: relationship.destination),
          inverse.relationship?.isToMany == true
        else { continue }
        let side = joinSide(
          (entity.name, relationship.name), (partner.name, inverseName), knownTables)
        sides[ColumnID(entity: entity.name, property: relationship.name, part: .value)] = side
        if joinTableNames.insert(side.table.name).inserted { joinTables.append(side.table) }
      }
    }
  }

  /// Both sides give the same table, with the roles of the columns exchanged.
  ///
  /// The side with the smaller entity number names the table. For a relationship between rows of
  /// one entity, the name in the file decides, else the shorter name. This matches the two known
  /// files: `blocking` of `blockedBy` and `blocking`, and `childCollections` of that and
  /// `parentCollections`.
  private func joinSide(
    _ own: (entity: String, property: String), _ other: (entity: String, property: String),
    _ knownTables: Set<String>
  ) -> JoinSide {
    let (ownNumber, otherNumber) = (numbers[own.entity] ?? 0, numbers[other.entity] ?? 0)
    func short(_ name: String) -> String { name.shortened(to: longestName) }
    let ownerColumn = short("Z_\(ownNumber)\(other.property.uppercased())")
    let memberColumn = short("Z_\(otherNumber)\(own.property.uppercased())")
    let ownName = short("Z_\(ownNumber)\(own.property.uppercased())")
    let otherName = short("Z_\(otherNumber)\(other.property.uppercased())")
    var isFirst = ownNumber < otherNumber
    if ownNumber == otherNumber {
      let (length, otherLength) = (own.property.count, other.property.count)
      isFirst =
        length == otherLength
        ? own.property == other.property || own.property.precedes(other.property)
        : length < otherLength
      let (expected, alternative) = isFirst ? (ownName, otherName) : (otherName, ownName)
      if !knownTables.contains(expected), knownTables.contains(alternative) { isFirst.toggle() }
    }
    // A relationship that is its own inverse needs two column names.
    let member = memberColumn == ownerColumn ? memberColumn + "1" : memberColumn
    return JoinSide(
      table: JoinTable(
        name: tablePrefix + (isFirst ? ownName : otherName),
        columns: isFirst ? [ownerColumn, member] : [member, ownerColumn]),
      ownerColumn: ownerColumn, memberColumn: member)
  }
}

/// A to-many relationship without an inverse, whose members store the owner's key.
private struct OwnerKey {
  let owner: String
  let property: String

  /// By the destination entity, in the order of the owners.
  static func byDestination(_ model: ModelDescription) -> [String: [OwnerKey]] {
    var found: [String: [OwnerKey]] = [:]
    for owner in model.entities {
      for relationship in owner.properties.compactMap(\.relationship)
      where relationship.isToMany && !relationship.isTransient && relationship.inverse == nil {
        found[relationship.destination, default: []]
          .append(OwnerKey(owner: owner.name, property: relationship.name))
      }
    }
    return found
  }
}

/// Builds the columns of one hierarchy's table.
private struct TableBuilder {
  private let model: ModelDescription
  private let numbers: [String: Int]
  private let longestName: Int?
  /// How often each name is used; the columns that every table has are included.
  private var uses = ["Z_PK": 1, "Z_ENT": 1, "Z_OPT": 1]
  private var placed: [(group: Int, level: Int, column: StoreLayout.Column)] = []
  private(set) var table: StoreLayout.Table

  /// The group of keys, between integers and all other types.
  private static let keys = 1

  init(
    _ root: EntityDescription, _ model: ModelDescription, _ numbers: [String: Int],
    _ ownerKeys: [String: [OwnerKey]], _ prefix: String, _ longestName: Int?
  ) {
    self.longestName = longestName
    self.model = model
    self.numbers = numbers
    table = StoreLayout.Table(
      name: prefix + StoreLayout.table(forRoot: root.name).shortened(to: longestName),
      root: root.name, columns: [])
    let hierarchy = model.subtree(of: root.name)
    // Names are assigned in this order, whatever the column groups: a second use gets a number.
    for (level, entity) in hierarchy.enumerated() {
      for property in entity.properties { add(property, of: entity, level) }
    }
    // In the order of the owners' names, whichever entity of the hierarchy is the destination.
    let keys = hierarchy.flatMap { ownerKeys[$0.name] ?? [] }
    // The zero comes before all that names contain.
    for place in keys.map({ "\($0.owner)\u{0}\($0.property)" }).codePointOrder {
      let key = keys[place]
      placeKey(
        StoreLayout.ColumnID(entity: key.owner, property: key.property, part: .owner),
        "Z\(numbers[key.owner] ?? 0)\(key.property.uppercased())", Int.max, isKey: true)
    }
    table.columns = sorted()
  }

  private mutating func add(
    _ property: PropertyDescription, of entity: EntityDescription, _ level: Int
  ) {
    func id(_ part: StoreLayout.ColumnID.Part) -> StoreLayout.ColumnID {
      StoreLayout.ColumnID(entity: entity.name, property: property.name, part: part)
    }
    switch property {
    case .attribute(let attribute):
      if attribute.isTransient { return }
      for (path, leaf) in attribute.leaves {
        guard let type = leaf.type.columnType else { continue }
        let column = StoreLayout.Column(
          id: id(path.isEmpty ? .value : .leaf(path)), name: name("Z" + leaf.name.uppercased()),
          type: type, isKey: false)
        placed.append((leaf.type.columnGroup, level, column))
      }
    case .relationship(let relationship):
      if relationship.isToMany || relationship.isTransient { return }
      placeKey(id(.value), "Z" + property.name.uppercased(), level, isKey: true)
      if model.subtree(of: relationship.destination).count > 1 {
        let number = numbers[relationship.destination] ?? 0
        placeKey(
          id(.entityNumber), "Z\(number)_\(property.name.uppercased())", level, isKey: false)
      }
    case .fetched: break
    }
  }

  private mutating func placeKey(
    _ id: StoreLayout.ColumnID, _ wanted: String, _ level: Int, isKey: Bool
  ) {
    let column = StoreLayout.Column(id: id, name: name(wanted), type: .integer, isKey: isKey)
    placed.append((TableBuilder.keys, level, column))
  }

  private mutating func name(_ whole: String) -> String {
    let wanted = whole.shortened(to: longestName)
    let count = uses[wanted, default: 0]
    uses[wanted] = count + 1
    guard count > 0 else { return wanted }
    // A property may itself be called `id1`, so this searches for an unused name.
    var suffix = count
    while uses["\(wanted)\(suffix)"] != nil { suffix += 1 }
    uses["\(wanted)\(suffix)"] = 1
    return "\(wanted)\(suffix)"
  }

  /// Integers and keys by level, then the other groups over the whole hierarchy.
  private func sorted() -> [StoreLayout.Column] {
    func rank(_ place: Int) -> (Int, Int, Int, Int) {
      let (group, level) = (placed[place].group, placed[place].level)
      return group <= TableBuilder.keys ? (0, level, group, place) : (1, group, level, place)
    }
    return placed.indices.sorted { rank($0) < rank($1) }.map { placed[$0].column }
  }
}
