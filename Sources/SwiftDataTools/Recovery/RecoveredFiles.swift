import Foundation
import OpenSwiftDataRowStorage
import SwiftData

/// Copies the files of large values for a recovered store.
struct RecoveredFiles {
  private let source: ExternalFolder
  private let destination: ExternalFolder

  init(from source: URL, to destination: URL) {
    self.source = ExternalFolder(of: source)
    self.destination = ExternalFolder(of: destination)
  }

  /// The file name in a value. Without models it is not known which columns contain names, so the
  /// result may be another value that looks like a name.
  static func name(in value: [UInt8]) -> String? {
    value.withUnsafeBytes { bytes in
      guard case .name(let name) = TaggedValue(bytes) else { return nil }
      return String(decoding: name, as: UTF8.self)
    }
  }

  /// Copies all files, or none if one can't be written or the store can't be completed.
  /// - Parameter complete: Gives the new store its name.
  /// - Returns: The number of copied files, and those missing names that can only be file names.
  func copy(
    _ names: Set<String>, before complete: () throws -> Void
  ) throws -> (copied: Int, missing: [String]) {
    var added: [String] = []
    do {
      let result = try copy(names, &added)
      try complete()
      return result
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
      guard let content = try source.content(named: name) else {
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
