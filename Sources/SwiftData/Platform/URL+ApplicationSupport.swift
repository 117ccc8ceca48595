#if !canImport(Darwin)
  public import Foundation

  extension URL {
    /// The folder for data that apps manage themselves: `$XDG_DATA_HOME`, or `~/.local/share`.
    public static var applicationSupportDirectory: URL {
      // The XDG base directory specification says that relative paths are ignored.
      if let path = ProcessInfo.processInfo.environment["XDG_DATA_HOME"], path.hasPrefix("/") {
        return URL(filePath: path, directoryHint: .isDirectory)
      }
      return URL(filePath: NSHomeDirectory(), directoryHint: .isDirectory)
        .appending(path: ".local/share", directoryHint: .isDirectory)
    }
  }
#endif
