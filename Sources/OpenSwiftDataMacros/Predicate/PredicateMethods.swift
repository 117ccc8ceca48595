/// How one form of a method becomes a builder call.
struct MethodForm {
  /// The builder's name after `build_`.
  var builder: String
  /// The label of the only argument, or `nil` for none.
  var label: String?
  var argumentCount: Int? = 1
  var takesClosure = false
  /// Whether the closure is a condition on the elements.
  var isTest: Bool { takesClosure && !["flatMap", "map"].contains(builder) }
  /// The label of the argument in the builder call.
  var builderLabel: String?
  /// Whether the builder takes a captured receiver itself, not a node that holds it.
  var takesReceiverAsWritten = false
  /// The property of the builder's result that has the value of the method.
  var member: String?

  func accepts(_ method: MethodCall) -> Bool {
    if let argumentCount, method.arguments.count != argumentCount { return false }
    if takesClosure {
      return method.hasTrailingClosure || method.labels == [label]
    }
    return !method.hasClosure && method.labels.allSatisfy { $0 == label }
  }
}

/// The supported forms of one method, and how to describe them in an error.
struct MethodShape {
  var expected: String
  var forms: [MethodForm]
}

extension PredicateParser {
  static let methodShapes: [String: MethodShape] = {
    var shapes: [String: MethodShape] = [
      "contains": MethodShape(
        expected: "contains(value), contains(where: { … })",
        forms: [
          MethodForm(
            builder: "contains", label: "where", takesClosure: true, builderLabel: "where"),
          MethodForm(builder: "contains"),
        ]),
      "first": MethodShape(
        expected: "first(where: { … })",
        forms: [
          MethodForm(builder: "filter", label: "where", takesClosure: true, member: "first")
        ]),
      "count": MethodShape(
        expected: "count(where: { … })",
        forms: [
          MethodForm(builder: "filter", label: "where", takesClosure: true, member: "count")
        ]),
      "starts": MethodShape(
        expected: "starts(with: value)",
        forms: [MethodForm(builder: "starts", label: "with", builderLabel: "with")]),
      "trimmingCharacters": MethodShape(
        expected: "trimmingCharacters(in: characters)",
        forms: [MethodForm(builder: "trimmingCharacters", label: "in", builderLabel: "in")]),
      "addingTimeInterval": MethodShape(
        expected: "addingTimeInterval(seconds)", forms: [MethodForm(builder: "addingTimeInterval")]),
      "timeIntervalSince": MethodShape(
        expected: "timeIntervalSince(date)", forms: [MethodForm(builder: "timeIntervalSince")]),
      "distance": MethodShape(
        expected: "distance(to: date)",
        forms: [MethodForm(builder: "distance", label: "to", builderLabel: "to")]),
      "evaluate": MethodShape(
        expected: "evaluate(model)",
        forms: [MethodForm(builder: "evaluate", argumentCount: nil, takesReceiverAsWritten: true)]),
    ]
    for name in ["allSatisfy", "filter", "flatMap", "map"] {
      shapes[name] = MethodShape(
        expected: "\(name) { … }", forms: [MethodForm(builder: name, takesClosure: true)])
    }
    for name in ["min", "max", "lowercased", "uppercased"] {
      shapes[name] = MethodShape(
        expected: "\(name)()", forms: [MethodForm(builder: name, argumentCount: 0)])
    }
    for name in textMethods {
      shapes[name] = MethodShape(expected: "\(name)(text)", forms: [MethodForm(builder: name)])
    }
    return shapes
  }()

  /// Methods that are not supported, and what to use instead.
  static let replacements = [
    "compactMap": "'filter' or 'contains(where:)'",
    "reduce": "'min()', 'max()', 'count(where:)' or 'contains(where:)'",
    "range": "'contains(text)'",
    "firstMatch": "'contains(regex)'",
    "wholeMatch": "'contains(regex)' with '^' and '$' at its ends",
    "prefixMatch": "'contains(regex)' with '^' at its beginning",
    "advanced": "'addingTimeInterval(seconds)'",
    "compare": "'==', '<' or '>', or 'localizedCompare(text)'",
    "elementsEqual": "'=='",
    "last": "'first(where:)' or 'contains(where:)'",
  ]

  private static let textMethods = [
    "hasPrefix", "hasSuffix",
    "localizedStandardContains", "localizedCaseInsensitiveContains",
    "localizedCompare", "localizedStandardCompare",
    "caseInsensitiveCompare", "localizedCaseInsensitiveCompare",
  ]
}
