// Foundation has these from Swift 6.4 on.
#if !canImport(Darwin) && compiler(<6.4)
  public import Foundation

  extension Predicate {
    /// A predicate that is true where all of some predicates are; without any it is true.
    public init(all subpredicates: some BidirectionalCollection<Predicate<repeat each Input>>) {
      self.init(joining: Array(subpredicates)[...], areAllNeeded: true)
    }

    /// A predicate that is true where one of some predicates is; without any it is false.
    public init(any subpredicates: some BidirectionalCollection<Predicate<repeat each Input>>) {
      self.init(joining: Array(subpredicates)[...], areAllNeeded: false)
    }

    private init(joining parts: ArraySlice<Predicate>, areAllNeeded: Bool) {
      self.init { (input: repeat PredicateExpressions.Variable<each Input>) in
        Self.expression(of: parts, areAllNeeded, repeat each input)
      }
    }

    /// Joins the two halves, so that the depth of the tree and the number of its types grow with the
    /// logarithm of the number of parts.
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
        expression(of: parts[..<middle], areAllNeeded, repeat each input),
        expression(of: parts[middle...], areAllNeeded, repeat each input), areAllNeeded)
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
