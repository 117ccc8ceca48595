/// How values of a type are stored. One level of `Optional` is ignored.
///
/// - Throws: `SwiftDataError.loadIssueModelContainer`, with the type, if it cannot be stored.
package func storageForm(of type: any Any.Type) throws -> StorageForm {
  let type = unwrappedType(of: type) ?? type
  if let scalar = type as? any ScalarCoding.Type { return .scalar(scalar.scalarType) }
  // Another form than in the file would change its tables.
  guard TypeReflection.isReliable else {
    throw SwiftDataError.loadIssueModelContainer.with(
      "The parts of \(type) cannot be read with this version of the Swift runtime. Use another "
        + "version, or @Attribute(.codable) in a new store.")
  }
  if let form = singleColumnForm(of: type) { return form }
  if type == Duration.self {
    return .composite(durationLeaves(path: [], codingPath: [], isOptional: false))
  }
  guard let coded = type as? any (Decodable & Encodable).Type else {
    throw SwiftDataError.loadIssueModelContainer.with(
      "The type \(type) is not Codable. Make it Codable, mark the property @Transient, or use "
        + "@Attribute(.transformable(by:)).")
  }
  var reader = CompositeReader()
  guard let found = try reader.leaves(of: coded) else { return .encoded }
  return .composite(found.leaves)
}

/// The wrapped type of an `Optional`; `nil` for other types.
package func unwrappedType(of type: any Any.Type) -> (any Any.Type)? {
  switch TypeReflection.wrapping(of: type) {
  case .optional(let wrapped): wrapped
  case .array, .neither: nil
  case nil: (type as? any WrappingType.Type)?.wrappedType
  }
}

private protocol WrappingType {
  static var wrappedType: any Any.Type { get }
}

extension Optional: WrappingType {
  fileprivate static var wrappedType: any Any.Type { Wrapped.self }
}

/// The form of a scalar, or of a type with a scalar raw value.
private func singleColumnForm(of type: any Any.Type) -> StorageForm? {
  if let scalar = type as? any ScalarCoding.Type { return .scalar(scalar.scalarType) }
  if type is any Encodable.Type, type is any Decodable.Type,
    let raw = type as? any RawRepresentable.Type, let scalar = rawScalarType(of: raw)
  {
    return .rawValue(scalar)
  }
  return nil
}

private func rawScalarType<T: RawRepresentable>(of type: T.Type) -> ScalarType? {
  (T.RawValue.self as? any ScalarCoding.Type)?.scalarType
}

/// `Duration` is encoded as the two halves of a 128-bit number.
private func durationLeaves(
  path: [String], codingPath: [String], isOptional: Bool
) -> [CompositeLeaf] {
  ["high", "low"].map {
    CompositeLeaf(
      path: path + [$0], codingPath: codingPath + [$0], form: .scalar(.int64),
      isOptional: isOptional, valueType: Int64.self)
  }
}

/// Splits a type into its leaves.
private struct CompositeReader {
  struct Found {
    var leaves: [CompositeLeaf] = []
    /// Whether all leaves of a value may be null.
    var mayBeEmpty: Bool

    /// The value with the leaves may be absent.
    /// - Parameter depth: The number of coding keys to it.
    mutating func noteOptional(depth: Int) {
      for index in leaves.indices where leaves[index].optionalDepth == nil {
        leaves[index].optionalDepth = depth
      }
    }
  }

  /// The enclosing types; a type that contains itself stops the recursion.
  private var enclosing: [ObjectIdentifier] = []

  /// The leaves of a struct or enum; `nil` for a custom encoding, which can only be stored in a
  /// single column.
  mutating func leaves(
    of type: any (Decodable & Encodable).Type, path: [String] = [], codingPath: [String] = [],
    isOptional: Bool = false, mayBeNil: Bool = false
  ) throws -> Found? {
    let identity = ObjectIdentifier(type)
    guard !enclosing.contains(identity) else { return nil }
    enclosing.append(identity)
    defer { enclosing.removeLast() }
    let kind = TypeReflection.kind(of: type)
    if kind == .structure || kind == .enumeration, let scalar = CodingProbe.singleValue(of: type) {
      let leaf = CompositeLeaf(
        path: path, codingPath: codingPath, form: .scalar(scalar), isOptional: isOptional,
        valueType: type)
      return Found(leaves: [leaf], mayBeEmpty: false)
    }
    switch kind {
    case .structure:
      return try structLeaves(type, path: path, codingPath: codingPath, isOptional: isOptional)
    case .enumeration:
      return try enumLeaves(type, path: path, codingPath: codingPath, mayBeNil: mayBeNil)
    case .reference, .other:
      return nil
    }
  }

