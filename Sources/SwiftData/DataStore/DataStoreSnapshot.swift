/// What a snapshot may hold for one property.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The values of one model at one time, in the form in which they travel between context and store.
public protocol DataStoreSnapshot: Decodable, Encodable, Sendable {
  /// The model that the values belong to; temporary until its first save.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Takes the values of a model.
  ///
  /// - Parameters:
  ///   - from: The values.
  ///   - relatedBackingDatas: The values of models that this one leads to.
  init(
    from: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

  /// The same values under another identifier, with identifiers inside of them replaced.
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

  /// Makes a key of its text.
  public init?(stringValue: String) {
    self =
      stringValue == "persistentIdentifier"
      ? .persistentIdentifier : .modeledProperty(stringValue)
  }

  /// `nil`: the keys are texts.
  public var intValue: Int? { nil }

  /// Always `nil`: the keys are texts.
  public init?(intValue: Int) { nil }
}
