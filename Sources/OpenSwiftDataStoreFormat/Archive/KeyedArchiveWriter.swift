package import Foundation

/// Writes keyed archives like `NSKeyedArchiver`: each object once, however many objects refer to
/// it, and equal texts and numbers once. Objects may have circular references.
package struct KeyedArchiveWriter: Sendable {
  /// The index of an object in the archive.
  package struct Reference: Equatable, Sendable {
    fileprivate let place: Int

    /// A reference to no object.
    package static let null = Reference(place: 0)

    /// The reference as the value of a field.
    package var field: PropertyList { .uid(place) }
  }

  private var objects: [PropertyList] = [.string("$null")]
  /// By the names of the classes.
  private var classes: [String: Reference] = [:]
  private var shared = UniquedValues()

  package init() {}

  /// Reserves an index for an object that is described later, so that other objects can refer to
  /// it.
  package mutating func reserve() -> Reference {
    objects.append(.bool(false))
    return Reference(place: objects.count - 1)
  }

  /// Sets the class and the fields of a reserved object.
  ///
  /// - Parameter classNames: The class and its superclasses, without `NSObject`.
  package mutating func describe(
    _ reference: Reference, as classNames: [String], _ fields: [String: PropertyList]
  ) {
    var fields = fields
    fields["$class"] = classReference(classNames).field
    objects[reference.place] = .dictionary(fields)
  }

  package mutating func object(
    _ classNames: [String], _ fields: [String: PropertyList]
  ) -> Reference {
    let reference = reserve()
    describe(reference, as: classNames, fields)
    return reference
  }

  /// Adds an object that is a plain value.
  package mutating func plain(_ value: PropertyList) -> Reference {
    switch value {
    case .string, .bool, .integer, .unsigned:
      if let earlier = shared.earlierIndex(of: value, or: objects.count) {
        return Reference(place: earlier)
      }
      return append(value)
    default:
      return append(value)
    }
  }

  package mutating func string(_ text: String?) -> Reference {
    text.map { plain(.string($0)) } ?? .null
  }

  /// Adds an array or another collection.
  package mutating func collection(
    _ elements: [Reference], _ classNames: [String] = ["NSArray"]
  ) -> Reference {
    object(classNames, ["NS.objects": .array(elements.map(\.field))])
  }

  package mutating func dictionary(
    _ entries: [(key: Reference, value: Reference)], isMutable: Bool = false
  ) -> Reference {
    object(
      isMutable ? ["NSMutableDictionary", "NSDictionary"] : ["NSDictionary"],
      [
        "NS.keys": .array(entries.map(\.key.field)),
        "NS.objects": .array(entries.map(\.value.field)),
      ])
  }

  package func data(root: Reference) throws(FormatError) -> Data {
    try BinaryPlist.encode(
      .dictionary([
        "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
        "$top": .dictionary(["root": root.field]), "$objects": .array(objects),
      ]))
  }

  private mutating func append(_ value: PropertyList) -> Reference {
    objects.append(value)
    return Reference(place: objects.count - 1)
  }

  private mutating func classReference(_ names: [String]) -> Reference {
    let key = names.joined(separator: " ")
    if let known = classes[key] { return known }
    let all = names + ["NSObject"]
    let reference = append(
      .dictionary([
        "$classname": .string(all[0]), "$classes": .array(all.map(PropertyList.string)),
      ]))
    classes[key] = reference
    return reference
  }
}
