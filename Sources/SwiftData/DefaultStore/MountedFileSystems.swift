/// The mounted file systems of a machine, from `/proc/self/mountinfo`.
package struct MountedFileSystems: Sendable {
  private var mounts: [(place: String, type: String)] = []

  package init(mountInfo: String) {
    for line in mountInfo.split(separator: "\n") {
      // Number, parent, device, root, path, options, any number of fields, a hyphen, type.
      let fields = line.split(separator: " ")
      guard fields.count > 6, let hyphen = fields.dropFirst(6).firstIndex(of: "-"),
        hyphen + 1 < fields.count
      else { continue }
      mounts.append(
        (MountedFileSystems.unescaped(String(fields[4])), String(fields[hyphen + 1])))
    }
  }

  /// The type of the file system that contains a file; the last one mounted on a path hides others.
  package func type(ofFileAt path: String) -> String? {
    var found: (place: String, type: String)?
    for mount in mounts where mount.place.count >= found?.place.count ?? 0 {
      if mount.place == "/" || path == mount.place || path.hasPrefix(mount.place + "/") {
        found = mount
      }
    }
    return found?.type
  }

  /// Whether other machines or programs may write files on such a file system without this kernel.
  package static func isShared(_ type: String) -> Bool {
    let shared: Set<String> = [
      "9p", "afs", "ceph", "cifs", "coda", "fuse", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs",
      "nfs", "nfs4", "ocfs2", "prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs",
    ]
    return shared.contains(type) || type.hasPrefix("fuse.")
  }

  /// Replaces the octal escapes that stand for spaces and a few other characters.
  private static func unescaped(_ text: String) -> String {
    guard text.contains("\\") else { return text }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3,
        let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        bytes.append(code)
        rest.removeFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
