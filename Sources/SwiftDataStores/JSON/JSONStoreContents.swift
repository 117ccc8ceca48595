import Foundation
import SwiftData

/// The content of a document file as one store sees it. Not thread-safe: the store guards it.
///
/// 1. Every read looks at the state of the file, and reads the file again if it has another stamp
///    (`refresh`).
/// 2. A save has the lock of the folder, which its store takes before it enters this value, so that
///    reads go on while it waits. It reads the file again if it changed, plans the save
///    against these rows, writes the document with the planned changes, and only then applies them.
/// 3. A program that does not take the lock may replace the file meanwhile. This is noticed just
///    before the new file takes its place, and the save starts again from the new content.
struct JSONStoreContents: Sendable {
  private let file: DocumentFile
  private let configuration: JSONStoreConfiguration
  private(set) var document: JSONDocument
  /// The content that was read last; `nil` if none was.
  private var bytes: [UInt8]?
  private var stamp: FileStamp?
  /// Whether the file can't have changed while it has the stamp.
  private var isSettled: Bool
  /// What reading the file again has found and observers do not know yet.
  private var found = DataStoreExternalChanges()

  var rows: DocumentRows { document.rows }

  /// Reads the file, or creates it.
  /// - Throws: A `DocumentStoreError`.
  init(_ configuration: JSONStoreConfiguration, shape: DocumentShape) throws {
    self.configuration = configuration
    file = DocumentFile(url: configuration.url)
    // The identifier of the store is part of the identifiers of rows, so it has to be known first.
    let name = UUID().uuidString
    document = JSONDocument(
      store: name, rows: DocumentRows(shape: shape, storeIdentifier: name))
    (bytes, stamp, isSettled) = (nil, nil, false)
    do {
      if try file.stamp() == nil { try create() }
      guard let content = try file.read() else { throw missing }
      let identifier = JSONDocument.storeIdentifier(in: content.bytes) ?? name
      document.rows = DocumentRows(shape: shape, storeIdentifier: identifier)
    } catch {
      throw configuration.naming(error, .unreadableFile)
    }
    try refresh()
    found = DataStoreExternalChanges()
  }

  private mutating func create() throws {
    let lock = try file.lock(within: configuration.lockTimeout)
    // Another process may have created the file first.
    _ = try file.replace(with: document.bytes(), expecting: nil, under: lock)
  }

  // MARK: Reading

  /// Reads the file again if it has changed.
  /// - Throws: A `DocumentStoreError`; the rows are those of the last valid content then.
  mutating func refresh() throws {
    do {
      guard let current = try file.stamp() else { throw missing }
      if current == stamp, isSettled { return }
      var attempts = 0
      while true {
        guard let content = try file.read() else { throw missing }
        if content.bytes == bytes {
          note(content.stamp)
          return
        }
        do {
          try take(content.bytes)
          note(content.stamp)
          return
        } catch let error as DocumentStoreError
          where error.code == .damagedFile && !content.stamp.isSettled && attempts < 5
        {
          // A program may be writing the file in place.
          attempts += 1
          Thread.sleep(forTimeInterval: 0.02)
        }
      }
    } catch {
      throw configuration.naming(error, .unreadableFile)
    }
  }

  private mutating func note(_ stamp: FileStamp) {
    self.stamp = stamp
    isSettled = stamp.isSettled
  }

  private mutating func take(_ bytes: [UInt8]) throws {
    var (document, changes) = try JSONDocument.read(
      bytes, known: rows, keepsUnknown: configuration.unknownContent == .preserve)
    document.keepTexts(of: self.document, besides: changes)
    self.document = document
    self.bytes = bytes
    found.inserted += changes.inserted
    found.updated += changes.updated
    found.deleted += changes.deleted
  }

  private var missing: DocumentStoreError {
    DocumentStoreError(
      .missingFile,
      "The file was removed or renamed while it was in use. Restore it, or open the store again to begin "
        + "with a document without rows.")
  }

  /// What other writers have changed since the last call.
  mutating func takeFoundChanges() -> DataStoreExternalChanges? {
    defer { found = DataStoreExternalChanges() }
    return found == DataStoreExternalChanges() ? nil : found
  }

  /// The snapshots of rows, which the document keeps.
  mutating func read<R>(_ body: (inout DocumentRows) throws -> R) throws -> R {
    try refresh()
    return try body(&document.rows)
  }

  // MARK: Writing

  /// - Throws: `DeletedRows`, or a `DocumentStoreError`; nothing is saved then.
  mutating func save(
    under lock: borrowing FolderLock, _ makePlan: (inout DocumentRows) throws -> SavePlan
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    do {
      while true {
        try refresh()
        let changes = try makePlan(&document.rows).changes
        try JSONDocument.checkDepth(of: changes)
        let new = document.bytes(applying: changes)
        guard let stamp = try file.replace(with: new, expecting: stamp, under: lock) else {
          self.stamp = nil
          continue
        }
        document.apply(changes)
        bytes = new
        note(stamp)
        found.deleted += changes.deletedByRules
        return try document.rows.result(of: changes)
      }
    } catch {
      throw configuration.naming(error, .notWritten)
    }
  }

  /// Replaces the file by a document without rows, also if it is damaged or missing.
  mutating func erase(under lock: borrowing FolderLock) throws {
    do {
      var empty = JSONDocument(
        store: document.store,
        rows: DocumentRows(shape: rows.shape, storeIdentifier: rows.storeIdentifier))
      let new = empty.bytes()
      while true {
        let stamp = try file.stamp()
        guard let stamp = try file.replace(with: new, expecting: stamp, under: lock) else {
          continue
        }
        (document, bytes) = (empty, new)
        return note(stamp)
      }
    } catch {
      throw configuration.naming(error, .notWritten)
    }
  }
}

extension JSONStoreConfiguration {
  /// Takes the lock of the folder for a save.
  /// - Throws: A `DocumentStoreError`.
  func lock(until end: ContinuousClock.Instant) throws -> FolderLock {
    do {
      return try DocumentFile(url: url).lock(within: lockTimeout, until: end)
    } catch {
      throw naming(error, .notWritten)
    }
  }

  /// - Parameter code: The code for errors of the system.
  /// - Returns: The error with the file.
  func naming(_ error: any Error, _ code: DocumentStoreError.Code) -> any Error {
    switch error {
    case let error as DocumentStoreError: return error.of(url)
    case let error as SystemError:
      let end = code == .notWritten ? ". Nothing was saved, and the file is as it was." : "."
      var named = DocumentStoreError(code, error.description + end, url: url)
      named.systemError = error.number
      return named
    default: return error
    }
  }
}

extension JSONDocument {
  /// The text of the member "store"; `nil` if there is none.
  static func storeIdentifier(in bytes: [UInt8]) -> String? {
    guard !bytes.isEmpty, let root = try? JSONParser.parse(bytes) else { return nil }
    return root["store"]?.string
  }
}
