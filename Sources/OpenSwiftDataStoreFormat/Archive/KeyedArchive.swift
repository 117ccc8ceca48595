package import Foundation

/// The content of an `NSKeyedArchiver` archive, as a graph of objects with class names and plain
/// fields. It instantiates no class, so any class can be read. Objects may have circular
/// references.
package struct KeyedArchive: Sendable {
  /// The value of an object's field.
  package enum Value: Equatable, Sendable {
    case null
    /// A text, a number, data or another value without a class.
    case plain(PropertyList)
    case object(Object)
  }

  /// An object of an archive, identified by its index.
  package struct Object: Equatable, Sendable {
    fileprivate let place: Int
  }

  private let objects: [PropertyList]
  package let root: Value
  /// The size of the archive in bytes.
  let size: Int

  package init(_ data: Data) throws(FormatError) {
    guard let plist = try BinaryPlist.decode(data).dictionary,
      plist["$archiver"] == .string("NSKeyedArchiver"),
      let objects = plist["$objects"]?.array, let top = plist["$top"]?.dictionary,
      let root = top["root"] ?? (top.count == 1 ? top.first?.value : nil)
    else { throw FormatError("The data is not a keyed archive.") }
    self.objects = objects
    size = data.count
    self.root = try Self.value(of: root, in: objects)
  }

  package func className(of object: Object) -> String? {
    guard case .uid(let place)? = fields(of: object)["$class"], objects.indices.contains(place)
    else { return nil }
    return objects[place].dictionary?["$classname"]?.string
  }

  /// The names of an object's fields.
  package func keys(of object: Object) -> Set<String> {
    Set(fields(of: object).keys).subtracting(["$class"])
  }

  /// A field of an object; null if the object has no field of that name.
  package subscript(object: Object, key: String) -> Value {
    fields(of: object)[key].flatMap { try? Self.value(of: $0, in: objects) } ?? .null
  }

  /// The list of references in a field, as collections have it.
  package func values(of key: String, in object: Object) -> [Value]? {
    guard case .array(let references)? = fields(of: object)[key] else { return nil }
    return references.map { (try? Self.value(of: $0, in: objects)) ?? .null }
  }

  private func fields(of object: Object) -> [String: PropertyList] {
    objects[object.place].dictionary ?? [:]
  }

  private static func value(
    of entry: PropertyList, in objects: [PropertyList]
  ) throws(FormatError) -> Value {
    guard case .uid(let place) = entry else { return .plain(entry) }
    guard objects.indices.contains(place) else { throw PlistTable.damaged }
    if place == 0 { return .null }
    if case .dictionary(let fields) = objects[place], fields["$class"] != nil {
      return .object(Object(place: place))
    }
    return .plain(objects[place])
  }
}

extension KeyedArchive {
  /// The elements of an array or a set.
  package func elements(of value: Value) -> [Value]? {
    guard case .object(let object) = value, let name = className(of: object) else { return nil }
    switch name {
    case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet":
      return values(of: "NS.objects", in: object)
    case "NSOrderedSet", "NSMutableOrderedSet":
      if let elements = values(of: "NS.objects", in: object) { return elements }
      return (0..<keys(of: object).count).map { self[object, "NS.object.\($0)"] }
    default: return nil
    }
  }

  /// The entries of a dictionary, including the dictionaries with fixed keys that models use.
  package func entries(of value: Value) -> [(key: Value, value: Value)]? {
    guard case .object(let object) = value, let name = className(of: object) else { return nil }
    let (keys, values): ([Value]?, [Value]?)
    switch name {
    case "NSDictionary", "NSMutableDictionary":
      keys = self.values(of: "NS.keys", in: object)
      values = self.values(of: "NS.objects", in: object)
    case "NSKnownKeysDictionary1":
      guard case .object(let mapping) = self[object, "searchMapping"] else { return nil }
      keys = elements(of: self[mapping, "keys"])
      values = elements(of: self[object, "values"])
    default: return nil
    }
    guard let keys, let values, keys.count == values.count else { return nil }
    return Array(zip(keys, values)).map { (key: $0, value: $1) }
  }

  /// The text of a plain or mutable string.
  package func string(_ value: Value) -> String? {
    switch value {
    case .plain(.string(let text)): return text
    case .object(let object): return self[object, "NS.string"].text
    default: return nil
    }
  }
}

extension KeyedArchive.Value {
  fileprivate var text: String? {
    if case .plain(.string(let text)) = self { text } else { nil }
  }
}
