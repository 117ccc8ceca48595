import Foundation

extension ModelConfiguration {
  /// The longest file name of common file systems, in bytes.
  private static let longestFileName = 255

  /// What the longest of the files beside a store adds to its name.
  private static let longestSuffix = "-wal"

  /// Looks for names that cannot be file names, and for faults of the schema.
  ///
  /// - Throws: `SwiftDataError.configurationFileNameContainsInvalidCharacters`,
  ///   `.configurationFileNameTooLong`, or `.loadIssueModelContainer` for a faulty schema.
  public func validate() throws {
    if !isStoredInMemoryOnly {
      try validateFileName(url.lastPathComponent)
      try validateName()
    }
    try schema?.validate()
  }

  private func validateName() throws {
    let isInvalid = name.unicodeScalars.contains {
      $0 == "/" || $0.properties.generalCategory == .control
    }
    guard !name.isEmpty, !name.hasPrefix("."), !isInvalid else {
      throw SwiftDataError.configurationFileNameContainsInvalidCharacters.with(
        "The configuration is named '\(name)'. Use a name without '/' and control characters "
          + "that is neither empty nor starts with a dot.")
    }
  }

  private func validateFileName(_ fileName: String) throws {
    guard url.isFileURL else {
      throw SwiftDataError.configurationFileNameContainsInvalidCharacters.with(
        "\(url) is not the location of a file. Use a file URL.")
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
