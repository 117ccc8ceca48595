import Foundation

/// The location of stores without a URL.
enum StoreLocation {
  static func url(forName name: String) -> URL {
    folder.appending(path: "\(name).store", directoryHint: .notDirectory)
  }

  private static var folder: URL {
    #if canImport(Darwin)
      // On Darwin every app has its own Application Support directory.
      .applicationSupportDirectory
    #else
      .applicationSupportDirectory
        .appending(path: applicationName, directoryHint: .isDirectory)
    #endif
  }

  private static var applicationName: String {
    let executable = CommandLine.arguments.first.map { URL(filePath: $0).lastPathComponent }
    return executable.flatMap { $0.isEmpty ? nil : $0 } ?? ProcessInfo.processInfo.processName
  }
}
