// Code that inspects a schema with `Mirror` finds the public names, and the model class under the
// label `_objectType`, as in Apple's framework.

extension Schema.Entity: CustomReflectable {
  /// The public properties by name, and the model class as `_objectType`.
  public final var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "name": name, "_objectType": _objectType as Any, "subentities": subentities,
        "superentityName": superentityName as Any, "superentity": superentity as Any,
        "storedProperties": storedProperties, "inheritedProperties": inheritedProperties,
        "uniquenessConstraints": uniquenessConstraints, "indices": indices,
      ], displayStyle: .class, ancestorRepresentation: .suppressed)
  }
}

extension Schema.Attribute: CustomReflectable {
  /// The public properties by name.
  public final var customMirror: Mirror {
    var children: [(label: String?, value: Any)] = [
      ("name", name), ("originalName", originalName), ("options", options),
      ("valueType", valueType), ("defaultValue", defaultValue as Any), ("isOptional", isOptional),
      ("hashModifier", hashModifier as Any), ("keypath", keypath as Any),
    ]
    if let composite = self as? Schema.CompositeAttribute {
      children.append(("properties", composite.properties))
    }
    return Mirror(
      self, children: children, displayStyle: .class, ancestorRepresentation: .suppressed)
  }
}

extension Schema.Relationship: CustomReflectable {
  /// The public properties by name.
  public final var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "name": name, "originalName": originalName, "keypath": keypath as Any, "options": options,
        "valueType": valueType, "destination": destination, "deleteRule": deleteRule,
        "inverseName": inverseName as Any, "inverseKeyPath": inverseKeyPath as Any,
        "minimumModelCount": minimumModelCount as Any,
        "maximumModelCount": maximumModelCount as Any, "hashModifier": hashModifier as Any,
      ], displayStyle: .class, ancestorRepresentation: .suppressed)
  }
}
