import Testing

/// Each pair is a captured expression and what the predicate evaluates in its place.
private let attempts: [(captured: String, attempt: String)] = [
  ("f!", "_present(f)!"),
  ("f!.g!.h", "_present(_present(f)!.g)!.h"),
  ("l[0]", "_checked(l)[0]"),
  ("d[k]!.name", "_present(_checked(d)[k])!.name"),
  ("l.min()!", "_present(l.min())!"),
  ("a?.b[0].c", "a.flatMap { _$1 in try _checked(_$1.b)[0].c }"),
  ("a?.b?.c!", "a.flatMap { _$1 in try _$1.b.flatMap { _$2 in try _present(_$2.c)! } }"),
  ("f(x!, y: l[i])", "f(_present(x)!, y: _checked(l)[i])"),
  ("x! && y || z", "_present(x)! && y || z"),
  ("x as! Sub", "_castable(x, to: (Sub).self) as! Sub"),
  ("Array(a ..< b)", "Array(_range(a, upTo: b))"),
  ("Array(a...3)", "Array(_range(a, through: 3))"),
  ("(try! f()).a", "(f()).a"),
  (#""\(f!)""#, #""\(_present(f)!)""#),
  ("n is Int ? l[0] : 1", "n is Int ? _checked(l)[0] : 1"),
]

/// Each pair is captured arithmetic and what the predicate evaluates in its place.
private let computations: [(captured: String, computation: String)] = [
  ("10 / n", "_computed(by: { _$s in try _$s.quotient(_$s.literal(10), n) }, 10 / n)"),
  (
    "(a + b.c) * 2 - d!",
    "_computed(by: { _$s in try _$s.difference(_$s.product(_$s.sum(a, b.c), _$s.literal(2)), "
      + "_present(d)!) }, (a + b.c) * 2 - _present(d)!)"
  ),
  ("-n", "_computed(by: { _$s in try _$s.negative(n) }, -n)"),
  ("Int(x)", "_computed(by: { _$s in try _$s.conversion(to: Int.self, of: x) }, Int(x))"),
  ("n + .max", "_computed(by: { _$s in try _$s.sum(n, _$s.unknown) }, n + .max)"),
  (
    "a.f() + 1",
    "{ _$1 in try _computed(by: { _$s in try _$s.sum(_$1, _$s.literal(1)) }, _$1 + 1) }(a.f())"
  ),
]

/// Captured expressions that stay as they are.
private let plain = [
  "f", "s.x", "f?.g", "a.b(1)", #"f + "x""#, "24 * 60 * 60", "-3", "hours * 1.5", "(1...3)",
  "l[safe: 0]", "d[k, default: 0]", "l.map { $0! }", "f ?? g", "x as? Sub", "try? f()!",
  "x as Int?",
  #"Int("5")"#, "a &+ b", "Kind[0]",
]

/// What stands in an expansion for captured parts whose steps may fail.
@Suite struct CapturedExpansionTests {
  @Test(arguments: attempts)
  func attemptsSteps(captured: String, attempt: String) throws {
    let outcome = try outcome(of: "#Predicate<Item> { $0.x == (\(captured)) }")
    #expect(
      outcome
        == .expansion(
          "Foundation.Predicate<Item>({ _$0 in Equal(lhs: _$0.x, rhs: Attempt({ try \(attempt) })) })"
        ))
  }

  @Test(arguments: computations)
  func computesInSteps(captured: String, computation: String) throws {
    let outcome = try outcome(of: "#Predicate<Item> { $0.x == \(captured) }")
    guard case .expansion(let text) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(text.contains("= Attempt({ try \(computation) })\n"))
  }

  @Test(arguments: plain)
  func leavesAlone(captured: String) throws {
    let outcome = try outcome(of: "#Predicate<Item> { $0.x == (\(captured)) }")
    guard case .expansion(let text) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(!text.contains("Attempt"))
  }

  @Test func `a failing name is opened where it is used`() throws {
    let outcome = try outcome(
      of: "#Predicate<Item> { let top: Int? = l[0]; return $0.x == top || $0.y == f(top) }")
    #expect(
      outcome
        == .expansion(
          #"""
          Foundation.Predicate<Item>({ _$0 in
            let top = _attempt({ try (_checked(l)[0]) as Int? })
            let _$1 = Equal(lhs: _$0.x, rhs: Attempt({ try { top in top }(top.get()) }))
            let _$2 = Equal(lhs: _$0.y, rhs: Attempt({ try { top in f(top) }(top.get()) }))
            return Disjunction(lhs: _$1, rhs: _$2)
          })
          """#))
  }

  @Test func `a captured chain goes on in a closure`() throws {
    let outcome = try outcome(of: "#Predicate<Item> { a?.b?.contains($0.x) == true }")
    #expect(
      outcome
        == .expansion(
          #"""
          Foundation.Predicate<Item>({ _$0 in
            let _$3 = flatMap(Arg(a?.b), { _$1 in
              let _$2 = _$0.x
              return contains(_$1, _$2)
            })
            return Equal(lhs: _$3, rhs: Arg(true))
          })
          """#))
  }
}
