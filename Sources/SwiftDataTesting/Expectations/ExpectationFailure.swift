public import Foundation

/// The failure of an expectation of this module, thrown out of the test.
///
/// Any test framework reports it with its description: the place of the call, what was expected,
/// what happened, and a list of the statements or changes. So an expectation is written with `try`:
///
/// ```swift
/// try expectStatements(2, in: temporary) { try reader.fetch(descriptor).map(\.stops.count) }
/// ```
public struct ExpectationFailure: Error, Sendable {
  /// What was expected.
  public let expected: String

  /// What happened in its place.
  public let outcome: String

  /// The statements, the changes or the lines that show what happened.
  public let details: [String]

  /// The module and the file of the call.
  public let fileID: String

  /// The path of the file of the call.
  public let filePath: String

  /// The line of the call, from 1.
  public let line: Int

  /// The column of the call, from 1.
  public let column: Int

  init(expected: String, outcome: String, details: [String] = [], at place: CallSite) {
    self.expected = expected
    self.outcome = outcome
    self.details = details
    fileID = "\(place.fileID)"
    filePath = "\(place.filePath)"
    line = place.line
    column = place.column
  }
}

extension ExpectationFailure: CustomStringConvertible, LocalizedError {
  /// The place of the call, what was expected, what happened, and the list.
  public var description: String {
    let sentence = "\(fileID):\(line):\(column): expected \(expected), but \(outcome)"
    if details.isEmpty { return sentence + "." }
    return sentence + ":\n" + details.map { "  \($0)" }.joined(separator: "\n")
  }

  /// The same as `description`.
  public var errorDescription: String? { description }
}

/// Where an expectation was called.
struct CallSite: Sendable {
  let fileID: StaticString
  let filePath: StaticString
  let line: Int
  let column: Int

  init(_ fileID: StaticString, _ filePath: StaticString, _ line: Int, _ column: Int) {
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }
}
