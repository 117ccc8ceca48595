/// The type of a property's value in a snapshot.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The values of one model at one time, as passed between a context and a store.
public protocol DataStoreSnapshot: Decodable, Encodable, Sendable {
  /// The identifier of the model; temporary until the first save.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Creates a snapshot of the values of a model.
  ///
  /// - Parameters:
  ///   - from: The values.
  ///   - relatedBackingDatas: The values of related models.
  init(
    from: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

  /// Returns the same values under another identifier; replaces identifiers of related models too.
  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

/// The keys of an encoded snapshot: the identifier, and the properties of the model.
public enum DataStoreSnapshotCodingKey: CodingKey {
  /// The identifier of the model.
  case persistentIdentifier

  /// A property of the model, by its name.
  case modeledProperty(String)

  /// The name of the property, or of the identifier.
  public var stringValue: String {
    switch self {
    case .persistentIdentifier: "persistentIdentifier"
    case .modeledProperty(let name): name
    }
  }

  /// Creates a key from its text.
  public init?(stringValue: String) {
    self =
      stringValue == "persistentIdentifier"
      ? .persistentIdentifier : .modeledProperty(stringValue)
  }

  /// Always `nil`: keys are texts.
  public var intValue: Int? { nil }

  /// Always `nil`: keys are texts.
  public init?(intValue: Int) { nil }
}
