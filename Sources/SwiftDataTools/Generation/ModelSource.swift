public import Foundation
import OpenSwiftDataStoreFormat
import SwiftData

/// Generates the Swift source of `@Model` classes from the model in a store file.
///
/// The classes compile and open the file that they were made from, including files of Core Data. A
/// comment marks what a file does not contain: the cases of an enum with raw values, and the class
/// of transformed values.
///
/// ```swift
/// let source = try ModelSource(of: URL(filePath: "/data/trips.store"))
/// try source.text.write(to: URL(filePath: "Models.swift"), atomically: true, encoding: .utf8)
/// ```
public struct ModelSource: Hashable, Sendable {
  /// The text of a Swift file.
  public let text: String

  /// Reads the model of a store file and generates its classes.
  /// - Parameters:
  ///   - url: The store file.
  ///   - namespace: The name of an enum around the classes, a name in Swift; or nil for none.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` with the reason if the file is not a store,
  ///   can't be read, does not contain its model, or has a name that is no name in Swift.
  public init(of url: URL, namespace: String? = nil) throws {
    self = try OpenedStore.look(at: url) { store in
      guard store.hasModel else {
        throw SwiftDataError.loadIssueModelContainer.with(
          "The file at \(url.path) contains no model (Z_MODELCACHE), so classes can't be generated from it."
        )
      }
      try SourceNames(store.model).check(path: url.path)
      return ModelSource(
        SourceModel(store.model, external: try store.externalColumns()), namespace: namespace)
    }
  }

  init(_ source: SourceModel, namespace: String?) {
    text = ModelSource.text(source, namespace: namespace)
  }

  private static func text(_ source: SourceModel, namespace: String?) -> String {
    var writer = SourceWriter()
    writer.line("import Foundation")
    writer.line("import SwiftData")
    writer.line()
    if let namespace { writer.open("enum \(namespace.swiftName) {") }
    let classes = source.model.entities.map { ModelClass($0, in: source) }
    for (index, modelClass) in classes.enumerated() {
      if index > 0 { writer.line() }
      modelClass.write(to: &writer)
    }
    if classes.contains(where: \.needsTransformer) {
      writer.line()
      ModelClass.writeTransformer(to: &writer)
    }
    if namespace != nil { writer.close() }
    return writer.text
  }
}

/// Lines of source text with indentation.
struct SourceWriter {
  private(set) var text = ""
  private var depth = 0

  mutating func line(_ line: String = "") {
    if !line.isEmpty { text += String(repeating: "  ", count: depth) + line }
    text += "\n"
  }

  /// A list in brackets, broken into several lines if it is too long for one.
  /// - Parameter opensBlock: Whether a brace follows, which goes to a new line if the list is
  ///   broken.
  mutating func list(
    _ head: String, _ items: [String], _ tail: String, opensBlock: Bool = false
  ) {
    let whole = head + items.joined(separator: ", ") + tail
    if whole.count + 2 * depth <= SourceWriter.width || items.isEmpty {
      line(whole)
    } else {
      line(head)
      depth += 1
      var current = ""
      for (index, item) in items.enumerated() {
        let isLast = index == items.count - 1
        let text = item + (isLast ? (opensBlock ? "" : tail) : ",")
        if !current.isEmpty, current.count + 1 + text.count + 2 * depth > SourceWriter.width {
          line(current)
          current = text
        } else {
          current += (current.isEmpty ? "" : " ") + text
        }
      }
      line(current)
      depth -= 1
      if opensBlock { line(tail) }
    }
    if opensBlock { depth += 1 }
  }

  private static let width = 100

  mutating func open(_ line: String) {
    self.line(line)
    depth += 1
  }

  mutating func close() {
    depth -= 1
    line("}")
  }
}

extension String {
  private static let keywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class",
    "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough",
    "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout",
    "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol",
    "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript", "super",
    "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]

  /// The name in Swift source, in backticks if it is a keyword.
  var swiftName: String { Self.keywords.contains(self) ? "`\(self)`" : self }

  /// The name as an argument label, where only few keywords need backticks.
  var swiftLabel: String { ["inout", "let", "var"].contains(self) ? swiftName : self }

  /// A dotted path of names for a key path.
  var swiftPath: String {
    split(separator: ".").map { String($0).swiftName }.joined(separator: ".")
  }

  /// The text as a string literal.
  var swiftLiteral: String { debugDescription }

  var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
