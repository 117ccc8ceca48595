import Testing

@Suite("@Query")
struct QueryExpansionTests {
  @Test("The property reads a query of its name, which gets the arguments")
  func arguments() {
    let result = expandModel(
      #"""
      @MainActor final class TripsModel {
        @Query(filter: #Predicate<Trip> { $0.isOpen }, sort: \.start) private var trips: [Trip]
      }
      """#)
    #expect(result.messages == [])
    #expect(result.text.contains("private var trips: [Trip] {"))
    #expect(result.text.contains("get { _trips.wrappedValue }"))
    #expect(
      result.text.contains(
        "private var _trips: SwiftData.Query<[Trip]._QueriedModel, [Trip]> = "
          + #".init(filter: #Predicate<Trip> { $0.isOpen }, sort: \.start)"#))
  }

  @Test("Without arguments everything is fetched")
  func noArguments() {
    let result = expandModel(
      """
      struct Screen {
        @Query public var `default`: SectionedResults<Trip, String>
        @MainActor @Query() var trips: Array<Trip>
      }
      """)
    #expect(result.messages == [])
    let sections = "SectionedResults<Trip, String>"
    #expect(
      result.text.contains(
        "private(set) var _default: SwiftData.Query<\(sections)._QueriedModel, \(sections)> = "
          + ".init()"))
    #expect(
      result.text.contains(
        "@MainActor private(set) var _trips: SwiftData.Query<Array<Trip>._QueriedModel, Array<Trip>> = "
          + ".init()"))
  }

  /// So that the type of the model may be as private as the property. A memberwise initialiser of a
  /// structure is as visible as its least visible property.
  @Test(arguments: [
    ("class", "private ", "private var _trips"),
    ("class", "fileprivate ", "fileprivate private(set) var _trips"),
    ("class", "", "  private(set) var _trips"),
    ("struct", "private ", "  private(set) var _trips"),
    ("struct", "fileprivate ", "fileprivate private(set) var _trips"),
    ("struct", "public ", "  private(set) var _trips"),
  ])
  func access(kind: String, stated: String, written: String) {
    let result = expandModel(
      """
      \(kind) Screen {
        @Query \(stated)var trips: [Trip]
      }
      """)
    #expect(result.messages == [])
    #expect(result.text.contains("\(written): SwiftData.Query<"))
  }

  @Test(arguments: [
    (
      "@Query let trips: [Trip]",
      "error: @Query changes the value of 'trips'; declare it with 'var'",
      "@Query var trips: [Trip]"
    ),
    (
      "@Query var trips: [Trip] = []",
      "error: @Query fetches the value of 'trips'; remove the initial value",
      "@Query var trips: [Trip]"
    ),
    (
      "@Query var trips: [Trip]?",
      "error: @Query requires 'trips' not to be optional; it is empty when no model matches",
      "@Query var trips: [Trip]"
    ),
    (
      "@Query var trips",
      "error: @Query requires 'trips' to have a type, such as '[Trip]'", nil
    ),
    (
      "@Query static var trips: [Trip]",
      "error: @Query cannot be applied to static property 'trips'", nil
    ),
    (
      "@Query var trips: [Trip] { [] }",
      "error: @Query cannot be applied to computed property 'trips'", nil
    ),
  ])
  func diagnostics(source: String, message: String, fixed: String?) {
    func screen(_ body: String) -> String { "struct Screen {\n  \(body)\n}" }
    let result = expandModel(screen(source))
    #expect(result.messages == [message])
    // The harness expands the declaration without what is around it.
    #expect(result.fixed.map { String($0.drop(while: \.isWhitespace)) } == fixed)
  }
}
