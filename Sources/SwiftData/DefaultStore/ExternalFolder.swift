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

/// The folder with the large values of a store, one file each: `.default_SUPPORT/_EXTERNAL_DATA`
/// for `default.store`.
package struct ExternalFolder: Sendable {
  /// The folder for the store's other files, such as journals.
  package let support: URL
  let values: URL
  /// Values are read and removed there, but not added. Some programs name the folder after the
  /// store's full name, and earlier releases of this library after a symbolic link to the store.
  private let otherValues: [URL]
  /// The file itself, with symbolic links resolved.
  let store: URL
  /// The folders that may contain other stores with the same values folder.
  let parents: [URL]
  /// What the values folders are named after.
  let bases: Set<String>

  package init(of url: URL) {
    let store = URL(fileURLWithPath: DatabaseFile.resolvedPath(url.path))
    let named = URL(
      fileURLWithPath: DatabaseFile.resolvedPath(url.deletingLastPathComponent().path),
      isDirectory: true
    ).appendingPathComponent(url.lastPathComponent)
    func supports(_ store: URL) -> [URL] {
      ExternalFolder.bases(of: store).map {
        store.deletingLastPathComponent()
          .appendingPathComponent(".\($0)_SUPPORT", isDirectory: true)
      }
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
    bases = Set(ExternalFolder.bases(of: store) + ExternalFolder.bases(of: named))
    self.support = places[0]
    self.values = values[0]
    otherValues = Array(values.dropFirst())
  }

  /// What the values folders of a store are named after; that of the first is written to.
  static func bases(of store: URL) -> [String] {
    [store.deletingPathExtension().lastPathComponent, store.lastPathComponent]
  }

  private var allValues: [URL] { [values] + otherValues }

  // MARK: Reading

  /// The bytes of a value, memory-mapped: pages are read on first access. They stay valid after the
  /// file is removed.
  /// - Returns: `nil` if no folder contains the file.
  /// - Throws: `SwiftDataError.storeReadFailure` if the file can't be read now, as without a free descriptor.
  package func content(named name: String) throws -> Data? {
    for folder in allValues {
      let file = folder.appendingPathComponent(name)
      if let content = try? Data(contentsOf: file, options: .alwaysMapped) { return content }
      do {
        // A process can map only a limited number of files.
        return try Data(contentsOf: file)
      } catch  where ExternalFolder.isMissing(file) {
        continue
      } catch {
        throw SwiftDataError.storeReadFailure.with(
          "The file of a large value at \(file.path) can't be read now. It is unchanged.",
          doing: "reading an external file of the store", underlying: error, because: .unavailable)
      }
    }
    return nil
  }

  /// Whether the system tells that there is no file. Needs no descriptor.
  private static func isMissing(_ file: URL) -> Bool {
    access(file.path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)
  }

  package func contains(_ name: String) -> Bool { file(named: name) != nil }

  /// The file of a value; `nil` if no folder contains it.
  func file(named name: String) -> URL? {
    allValues.map { $0.appendingPathComponent(name) }
      .first { FileManager.default.fileExists(atPath: $0.path) }
  }

  /// The paths of all values folders.
  var places: Set<String> {
    Set(allValues.map(\.standardizedFileURL.path))
  }

  /// The files in all values folders.
  package func files() -> [URL] {
    allValues.flatMap { folder in
      ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .map(folder.appendingPathComponent)
    }
  }

  // MARK: Writing

  /// Creates the folders and synchronises them with the disk.
  package func make() throws {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: values.path, isDirectory: &isFolder) { return }
    try throwInjectedFault("make \(values.path)")
    try makeFolder(values)
    try ExternalFolder.synchronize(support)
    try ExternalFolder.synchronize(support.deletingLastPathComponent())
  }

  /// Creates a folder in the support folder, and that one. They get the owner and the permissions of the store.
  func makeFolder(_ folder: URL) throws {
    try FileManager.default.createDirectory(
      at: support.deletingLastPathComponent(), withIntermediateDirectories: true)
    let access = storeAccess
    for path in [support.path, folder.path] {
      if mkdir(path, 0o777) == 0 {
        access?.apply(toFolder: path)
        continue
      }
      let error = POSIXError.last
      var isFolder: ObjCBool = false
      guard error.code == .EEXIST,
        FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
      else { throw error }
    }
  }

  /// `nil` if the store's file does not exist yet.
  var storeAccess: StoreAccess? { StoreAccess(of: store) }

  /// A sentence about the folder that this process may not write, if it is one of the store's.
  var deniedFolder: String? {
    for path in [values.path, support.path] where access(path, F_OK) == 0 {
      guard access(path, W_OK | X_OK) != 0, errno == EACCES,
        let folder = StoreAccess.description(of: path),
        let file = StoreAccess.description(of: store.path)
      else { continue }
      return
        "The folder \(path) belongs to \(folder), and the store to \(file). Give \(support.path) and all that is "
        + "in it the owner, the group and the permissions of the store, with chown -R and chmod."
    }
    return nil
  }

  /// Writes a value to a temporary file and renames it, so that no incomplete file has its name.
  package func write(_ value: Data, named name: String) throws {
    try throwInjectedFault("write \(name)")
    let temporary = values.appendingPathComponent(ExternalFolder.temporary(name)).path
    let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw POSIXError.last }
    do {
      defer { close(file) }
      storeAccess?.apply(toFile: file)
      try value.withUnsafeBytes { try writeAll($0, to: file) }
      guard fsync(file) == 0 else { throw POSIXError.last }
    }
    try throwInjectedFault("rename \(name)")
    guard rename(temporary, values.appendingPathComponent(name).path) == 0 else {
      throw POSIXError.last
    }
  }

  /// Removes a value that no other store can have, and its temporary file.
  package func remove(_ name: String) { remove([name], except: []) }

  /// Removes values, and their temporary files.
  /// - Parameter kept: The paths of folders that keep them.
  func remove(_ names: [String], except kept: Set<String>) {
    for folder in allValues where !kept.contains(folder.standardizedFileURL.path) {
      for name in names {
        unlink(folder.appendingPathComponent(name).path)
        unlink(folder.appendingPathComponent(ExternalFolder.temporary(name)).path)
      }
    }
  }

  /// The name of the file while it is written.
  private static func temporary(_ name: String) -> String { name + ".part" }

  /// Synchronises the folder with the disk, so that the names of its files survive a crash.
  package func synchronize() throws { try ExternalFolder.synchronize(values) }

  /// Synchronises a file or a folder with the disk.
  static func synchronize(_ url: URL) throws {
    try throwInjectedFault("synchronize \(url.path)")
    let file = open(url.path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw POSIXError.last }
    defer { close(file) }
    guard fsync(file) == 0 else { throw POSIXError.last }
  }
}

/// Appends bytes to an open file.
func writeAll(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws {
  var rest = bytes[...]
  while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
    // Some systems reject larger pieces.
    let count = write(file, start, min(rest.count, 1 << 30))
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw POSIXError.last }
    rest = rest.dropFirst(count)
  }
}

/// Throws if a test injects a failure for this operation.
func throwInjectedFault(_ operation: @autoclosure () -> String) throws {
  #if OPENSWIFTDATA_INVARIANTS
    guard let injector = FailureInjector.failing(operation()) else { return }
    throw POSIXError(injector.code == .full ? .ENOSPC : .EIO)
  #endif
}

extension POSIXError {
  /// The error of the last system call.
  package static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
