import Testing

/// Each pair is a closure and what stands in the expansion for it.
private let expansions: [(closure: String, expansion: String)] = [
  // Key paths, captured parts and literals
  ("{ $0.count == 3 }", "{ _$0 in Equal(lhs: _$0.count, rhs: Arg(3)) }"),
  (
    "{ item in item.count == a.b(1).c }",
    "{ item in Equal(lhs: item.count, rhs: Arg(a.b(1).c)) }"
  ),
  (
    "{ (item: Item) -> Bool in item.flag }",
    #"""
    { item in
      let _$0 = item.flag
      return _$0
    }
    """#
  ),
  ("{ _ in true }", "{ _ in Arg(true) }"),
  (
    "{ [limit, top = limit.next] in $0.count < top }",
    #"""
    { _$0 in
      let top = limit.next
      return Comparison(lhs: _$0.count, rhs: Arg(top), op: .lessThan)
    }
    """#
  ),
  (
    "{ $0.name == names.first { $0.isShort } }",
    "{ _$0 in Equal(lhs: _$0.name, rhs: Arg(names.first { $0.isShort })) }"
  ),
  (
    "{ $0.folder?.name == $1.name }",
    #"""
    { _$0, _$1 in
      let _$3 = flatMap(_$0.folder, { _$2 in _$2.name })
      return Equal(lhs: _$3, rhs: _$1.name)
    }
    """#
  ),
  ("{ $0.state == .done }", "{ _$0 in Equal(lhs: _$0.state, rhs: Arg(.done)) }"),
  (
    "{ [.done, .open].contains($0.state) }",
    #"""
    { _$0 in
      let _$1 = _$0.state
      return contains(Arg([.done, .open]), _$1)
    }
    """#
  ),

  // Operators
  ("{ nil != $0.nick }", "{ _$0 in NotEqual(lhs: NilLiteral(), rhs: _$0.nick) }"),
  ("{ !$0.flag }", "{ _$0 in Negation(_$0.flag) }"),
  ("{ -$0.count }", "{ _$0 in UnaryMinus(_$0.count) }"),
  ("{ $0.a % 2 }", "{ _$0 in Remainder(lhs: _$0.a, rhs: Arg(2)) }"),
  ("{ $0.a / 2 }", "{ _$0 in Division(lhs: _$0.a, rhs: Arg(2)) }"),
  ("{ $0.a + 2 }", "{ _$0 in Arithmetic(lhs: _$0.a, rhs: Arg(2), op: .add) }"),
  ("{ $0.a ?? b }", "{ _$0 in NilCoalesce(lhs: _$0.a, rhs: Arg(b)) }"),
  ("{ $0.a! }", "{ _$0 in ForcedUnwrap(_$0.a) }"),
  (
    "{ $0.a && $0.b || flag }",
    "{ _$0 in Disjunction(lhs: Conjunction(lhs: _$0.a, rhs: _$0.b), rhs: Arg(flag)) }"
  ),
  (
    "{ $0.a == 1 && $0.b == 2 }",
    #"""
    { _$0 in
      let _$1 = Equal(lhs: _$0.a, rhs: Arg(1))
      let _$2 = Equal(lhs: _$0.b, rhs: Arg(2))
      return Conjunction(lhs: _$1, rhs: _$2)
    }
    """#
  ),
  (
    "{ $0.flag ? $0.a : -1 }",
    #"""
    { _$0 in
      let _$1 = _$0.a
      return Conditional(_$0.flag, _$1, Arg(-1))
    }
    """#
  ),
  (
    "{ (low...high).contains($0.a) }",
    #"""
    { _$0 in
      let _$1 = _$0.a
      return contains(CheckedClosedRange(lower: Arg(low), upper: Arg(high)), _$1)
    }
    """#
  ),
  ("{ $0 is Sub }", "{ _$0 in TypeCheck<_, Sub>(_$0) }"),
  (
    "{ ($0 as? Sub)?.bonus }",
    "{ _$0 in flatMap(ConditionalCast<_, Sub>(_$0), { _$1 in _$1.bonus }) }"
  ),
  (
    "{ ($0 as! Sub).bonus }",
    #"""
    { _$0 in
      let _$1 = Member(root: ForceCast<_, Sub>(_$0), keyPath: \.bonus)
      return _$1
    }
    """#
  ),

  // Chains: what follows `?` goes inside
  ("{ $0.a?.b?.c }", "{ _$0 in flatMap(_$0.a, { _$1 in flatMap(_$1.b, { _$2 in _$2.c }) }) }"),
  (
    #"{ $0.name?.lowercased().hasPrefix("a") }"#,
    #"""
    { _$0 in flatMap(_$0.name, { _$1 in
      let _$2 = lowercased(_$1)
      return hasPrefix(_$2, Arg("a"))
    }) }
    """#
  ),

  // Methods
  (#"{ $0.tags.contains("x") }"#, #"{ _$0 in contains(_$0.tags, Arg("x")) }"#),
  (
    #"{ $0.tags.contains { $0 == "x" } }"#,
    #"{ _$0 in contains(_$0.tags, where: { _$1 in Equal(lhs: _$1, rhs: Arg("x")) }) }"#
  ),
  (
    "{ item in item.subs.contains { $0.a == item.a } }",
    "{ item in contains(item.subs, where: { _$0 in Equal(lhs: _$0.a, rhs: item.a) }) }"
  ),
  (
    #"{ $0.subs.allSatisfy(\.flag) }"#,
    #"""
    { _$0 in allSatisfy(_$0.subs, { _$1 in
      let _$2 = _$1.flag
      return falseOnFailure(_$2)
    }) }
    """#
  ),
  (
    "{ $0.subs.count(where: { $0.flag }) == 1 }",
    #"""
    { _$0 in
      let _$3 = KeyPath(root: filter(_$0.subs, { _$1 in
        let _$2 = _$1.flag
        return falseOnFailure(_$2)
      }), keyPath: \.count)
      return Equal(lhs: _$3, rhs: Arg(1))
    }
    """#
  ),
  (
    "{ $0.name.trimmingCharacters(in: .whitespaces) }",
    "{ _$0 in trimmingCharacters(_$0.name, in: Arg(.whitespaces)) }"
  ),
  (
    "{ lookup[$0.name, default: 0] }",
    #"""
    { _$0 in
      let _$1 = _$0.name
      return subscript(Arg(lookup), _$1, default: Arg(0))
    }
    """#
  ),
  (
    "{ [$0.a, $0.b].contains(1) }",
    #"""
    { _$0 in
      let _$1 = Equal(lhs: _$0.a, rhs: Arg(1))
      let _$2 = Equal(lhs: _$0.b, rhs: Arg(1))
      return Disjunction(lhs: _$1, rhs: _$2)
    }
    """#
  ),
  ("{ isOpen.evaluate($0) }", "{ _$0 in evaluate(isOpen, _$0) }"),

  // Statements
  (
    "{ let top = limit.next; let a = $0.a; return a < top }",
    #"""
    { _$0 in
      let top = limit.next
      let a = _$0.a
      return Comparison(lhs: a, rhs: Arg(top), op: .lessThan)
    }
    """#
  ),
  (
    "{ if let a = $0.a { return a.b } else { return false } }",
    #"""
    { _$0 in
      let _$2 = map(_$0.a, { _$1 in _$1.b })
      return NilCoalesce(lhs: _$2, rhs: Arg(false))
    }
    """#
  ),
  (
    "{ guard $0.a else { return false }; return $0.b }",
    #"""
    { _$0 in
      let _$1 = _$0.b
      return Conditional(_$0.a, _$1, Arg(false))
    }
    """#
  ),
  (
    #"""
    { if $0.a { return true }
     return $0.b }
    """#,
    #"""
    { _$0 in
      let _$1 = _$0.b
      return Conditional(_$0.a, Arg(true), _$1)
    }
    """#
  ),
  (
    "{ if $0.a { let n = 1; return $0.b == n } else { return n } }",
    #"""
    { _$0 in
      let _$1 = 1
      let _$2 = Equal(lhs: _$0.b, rhs: Arg(_$1))
      return Conditional(_$0.a, _$2, Arg(n))
    }
    """#
  ),
  (
    "{ switch $0.state { case .open: true; default: false } }",
    #"""
    { _$0 in
      let _$1 = Equal(lhs: _$0.state, rhs: Arg(.open))
      return Conditional(_$1, Arg(true), Arg(false))
    }
    """#
  ),
  (
    "{ switch filter { case .all: true; case .flagged: $0.flag } }",
    "{ _$0 in\n  let _$1 = _$0.flag\n  return Conditional(Arg({ if case .all = filter "
      + "{ return true } else { return false } }()), Arg(true), _$1)\n}"
  ),
]

/// Each triple is a closure, the part the message points at, and the message.
private let refusals: [(closure: String, place: String, message: String)] = [
  (
    "{ abs($0.a) > 1 }", "abs",
    "'abs' cannot be called with values of the model; call it before the predicate and use the result, "
      + "or write the condition with operators"
  ),
  (
    "{ $0.date.advanced(by: 3) > now }", "advanced",
    "'advanced' is not supported in a predicate; write 'addingTimeInterval(seconds)'"
  ),
  (
    #"{ $0.name.starts("a") }"#, "starts",
    "'starts' is not supported with these arguments; write 'starts(with: value)'"
  ),
  (
    "{ $0.subs.contains(where: test) }", "test",
    "'contains' requires a closure literal"
  ),
  (
    "{ $0.a.isMultiple(of: n) }", "isMultiple",
    "'isMultiple' is not supported with these arguments; write 'value % divisor == 0'"
  ),
  (
    "{ $0.a.isMultiple(of: 0x0_0) }", "isMultiple",
    "'isMultiple' is not supported with these arguments; write 'value % divisor == 0'"
  ),
  (
    #"{ "\($0.a)" == b }"#, #""\($0.a)""#,
    "string interpolation of values of the model is not supported; join strings with '+'"
  ),
  (
    "{ [$0.a, $0.b].isEmpty }", "[$0.a, $0.b]",
    "a collection of values of the model is only supported before '.contains(_:)'"
  ),
  (
    "{ ($0.a, $0.b) == (1, 2) }", "($0.a, $0.b)",
    "tuples are not supported; compare the elements one by one"
  ),
  (
    "{ $0.folder === folder }", "===",
    "'===' is not supported; compare 'persistentModelID' with '=='"
  ),
  (
    "{ $0.a & 1 == 1 }", "&",
    "the operator '&' is not supported on values of the model; use one of '== != < <= > >= && || + "
      + "- * / % ?? ... ..<'"
  ),
  (
    "{ $0.a = 1 }", "=",
    "an assignment is not supported in a predicate; compare with '=='"
  ),
  (
    "{ $0.a = 1; return true }", "=",
    "an assignment is not supported in a predicate; compare with '=='"
  ),
  (
    "{ $0.a += 1; return true }", "+=",
    "an assignment is not supported in a predicate; compare with '=='"
  ),
  (
    "{ print($0.a); return true }", "print",
    "'print' is never called, because a predicate is translated and not run; call it outside "
      + "the predicate"
  ),
  (
    "{ $0.subs.map { $0.a }.contains(5) }", "map",
    "'map' of a collection is not supported in a predicate; write a condition on its "
      + "elements: 'contains(where:)', 'allSatisfy(_:)' or 'filter(_:)'"
  ),
  (
    "{ $0.subs.flatMap(\\.subs)[0] == a }", "flatMap",
    "'flatMap' of a collection is not supported in a predicate; write a condition on its "
      + "elements: 'contains(where:)', 'allSatisfy(_:)' or 'filter(_:)'"
  ),
  (
    "{ ~$0.a == 1 }", "~",
    "the prefix operator '~' is not supported; use '!' or '-'"
  ),
  (
    "{ $0.a as Int? == 1 }", "as",
    "'as' is not supported on values of the model; write 'as? Int?' or 'as! Int?'"
  ),
  (
    "{ for x in $0.subs { return true }; return false }", "for x in $0.subs { return true }",
    "loops are not supported; use 'contains(where:)', 'allSatisfy(_:)' or 'filter(_:)'"
  ),
  (
    "{ var a = $0.a; return a }", "var",
    "a predicate cannot change values; declare this with 'let'"
  ),
  (
    "{ let (a, b) = $0.pair; return a }", "(a, b)",
    "this pattern is not supported here; bind one name for each 'let', or compare with '=='"
  ),
  (
    "{ let a: Int; return $0.flag }", "a: Int",
    "this 'let' requires an initial value"
  ),
  (
    "{ $0.a; return true }", "$0.a",
    "the value of this expression is not used; join the conditions with '&&'"
  ),
  (
    "{ if $0.a { return true } }", "}",
    "this branch has no value; end it with a value or with 'return'"
  ),
  (
    "{ if #available(macOS 20, *), $0.a { true } else { false } }", "#available(macOS 20, *),",
    "'#available' is not supported; check it outside and choose between two predicates"
  ),
  (
    "{ if case .named(let n) = choice { return $0.name == n } else { return false } }",
    ".named(let n)",
    "this pattern is not supported here; bind one name for each 'let', or compare with '=='"
  ),
  (
    "{ [weak self] in $0.a == 1 }", "weak",
    "a predicate has no capture list; bind the value with 'let' before the predicate"
  ),
  (
    "{ defer { }; return $0.a }", "defer { }",
    "this statement is not supported in a predicate; use 'let', 'if', 'guard' or 'return'"
  ),
  (
    "{ $0.make { 1 } }", "make",
    "'make' is not supported in a predicate; compute it outside if it does not "
      + "depend on the model, or store it in a property"
  ),
]

@Suite struct PredicateExpansionTests {
  @Test(arguments: expansions)
  func expands(closure: String, expansion: String) throws {
    let outcome = try outcome(of: "#Predicate<Item> \(closure)")
    #expect(outcome == .expansion("Foundation.Predicate<Item>(\(expansion))"))
  }

  @Test(arguments: refusals)
  func refuses(closure: String, place: String, message: String) throws {
    let outcome = try outcome(of: "#Predicate<Item> \(closure)")
    #expect(outcome == .refusal(at: place, message))
  }

  @Test func `the type stays out of the expansion where the context gives it`() throws {
    let outcome = try outcome(of: "#Predicate { $0.flag }")
    #expect(
      outcome
        == .expansion("Foundation.Predicate({ _$0 in\n  let _$1 = _$0.flag\n  return _$1\n})"))
  }

  @Test func `an expression names its result`() throws {
    let outcome = try outcome(of: "#Expression<Item, Int>({ $0.count })")
    #expect(
      outcome
        == .expansion(
          "Foundation.Expression<Item, Int>({ _$0 in _$0.count })"))
  }

  @Test func `a closure kept in a variable is refused`() throws {
    let outcome = try outcome(of: "#Predicate<Item>(condition)")
    #expect(
      outcome
        == .refusal(
          at: "#Predicate<Item>(condition)", "#Predicate requires a closure literal"))
  }
}
