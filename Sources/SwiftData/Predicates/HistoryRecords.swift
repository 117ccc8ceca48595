import Foundation

extension RecordMapping {
  static let transactions = RecordMapping(
    "Transaction", table: "ATRANSACTION", keyColumn: "Z_PK",
    columns: [.init(\DefaultHistoryTransaction.transactionIdentifier, "Z_PK", isIndexed: true)]
      .compactMap(\.self))
}

enum HistoryTokens {
  static func starts(in predicate: Predicate<DefaultHistoryTransaction>) -> [DefaultHistoryToken] {
    []
  }
}
