/// A model of a save that another writer has changed or deleted since the context read it.
///
/// ``SwiftDataError/conflicts`` contains one for each such model. Not in Apple's framework.
public struct SaveConflict: Hashable, Sendable {
  /// A property that another writer has changed.
  public struct Property: Hashable, Sendable {
    /// The name of the property.
    public let name: String
    /// The stored value now, if it is a simple value.
    ///
    /// A number, text, date, data, URL or UUID, a raw value, or the identifier of a related model;
    /// `nil` for no value, and for values of other types.
    public let storedValue: (any Sendable)?
    /// The value that the context would have saved, in the same form; without a change, the one it
    /// read.
    ///
    /// Also `nil` for a large value that the context had read if another writer has removed its file since.
    public let unsavedValue: (any Sendable)?
    /// Whether the context has changed the property too.
    public let isChanged: Bool

    /// Whether the names, both values and the states are equal.
    public static func == (lhs: Property, rhs: Property) -> Bool { lhs.parts == rhs.parts }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(parts) }

    // All simple values are hashable.
    private var parts: [AnyHashable?] {
      [name, storedValue as? AnyHashable, unsavedValue as? AnyHashable, isChanged]
    }
  }

  /// The identifier of the model.
  public let identifier: PersistentIdentifier
  /// Whether its row was deleted.
  public let isDeleted: Bool
  /// The properties that another writer has changed; empty if the row was deleted.
  public let properties: [Property]
}

extension SaveConflict {
  /// One conflict for each row: a row may have several instances with unsaved changes.
  static func merged(_ conflicts: [SaveConflict]) -> [SaveConflict] {
    var merged: [SaveConflict] = []
    var places: [PersistentIdentifier: Int] = [:]
    for conflict in conflicts {
      if let place = places[conflict.identifier] {
        merged[place] = merged[place].merged(with: conflict)
      } else {
        places[conflict.identifier] = merged.count
        merged.append(conflict)
      }
    }
    return merged
  }

  /// The unsaved value of an instance that has changed the property counts.
  private func merged(with other: SaveConflict) -> SaveConflict {
    var properties = properties
    for property in other.properties {
      if let index = properties.firstIndex(where: { $0.name == property.name }) {
        if !properties[index].isChanged { properties[index] = property }
      } else {
        properties.append(property)
      }
    }
    return SaveConflict(
      identifier: identifier, isDeleted: isDeleted || other.isDeleted, properties: properties)
  }
}

/// The cause of `SwiftDataError.saveConflict`.
struct SaveConflicts: Error, CustomStringConvertible {
  let all: [SaveConflict]

  var description: String {
    let texts = all.prefix(5).map { conflict in
      conflict.isDeleted
        ? "\(conflict.identifier) was deleted"
        : "\(conflict.identifier) was changed in "
          + conflict.properties.map(\.name).joined(separator: ", ")
    }
    return texts.joined(separator: "; ")
      + (all.count > texts.count ? "; and \(all.count - texts.count) more" : "")
  }
}

/// The cause of `SwiftDataError.uniquenessViolation`.
struct UniqueValueHolder: Error, CustomStringConvertible {
  let identifier: PersistentIdentifier

  var description: String { "\(identifier) has the value" }
}

extension SwiftDataError {
  /// The error for a new model with the unique values of another one, if the context refuses upserts.
  /// - Parameter holder: The stored row with the values; nil for another new model of the save.
  package static func refusedUpsert(
    entity: String, property: String, holder: PersistentIdentifier?
  ) -> SwiftDataError {
    guard let holder else {
      return uniquenessViolation.with(
        "Two new models of this save have the same value, but the property is unique. Nothing "
          + "was saved. Give one of them another value.", entity: entity, property: property)
    }
    return uniquenessViolation.with(
      "The property is unique. Nothing was saved. Give the new model another value, or "
        + "change the stored model instead.", entity: entity, property: property,
      underlying: UniqueValueHolder(identifier: holder))
  }

  /// The models that another writer has changed or deleted, for a save with
  /// ``ModelContext/ConflictPolicy/refuse``.
  ///
  /// Empty for other errors. Not in Apple's framework.
  public var conflicts: [SaveConflict] { (underlyingError as? SaveConflicts)?.all ?? [] }

  /// The row with the unique value of a new model, for a save with
  /// ``ModelContext/UniquenessPolicy/refuse``.
  ///
  /// Not in Apple's framework.
  public var holder: PersistentIdentifier? { (underlyingError as? UniqueValueHolder)?.identifier }
}
