import Foundation
import SwiftData

// Pieces whose evaluation may fail, and the piece that catches it.

extension Piece {
  func forced<W>() -> Piece<W> where Value == W? {
    func open<R: StandardPredicateExpression>(_ root: R) -> PredicateTree<W>
    where R.Output == W? {
      PredicateExpressions.ForcedUnwrap(root)
    }
    return Piece<W>(open(node), "\(text)!")
  }
}

extension Piece where Value: Codable & Sendable {
  /// A captured value that could be computed or, with nil, could not.
  static func attempt(_ value: Value?) -> Piece {
    Piece(
      PredicateExpressions._CapturedAttempt(value),
      value.map { String(String(reflecting: $0).prefix(60)) } ?? "<failed>")
  }
}

extension Piece where Value == Bool {
  var falseOnFailure: Piece {
    func open<R: StandardPredicateExpression>(_ root: R) -> PredicateTree<Bool>
    where R.Output == Bool {
      PredicateExpressions._FalseOnFailure(root)
    }
    return Piece(open(node), text)
  }
}

extension Piece where Value: FixedWidthInteger {
  func computesChecked(_ sign: Character, _ other: Piece) -> Piece {
    func open<L: StandardPredicateExpression, R: StandardPredicateExpression>(
      _ left: L, _ right: R
    ) -> PredicateTree<Value> where L.Output == Value, R.Output == Value {
      typealias P = PredicateExpressions
      return switch sign {
      case "+": P.build_Arithmetic(lhs: left, rhs: right, op: .add)
      case "-": P.build_Arithmetic(lhs: left, rhs: right, op: .subtract)
      case "*": P.build_Arithmetic(lhs: left, rhs: right, op: .multiply)
      case "/": P.build_Division(lhs: left, rhs: right)
      default: P.build_Remainder(lhs: left, rhs: right)
      }
    }
    return Piece(open(node, other.node), "(\(text) \(sign) \(other.text))")
  }
}

extension Piece where Value == Date {
  func offset(by seconds: Piece<TimeInterval>) -> Piece {
    func open<L: StandardPredicateExpression, R: StandardPredicateExpression>(
      _ date: L, _ seconds: R
    ) -> PredicateTree<Date> where L.Output == Date, R.Output == TimeInterval {
      PredicateExpressions._DateOffset(date: date, seconds: seconds)
    }
    return Piece(open(node, seconds.node), "(\(text) + \(seconds.text))")
  }
}

extension Piece where Value == [String] {
  func holds(_ element: Piece<String>) -> Piece<Bool> {
    func open<L: StandardPredicateExpression, R: StandardPredicateExpression>(
      _ list: L, _ element: R
    ) -> PredicateTree<Bool> where L.Output == [String], R.Output == String {
      PredicateExpressions.SequenceContains(sequence: list, element: element)
    }
    return Piece<Bool>(open(node, element.node), "\(text).contains(\(element.text))")
  }

  func element(at position: Int) -> Piece<String> {
    func open<L: StandardPredicateExpression>(_ list: L) -> PredicateTree<String>
    where L.Output == [String] {
      PredicateExpressions.CollectionIndexSubscript(
        wrapped: list, index: PredicateExpressions.Value(position))
    }
    return Piece<String>(open(node), "\(text)[\(position)]")
  }

  func extreme(isLeast: Bool) -> Piece<String?> {
    func open<L: StandardPredicateExpression>(_ list: L) -> PredicateTree<String?>
    where L.Output == [String] {
      isLeast
        ? PredicateExpressions.SequenceMinimum(elements: list)
        : PredicateExpressions.SequenceMaximum(elements: list)
    }
    return Piece<String?>(open(node), "\(text).\(isLeast ? "min" : "max")()")
  }
}
