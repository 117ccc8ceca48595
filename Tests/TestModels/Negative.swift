package import Foundation
package import SwiftData

/// A model with a value that is stored in a file of its own.
@Model package final class Negative {
  @Attribute(.unique) package var number: Int
  @Attribute(.externalStorage) package var data: Data

  package init(number: Int, data: Data) {
    self.number = number
    self.data = data
  }

  /// A value that contains the number of its negative and of the edit.
  package static func data(_ number: Int, edit: Int, size: Int) -> Data {
    let mark = "\(number).\(edit) "
    return Data(mark.utf8) + Data(repeating: UInt8(truncatingIfNeeded: number), count: size)
  }
}
