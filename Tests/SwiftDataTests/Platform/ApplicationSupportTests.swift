import Foundation
import SwiftData
import Testing

@Suite struct ApplicationSupportTests {
  @Test func theFolderIsAbsolute() {
    #expect(URL.applicationSupportDirectory.isFileURL)
    #expect(URL.applicationSupportDirectory.path.hasPrefix("/"))
  }
}
