import Foundation
import OpenSwiftDataSQLiteEngine

extension ModelConfiguration {
  /// The maximum length of file names on common file systems, in bytes.
  private static let longestFileName = 255

  /// The longest suffix of the files beside a store. SQLite makes a journal when it creates a file.
  private static let longestSuffix = "-journal"

  /// The maximum length of the paths that SQLite opens, without the suffix; `SQLITE_MAX_PATHNAME` of most
  /// builds is 512.
  private static let longestPath = 512 - longestSuffix.utf8.count

  /// Checks the file name and the schema of the configuration.
  ///
  /// - Throws: `SwiftDataError.configurationFileNameContainsInvalidCharacters`,
  ///   `.configurationFileNameTooLong`, or `.loadIssueModelContainer` if the schema an option of
  ///   ``sqlite`` or a limit of ``historyRetention`` is invalid, or the URL is not a file URL.
  public func validate() throws {
    if !isStoredInMemoryOnly {
      try validateFileName(url.lastPathComponent)
      try validateName()
    }
    try sqlite.validate()
    try historyRetention?.validate()
    try schema?.validate()
  }

  private func validateName() throws {
    guard !name.isEmpty, !name.contains("/"), !name.contains("\0") else {
      throw SwiftDataError.configurationFileNameContainsInvalidCharacters.with(
        "The configuration is named '\(name)'. Use a name that is not empty and has neither '/' nor a "
          + "null character.")
    }
  }

  private func validateFileName(_ fileName: String) throws {
    // A relative path is completed with the working directory when the URL is made.
    if url.scheme == nil, !url.path.hasPrefix("/"), FileManager.default.currentDirectoryPath.isEmpty
    {
      throw SwiftDataError.loadIssueModelContainer.with(
        "The path \(url) of the store is relative, and the working directory of the process does not exist any "
          + "more. Use an absolute path, or start the process in another directory.",
        doing: "opening a store")
    }
    guard url.isFileURL else {
      throw SwiftDataError.loadIssueModelContainer.with(
        url.scheme == nil
          ? "The URL \(url) of the store has no scheme, so it is not a file URL. Create it with "
            + "URL(filePath:) or URL(fileURLWithPath:) instead of URL(string:)."
          : "The URL \(url) of the store is not a file URL. Use the URL of a file.",
        doing: "opening a store")
    }
    guard !fileName.isEmpty, fileName != "/" else {
      throw SwiftDataError.configurationFileNameContainsInvalidCharacters.with(
        "The location of the store has no file name. Use the URL of a file in a folder.")
    }
    let length = fileName.utf8.count + Self.longestSuffix.utf8.count
    guard length <= Self.longestFileName else {
      throw SwiftDataError.configurationFileNameTooLong.with(
        "The file name has \(fileName.utf8.count) bytes; at most "
          + "\(Self.longestFileName - Self.longestSuffix.utf8.count) are allowed. Use a shorter "
          + "name.")
    }
    let path = DatabaseFile.resolvedPath(url.path)
    guard path.utf8.count <= Self.longestPath else {
      throw SwiftDataError.configurationFileNameTooLong.with(
        "The path of the store has \(path.utf8.count) bytes: \(path). SQLite opens paths of at most "
          + "\(Self.longestPath). Use a folder with a shorter path.")
    }
  }
}

extension ModelConfiguration: FileStoreConfiguration {
  package var storePath: String? {
    isStoredInMemoryOnly || !url.isFileURL ? nil : DatabaseFile.resolvedPath(url.path)
  }
}
