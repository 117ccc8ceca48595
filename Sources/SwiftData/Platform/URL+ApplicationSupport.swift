#if !canImport(Darwin)
  public import Foundation

  extension URL {
    /// The folder for data of apps that users do not open themselves: `$XDG_DATA_HOME`, or
    /// `~/.local/share`.
    public static var applicationSupportDirectory: URL {
      // The XDG base directory specification has relative paths ignored.
      if let path = ProcessInfo.processInfo.environment["XDG_DATA_HOME"], path.hasPrefix("/") {
        return URL(filePath: path, directoryHint: .isDirectory)
      }
      return URL(filePath: NSHomeDirectory(), directoryHint: .isDirectory)
        .appending(path: ".local/share", directoryHint: .isDirectory)
    }
  }
#endif
