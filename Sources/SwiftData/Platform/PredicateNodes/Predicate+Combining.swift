// Foundation has these initialisers from Swift 6.4 on.
#if !canImport(Darwin) && compiler(<6.4)
  public import Foundation

  extension Predicate {
    /// Creates a predicate that is true if all given predicates are true, or if there are none.
    public init(all subpredicates: some BidirectionalCollection<Predicate<repeat each Input>>) {
      self.init(joining: Array(subpredicates)[...], areAllNeeded: true)
    }

    /// Creates a predicate that is true if at least one of the given predicates is true.
    public init(any subpredicates: some BidirectionalCollection<Predicate<repeat each Input>>) {
      self.init(joining: Array(subpredicates)[...], areAllNeeded: false)
    }

    private init(joining parts: ArraySlice<Predicate>, areAllNeeded: Bool) {
      self.init { (input: repeat PredicateExpressions.Variable<each Input>) in
        Self.expression(of: parts, areAllNeeded, repeat each input)
      }
    }

    /// The largest number of conditions in one expression. A node contains its operands, so more would need a large stack
    /// wherever the expression is copied.
    private static var longestExpression: Int { 32 }

    /// Joins two halves recursively, so that the depth of the tree and the number of its types grow
    /// logarithmically. A long half is a predicate of its own.
    private static func expression(
      of parts: ArraySlice<Predicate>, _ areAllNeeded: Bool,
      _ input: repeat PredicateExpressions.Variable<each Input>
    ) -> any StandardPredicateExpression<Bool> {
      if parts.isEmpty { return PredicateExpressions.Value(areAllNeeded) }
      if parts.count == 1 {
        return PredicateExpressions.build_evaluate(parts[parts.startIndex], repeat each input)
      }
      let middle = parts.startIndex + parts.count / 2
      return joined(
        half(of: parts[..<middle], areAllNeeded, repeat each input),
        half(of: parts[middle...], areAllNeeded, repeat each input), areAllNeeded)
    }

    private static func half(
      of parts: ArraySlice<Predicate>, _ areAllNeeded: Bool,
      _ input: repeat PredicateExpressions.Variable<each Input>
    ) -> any StandardPredicateExpression<Bool> {
      parts.count > longestExpression
        ? PredicateExpressions.build_evaluate(
          Predicate(joining: parts, areAllNeeded: areAllNeeded), repeat each input)
        : expression(of: parts, areAllNeeded, repeat each input)
    }

    private static func joined(
      _ first: some StandardPredicateExpression<Bool>,
      _ second: some StandardPredicateExpression<Bool>, _ areBothNeeded: Bool
    ) -> any StandardPredicateExpression<Bool> {
      areBothNeeded
        ? PredicateExpressions.Conjunction(lhs: first, rhs: second)
        : PredicateExpressions.Disjunction(lhs: first, rhs: second)
    }
  }
#endif
