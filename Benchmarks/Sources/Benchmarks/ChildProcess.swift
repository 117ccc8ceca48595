import Foundation

/// Runs this program again, with other arguments.
/// - Returns: What it printed, and its exit status.
func outputOfThisProgram(_ arguments: [String]) throws -> (text: String, status: Int32) {
  let child = Process()
  child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
  #if !os(Linux)
    child.executableURL = Bundle.main.executableURL
  #endif
  child.arguments = arguments
  let output = Pipe()
  child.standardOutput = output
  try child.run()
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  child.waitUntilExit()
  return (text, child.terminationStatus)
}
