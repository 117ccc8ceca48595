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

/// A file that was written with a temporary name, so that its final name means that it is complete.
package enum CompletedFile {
  static func rename(_ temporary: String, to final: String) throws {
    try rename(temporary, to: final) { hardLink($0, $1) == 0 ? 0 : errno }
  }

  /// Gives the file its final name; a file that has it already stays. Where there are no hard links, one that gets
  /// the name within the last moment is replaced.
  /// - Parameters:
  ///   - temporary: The path of the file.
  ///   - final: The path that it gets.
  ///   - link: Makes a hard link. Returns 0 or the number of the system's error.
  /// - Throws: `POSIXError`, with the code `EEXIST` if there is a file with the name.
  package static func rename(
    _ temporary: String, to final: String, link: (String, String) -> Int32
  ) throws {
    // A link fails if the name is taken meanwhile, unlike a renaming.
    let code = link(temporary, final)
    if code == 0 {
      unlink(temporary)
      return
    }
    // Some file systems have no hard links.
    guard code == EPERM || code == EOPNOTSUPP || code == ENOSYS else {
      throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
    }
    // A symbolic link to no file counts too.
    if (try? FileManager.default.attributesOfItem(atPath: final)) != nil {
      throw POSIXError(.EEXIST)
    }
    guard systemRename(temporary, final) == 0 else { throw POSIXError.last }
  }
}

private func systemRename(_ old: String, _ new: String) -> Int32 { rename(old, new) }

func hardLink(_ file: String, _ place: String) -> Int32 { link(file, place) }