  private mutating func structLeaves(
    _ type: any (Decodable & Encodable).Type, path: [String], codingPath: [String],
    isOptional: Bool
  ) throws -> Found? {
    guard let keys = CodingProbe.keys(of: type), !keys.isEmpty else { return nil }
    let fields = TypeReflection.fields(of: type)
    var all = Found(mayBeEmpty: true)
    for key in keys {
      // The storage of a property wrapper has an underscore before its name.
      guard
        let field = fields.first(where: { $0.name == key.name })
          ?? fields.first(where: { $0.name == "_" + key.name }),
        let found = try fieldLeaves(
          field.type, path: path + [key.name], codingPath: codingPath + [key.text],
          isOptional: isOptional, of: type)
      else { return nil }
      all.leaves += found.leaves
      all.mayBeEmpty = all.mayBeEmpty && found.mayBeEmpty
    }
    return all
  }

  /// The leaves of the cases. A case without associated values has one leaf for its name. A case
  /// with values has only their leaves, so it is not visible if all of them are absent.
  private mutating func enumLeaves(
    _ type: any (Decodable & Encodable).Type, path: [String], codingPath: [String],
    mayBeNil: Bool
  ) throws -> Found? {
    guard let cases = TypeReflection.cases(of: type), let keys = CodingProbe.keys(of: type),
      !cases.isEmpty
    else { return nil }
    var all = Found(mayBeEmpty: false)
    for enumCase in cases {
      guard let key = keys.first(where: { $0.name == enumCase.name }) else { return nil }
      let casePath = path + [key.name]
      let caseCodingPath = codingPath + [key.text]
      if enumCase.payload.isEmpty {
        all.leaves.append(
          CompositeLeaf(
            path: casePath, codingPath: caseCodingPath, form: .enumCase, isOptional: true,
            valueType: String.self))
        continue
      }
      guard let labels = CodingProbe.keys(of: type, case: key),
        labels.count == enumCase.payload.count
      else { return nil }
      var found = Found(mayBeEmpty: true)
      for (label, payload) in zip(labels, enumCase.payload) {
        guard
          let inner = try fieldLeaves(
            payload, path: casePath + [label.name], codingPath: caseCodingPath + [label.text],
            isOptional: true, of: type)
        else { return nil }
        found.leaves += inner.leaves
        found.mayBeEmpty = found.mayBeEmpty && inner.mayBeEmpty
      }
      found.noteOptional(depth: caseCodingPath.count)
      for index in found.leaves.indices {
        let depth = found.leaves[index].codingPath.count - caseCodingPath.count
        found.leaves[index].payloadCases.append(
          CompositeLeaf.PayloadCase(
            depth: depth, mayBeEmpty: found.mayBeEmpty, mayBeNil: mayBeNil))
      }
      all.mayBeEmpty = all.mayBeEmpty || found.mayBeEmpty
      all.leaves += found.leaves
    }
    return all
  }

  /// The leaves of one property; `nil` if its type is not `Codable`.
  private mutating func fieldLeaves(
    _ fieldType: any Any.Type, path: [String], codingPath: [String], isOptional: Bool,
    of owner: any Any.Type
  ) throws -> Found? {
    let wrapped = unwrappedType(of: fieldType)
    let type = wrapped ?? fieldType
    let isOptional = isOptional || wrapped != nil
    if unwrappedType(of: type) != nil {
      throw SwiftDataError.loadIssueModelContainer.with(
        "\(owner).\(path.last ?? "") is a nested optional, but a column stores only one level of nil. "
          + "Make it \(type).")
    }
    func leaf(_ form: LeafStorageForm, isOptional: Bool) -> Found {
      var leaf = CompositeLeaf(
        path: path, codingPath: codingPath, form: form, isOptional: isOptional, valueType: type)
      if wrapped != nil { leaf.optionalDepth = codingPath.count }
      return Found(leaves: [leaf], mayBeEmpty: wrapped != nil)
    }
    switch singleColumnForm(of: type) {
    case .scalar(let scalar): return leaf(.scalar(scalar), isOptional: isOptional)
    case .rawValue(let scalar): return leaf(.rawValue(scalar), isOptional: true)
    default: break
    }
    if type == Duration.self {
      var found = Found(
        leaves: durationLeaves(path: path, codingPath: codingPath, isOptional: isOptional),
        mayBeEmpty: wrapped != nil)
      if wrapped != nil { found.noteOptional(depth: codingPath.count) }
      return found
    }
    guard let coded = type as? any (Decodable & Encodable).Type else { return nil }
    if TypeReflection.kind(of: type) == .reference {
      throw SwiftDataError.loadIssueModelContainer.with(
        "\(owner).\(path.last ?? "") is of the class \(type); a persisted struct or enum holds "
          + "values only. Make \(type) a struct, or use @Attribute(.codable).")
    }
    guard
      var found = try leaves(
        of: coded, path: path, codingPath: codingPath, isOptional: isOptional,
        mayBeNil: wrapped != nil)
    else { return leaf(.encoded, isOptional: isOptional) }
    found.mayBeEmpty = found.mayBeEmpty || wrapped != nil
    if wrapped != nil { found.noteOptional(depth: codingPath.count) }
    return found
  }
}
