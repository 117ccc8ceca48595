import Foundation

/// Identifies one stored model across contexts, actors and processes.
///
/// A model has a temporary identifier until its first save, and the permanent one afterwards. A
/// copy from before the save still finds the model through ``ModelContext/model(for:)``.
public struct PersistentIdentifier: Hashable, Identifiable, Comparable, Codable, Sendable {
  /// The identity of an identifier.
  public struct ID: Hashable, Sendable {
    let scope: IdentifierScope
    let key: Int64

    /// Whether two identifiers name the same model.
    public static func == (lhs: ID, rhs: ID) -> Bool {
      lhs.key == rhs.key && lhs.scope.isEqual(to: rhs.scope)
    }

    /// Feeds the identity into `hasher`.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(scope.hashSeed)
      hasher.combine(key)
    }
  }

  /// The identity of this identifier.
  public let id: ID

  /// The name of the model's entity.
  public var entityName: String { id.scope.entityName }

  /// The identifier of the store that contains the model; `nil` before the first save.
  public var storeIdentifier: String? { id.scope.storeIdentifier }

  init(scope: IdentifierScope, key: Int64) {
    id = ID(scope: scope, key: key)
  }

  init(temporaryFor entityName: String) {
    self.init(scope: TemporaryScope(entityName: entityName), key: 0)
  }

  /// Creates the identifier of a row in a custom store.
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store.
  ///   - entityName: The name of the row's entity.
  ///   - primaryKey: The row's key, unique within the entity.
  /// - Throws: Nothing.
  public static func identifier<T>(
    for storeIdentifier: String, entityName: String, primaryKey: T
  ) throws -> PersistentIdentifier
  where T: Comparable, T: CustomStringConvertible, T: Decodable, T: Encodable, T: Hashable {
    PersistentIdentifier(
      storeIdentifier: storeIdentifier, entityName: entityName, primaryKey: primaryKey.description)
  }

  /// The identifier whose key has the given textual form; `p<number>` is an integer key.
  init(storeIdentifier: String?, entityName: String, primaryKey: String) {
    if primaryKey.first == "p", let key = Int64(primaryKey.dropFirst()) {
      let scope = IdentifierScope(
        storeIdentifier: storeIdentifier, entityName: entityName, kind: .row)
      self.init(scope: scope, key: key)
    } else {
      let scope = IdentifierScope(
        storeIdentifier: storeIdentifier, entityName: entityName, kind: .text(primaryKey))
      self.init(scope: scope, key: 0)
    }
  }

  /// Whether two identifiers name the same model.
  public static func == (lhs: PersistentIdentifier, rhs: PersistentIdentifier) -> Bool {
    lhs.id == rhs.id
  }

  /// Feeds the identifier into `hasher`.
  public func hash(into hasher: inout Hasher) { id.hash(into: &hasher) }

  /// Orders by store, entity and primary key; temporary identifiers come last.
  public static func < (lhs: PersistentIdentifier, rhs: PersistentIdentifier) -> Bool {
    let (a, b) = (lhs.id.scope, rhs.id.scope)
    if a === b, case .row = a.kind { return lhs.id.key < rhs.id.key }
    if a.storeIdentifier != b.storeIdentifier {
      guard let left = a.storeIdentifier else { return false }
      guard let right = b.storeIdentifier else { return true }
      return left < right
    }
    if a.entityName != b.entityName { return a.entityName < b.entityName }
    if lhs.id.key != rhs.id.key { return lhs.id.key < rhs.id.key }
    if let left = lhs.temporaryScope, let right = rhs.temporaryScope {
      return left.serial < right.serial
    }
    return lhs.primaryKey < rhs.primaryKey
  }
}

extension PersistentIdentifier {
  var temporaryScope: TemporaryScope? {
    guard case .temporary = id.scope.kind else { return nil }
    return unsafeDowncast(id.scope, to: TemporaryScope.self)
  }

  package var isTemporary: Bool {
    if case .temporary = id.scope.kind { return true }
    return false
  }

  /// The integer primary key, if the identifier has one.
  package var rowKey: Int64? {
    if case .row = id.scope.kind { return id.key }
    return nil
  }

  /// The identifier for looking up a row: the permanent one, once the model has been saved.
  package var resolved: PersistentIdentifier {
    temporaryScope?.permanentIdentifier ?? self
  }

  package var primaryKey: String {
    switch id.scope.kind {
    case .row: "p\(id.key)"
    case .text(let key): key
    case .temporary: temporaryScope?.primaryKey ?? "t"
    }
  }
}

extension PersistentIdentifier {
  /// What a decoded identifier stands for, in a migration that gives models other names or rows other keys.
  @TaskLocal static var decoded: (@Sendable (PersistentIdentifier) -> PersistentIdentifier)?

  private enum OuterKeys: String, CodingKey { case implementation }

  private enum InnerKeys: String, CodingKey {
    case primaryKey, uriRepresentation, isTemporary, storeIdentifier, entityName
  }

  /// Decodes Apple's form: `{"implementation": {"primaryKey": "p12", "entityName": …}}`.
  ///
  /// A temporary identifier that this process encoded equals the original. It leads to the model
  /// even after the first save, as long as the context that saved it exists. An unknown temporary
  /// identifier leads to no model.
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: A `DecodingError` if a part is missing.
  public init(from decoder: any Decoder) throws {
    let outer = try decoder.container(keyedBy: OuterKeys.self)
    let inner = try outer.nestedContainer(keyedBy: InnerKeys.self, forKey: .implementation)
    let store = try inner.decodeIfPresent(String.self, forKey: .storeIdentifier)
    let entityName = try inner.decode(String.self, forKey: .entityName)
    let primaryKey = try inner.decode(String.self, forKey: .primaryKey)
    if try inner.decodeIfPresent(Bool.self, forKey: .isTemporary) == true, store == nil {
      self.init(
        scope: EncodedIdentities.scope(entityName: entityName, primaryKey: primaryKey), key: 0)
    } else {
      let identifier = PersistentIdentifier(
        storeIdentifier: store, entityName: entityName, primaryKey: primaryKey)
      self = PersistentIdentifier.decoded.map { $0(identifier) } ?? identifier
    }
  }

  /// Encodes Apple's form, which ``init(from:)`` decodes.
  ///
  /// A save encodes the permanent identifiers of the models that it inserts.
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: Errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    let stable = stable
    stable.temporaryScope?.noteEncoded()
    var outer = encoder.container(keyedBy: OuterKeys.self)
    var inner = outer.nestedContainer(keyedBy: InnerKeys.self, forKey: .implementation)
    try inner.encode(stable.primaryKey, forKey: .primaryKey)
    try inner.encode(stable.uriRepresentation, forKey: .uriRepresentation)
    try inner.encode(stable.isTemporary, forKey: .isTemporary)
    try inner.encodeIfPresent(stable.storeIdentifier, forKey: .storeIdentifier)
    try inner.encode(stable.entityName, forKey: .entityName)
  }

  /// `x-coredata://<store>/<entity>/<key>`, the form that stores made by Core Data use.
  package var uriRepresentation: String {
    "x-coredata://\(storeIdentifier ?? "")/\(entityName)/\(primaryKey)"
  }
}

extension PersistentIdentifier: CustomStringConvertible {
  /// The identifier as a URI.
  public var description: String { uriRepresentation }
}

extension PersistentIdentifier: _IdentifierHolder {
  public var _holdsTemporary: Bool { isTemporary }
  public var _resolved: PersistentIdentifier { resolved }
}
