import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// The owner, the group and the permissions of a store's file, for files and folders that are made beside it.
///
/// As SQLite does for the log: who may write the store may write them, whatever the umask, and what root makes
/// belongs to the owner of the store. So one run of a tool with `sudo` does not lock a server out. What another
/// member of the store's group makes belongs to the group.
///
/// Failures are ignored, as in SQLite: some file systems have neither owners nor permissions.
struct StoreAccess {
  private let owner: uid_t
  private let group: gid_t
  private let permissions: mode_t

  /// - Returns: `nil` if there is no file yet.
  init?(of store: URL) {
    var status = stat()
    guard stat(store.path, &status) == 0 else { return nil }
    (owner, group) = (status.st_uid, status.st_gid)
    permissions = status.st_mode & 0o777
  }

  /// Called with a file that this process has just created.
  func apply(toFile file: Int32) { apply(permissions, to: file) }

  /// Called with a folder that this process has just created. Does not follow a link that replaced it.
  func apply(toFolder path: String) {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else { return }
    defer { close(folder) }
    // Who may read may search.
    apply(permissions | (permissions & 0o444) >> 2 | 0o700, to: folder)
  }

  private func apply(_ permissions: mode_t, to file: Int32) {
    var status = stat()
    guard fstat(file, &status) == 0, status.st_uid == geteuid() else { return }
    // A folder inherits this from its parent.
    let inherited = status.st_mode & mode_t(S_ISGID)
    if status.st_uid != owner || status.st_gid != group, fchown(file, owner, group) != 0 {
      // Only the superuser may give files away, but each user to a group of their own.
      fchown(file, uid_t.max, group)
    }
    if status.st_mode & 0o777 != permissions { fchmod(file, permissions | inherited) }
  }

  /// Whom a file or folder belongs to, and its permissions: `root (mode 755)`.
  static func description(of path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let name = attributes?[.ownerAccountName] as? String ?? "the user \(status.st_uid)"
    return "\(name) (mode \(String(status.st_mode & 0o777, radix: 8)))"
  }
}
