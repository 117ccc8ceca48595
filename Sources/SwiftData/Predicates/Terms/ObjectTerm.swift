import Foundation
import OpenSwiftDataSQLSyntax

/// A row of an entity's table.
struct ObjectTerm {
  enum Source: Equatable {
    /// A row of a table in the query.
    case row(alias: String)
    /// The row with this primary key; its table is joined when a column is read.
    case key(SQLExpression)
  }

  var entity: EntityMapping
  var source: Source
  /// The nesting level of the query in which the source's columns are visible; the outermost is 0.
  var scope: Int
  var presence: Presence = .always
  /// The column with the number of the row's entity, beside a column with its key.
  var linkedEntity: SQLExpression?

  var key: SQLExpression {
    switch source {
    case .row(let alias): RowColumns.key(of: alias)
    case .key(let expression): expression
    }
  }

  /// A condition that is 0 or 1.
  var isPresent: SQLExpression { presence.condition(of: key) }
}

extension ObjectTerm {
  /// The primary key as a value.
  var keyTerm: ScalarTerm {
    var term = ScalarTerm(value: key, kind: .key(root: entity.rootName), presence: presence)
    if entity.subtreeNumbers.count > 1 {
      switch source {
      case .row(let alias): term.entity = RowColumns.entity(of: alias)
      case .key: term.entity = linkedEntity
      }
    }
    return term
  }

  /// A property of a row. Joins the row's table if a column is read.
  func property(
    _ keyPath: AnyKeyPath, in mapping: SchemaMapping, _ scopes: inout QueryScopes
  ) throws -> SQLTerm {
    if let property = entity.property(for: keyPath) {
      return try term(of: property, in: mapping, &scopes)
    }
    if keyPath.isModelIdentifier { return .scalar(keyTerm) }
    return try path(keyPath, in: mapping, &scopes)
  }

  /// The value of a path of several steps from a row, as in `\.owner?.address.city`.
  private func path(
    _ keyPath: AnyKeyPath, in mapping: SchemaMapping, _ scopes: inout QueryScopes
  ) throws -> SQLTerm {
    let components = KeyPathComponent.all(of: keyPath)
    var steps = components[...]
    var object = self
    var declared = entity.descriptor
    while let step = steps.popFirst() {
      guard let slot = object.entity.descriptor.slot(of: step, from: declared) else {
        throw NotInSQL("a key path that does not name a stored property")
      }
      declared = object.entity.descriptor.properties[slot].destination?._$descriptor ?? declared
      switch try object.term(of: object.entity.properties[slot], in: mapping, &scopes) {
      case .object(let destination): object = destination
      case .composite(let composite) where !steps.isEmpty:
        let mayBeOptional = unwrappedType(of: type(of: keyPath).valueType) != nil
        return try composite.field(steps.map(\.name), isOptional: mayBeOptional ? nil : false)
      case let term:
        guard steps.isEmpty else { throw NotInSQL("a computed property") }
        return term
      }
    }
    guard !components.isEmpty else { throw NotInSQL("a key path that cannot be read") }
    return .object(object)
  }

  private func term(
    of property: PropertyMapping, in mapping: SchemaMapping, _ scopes: inout QueryScopes
  ) throws -> SQLTerm {
    switch property.kind {
    case .attribute(let column):
      let value = SQLExpression.column(table: scopes.alias(of: self), name: column.name)
      var scalar = ScalarTerm(
        value, column, valueType: property.valueType, presence: presence(of: property, value))
      // The column contains a tag, and possibly a file name in place of the bytes.
      if entity.descriptor.properties[property.slot].isExternallyStored {
        scalar.kind = .opaque
        return .scalar(scalar)
      }
      if column.content == .encoded, var list = ListTerm(value, of: property.valueType) {
        list.presence = scalar.presence
        return .list(list)
      }
      return .scalar(scalar)
    case .composite(let leaves):
      guard !presence.isConditional else { throw NotInSQL("a composite value after a cast") }
      return .composite(
        CompositeTerm(
          alias: scopes.alias(of: self), leaves: leaves, depth: 0,
          presence: property.isOptional
            ? .whenNotNull : presence == .always ? .always : .when(isPresent),
          valueType: property.valueType))
    case .toOne(let toOne):
      guard let destination = mapping.entity(named: toOne.destination) else {
        throw NotInSQL("a destination outside the schema")
      }
      let key = SQLExpression.column(table: scopes.alias(of: self), name: toOne.key.name)
      var object = ObjectTerm(entity: destination, source: .key(key), scope: scope)
      object.linkedEntity = toOne.entityNumber.map {
        .column(table: scopes.alias(of: self), name: $0.name)
      }
      // A link to a row that does not exist reads as nil: the joined key is null then.
      if toOne.mayDangle, property.isOptional {
        object.source = .row(alias: scopes.alias(of: object))
      }
      object.presence = presence(of: property, object.key)
      return .object(object)
    case .toMany(let toMany):
      guard let destination = mapping.entity(named: toMany.destination) else {
        throw NotInSQL("a destination outside the schema")
      }
      return .collection(
        CollectionTerm(
          .relationship(.init(owner: self, mapping: toMany, destination: destination))))
    case .ephemeral: throw NotInSQL("a property without a column")
    }
  }

  private func presence(of property: PropertyMapping, _ value: SQLExpression) -> Presence {
    switch presence {
    case .always: property.isOptional ? .whenNotNull : .always
    case .whenNotNull: .whenNotNull
    case .when(let condition):
      .when(property.isOptional ? .all([condition, value.isNotNull]) : condition)
    }
  }
}

extension KeyPathComponent {
  /// The name of a stored property; a computed one has no name that a composite contains.
  fileprivate var name: String {
    if case .stored(let name) = self { name } else { "" }
  }
}
