import Foundation
import OpenSwiftDataSQLiteEngine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// The folder beside a store where its large values lie, one file each: `.default_SUPPORT/_EXTERNAL_DATA`
/// for `default.store`.
struct ExternalFolder: Sendable {
  /// What belongs to the store besides its values.
  let support: URL
  let values: URL
  /// Values are read there, and removed, but not added: some programs name the folder after the whole name
  /// of the store, earlier releases of this one after a symbolic link to it.
  private let otherValues: [URL]
  /// The file itself, where a symbolic link leads to it.
  let store: URL
  /// The folders in which other stores may have their values in the same place.
  let parents: [URL]

  init(of url: URL) {
    let store = URL(fileURLWithPath: DatabaseFile.resolvedPath(url.path))
    let named = URL(
      fileURLWithPath: DatabaseFile.resolvedPath(url.deletingLastPathComponent().path),
      isDirectory: true
    ).appendingPathComponent(url.lastPathComponent)
    func support(_ store: URL, _ base: String) -> URL {
      store.deletingLastPathComponent()
        .appendingPathComponent(".\(base)_SUPPORT", isDirectory: true)
    }
    func supports(_ store: URL) -> [URL] {
      [
        support(store, store.deletingPathExtension().lastPathComponent),
        support(store, store.lastPathComponent),
      ]
    }
    var places = supports(store)
    var parents = [store.deletingLastPathComponent()]
    if named.path != store.path {
      places += supports(named).filter { !places.contains($0) }
      let parent = named.deletingLastPathComponent()
      if parent.path != parents[0].path { parents.append(parent) }
    }
    let values = places.map {
      $0.appendingPathComponent("_EXTERNAL_DATA", isDirectory: true)
    }
    self.store = store
    self.parents = parents
    self.support = places[0]
    self.values = values[0]
    otherValues = Array(values.dropFirst())
  }

  private var allValues: [URL] { [values] + otherValues }

  // MARK: Reading

  /// The bytes of a value, in pages of the file that are read when they are looked at. They stay when
  /// the file is removed.
  func content(named name: String) -> Data? {
    for folder in allValues {
      let file = folder.appendingPathComponent(name)
      if let content = try? Data(contentsOf: file, options: .alwaysMapped) { return content }
      // A process can map so many files only.
      if let content = try? Data(contentsOf: file) { return content }
    }
    return nil
  }

  func contains(_ name: String) -> Bool { file(named: name) != nil }

  /// The file of a value; `nil` where it is in no folder.
  func file(named name: String) -> URL? {
    allValues.map { $0.appendingPathComponent(name) }
      .first { FileManager.default.fileExists(atPath: $0.path) }
  }

  /// The paths of all folders.
  var places: Set<String> {
    Set(allValues.map(\.standardizedFileURL.path))
  }

  /// The files in all folders.
  func files() -> [URL] {
    allValues.flatMap { folder in
      ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .map(folder.appendingPathComponent)
    }
  }

  // MARK: Writing

  /// Makes the folders, which outlive a crash from here on.
  func make() throws {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: values.path, isDirectory: &isFolder) { return }
    try throwInjectedFault("make \(values.path)")
    try FileManager.default.createDirectory(at: values, withIntermediateDirectories: true)
    try ExternalFolder.synchronize(support)
    try ExternalFolder.synchronize(support.deletingLastPathComponent())
  }

  /// Writes a value whole: nobody finds a part of it under its name.
  func write(_ value: Data, named name: String) throws {
    try throwInjectedFault("write \(name)")
    let temporary = values.appendingPathComponent(ExternalFolder.temporary(name)).path
    let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw POSIXError.last }
    do {
      defer { close(file) }
      try value.withUnsafeBytes { try writeAll($0, to: file) }
      guard fsync(file) == 0 else { throw POSIXError.last }
    }
    try throwInjectedFault("rename \(name)")
    guard rename(temporary, values.appendingPathComponent(name).path) == 0 else {
      throw POSIXError.last
    }
  }

  /// Removes a value, and what is left of an attempt to write it.
  func remove(_ name: String) {
    for name in [name, ExternalFolder.temporary(name)] {
      for folder in allValues { unlink(folder.appendingPathComponent(name).path) }
    }
  }

  /// The name that a value has while it is written.
  private static func temporary(_ name: String) -> String { name + ".part" }

  /// The names of the values in the folder outlive a crash from here on.
  func synchronize() throws { try ExternalFolder.synchronize(values) }

  /// Puts a file or a folder on the disk.
  static func synchronize(_ url: URL) throws {
    try throwInjectedFault("synchronize \(url.path)")
    let file = open(url.path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw POSIXError.last }
    defer { close(file) }
    guard fsync(file) == 0 else { throw POSIXError.last }
  }
}

/// Writes bytes at the end of an open file.
func writeAll(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws {
  var rest = bytes[...]
  while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
    // Larger pieces are refused by some systems.
    let count = write(file, start, min(rest.count, 1 << 30))
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw POSIXError.last }
    rest = rest.dropFirst(count)
  }
}

/// Fails where a test wants a change of files to fail.
func throwInjectedFault(_ operation: @autoclosure () -> String) throws {
  #if OPENSWIFTDATA_INVARIANTS
    guard let injector = FaultInjector.failing(operation()) else { return }
    throw POSIXError(injector.code == .full ? .ENOSPC : .EIO)
  #endif
}

extension POSIXError {
  /// The error of the last call of the system.
  static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
