extension DataStoreQuery.Expression: Codable {
  private enum Keys: String, CodingKey {
    case value, variable, property, type, toOne, toMany, of, call, arguments, compute, closure,
      binds, body
  }

  /// The deepest nesting that is decoded, in containers. It protects the stack from hostile data;
  /// a query of a request has at most 100 expressions in each other.
  static var depthLimit: Int { 400 }

  /// Decodes an expression; its only key of `value`, `variable`, `property`, `call`, `compute` and
  /// `closure` says which.
  ///
  /// - Throws: A `DecodingError`, also for unknown names, a wrong number of operands, and expressions
  ///   that are nested too deeply.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    guard decoder.codingPath.count <= Self.depthLimit else {
      throw DecodingError.tooDeep(decoder.codingPath)
    }
    let heads: [Keys] = [.value, .variable, .property, .call, .compute, .closure]
    let found = heads.filter { container.contains($0) }
    guard let head = found.first, found.count == 1 else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "An expression has exactly one of the keys "
            + heads.map { "'\($0.rawValue)'" }.joined(separator: ", ") + "."))
    }
    func expression(_ key: Keys) throws -> Self { try container.decode(Self.self, forKey: key) }
    func operands(_ counts: ClosedRange<Int>) throws -> [Self] {
      let operands = try container.decode([Self].self, forKey: .arguments)
      guard counts.contains(operands.count) else {
        throw DecodingError.dataCorruptedError(
          forKey: .arguments, in: container,
          debugDescription: "Wrong number of operands: \(operands.count).")
      }
      return operands
    }
    switch head {
    case .value: self = .value(try container.decode(DataStoreValue.self, forKey: .value))
    case .variable: self = .variable(try container.decode(Int.self, forKey: .variable))
    case .property:
      let kind: DataStoreQuery.PropertyKind
      if let entity = try container.decodeIfPresent(String.self, forKey: .toOne) {
        kind = .toOne(entity)
      } else if let entity = try container.decodeIfPresent(String.self, forKey: .toMany) {
        kind = .toMany(entity)
      } else {
        let name = try container.decode(String.self, forKey: .type)
        guard let named = DataStoreQuery.PropertyKind(name: name) else {
          throw DecodingError.dataCorruptedError(
            forKey: .type, in: container, debugDescription: "There is no type of this name.")
        }
        kind = named
      }
      let root = container.contains(.of) ? try expression(.of) : .row
      self = .property(try container.decode(String.self, forKey: .property), kind, of: root)
    case .call:
      let function = try container.decode(DataStoreQuery.Function.self, forKey: .call)
      self = .call(function, try operands(function.operandCounts))
    case .compute:
      let operation = try container.decode(DataStoreQuery.Arithmetic.self, forKey: .compute)
      self = .compute(
        operation, try container.decode(DataStoreQuery.ValueType.self, forKey: .type),
        try operands(operation.operandCount...operation.operandCount))
    default:
      self = .closure(
        try container.decode(DataStoreQuery.Closure.self, forKey: .closure),
        of: try expression(.of), variable: try container.decode(Int.self, forKey: .binds),
        try expression(.body))
    }
  }

  /// Encodes the expression; a property of the requested row does not name the row.
  ///
  /// - Throws: Errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    switch self {
    case .value(let value): try container.encode(value, forKey: .value)
    case .variable(let number): try container.encode(number, forKey: .variable)
    case .property(let name, let kind, let root):
      try container.encode(name, forKey: .property)
      switch kind {
      case .toOne(let entity): try container.encode(entity, forKey: .toOne)
      case .toMany(let entity): try container.encode(entity, forKey: .toMany)
      default: try container.encode(kind.name, forKey: .type)
      }
      if root != .row { try container.encode(root, forKey: .of) }
    case .call(let function, let operands):
      try container.encode(function, forKey: .call)
      try container.encode(operands, forKey: .arguments)
    case .compute(let operation, let type, let operands):
      try container.encode(operation, forKey: .compute)
      try container.encode(type, forKey: .type)
      try container.encode(operands, forKey: .arguments)
    case .closure(let function, let root, let variable, let body):
      try container.encode(function, forKey: .closure)
      try container.encode(root, forKey: .of)
      try container.encode(variable, forKey: .binds)
      try container.encode(body, forKey: .body)
    }
  }
}

extension DataStoreQuery.PropertyKind {
  /// The name of the kind in the encoded form; relationships have a key of their own.
  fileprivate var name: String {
    switch self {
    case .attribute(let type): type.rawValue
    case .composite: "composite"
    case .list: "list"
    case .dictionary: "dictionary"
    case .opaque: "opaque"
    case .toOne: "toOne"
    case .toMany: "toMany"
    }
  }

  fileprivate init?(name: String) {
    let kinds: [Self] = [.composite, .list, .dictionary, .opaque]
    let named = kinds.first { $0.name == name }
    guard let kind = named ?? DataStoreQuery.ValueType(rawValue: name).map(Self.attribute) else {
      return nil
    }
    self = kind
  }
}

extension DecodingError {
  static func tooDeep(_ path: [any CodingKey]) -> DecodingError {
    .dataCorrupted(
      Context(codingPath: path, debugDescription: "The data is nested too deeply."))
  }
}
