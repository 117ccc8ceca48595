import Foundation
import SwiftData

typealias PredicateTree<Value> = any StandardPredicateExpression<Value>

/// A part of a predicate that is put together at run time, and how it would be written.
struct Piece<Value> {
  var node: PredicateTree<Value>
  var text: String

  init(_ node: PredicateTree<Value>, _ text: String) {
    self.node = node
    self.text = text
  }

  func property<V>(_ path: any KeyPath<Value, V> & Sendable, _ name: String) -> Piece<V> {
    func open<R: StandardPredicateExpression>(_ root: R) -> PredicateTree<V>
    where R.Output == Value {
      PredicateExpressions.KeyPath(root: root, keyPath: path)
    }
    return Piece<V>(open(node), "\(text).\(name)")
  }

  /// `self.flatMap { … }`. The closure runs twice and has to give the same tree both times.
  func flatMap<W, V>(_ body: (Piece<W>) -> Piece<V>) -> Piece<V?> where Value == W? {
    var inner = ""
    func open<L: StandardPredicateExpression, R: StandardPredicateExpression>(
      _ wrapped: L, _ sample: R
    ) -> PredicateTree<V?> where L.Output == W?, R.Output == V {
      PredicateExpressions.OptionalFlatMap<L, W, R, V>(wrapped) { variable in
        let piece = body(Piece<W>(variable, "$1"))
        inner = piece.text
        return piece.node as! R
      }
    }
    let sample = body(Piece<W>(PredicateExpressions.Variable<W>(), "$1"))
    return Piece<V?>(open(node, sample.node), "\(text).flatMap { \(inner) }")
  }

  func orElse<W>(_ other: Piece<W>) -> Piece<W> where Value == W? {
    func open<L: StandardPredicateExpression, R: StandardPredicateExpression>(
      _ left: L, _ right: R
    ) -> PredicateTree<W> where L.Output == W?, R.Output == W {
      PredicateExpressions.NilCoalesce(lhs: left, rhs: right)
    }
    return Piece<W>(open(node, other.node), "(\(text) ?? \(other.text))")
  }

  /// A test of the elements of a to-many relationship.
  func elements<E>(
    all: Bool, _ body: (Piece<E>) -> Piece<Bool>
  ) -> Piece<Bool> where Value == [E] {
    func open<L: StandardPredicateExpression, R: StandardPredicateExpression>(
      _ sequence: L, _ sample: R
    ) -> PredicateTree<Bool> where L.Output == [E], R.Output == Bool {
      all
        ? PredicateExpressions.SequenceAllSatisfy(sequence) {
          body(Piece<E>($0, "$2")).node as! R
        }
        : PredicateExpressions.SequenceContainsWhere(sequence) {
          body(Piece<E>($0, "$2")).node as! R
        }
    }
    let sample = body(Piece<E>(PredicateExpressions.Variable<E>(), "$2"))
    return Piece<Bool>(
      open(node, sample.node),
      "\(text).\(all ? "allSatisfy" : "contains") { \(sample.text) }")
  }

  func filter<E>(_ body: (Piece<E>) -> Piece<Bool>) -> Piece<[E]> where Value == [E] {
    func open<L: StandardPredicateExpression, R: StandardPredicateExpression>(
      _ sequence: L, _ sample: R
    ) -> PredicateTree<[E]> where L.Output == [E], R.Output == Bool {
      PredicateExpressions.Filter(sequence) { body(Piece<E>($0, "$3")).node as! R }
    }
    let sample = body(Piece<E>(PredicateExpressions.Variable<E>(), "$3"))
    return Piece<[E]>(open(node, sample.node), "\(text).filter { \(sample.text) }")
  }

  func cast<Desired>(to type: Desired.Type) -> Piece<Desired?> {
    func open<R: StandardPredicateExpression>(_ root: R) -> PredicateTree<Desired?> {
      PredicateExpressions.ConditionalCast<R, Desired>(root)
    }
    return Piece<Desired?>(open(node), "(\(text) as? \(type))")
  }

  func isKind<Desired>(of type: Desired.Type) -> Piece<Bool> {
    func open<R: StandardPredicateExpression>(_ root: R) -> PredicateTree<Bool> {
      PredicateExpressions.TypeCheck<R, Desired>(root)
    }
    return Piece<Bool>(open(node), "(\(text) is \(type))")
  }
}

