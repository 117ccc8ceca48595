import Foundation
import SwiftData
import Testing

@Suite struct StandardErrorTests {
  @Test func whatCannotBeWrittenDoesNotStopTheProgram() throws {
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    StandardError.write("a line\n", to: full)
    let closed = try #require(FileHandle(forWritingAtPath: "/dev/null"))
    try closed.close()
    StandardError.write("a line\n", to: closed)
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    StandardError.write("a line\n", to: pipe.fileHandleForWriting)
  }

  /// Warnings and the statement log go through the function above.
  @Test func onlyOneFunctionWritesToStandardError() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources").standardized
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    var writers: [String] = []
    for case let file as URL in try #require(files) where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      if text.contains("standardError.write(") || text.contains("fputs(") {
        writers.append(file.lastPathComponent)
      }
    }
    #expect(writers == [])
  }
}
