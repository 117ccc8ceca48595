import SwiftDiagnostics

/// The diagnostics of the macros for models, model actors and queries.
enum ModelDiagnostic: Equatable {
  // The declaration as a whole
  case notApplicable(macro: String, kind: String, name: String)
  case missingInitializer(model: String)
  case equalityWithoutHash(model: String)
  case genericModel(model: String)
  case localModel(model: String)
  case originalNameWithoutText(model: String)
  case actorPropertyWithoutValue(String, actor: String)

  // A stored property
  case constantProperty(String)
  case unsupportedModifier(String, keyword: String)
  case propertyWrapper(String, wrapper: String)
  case observationIgnored(String)
  case observedProperty(String)
  case severalBindings([String])
  case destructuringPattern
  case missingType(String)
  case conditionalProperty(String)
  case conditionalDeclaration(macro: String, of: String)
  case doubleOptional(String)
  case transientWithoutDefault(String)
  case reservedName(String)
  case rawIdentifier(String)

  // An attribute on a property
  case attributeOnComputed(macro: String, property: String)
  case attributeOnStatic(macro: String, property: String)
  case conflictingAttributes(String, String, property: String)
  case repeatedAttribute(macro: String, property: String)
  case repeatedOption(String, property: String)
  case uniqueEphemeral(String)
  case relationshipOnValue(property: String, type: String)
  case unknownInverse(property: String, model: String)
  case markerOutsideModel(macro: String)

  // @Query
  case constantQuery(String)
  case queryWithValue(String)
  case queryWithoutType(String)
  case queryOfOptional(String)

  // #Index and #Unique
  case unknownKeyPath(macro: String, property: String, model: String)
  case unstoredKeyPath(macro: String, property: String, model: String)
  case constraintOutsideModel(macro: String)
  case constraintOfOtherModel(macro: String, other: String, model: String)
  case pathThroughRelationship(macro: String, property: String, model: String)
  case constraintOnTransformable(macro: String, property: String)
}

extension ModelDiagnostic: DiagnosticMessage {
  var severity: DiagnosticSeverity {
    switch self {
    case .equalityWithoutHash, .observedProperty, .markerOutsideModel, .constraintOutsideModel:
      .warning
    // A note, because the compiler reports an error for the key path itself.
    case .unknownKeyPath: .note
    default: .error
    }
  }

  var diagnosticID: MessageID {
    let label = Mirror(reflecting: self).children.first?.label ?? "\(self)"
    return MessageID(domain: "SwiftData", id: label)
  }

