import Foundation

/// The values of a statement's parameters.
package enum SQLParameters {
  case none
  case integer(Int64)
  case pair(Int64, Int64)
  /// A list of keys, in the form that the dialect requires.
  case list(String)
  /// The captured values of a fetch, followed by its limit and offset, if it has them.
  case fetch([_StoredValue], RowRange)
  case row(RowValues)

  package static func values(_ values: [_StoredValue]) -> SQLParameters { .fetch(values, .all) }
}

/// Two keys that are parameters 0 and 1.
package struct KeyPair: Hashable, Sendable {
  package let first: Int64
  package let second: Int64
}

/// A statement to which values can be bound; parameters are numbered from 1.
package protocol ParameterTarget {
  func bind(_ value: Int64, at index: Int32) throws
  func bind(_ value: Double, at index: Int32) throws
  func bind(_ value: String, at index: Int32) throws
  func bind(_ value: Data, at index: Int32) throws
  func bind(bytes: UnsafeRawBufferPointer, at index: Int32) throws
  /// Binds UTF-8 text without copying it. The memory must exist until the end of the run.
  func bind(borrowedText: UnsafeRawBufferPointer, at index: Int32) throws
  /// Binds bytes without copying them. The memory must exist until the end of the run.
  func bind(borrowedBytes: UnsafeRawBufferPointer, at index: Int32) throws
  func bindNull(at index: Int32) throws
}

extension SQLParameters {
  package func bind(to target: some ParameterTarget) throws {
    switch self {
    case .none: break
    case .integer(let value): try target.bind(value, at: 1)
    case .pair(let first, let second):
      try target.bind(first, at: 1)
      try target.bind(second, at: 2)
    case .list(let text): try target.bind(text, at: 1)
    case .fetch(let values, let range):
      var index: Int32 = 0
      for value in values {
        index += 1
        try value.bind(to: target, at: index)
      }
      if let limit = range.limit {
        index += 1
        try target.bind(Int64(limit), at: index)
      }
      if range.offset > 0 { try target.bind(Int64(range.offset), at: index + 1) }
    case .row(let values): try values.bind(to: target)
    }
  }
}

extension _StoredValue {
  fileprivate func bind(to target: some ParameterTarget, at index: Int32) throws {
    switch self {
    case .null: try target.bindNull(at: index)
    case .integer(let value): try target.bind(value, at: index)
    case .real(let value): try target.bind(value, at: index)
    case .text(let value): try target.bind(value, at: index)
    case .blob(let value): try target.bind(value, at: index)
    }
  }
}
