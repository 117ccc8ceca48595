import OpenSwiftDataStoreFormat

/// The Swift type of an attribute's values.
struct ValueShape {
  /// The name of the type, without `?`.
  let name: String
  /// A struct or enum that the class must declare.
  private(set) var declaration: ValueType?
  private(set) var comment: String?
  private(set) var isStoredBytes = false

  private static let names: [AttributeType: String] = [
    .integer16: "Int16", .integer32: "Int32", .integer64: "Int", .decimal: "Decimal",
    .double: "Double", .float: "Float", .string: "String", .boolean: "Bool", .date: "Date",
    .binary: "Data", .uuid: "UUID", .uri: "URL",
  ]

  /// The module that declares a type.
  private static func module(of name: String) -> String {
    ["Decimal", "Date", "Data", "UUID", "URL"].contains(name) ? "Foundation" : "Swift"
  }

  /// - Parameter taken: Names of types that a nested type must not hide.
  init(_ attribute: AttributeDescription, in source: SourceModel, taken: Set<String>) {
    func spelled(_ name: String) -> String { source.name(name, of: ValueShape.module(of: name)) }
    switch attribute.type {
    case .transformable:
      if let list = attribute.valueClassName.flatMap({
        ValueShape.collection($0, spelled)
      }) {
        name = list
      } else {
        name = spelled("Data")
        isStoredBytes = true
        let type = attribute.valueClassName.map { "a transformed \($0)" } ?? "a transformed value"
        comment =
          "The stored bytes of \(type)"
          + (attribute.transformerName.map { ", as \($0) creates them." } ?? ".")
      }
    case .composite where attribute.isDuration: name = spelled("Duration")
    case .composite:
      let declared = ValueType(attribute, in: source, taken: taken)
      name = declared.name
      declaration = declared
    case let type: name = spelled(ValueShape.names[type] ?? "Data")
    }
  }

  static let scalars = Set(names.values).union(["Duration"])

  /// The Swift spelling of `Array<String>`; nil if the file does not record the type of the
  /// elements.
  private static func collection(
    _ text: String, _ spelled: (String) -> String
  ) -> String? {
    func arguments(_ kind: String) -> [String]? {
      guard text.hasPrefix(kind + "<"), text.hasSuffix(">") else { return nil }
      let parts = text.dropFirst(kind.count + 1).dropLast().split(separator: ",")
        .map { String($0.drop { $0 == " " }) }
      return parts.allSatisfy(scalars.contains) ? parts.map(spelled) : nil
    }
    if let elements = arguments("Array"), elements.count == 1 { return "[\(elements[0])]" }
    if let elements = arguments("Set"), elements.count == 1 {
      return "\(spelled("Set"))<\(elements[0])>"
    }
    if let pair = arguments("Dictionary"), pair.count == 2 { return "[\(pair[0]): \(pair[1])]" }
    return nil
  }
}

extension AttributeDescription {
  /// `Duration` is stored as the high and low half of a number.
  fileprivate var isDuration: Bool {
    elements.map(\.name) == ["high", "low"] && elements.allSatisfy { $0.type == .integer64 }
  }
}

/// A struct or enum whose parts have separate columns.
struct ValueType {
  private enum Kind {
    case structure([Part])
    case rawValue(String)
    case cases([(name: String, parts: [Part])])
  }

  private struct Part {
    let name: String
    let type: String

    /// An associated value without a label is stored under its position: `_0`.
    var isUnlabelled: Bool {
      name.first == "_" && name.count > 1 && name.dropFirst().allSatisfy(\.isNumber)
    }
  }

  let name: String
  private let conformance: String
  private let rawRepresentable: String
  private let kind: Kind
  private var nested: [ValueType] = []

  /// Names that are not allowed for a type inside a class, or that would hide a type used there.
  private static let hiding: Set<String> = [
    "Type", "Protocol", "Self", "Any", "Set", "Codable", "Hashable", "RawRepresentable",
    "Attribute",
    "Relationship", "Model", "Transient", "SwiftData", "Foundation", "Swift", "Never",
    "Observation",
  ]

  init(_ attribute: AttributeDescription, in source: SourceModel, taken: Set<String>) {
    let wanted = attribute.name.filter { $0 != "_" }.capitalisedFirst
    var name = wanted
    if wanted.first?.isNumber == true { name = "Value" + wanted }
    while name.isEmpty || taken.contains(name) || ValueShape.scalars.contains(name)
      || ValueType.hiding.contains(name)
    {
      name += "Value"
    }
    self.name = name
    conformance = ["Codable", "Hashable"].map { source.name($0, of: "Swift") }
      .joined(separator: ", ")
    rawRepresentable = source.name("RawRepresentable", of: "Swift")
    var taken = taken.union([name])
    var nested: [ValueType] = []
    func part(_ element: AttributeDescription, isOptional: Bool) -> Part {
      let shape = ValueShape(element, in: source, taken: taken)
      if let declared = shape.declaration {
        nested.append(declared)
        taken.insert(declared.name)
      }
      return Part(name: element.name, type: shape.name + (isOptional ? "?" : ""))
    }
    let elements = attribute.elements
    if attribute.isEnumeration, elements.count == 1, elements[0].name == attribute.name,
      elements[0].type != .composite
    {
      kind = .rawValue(ValueShape(elements[0], in: source, taken: taken).name)
    } else if attribute.isEnumeration {
      kind = .cases(
        elements.map { element in
          guard element.type == .composite else { return (element.name, []) }
          // Each of several values may be missing; a single value must be present to mark the case.
          let isOptional = element.elements.count > 1
          return (element.name, element.elements.map { part($0, isOptional: isOptional) })
        })
    } else {
      kind = .structure(elements.map { part($0, isOptional: $0.isOptional) })
    }
    self.nested = nested
  }

  func write(to writer: inout SourceWriter) {
    switch kind {
    case .structure(let parts):
      writer.open("struct \(name): \(conformance) {")
      for part in parts { writer.line("var \(part.name.swiftName): \(part.type)") }
    case .rawValue(let type):
      writer.line("/// An enum. The file does not contain its cases.")
      writer.open("struct \(name): \(rawRepresentable), \(conformance) {")
      writer.line("var rawValue: \(type)")
    case .cases(let cases):
      writer.open("enum \(name): \(conformance) {")
      for (name, parts) in cases {
        let values = parts.map { part in
          part.isUnlabelled ? part.type : "\(part.name.swiftName): \(part.type)"
        }
        if values.isEmpty {
          writer.line("case \(name.swiftName)")
        } else {
          writer.list("case \(name.swiftName)(", values, ")")
        }
      }
    }
    for type in nested {
      writer.line()
      type.write(to: &writer)
    }
    writer.close()
  }
}