  var message: String {
    switch self {
    case .notApplicable(let macro, let kind, let name):
      "'@\(macro)' cannot be applied to \(kind) type '\(name)'"
    case .missingInitializer(let model):
      "@Model requires an initializer be provided for '\(model)'"
    case .equalityWithoutHash(let model):
      "'\(model)' has its own '==' and the hash of its identity, so equal models may have different hashes; "
        + "declare 'func hash(into hasher: inout Hasher)' in the body of the class"
    case .genericModel(let model):
      "@Model cannot be applied to generic class '\(model)'"
    case .localModel(let model):
      "@Model cannot be applied to local class '\(model)'; declare it outside the function"
    case .originalNameWithoutText(let model):
      "@Model requires 'originalName' of '\(model)' to be a string literal: the former name of the class"
    case .actorPropertyWithoutValue(let name, let actor):
      "@ModelActor requires '\(name)' to have a default value or '\(actor)' to have an initializer"
    case .constantProperty(let name):
      "@Model cannot restore constant '\(name)', because its declaration sets the value; declare it with "
        + "'var', or set it in the initializer"
    case .unsupportedModifier(let name, let keyword):
      "@Model cannot persist \(keyword) property '\(name)'; "
        + "remove '\(keyword)' or mark it @Transient"
    case .propertyWrapper(let name, let wrapper):
      "@Model cannot persist property '\(name)' with property wrapper '@\(wrapper)'; "
        + "mark it @Transient, or persist the wrapped value in a property without it"
    case .observationIgnored(let name):
      "persisted property '\(name)' is always observed; mark it @Transient instead of @ObservationIgnored"
    case .observedProperty(let name):
      "observers of persisted property '\(name)' are not called"
    case .severalBindings(let names):
      "@Model requires a separate declaration for each of "
        + names.map { "'\($0)'" }.joined(separator: ", ")
    case .destructuringPattern:
      "@Model cannot persist properties declared with a tuple pattern"
    case .missingType(let name):
      "@Model requires persisted property '\(name)' to have a type or a default value"
    case .conditionalProperty(let name):
      "@Model cannot persist property '\(name)' inside '#if'; move it out or mark it @Transient"
    case .conditionalDeclaration(let macro, let owner):
      "@Model cannot tell whether '\(macro)' of '\(owner)' inside '#if' is compiled; move it out, or use the "
        + "condition 'canImport(SwiftData)'"
    case .doubleOptional(let name):
      "@Model cannot persist nested optional '\(name)'; a column stores only one level of nil"
    case .transientWithoutDefault(let name):
      "@Transient requires non-optional property '\(name)' to have a default value"
    case .reservedName(let name):
      "@Model cannot persist a property named '\(name)', which hides '\(name)' of PersistentModel; give it "
        + "another name, and keep stored values with @Attribute(originalName: \"\(name)\")"
    case .rawIdentifier(let name):
      "@Model cannot persist a property named '\(name)', because stores have no such names; use letters, digits "
        + "and underscores, or mark it @Transient"
    case .attributeOnComputed(let macro, let name):
      "@\(macro) cannot be applied to computed property '\(name)'"
    case .attributeOnStatic(let macro, let name):
      "@\(macro) cannot be applied to static property '\(name)'"
    case .conflictingAttributes(let first, let second, let name):
      "@\(first) and @\(second) cannot be combined on property '\(name)'"
    case .repeatedAttribute(let macro, let name):
      "@\(macro) is repeated on property '\(name)'"
    case .repeatedOption(let option, let name):
      "option '\(option)' is repeated on property '\(name)'"
    case .uniqueEphemeral(let name):
      "options 'unique' and 'ephemeral' cannot be combined on property '\(name)': an ephemeral value is "
        + "not stored, so no store can compare it"
    case .relationshipOnValue(let name, let type):
      "@Relationship requires '\(name)' to hold a model or models; '\(type)' is not a model"
    case .unknownInverse(let name, let model):
      "inverse '\(name)' is not a persisted property of '\(model)'"
    case .markerOutsideModel(let macro):
      "@\(macro) has no effect outside a class with @Model"
    case .constantQuery(let name):
      "@Query changes the value of '\(name)'; declare it with 'var'"
    case .queryWithValue(let name):
      "@Query fetches the value of '\(name)'; remove the initial value"
    case .queryWithoutType(let name):
      "@Query requires '\(name)' to have a type, such as '[Trip]'"
    case .queryOfOptional(let name):
      "@Query requires '\(name)' not to be optional; it is empty when no model matches"
    case .unknownKeyPath(let macro, let name, let model):
      "#\(macro) names '\(name)', which is not a property of '\(model)'"
    case .unstoredKeyPath(let macro, let name, let model):
      "#\(macro) names '\(name)', which '\(model)' does not persist"
    case .constraintOfOtherModel(let macro, let other, let model):
      "#\(macro)<\(other)> has no effect inside '\(model)'; write it in '\(other)'"
    case .pathThroughRelationship(let macro, let name, let model):
      "#\(macro) cannot follow relationship '\(name)' of '\(model)'; name a property of '\(model)'"
    case .constraintOnTransformable(let macro, let name):
      "#\(macro) cannot cover transformable property '\(name)'; its stored form has no order"
    case .constraintOutsideModel(let macro):
      "#\(macro) has no effect outside the body of a class with @Model"
    }
  }
}
