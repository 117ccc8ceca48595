import Foundation
import SwiftData

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that is read as a whole and replaced as a whole.
struct DocumentFile: Sendable {
  let url: URL

  private var path: String { url.path }

  /// The path without links, where the file is or will be.
  var target: String {
    var path = path
    // As many links as the system follows.
    for _ in 0..<40 {
      var bytes = [Int8](repeating: 0, count: Int(PATH_MAX))
      let count = readlink(path, &bytes, bytes.count)
      if count < 0 { break }
      let link = String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
      path = link.hasPrefix("/") ? link : folder(of: path) + "/" + link
    }
    return path
  }

  private func folder(of path: String) -> String {
    let folder = (path as NSString).deletingLastPathComponent
    return folder.isEmpty ? "." : folder
  }

  /// - Returns: `nil` if there is no file.
  func stamp() throws -> FileStamp? { try FileStamp(path: path) }

  /// The content, and the stamp that it has.
  /// - Returns: `nil` if there is no file.
  /// - Throws: `SystemError`.
  func read() throws -> (bytes: [UInt8], stamp: FileStamp)? {
    var attempts = 0
    while true {
      guard try FileStamp(path: path) != nil else { return nil }
      let file = try OpenFile(path, O_RDONLY)
      let before = try FileStamp(of: file)
      let bytes = try content(of: file, size: Int(before.size))
      attempts += 1
      // A program may be writing the file in place.
      if try FileStamp(of: file) == before || attempts == 20 { return (bytes, before) }
    }
  }

  private func content(of file: borrowing OpenFile, size: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: size + 1)
    var count = 0
    while true {
      if count == bytes.count { bytes += repeatElement(0, count: bytes.count) }
      let part = try bytes.withUnsafeMutableBytes {
        try file.readBytes(into: UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
      }
      if part == 0 { break }
      count += part
    }
    bytes.removeSubrange(count...)
    return bytes
  }

  // MARK: Writing

  /// Takes the lock that all writers of the file's folder share.
  /// - Parameter end: The end of the limit, if it has begun before; `nil` if it begins now.
  /// - Throws: `SystemError`, or a `DocumentStoreError` after the limit.
  func lock(
    within limit: Duration, until end: ContinuousClock.Instant? = nil
  ) throws -> FolderLock {
    try FolderLock(folder(of: target), file: url, within: limit, until: end ?? .now + limit)
  }

  /// Replaces the content: readers see the old or the new content, also after a crash.
  ///
  /// The new content is written to a file of its own in the same folder, which then takes the place
  /// of the old one. The lock protects that file's name, so what a killed process left there is
  /// overwritten. Permissions and, as far as the system allows it, the owner stay.
  /// - Parameters:
  ///   - bytes: The new content.
  ///   - old: The stamp of the content that is replaced; `nil` if there must be no file.
  /// - Returns: The new stamp; `nil` if the file has another content than `old`.
  /// - Throws: `SystemError`; the file is as it was then.
  func replace(
    with bytes: [UInt8], expecting old: FileStamp?, under lock: borrowing FolderLock
  ) throws -> FileStamp? {
    let target = target
    let name = (target as NSString).lastPathComponent
    let temporary = folder(of: target) + "/.\(name).new"
    unlink(temporary)
    var isComplete = false
    defer { if !isComplete { unlink(temporary) } }
    let file = try OpenFile(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    try keepPermissions(of: target, for: file, at: temporary)
    try write(bytes, to: file)
    try file.synchronize()
    let stamp = try FileStamp(of: file)
    guard try FileStamp(path: target) == old else { return nil }
    _ = try SystemError.check("replacing \(target)") { rename(temporary, target) }
    isComplete = true
    flush(lock, target)
    return stamp
  }

  /// Writes the new name of the file to the disk. Readers have seen the new content, so a failure
  /// does not undo the save: a context that saved again would insert its new rows twice.
  private func flush(_ lock: borrowing FolderLock, _ target: String) {
    do {
      try lock.synchronize()
    } catch {
      WarningLog.write(
        "\(target) is saved, but its folder could not be flushed: \(error). After a crash of the system the "
          + "file may have its earlier content. Check the disk.",
        onceFor: "folder of a document \(target)")
    }
  }

  private func keepPermissions(
    of target: String, for file: borrowing OpenFile, at path: String
  ) throws {
    var status = stat()
    guard stat(target, &status) == 0 else { return }
    let number = file.number
    if status.st_uid != geteuid() || status.st_gid != getegid(),
      fchown(number, status.st_uid, status.st_gid) != 0
    {
      // Only the superuser may give files away; the group is kept if the user is a member.
      _ = fchown(number, uid_t.max, status.st_gid)
    }
    _ = try SystemError.check("setting the permissions of \(path)") {
      fchmod(number, status.st_mode & 0o7777)
    }
  }

  private func write(_ bytes: [UInt8], to file: borrowing OpenFile) throws {
    try bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        rest = rest.dropFirst(try file.writeBytes(UnsafeRawBufferPointer(rebasing: rest)))
      }
    }
  }
}