extension Piece where Value: Codable & Sendable {
  static func value(_ value: Value) -> Piece {
    Piece(PredicateExpressions.Value(value), String(String(reflecting: value).prefix(60)))
  }
}

extension Piece where Value: Equatable {
  func equals(_ other: Piece, negated: Bool) -> Piece<Bool> {
    func open<L: StandardPredicateExpression, R: StandardPredicateExpression>(
      _ left: L, _ right: R
    ) -> PredicateTree<Bool> where L.Output == Value, R.Output == Value {
      negated
        ? PredicateExpressions.NotEqual(lhs: left, rhs: right)
        : PredicateExpressions.Equal(lhs: left, rhs: right)
    }
    return Piece<Bool>(
      open(node, other.node), "(\(text) \(negated ? "!=" : "==") \(other.text))")
  }

  func isMember(of values: [Value]) -> Piece<Bool> where Value: Codable & Sendable {
    func open<R: StandardPredicateExpression>(_ element: R) -> PredicateTree<Bool>
    where R.Output == Value {
      PredicateExpressions.SequenceContains(
        sequence: PredicateExpressions.Value(values), element: element)
    }
    return Piece<Bool>(open(node), "\(String(reflecting: values).prefix(200)).contains(\(text))")
  }
}

extension Piece where Value: Comparable {
  func compares(
    _ sign: PredicateExpressions.ComparisonOperator, _ other: Piece
  ) -> Piece<Bool> {
    func open<L: StandardPredicateExpression, R: StandardPredicateExpression>(
      _ left: L, _ right: R
    ) -> PredicateTree<Bool> where L.Output == Value, R.Output == Value {
      PredicateExpressions.Comparison(lhs: left, rhs: right, op: sign)
    }
    return Piece<Bool>(open(node, other.node), "(\(text) \(sign) \(other.text))")
  }

  func isWithin(_ range: ClosedRange<Value>) -> Piece<Bool> where Value: Codable & Sendable {
    func open<R: StandardPredicateExpression>(_ element: R) -> PredicateTree<Bool>
    where R.Output == Value {
      PredicateExpressions.RangeExpressionContains(
        range: PredicateExpressions.Value(range), element: element)
    }
    return Piece<Bool>(open(node), "(\(range)).contains(\(text))")
  }
}

extension Piece where Value == Bool {
  static func joined(_ first: Piece, and: Bool, _ second: Piece) -> Piece {
    func open<L: StandardPredicateExpression, R: StandardPredicateExpression>(
      _ left: L, _ right: R
    ) -> PredicateTree<Bool> where L.Output == Bool, R.Output == Bool {
      and
        ? PredicateExpressions.Conjunction(lhs: left, rhs: right)
        : PredicateExpressions.Disjunction(lhs: left, rhs: right)
    }
    return Piece(
      open(first.node, second.node), "(\(first.text) \(and ? "&&" : "||") \(second.text))")
  }

  var negated: Piece {
    func open<R: StandardPredicateExpression>(_ wrapped: R) -> PredicateTree<Bool>
    where R.Output == Bool {
      PredicateExpressions.Negation(wrapped)
    }
    return Piece(open(node), "!\(text)")
  }

  func choose<V>(_ first: Piece<V>, _ second: Piece<V>) -> Piece<V> {
    func open<
      T: StandardPredicateExpression, L: StandardPredicateExpression,
      R: StandardPredicateExpression
    >(_ test: T, _ left: L, _ right: R) -> PredicateTree<V>
    where T.Output == Bool, L.Output == V, R.Output == V {
      PredicateExpressions.Conditional(test: test, trueBranch: left, falseBranch: right)
    }
    return Piece<V>(
      open(node, first.node, second.node), "(\(text) ? \(first.text) : \(second.text))")
  }
}

extension Piece where Value: Numeric {
  func computes(_ sign: Character, _ other: Piece) -> Piece {
    func open<L: StandardPredicateExpression, R: StandardPredicateExpression>(
      _ left: L, _ right: R
    ) -> PredicateTree<Value> where L.Output == Value, R.Output == Value {
      switch sign {
      case "+": PredicateExpressions.Arithmetic(lhs: left, rhs: right, op: .add)
      case "-": PredicateExpressions.Arithmetic(lhs: left, rhs: right, op: .subtract)
      default: PredicateExpressions.Arithmetic(lhs: left, rhs: right, op: .multiply)
      }
    }
    return Piece(open(node, other.node), "(\(text) \(sign) \(other.text))")
  }
}
