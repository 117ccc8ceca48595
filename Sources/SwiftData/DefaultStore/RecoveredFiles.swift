import Foundation
import OpenSwiftDataRowStorage

/// Copies the files of large values that belong to a store that is recovered.
struct RecoveredFiles {
  private let source: ExternalFolder
  private let destination: ExternalFolder

  init(from source: URL, to destination: URL) {
    self.source = ExternalFolder(of: source)
    self.destination = ExternalFolder(of: destination)
  }

  /// The name of the file that a value may be kept in. Without the models nobody knows which columns have
  /// names, so other values may look like one.
  static func name(in value: [UInt8]) -> String? {
    value.withUnsafeBytes { bytes in
      guard case .name(let name) = TaggedValue(bytes) else { return nil }
      return String(decoding: name, as: UTF8.self)
    }
  }

  /// Copies all files, or none where one can't be written.
  /// - Returns: How many were copied, and which of those are missing that can only be names.
  func copy(_ names: Set<String>) throws -> (copied: Int, missing: [String]) {
    var added: [String] = []
    do {
      return try copy(names, &added)
    } catch {
      for name in added { destination.remove(name) }
      throw error
    }
  }

  private func copy(
    _ names: Set<String>, _ added: inout [String]
  ) throws -> (copied: Int, missing: [String]) {
    var copied = 0
    var missing: [String] = []
    for name in names.sorted() {
      guard let content = source.content(named: name) else {
        if UUID(uuidString: name) != nil { missing.append(name) }
        continue
      }
      copied += 1
      if destination.contains(name) { continue }
      try destination.make()
      added.append(name)
      try destination.write(content, named: name)
    }
    if copied > 0 { try destination.synchronize() }
    return (copied, missing)
  }
}
