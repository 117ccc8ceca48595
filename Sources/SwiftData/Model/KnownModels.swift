import Synchronization

/// The model classes that the process has met, so that types of properties are recognised without a
/// cast. A cast looks through all conformances of the program, once for each class.
///
/// `Schema.init` notes the listed classes before it reads their properties.
enum KnownModels {
  private static let known = Mutex<[ObjectIdentifier: any PersistentModel.Type]>([:])

  static func note(_ types: [any PersistentModel.Type]) {
    known.withLock { known in
      for type in types { known[ObjectIdentifier(type)] = type }
    }
  }

  /// The type as a model class; `nil` for any other type.
  static func model(_ type: any Any.Type) -> (any PersistentModel.Type)? {
    // Only classes can be models.
    if TypeReflection.isReliable, TypeReflection.kind(of: type) != .reference { return nil }
    if let model = known.withLock({ $0[ObjectIdentifier(type)] }) { return model }
    guard let model = type as? any PersistentModel.Type else { return nil }
    note([model])
    return model
  }

  /// The class of the members of a to-many relationship; `nil` for a type that is none.
  static func element(ofCollection type: any Any.Type) -> (any PersistentModel.Type)? {
    switch TypeReflection.wrapping(of: type) {
    case .array(let element): return model(element)
    case .optional(let wrapped):
      if case .array(let element) = TypeReflection.wrapping(of: wrapped) { return model(element) }
    case .neither, nil: break
    }
    return (type as? any RelationshipCollection.Type)?.elementType
  }
}

extension RelationshipCollection {
  fileprivate static var elementType: any PersistentModel.Type { PersistentElement.self }
}
