import Foundation
import OpenSwiftDataSQLSyntax

extension PredicateExpressions.KeyPath: PredicateNode {
  var operands: [any PredicateExpression] { [root] }
  var findsCaptures: Bool { true }
  var readKeyPath: AnyKeyPath? { keyPath }

  func term(in compiler: inout PredicateCompiler) throws -> SQLTerm {
    switch try compiler.term(root) {
    case .object(let object):
      return try compiler.property(keyPath, of: object)
    case .record(let record):
      return try compiler.property(keyPath, of: record)
    case .composite(let composite):
      return try compiler.field(keyPath, of: composite)
    case .collection(let collection):
      switch kind {
      case .collectionCount:
        let count = try compiler.query(over: collection, yielding: .function("count", [.star]))
        return .scalar(ScalarTerm(value: .subquery(count), kind: .scalar(.int)))
      case .collectionIsEmpty:
        return .boolean(SQLExpression.exists(try compiler.query(over: collection)).negated)
      case .collectionFirst:
        return .object(try compiler.firstElement(of: collection))
      default: throw NotInSQL("elements of a relationship have no order")
      }
    case .scalar(let scalar):
      if case .rawValue(let type, _) = scalar.kind {
        return try compiler.rawValue(keyPath, of: scalar, type)
      }
      if scalar.kind == .scalar(.date), let seconds = compiler.seconds(keyPath, of: scalar) {
        return .scalar(seconds)
      }
      return try compiler.count(of: scalar, testsEmptiness)
    case .identifier(let identifier): return try compiler.property(keyPath, of: identifier)
    case .list(let list): return .scalar(try compiler.property(kind, keyPath, of: list))
    case .captured:
      guard let value = try compiler.evaluated(self) else { fallthrough }
      return value
    case .range: throw NotInSQL("a property of what is no row")
    }
  }

  /// True for `isEmpty`, false for `count`, `nil` for any other path.
  private var testsEmptiness: Bool? {
    switch kind {
    case .collectionIsEmpty: true
    case .collectionCount: false
    default: keyPath == \Data.isEmpty ? true : keyPath == \Data.count ? false : nil
    }
  }
}

extension PredicateCompiler {
  /// A property of a row.
  mutating func property(_ keyPath: AnyKeyPath, of object: ObjectTerm) throws -> SQLTerm {
    if let property = object.entity.property(for: keyPath) {
      return try term(of: property, of: object)
    }
    if type(of: keyPath).rootType is any PersistentModel.Type,
      type(of: keyPath).valueType == PersistentIdentifier.self,
      KeyPathComponent.all(of: keyPath).count == 1
    {
      return .scalar(object.keyTerm)
    }
    return try path(KeyPathComponent.all(of: keyPath), of: object)
  }

  /// The value of a path of several steps from a row, as in `\.owner?.address.city`.
  private mutating func path(
    _ components: [KeyPathComponent], of object: ObjectTerm
  ) throws -> SQLTerm {
    var steps = components[...]
    var object = object
    var declared = object.entity.descriptor
    while let step = steps.popFirst() {
      guard let slot = object.entity.descriptor.slot(of: step, from: declared) else {
        throw NotInSQL("a key path that names no stored property")
      }
      declared = object.entity.descriptor.properties[slot].destination?._$descriptor ?? declared
      switch try term(of: object.entity.properties[slot], of: object) {
      case .object(let destination): object = destination
      case .composite(let composite) where !steps.isEmpty:
        return try field(steps.map(\.name), of: composite)
      case let term:
        guard steps.isEmpty else { throw NotInSQL("a computed property") }
        return term
      }
    }
    guard !components.isEmpty else { throw NotInSQL("a key path that cannot be read") }
    return .object(object)
  }

  mutating func term(of property: PropertyMapping, of object: ObjectTerm) throws -> SQLTerm {
    switch property.kind {
    case .attribute(let column):
      let value = SQLExpression.column(table: alias(of: object), name: column.name)
      var scalar = scalar(
        value, column, valueType: property.valueType,
        presence: presence(of: property, value, in: object))
      // The column contains a tag, and possibly a file name in place of the bytes.
      if object.entity.descriptor.properties[property.slot].isExternallyStored {
        scalar.kind = .opaque
        return .scalar(scalar)
      }
      if column.content == .encoded, var list = ListTerm(value, of: property.valueType) {
        list.presence = scalar.presence
        return .list(list)
      }
      return .scalar(scalar)
    case .composite(let leaves):
      guard !object.presence.isConditional else { throw NotInSQL("a composite behind a cast") }
      return .composite(
        CompositeTerm(
          alias: alias(of: object), leaves: leaves, depth: 0,
          isOptional: property.isOptional || object.presence != .always,
          valueType: property.valueType))
    case .toOne(let toOne):
      guard let destination = mapping.entity(named: toOne.destination) else {
        throw NotInSQL("a destination outside the schema")
      }
      let key = SQLExpression.column(table: alias(of: object), name: toOne.key.name)
      return .object(
        ObjectTerm(
          entity: destination, source: .key(key), scope: object.scope,
          presence: presence(of: property, key, in: object)))
    case .toMany(let toMany):
      guard let destination = mapping.entity(named: toMany.destination) else {
        throw NotInSQL("a destination outside the schema")
      }
      return .collection(
        CollectionTerm(
          .relationship(
            .init(owner: object, mapping: toMany, destination: destination))))
    case .ephemeral: throw NotInSQL("a property without column")
    }
  }

