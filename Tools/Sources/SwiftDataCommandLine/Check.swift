import ArgumentParser
import Foundation
import SwiftDataTools

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Looks for damage, wrong hashes, dangling links, missing and orphaned files.",
    discussion:
      "Exit code 0: no problems found; 2: problems found; 1: the file can't be read.")

  @OptionGroup var store: StoreArgument

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let checkup = try Failure.describing { try StoreCheckup(of: store.url) }
    if json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      print(String(decoding: try encoder.encode(checkup), as: UTF8.self))
    } else {
      for problem in checkup.problems { print(problem) }
      if checkup.problems.isEmpty { print("\(checkup.path): no problems found") }
    }
    if !checkup.problems.isEmpty { throw ExitCode(2) }
  }
}
