import Foundation

/// Where stores are kept that were given no place.
enum StoreLocation {
  static func url(forName name: String) -> URL {
    folder.appending(path: "\(name).store", directoryHint: .notDirectory)
  }

  private static var folder: URL {
    #if canImport(Darwin)
      // Every app has an Application Support directory of its own.
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
