import Foundation
import SwiftData

/// Computations with numbers.
extension QueryEvaluation {
  func compute(
    _ operation: DataStoreQuery.Arithmetic, _ type: DataStoreQuery.ValueType,
    _ values: [DataStoreValue]
  ) throws -> DataStoreValue {
    switch type {
    case .int, .int64: return .integer(try whole(operation, Int64.self, values))
    case .int8: return .integer(Int64(try whole(operation, Int8.self, values)))
    case .int16: return .integer(Int64(try whole(operation, Int16.self, values)))
    case .int32: return .integer(Int64(try whole(operation, Int32.self, values)))
    case .uint, .uint64: return .unsigned(try whole(operation, UInt64.self, values))
    case .uint8: return .unsigned(UInt64(try whole(operation, UInt8.self, values)))
    case .uint16: return .unsigned(UInt64(try whole(operation, UInt16.self, values)))
    case .uint32: return .unsigned(UInt64(try whole(operation, UInt32.self, values)))
    case .double:
      return .double(try real(operation, try values.map { try number($0) }))
    case .float:
      return .double(Double(try real(operation, try values.map { Float(try number($0)) })))
    case .decimal: return .decimal(try decimal(operation, try values.map { try decimal($0) }))
    case .bool, .string, .date, .uuid, .data, .url:
      throw QueryEvaluationError("\(type.rawValue) is no type of numbers.")
    }
  }

  private func whole<Number: FixedWidthInteger>(
    _ operation: DataStoreQuery.Arithmetic, _ type: Number.Type, _ values: [DataStoreValue]
  ) throws -> Number {
    let numbers = try values.map { value in
      let number: Number? =
        switch value {
        case .integer(let value): Number(exactly: value)
        case .unsigned(let value): Number(exactly: value)
        default: nil
        }
      guard let number else { throw unfit(value, "a number of its type") }
      return number
    }
    let (first, second) = (numbers[0], numbers.count > 1 ? numbers[1] : 0)
    let (result, hasOverflow) =
      switch operation {
      case .add: first.addingReportingOverflow(second)
      case .subtract: first.subtractingReportingOverflow(second)
      case .multiply: first.multipliedReportingOverflow(by: second)
      case .divide: first.dividedReportingOverflow(by: second)
      case .remainder: first.remainderReportingOverflow(dividingBy: second)
      case .negate: Number.zero.subtractingReportingOverflow(first)
      }
    if hasOverflow { throw FailedStep() }
    return result
  }

  private func real<Number: BinaryFloatingPoint>(
    _ operation: DataStoreQuery.Arithmetic, _ numbers: [Number]
  ) throws -> Number {
    switch operation {
    case .add: numbers[0] + numbers[1]
    case .subtract: numbers[0] - numbers[1]
    case .multiply: numbers[0] * numbers[1]
    case .divide: numbers[0] / numbers[1]
    case .negate: -numbers[0]
    case .remainder: throw QueryEvaluationError("Only whole numbers have a remainder.")
    }
  }

  private func decimal(
    _ operation: DataStoreQuery.Arithmetic, _ numbers: [Decimal]
  ) throws -> Decimal {
    switch operation {
    case .add: numbers[0] + numbers[1]
    case .subtract: numbers[0] - numbers[1]
    case .multiply: numbers[0] * numbers[1]
    case .divide: numbers[0] / numbers[1]
    case .negate: -numbers[0]
    case .remainder: throw QueryEvaluationError("Only whole numbers have a remainder.")
    }
  }

  private func number(_ value: DataStoreValue) throws -> Double {
    switch value {
    case .double(let value): value
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    default: throw unfit(value, "a number")
    }
  }

  private func decimal(_ value: DataStoreValue) throws -> Decimal {
    switch value {
    case .decimal(let value): value
    case .integer(let value): Decimal(value)
    case .unsigned(let value): Decimal(value)
    default: throw unfit(value, "a decimal")
    }
  }
}
