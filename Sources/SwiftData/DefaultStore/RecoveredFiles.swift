import Foundation

/// The files of external values that belong to a store that is recovered.
struct RecoveredFiles {
  private let sources: [URL]
  private let destination: URL

  init(from source: URL, to destination: URL) {
    // The folder is named for the file without its extension; a few programs keep the extension.
    sources = [source.deletingPathExtension().lastPathComponent, source.lastPathComponent]
      .map { Self.folder($0, beside: source) }
    self.destination = Self.folder(
      destination.deletingPathExtension().lastPathComponent, beside: destination)
  }

  private static func folder(_ name: String, beside url: URL) -> URL {
    url.deletingLastPathComponent()
      .appendingPathComponent(".\(name)_SUPPORT/_EXTERNAL_DATA", isDirectory: true)
  }

  /// The name of the file that a value is kept in: the byte 2, a UUID, and sometimes a NUL.
  static func name(in value: [UInt8]) -> String? {
    guard value.first == 2, value.count == 37 || (value.count == 38 && value[37] == 0) else {
      return nil
    }
    let name = String(decoding: value[1..<37], as: UTF8.self)
    return UUID(uuidString: name) == nil ? nil : name
  }

  /// - Returns: How many were copied, and which are missing.
  func copy(_ names: Set<String>) throws -> (copied: Int, missing: [String]) {
    var missing: [String] = []
    let files = FileManager.default
    for name in names.sorted() {
      let places = sources.map { $0.appendingPathComponent(name) }
      guard let place = places.first(where: { files.fileExists(atPath: $0.path) }) else {
        missing.append(name)
        continue
      }
      try files.createDirectory(at: destination, withIntermediateDirectories: true)
      let copy = destination.appendingPathComponent(name)
      if !files.fileExists(atPath: copy.path) { try files.copyItem(at: place, to: copy) }
    }
    return (names.count - missing.count, missing)
  }
}
