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

    /// The folder for documents of the user: that of the desktop's settings, or `~/Documents`.
    public static var documentsDirectory: URL { folder(.documentDirectory, "Documents") }

    /// The folder for data that can be made again: `$XDG_CACHE_HOME`, or `~/.cache`.
    public static var cachesDirectory: URL { folder(.cachesDirectory, ".cache") }

    private static func folder(
      _ directory: FileManager.SearchPathDirectory, _ usual: String
    ) -> URL {
      FileManager.default.urls(for: directory, in: .userDomainMask).first
        ?? URL(filePath: NSHomeDirectory(), directoryHint: .isDirectory)
        .appending(path: usual, directoryHint: .isDirectory)
    }
  }
#endif
