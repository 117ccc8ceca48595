import Foundation

extension ModelConfiguration {
  /// The longest file name of common file systems, in bytes.
  private static let longestFileName = 255

  /// What the longest of the files beside a store adds to its name.
  private static let longestSuffix = "-wal"

  /// Looks for names that cannot be file names, and for faults of the schema.
  ///
  /// - Throws: `SwiftDataError.configurationFileNameContainsInvalidCharacters`,
  ///   `.configurationFileNameTooLong`, or `.loadIssueModelContainer` for a faulty schema and for a URL that is
  ///   not that of a file.
  public func validate() throws {
    if !isStoredInMemoryOnly {
      try validateFileName(url.lastPathComponent)
      try validateName()
    }
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
    guard url.isFileURL else {
      throw SwiftDataError.loadIssueModelContainer.with(
        url.scheme == nil
          ? "The URL \(url) of the store has no scheme, so it is no file URL. Make it with "
            + "URL(filePath:) or URL(fileURLWithPath:) in place of URL(string:)."
          : "The URL \(url) of the store is no file URL. Use the URL of a file.",
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
          + "\(Self.longestFileName - Self.longestSuffix.utf8.count) are possible. Use a shorter "
          + "name.")
    }
  }
}
