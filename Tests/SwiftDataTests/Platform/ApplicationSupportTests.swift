import Foundation
import SwiftData
import Testing

@Suite struct ApplicationSupportTests {
  @Test func theFoldersAreAbsolute() {
    for folder in [
      URL.applicationSupportDirectory, URL.documentsDirectory, URL.cachesDirectory,
    ] {
      #expect(folder.isFileURL && folder.path.hasPrefix("/"))
    }
    #expect(URL.documentsDirectory != URL.cachesDirectory)
  }
}
