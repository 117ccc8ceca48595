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

/// A copy of a store beside it, made before a migration.
///
/// Whoever calls it has the write lock of the store and has changed nothing yet, so nothing changes while it
/// is read.
///
/// 1. The pages, those in the log included, are copied into a file with another name.
/// 2. The files of large values that rows name are linked into the copy's own folder, or copied where the
///    file system has no links. They are never changed, only removed.
/// 3. All is put on the disk. Then the copy gets its name: a file of that name is whole.
package struct StoreBackup {
  private let store: URL
  /// The file of the copy.
  package let url: URL

  /// - Parameters:
  ///   - store: The file of the store.
  ///   - version: What the store is before the migration; part of the copy's name. What can't stand in a name
  ///     is replaced.
  package init(of store: URL, before version: String) {
    // The copy lies beside the file that a symbolic link leads to.
    let store = URL(fileURLWithPath: DatabaseFile.resolvedPath(store.path))
    self.store = store
    let base = store.deletingPathExtension().lastPathComponent
    let kept = String(version.map { StoreBackup.isPlain($0) ? $0 : "-" })
    let name = "\(base)-before-\(kept.isEmpty ? "migration" : kept)"
    let folder = store.deletingLastPathComponent()
    let names = sequence(first: 1) { $0 + 1 }.lazy.map { $0 == 1 ? name : "\(name)-\($0)" }
    url =
      names.map { StoreBackup.file($0, store.pathExtension, in: folder) }
      .first(where: StoreBackup.isFree) ?? store
  }

  /// A folder of values without a store may be that of a store with another extension, unless a copy was
  /// interrupted.
  private static func isFree(_ url: URL) -> Bool {
    func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }
    if exists(url) { return false }
    return exists(partial(url)) || !exists(ExternalFolder(of: url).support)
  }

  private static func isPlain(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "._-".contains(character)
  }

  private static func file(_ name: String, _ pathExtension: String, in folder: URL) -> URL {
    folder.appendingPathComponent(pathExtension.isEmpty ? name : "\(name).\(pathExtension)")
  }

  /// The name that the file has until it is whole.
  private var partial: URL { StoreBackup.partial(url) }

  private static func partial(_ url: URL) -> URL { url.appendingPathExtension("partial") }

  private var support: URL { ExternalFolder(of: url).support }

  /// Makes the copy.
  /// - Returns: Its file.
  /// - Throws: `SwiftDataError.storeWriteFailure`; nothing of the copy is left then.
  @discardableResult
  package func make() throws -> URL {
    do {
      // Of a process that was killed.
      removePartial()
      guard FileManager.default.createFile(atPath: partial.path, contents: nil) else {
        throw POSIXError.last
      }
      try copyPages()
      try copyValues()
      try ExternalFolder.synchronize(partial)
      try throwInjectedFault("rename \(partial.lastPathComponent)")
      guard rename(partial.path, url.path) == 0 else { throw POSIXError.last }
    } catch {
      removePartial()
      throw StoreBackup.failure(store, url, error)
    }
    do {
      try ExternalFolder.synchronize(url.deletingLastPathComponent())
    } catch {
      _ = rename(url.path, partial.path)
      removePartial()
      throw StoreBackup.failure(store, url, error)
    }
    return url
  }

  /// Removes the copy, as nothing came of what it was made for.
  package func remove() {
    if rename(url.path, partial.path) == 0 { removePartial() }
  }

  private func copyPages() throws {
    let source = try Connection(path: store.path, mode: .readOnly, access: .shared)
    try source.copy(to: partial.path)
  }

  private func copyValues() throws {
    let source = ExternalFolder(of: store)
    let copy = ExternalFolder(of: url)
    var isMade = false
    // What is on the disk needs no log, and the copy keeps its form.
    let connection = try Connection(path: partial.path, mode: .readOnly, access: .immutable)
    try StoredName.forEach(in: connection) { stored in
      guard let file = source.file(named: stored.name) else { return }
      if !isMade { try copy.make() }
      isMade = true
      try StoreBackup.link(file, to: copy.values.appendingPathComponent(stored.name))
    }
    if isMade { try copy.synchronize() }
  }

  private static func link(_ file: URL, to place: URL) throws {
    try throwInjectedFault("link \(file.lastPathComponent)")
    if unistdLink(file.path, place.path) == 0 || errno == EEXIST { return }
    try FileManager.default.copyItem(at: file, to: place)
    try ExternalFolder.synchronize(place)
  }

  /// The file goes last: it tells whose the folder is.
  private func removePartial() {
    guard FileManager.default.fileExists(atPath: partial.path) else { return }
    try? FileManager.default.removeItem(at: support)
    unlink(partial.path)
  }

  private static func failure(_ store: URL, _ url: URL, _ error: any Error) -> any Error {
    let cause = (error as? SQLiteError).map(SwiftDataError.DatabaseFailure.init) as (any Error)?
    return SwiftDataError.storeWriteFailure.with(
      "The store at \(store.path) can't be copied to \(url.lastPathComponent) before its migration, so it was "
        + "not migrated. Free space on the volume, or open it without a backup; the store was left as it is.",
      doing: "copying a store", underlying: cause ?? error)
  }
}

private func unistdLink(_ file: String, _ place: String) -> Int32 { link(file, place) }