  private func presence(
    of property: PropertyMapping, _ value: SQLExpression, in object: ObjectTerm
  ) -> Presence {
    switch object.presence {
    case .always: property.isOptional ? .whenNotNull : .always
    case .whenNotNull: .whenNotNull
    case .when(let condition):
      .when(property.isOptional ? .all([condition, value.isNotNull]) : condition)
    }
  }

  func scalar(
    _ value: SQLExpression, _ column: ColumnMapping, valueType: any Any.Type, presence: Presence
  ) -> ScalarTerm {
    let kind: ScalarTerm.Kind =
      switch column.content {
      case .scalar(let type):
        // A type that encodes itself as a scalar has its own order and equality.
        (unwrappedType(of: valueType) ?? valueType) is any ScalarCoding.Type
          ? .scalar(type) : .opaque
      case .rawValue(let type): .rawValue(type, ObjectIdentifier(valueType))
      case .encoded, .enumCase, .transformed, .key, .entityNumber: .opaque
      }
    var term = ScalarTerm(value: value, kind: kind, presence: presence, valueType: valueType)
    term.mayBeNaN =
      !column.isOptional && (term.scalarType == .double || term.scalarType == .float)
    return term
  }

  /// A stored property of a composite value.
  func field(_ keyPath: AnyKeyPath, of composite: CompositeTerm) throws -> SQLTerm {
    let names = KeyPathText(keyPath).components
    guard !names.isEmpty, !names.contains(where: { $0.hasPrefix("<") }) else {
      throw NotInSQL("a computed property of a composite value")
    }
    return try field(names, of: composite)
  }

  func field(_ names: [String], of composite: CompositeTerm) throws -> SQLTerm {
    let depth = composite.depth + names.count
    let leaves = composite.leaves.filter {
      $0.leaf.path.dropFirst(composite.depth).starts(with: names)
    }
    // A value that encodes itself as a single value has one column, and its properties are not
    // stored.
    guard let first = leaves.first, first.leaf.codingPath.count == first.leaf.path.count else {
      throw NotInSQL("a property without column")
    }
    if leaves.count == 1, first.leaf.path.count == depth {
      let isOptional = composite.isOptional || first.column.isOptional
      if first.column.content == .encoded,
        var list = ListTerm(
          .column(table: composite.alias, name: first.column.name), of: first.leaf.valueType)
      {
        list.presence = isOptional ? .whenNotNull : .always
        return .list(list)
      }
      return .scalar(
        scalar(
          .column(table: composite.alias, name: first.column.name), first.column,
          valueType: first.leaf.valueType, presence: isOptional ? .whenNotNull : .always))
    }
    return .composite(
      CompositeTerm(
        alias: composite.alias, leaves: leaves, depth: depth,
        isOptional: composite.isOptional || leaves.allSatisfy(\.column.isOptional)))
  }

  /// `rawValue` of a value that is stored as its raw value. Other properties of the type are not
  /// stored. A key path does not contain its name, so this compares its value with the raw value of
  /// every case.
  func rawValue(
    _ keyPath: AnyKeyPath, of scalar: ScalarTerm, _ type: ScalarType
  ) throws -> SQLTerm {
    guard let valueType = scalar.valueType as? any RawRepresentable.Type,
      readsRawValue(keyPath, of: valueType)
    else { throw NotInSQL("a computed property of an enum") }
    return .scalar(
      ScalarTerm(value: scalar.value, kind: .scalar(type), presence: scalar.presence))
  }

  private func readsRawValue<T: RawRepresentable>(_ keyPath: AnyKeyPath, of type: T.Type) -> Bool {
    if KeyPathText(keyPath).components == ["rawValue"] { return true }
    guard let path = keyPath as? KeyPath<T, T.RawValue>,
      let cases = TypeReflection.values(of: type)
    else { return false }
    return cases.allSatisfy { enumCase in
      let (raw, read) = (enumCase.value.rawValue, enumCase.value[keyPath: path])
      return (raw as? AnyHashable) == (read as? AnyHashable)
    }
  }

  /// The length of a text or of bytes, or whether it is 0.
  func count(of scalar: ScalarTerm, _ isEmpty: Bool?) throws -> SQLTerm {
    guard let isEmpty, let type = scalar.scalarType, type == .string || type == .data else {
      throw NotInSQL("a computed property")
    }
    var result = scalar
    if isEmpty {
      result.value =
        type == .string
        ? .binary(scalar.value, .equal, .text(""))
        : .binary(.function("length", [scalar.value]), .equal, .integer(0))
      result.kind = .scalar(.bool)
    } else {
      result.value = .function(type == .string ? "swift_count" : "length", [scalar.value])
      result.kind = .scalar(.int)
    }
    return .scalar(result)
  }
}

extension Presence {
  var isConditional: Bool {
    if case .when = self { true } else { false }
  }
}

extension KeyPathComponent {
  /// The name of a stored property; a computed one has no name that a composite contains.
  fileprivate var name: String {
    if case .stored(let name) = self { name } else { "" }
  }
}
