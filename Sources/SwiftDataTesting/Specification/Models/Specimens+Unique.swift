import SwiftData

extension Specimens {
  @Model final class Account {
    @Attribute(.unique) var key: String
    var amount: Int
    var remark: String?

    init(_ key: String, _ amount: Int, remark: String? = nil) {
      self.key = key
      self.amount = amount
      self.remark = remark
    }
  }

  @Model final class Square {
    #Unique<Square>([\.row, \.column])

    var row: Int
    var column: Int
    var label: String

    init(_ row: Int, _ column: Int, _ label: String) {
      self.row = row
      self.column = column
      self.label = label
    }
  }
}
