import Foundation
import SwiftData

/// What the second process stores in files; the same as there.
@Model final class Negative {
  @Attribute(.unique) var number: Int
  @Attribute(.externalStorage) var data: Data

  init(number: Int, data: Data) {
    self.number = number
    self.data = data
  }

  static func data(_ number: Int, edit: Int, size: Int) -> Data {
    let mark = "\(number).\(edit) "
    return Data(mark.utf8) + Data(repeating: UInt8(truncatingIfNeeded: number), count: size)
  }
}
