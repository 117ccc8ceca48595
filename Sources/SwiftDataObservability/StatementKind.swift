#if Observability
  /// What a statement does, as a dimension of metrics.
  enum StatementKind: String, CaseIterable, Sendable {
    case select, insert, update, delete, transaction, other

    init(of sql: String) {
      self =
        switch sql.utf8.prefix(while: { $0 != UInt8(ascii: " ") }).count {
        case 6 where sql.hasPrefix("SELECT"): .select
        case 6 where sql.hasPrefix("INSERT"), 4 where sql.hasPrefix("COPY"): .insert
        case 6 where sql.hasPrefix("UPDATE"): .update
        case 6 where sql.hasPrefix("DELETE"): .delete
        case 6 where sql.hasPrefix("COMMIT"), 5 where sql.hasPrefix("BEGIN"),
          8 where sql.hasPrefix("ROLLBACK"), 9 where sql.hasPrefix("SAVEPOINT"),
          7 where sql.hasPrefix("RELEASE"):
          .transaction
        default: .other
        }
    }
  }
#endif
