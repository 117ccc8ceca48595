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

/// Makes a copy of a store beside it, before a migration.
///
/// The caller holds the store's write lock and has changed nothing yet, so the store does not
/// change while it is copied.
///
/// 1. The pages, including those in the log, are copied into a file with a temporary name.
/// 2. The files of large values that rows name are hard-linked into the copy's folder, or copied if
///    the file system has no links. Such files are never changed, only removed.
/// 3. Everything is synchronised with the disk. Then the copy is renamed, so a file with the final
///    name is complete.
///
/// A killed migration leaves its copy. The next attempt uses it again if the store has not changed
/// since, so repeated attempts do not fill the disk.
package struct StoreBackup {
  private let store: URL
  /// The location of the copy.
  package let url: URL
  /// Whether an earlier migration has made the copy.
  private let isReused: Bool

  /// - Parameters:
  ///   - store: The file of the store.
  ///   - version: The version of the store before the migration, for the copy's name. Characters
  ///     that are not allowed in a name are replaced.
  package init(of store: URL, before version: String) {
    // The copy is beside the target of a symbolic link.
    let store = URL(fileURLWithPath: DatabaseFile.resolvedPath(store.path))
    self.store = store
    let base = store.deletingPathExtension().lastPathComponent
    let kept = String(version.map { StoreBackup.isPlain($0) ? $0 : "-" })
    let name = "\(base)-before-\(kept.isEmpty ? "migration" : kept)"
    let folder = store.deletingLastPathComponent()
    let names = sequence(first: 1) { $0 + 1 }.lazy.map { $0 == 1 ? name : "\(name)-\($0)" }
    let urls = names.map { StoreBackup.file($0, store.pathExtension, in: folder) }
    let latest = urls.prefix { !StoreBackup.isFree($0) }.reduce(nil as URL?) { $1 }
    isReused = latest.map { StoreBackup.isCopy($0, of: store) } ?? false
    url = (isReused ? latest : urls.first(where: StoreBackup.isFree)) ?? store
  }

  /// Whether a file is a copy of what the store contains, which nobody has opened or linked.
  private static func isCopy(_ url: URL, of store: URL) -> Bool {
    let type = try? FileManager.default.attributesOfItem(atPath: url.path)[.type]
    guard type as? FileAttributeType == .typeRegular, DatabaseFile.linkCount(of: url.path) == 1,
      let copy = try? DatabaseFile(at: url.path), copy.log == nil, copy.journal == nil,
      let file = try? DatabaseFile(at: store.path)
    else { return false }
    return (try? DatabasePages(copy).hasSameContent(as: DatabasePages(file))) ?? false
  }

  /// Without a store, a values folder may belong to a store with another extension, unless a copy
  /// was interrupted.
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

  /// The temporary name of the copy.
  private var partial: URL { StoreBackup.partial(url) }

  private static func partial(_ url: URL) -> URL { url.appendingPathExtension("partial") }

  private var support: URL { ExternalFolder(of: url).support }

  /// Makes the copy, or completes that of an earlier migration.
  /// - Returns: The location of the copy.
  /// - Throws: `SwiftDataError.storeWriteFailure`; the incomplete copy is removed.
  @discardableResult
  package func make() throws -> URL {
    if isReused {
      do {
        try copyValues(of: url)
        try ExternalFolder.synchronize(url.deletingLastPathComponent())
      } catch {
        throw StoreBackup.failure(store, url, error)
      }
      return url
    }
    do {
      // Left by a killed process.
      removePartial()
      guard FileManager.default.createFile(atPath: partial.path, contents: nil) else {
        throw POSIXError.last
      }
      try copyPages()
      try copyValues(of: partial)
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

  /// Removes the copy, because the migration failed. One that was there before remains: somebody may
  /// have restored the store from it.
  package func remove() {
    if isReused { return }
    if rename(url.path, partial.path) == 0 { removePartial() }
  }

  private func copyPages() throws {
    let source = try Connection(path: store.path, mode: .readOnly, access: .shared)
    try source.copy(to: partial.path)
  }

  /// - Parameter pages: The copy of the pages.
  private func copyValues(of pages: URL) throws {
    let source = ExternalFolder(of: store)
    let copy = ExternalFolder(of: url)
    var isMade = false
    // All pages are in the file, so no log is needed, and the copy keeps its journal mode.
    let connection = try Connection(path: pages.path, mode: .readOnly, access: .immutable)
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

  /// The file is removed last, because it marks the owner of the folder.
  private func removePartial() {
    guard FileManager.default.fileExists(atPath: partial.path) else { return }
    try? FileManager.default.removeItem(at: support)
    unlink(partial.path)
  }

  private static func failure(_ store: URL, _ url: URL, _ error: any Error) -> any Error {
    let cause = (error as? SQLiteError).map(SwiftDataError.DatabaseFailure.init) as (any Error)?
    return SwiftDataError.storeWriteFailure.with(
      "The store at \(store.path) can't be copied to \(url.lastPathComponent) before its migration, so it was "
        + "not migrated. Free space on the volume, or open it without a backup; the store is unchanged.",
      doing: "copying a store", underlying: cause ?? error,
      because: SwiftDataError.Reason(storeError: error))
  }
}

private func unistdLink(_ file: String, _ place: String) -> Int32 { link(file, place) }
