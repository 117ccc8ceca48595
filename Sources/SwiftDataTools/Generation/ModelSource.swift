public import Foundation
import OpenSwiftDataStoreFormat
import SwiftData

/// Swift source of `@Model` classes for a store file, from the model that the file holds.
///
/// The classes compile and open the file that they were made of, also one that Core Data made. What a file
/// does not tell is told by a comment: the cases of an enum with raw values, the class of transformed values.
///
/// ```swift
/// let source = try ModelSource(of: URL(filePath: "/data/trips.store"))
/// try source.text.write(to: URL(filePath: "Models.swift"), atomically: true, encoding: .utf8)
/// ```
public struct ModelSource: Hashable, Sendable {
  /// The text of a Swift file.
  public let text: String

  /// Reads the model of a store file and writes its classes.
  /// - Parameters:
  ///   - url: The file.
  ///   - namespace: The name of an enum around the classes; none when nil.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` with the reason for a file that is no store, that
  ///   can't be read, or that does not hold its model.
  public init(of url: URL, namespace: String? = nil) throws {
    self = try OpenedStore.look(at: url) { store in
      guard store.hasModel else {
        throw SwiftDataError.loadIssueModelContainer.with(
          "The file at \(url.path) does not hold its model (Z_MODELCACHE), so no classes can be made of it."
        )
      }
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
    for (place, modelClass) in classes.enumerated() {
      if place > 0 { writer.line() }
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

/// Lines with their indentation.
struct SourceWriter {
  private(set) var text = ""
  private var depth = 0

  mutating func line(_ line: String = "") {
    if !line.isEmpty { text += String(repeating: "  ", count: depth) + line }
    text += "\n"
  }

  /// A list in brackets, broken where it is longer than a line.
  /// - Parameter opensBlock: Whether a brace follows, which begins a line of its own then.
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
      for (place, item) in items.enumerated() {
        let isLast = place == items.count - 1
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

  /// The name as it stands in Swift source.
  var swiftName: String { Self.keywords.contains(self) ? "`\(self)`" : self }

  /// The name as the label of an argument, where few keywords need quotes.
  var swiftLabel: String { ["inout", "let", "var"].contains(self) ? swiftName : self }

  /// A path of names, as key paths have it.
  var swiftPath: String {
    split(separator: ".").map { String($0).swiftName }.joined(separator: ".")
  }

  /// The text as it stands in Swift source.
  var swiftLiteral: String { debugDescription }

  var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
