import Foundation
import SwiftData

enum CodedAttributeRules {
  private typealias Coded = Specimens.Coded
  private typealias Point = Specimens.Point
  private typealias Numbers = Specimens.Numbers

  static let all: [Rule] = [
    structures, enumerations, associated, arrays, sets, dictionaries, transformed, absent, emptied,
    independent,
  ]

  private static let structures = Rule(
    "structures", .attributes, "Codable structures keep all of their fields, also those with nil."
  ) { trial in
    try trial.keeps(
      \Coded.point, \.somePoint, [Point(x: -1.5, label: "a"), Point(x: 0, label: nil)])
  }

  private static let enumerations = Rule(
    "enumerations", .attributes, "Enumerations with raw values keep their case."
  ) { trial in
    try trial.keeps(\Coded.colour, \.someColour, [.green, .red])
    try trial.keeps(\Coded.level, \.someLevel, [.large, .small])
  }

  private static let associated = Rule(
    "associated values", .attributes, "Enumerations keep their case and its associated values."
  ) { trial in
    try trial.keeps(
      \Coded.shape, \.someShape,
      [.circle(radius: 2.5), .polygon([Point(x: 1, label: "p")]), .empty])
  }

  private static let arrays = Rule(
    "arrays", .attributes, "Arrays keep their elements in order; an empty array is not nil."
  ) { trial in
    try trial.keeps(\Coded.numbers, \.someNumbers, [[3, -1, 2], []])
    try trial.keeps(\Coded.texts, \.someTexts, [["b", "", "a"], []])
    try trial.keeps(\Coded.points, nil, [[Point(x: 1, label: nil), Point(x: 2, label: "b")]])
  }

  private static let sets = Rule("sets", .attributes, "Sets keep their elements.") { trial in
    try trial.keeps(\Coded.words, \.someWords, [["a", "b"], []])
  }

  private static let dictionaries = Rule(
    "dictionaries", .attributes, "Dictionaries keep their keys and values."
  ) { trial in
    try trial.keeps(\Coded.counts, \.someCounts, [["a": 1, "": -2], [:]])
  }

  private static let transformed = Rule(
    "transformed", .attributes, "Transformed attributes come back through their transformer."
  ) { trial in
    try trial.keeps(\Coded.motto, ["festina lente", "", nil])
  }

  private static let absent = Rule(
    "nil", .attributes, "An optional attribute without a value is nil, of every type."
  ) { trial in
    try trial.save([Specimens.Numbers()])
    try trial.save([Specimens.Basics()])
    try trial.save([Specimens.Coded()])
    let context = try trial.context()
    let numbers = try trial.only(Specimens.Numbers.self, in: context)
    let integers: [Any?] = [
      numbers.someInt8, numbers.someInt16, numbers.someInt32, numbers.someInt64, numbers.someInt,
      numbers.someUInt8, numbers.someUInt16, numbers.someUInt32, numbers.someUInt64,
    ]
    trial.expect("Integers that are not nil", integers.count { $0 != nil }, 0)
    let others: [Any?] = [
      numbers.someDouble, numbers.someFloat, numbers.someFlag, numbers.someDecimal,
    ]
    trial.expect("Numbers that are not nil", others.count { $0 != nil }, 0)
    let basics = try trial.only(Specimens.Basics.self, in: context)
    trial.expect("An optional text", basics.someText, nil)
    trial.expect("An optional Data", basics.someData, nil)
    trial.expect("An optional date", basics.someDate, nil)
    trial.expect("An optional UUID", basics.someUUID, nil)
    trial.expect("An optional URL", basics.someURL, nil)
    let coded = try trial.only(Coded.self, in: context)
    trial.expect("An optional structure", coded.somePoint, nil)
    trial.expect("An optional enumeration", coded.someColour, nil)
    trial.expect("An optional enumeration", coded.someLevel, nil)
    trial.expect("An optional enumeration", coded.someShape, nil)
    trial.expect("An optional array", coded.someNumbers, nil)
    trial.expect("An optional array", coded.someTexts, nil)
    trial.expect("An optional set", coded.someWords, nil)
    trial.expect("An optional dictionary", coded.someCounts, nil)
  }

  private static let emptied = Rule(
    "value to nil", .attributes, "An optional attribute that is set to nil is nil after the save."
  ) { trial in
    let context = try trial.context()
    let (numbers, basics, coded) = (Numbers(), Specimens.Basics(), Coded())
    (numbers.someInt, numbers.someDouble, numbers.someDecimal) = (5, 1.5, 2)
    (basics.someText, basics.someDate, basics.someData) = ("old", .distantPast, Data([1]))
    (coded.somePoint, coded.someColour, coded.someTexts) = (Point(x: 1, label: "p"), .red, ["a"])
    for model in [numbers, basics, coded] as [any PersistentModel] { context.insert(model) }
    try context.save()
    (numbers.someInt, numbers.someDouble, numbers.someDecimal) = (nil, nil, nil)
    (basics.someText, basics.someDate, basics.someData) = (nil, nil, nil)
    (coded.somePoint, coded.someColour, coded.someTexts) = (nil, nil, nil)
    try context.save()
    let reader = try trial.context()
    let found = try trial.only(Numbers.self, in: reader)
    trial.expect("An emptied integer", found.someInt, nil)
    trial.expect("An emptied Double", found.someDouble, nil)
    trial.expect("An emptied Decimal", found.someDecimal, nil)
    let others = try trial.only(Specimens.Basics.self, in: reader)
    trial.expect("An emptied text", others.someText, nil)
    trial.expect("An emptied date", others.someDate, nil)
    trial.expect("An emptied Data", others.someData, nil)
    let last = try trial.only(Coded.self, in: reader)
    trial.expect("An emptied structure", last.somePoint, nil)
    trial.expect("An emptied enumeration", last.someColour, nil)
    trial.expect("An emptied array", last.someTexts, nil)
  }

  private static let independent = Rule(
    "other attributes", .attributes, "A change of one attribute leaves the others as they are."
  ) { trial in
    let numbers = Numbers()
    (numbers.int8, numbers.someInt, numbers.double, numbers.flag) = (-8, 4, -2.5, true)
    try trial.save([numbers])
    let editor = try trial.context()
    try trial.only(Numbers.self, in: editor).int16 = 16
    try editor.save()
    let found = try trial.only(Numbers.self, in: trial.context())
    trial.expect("The changed attribute", found.int16, 16)
    trial.expect("An unchanged integer", found.int8, -8)
    trial.expect("An unchanged optional", found.someInt, 4)
    trial.expect("An unchanged Double", found.double, -2.5)
    trial.expect("An unchanged Boolean", found.flag, true)
  }
}

/// Models that a rule makes without arguments.
protocol ValueSpecimen: PersistentModel {
  init()
}

extension Specimens.Numbers: ValueSpecimen {}
extension Specimens.Basics: ValueSpecimen {}
extension Specimens.Coded: ValueSpecimen {}

extension Trial {
  /// Expects that a required and an optional attribute keep each of some values.
  func keeps<M: ValueSpecimen, V: Equatable>(
    _ required: ReferenceWritableKeyPath<M, V>, _ optional: ReferenceWritableKeyPath<M, V?>?,
    _ values: [V], isSame: (V, V) -> Bool = { $0 == $1 }
  ) throws {
    try keeps(required, values, isSame: isSame)
    guard let optional else { return }
    try keeps(optional, values) { left, right in
      guard let left, let right else { return left == nil && right == nil }
      return isSame(left, right)
    }
  }

  /// Saves new models with the values, then changes each to the next value.
  func keeps<M: ValueSpecimen, V: Equatable>(
    _ property: ReferenceWritableKeyPath<M, V>, _ values: [V],
    isSame: (V, V) -> Bool = { $0 == $1 }
  ) throws {
    let context = try context()
    let models = values.map { value in
      let model = M()
      model[keyPath: property] = value
      return model
    }
    try save(models, in: context)
    let name = "\(V.self)"
    func compare(_ occasion: String, with expected: [V]) throws {
      let reader = try self.context()
      for (model, value) in zip(models, expected) {
        let found = try require(
          "The model with the \(name)", reader.model(for: model.persistentModelID) as? M)
        let came = found[keyPath: property]
        if !isSame(came, value) {
          problem("\(name) \(occasion): \(Trial.difference(of: came, from: value)).")
        }
      }
    }
    try compare("of a new model", with: values)
    let next = Array(values.dropFirst() + values.prefix(1))
    for (model, value) in zip(models, next) { model[keyPath: property] = value }
    try context.save()
    try compare("after a change", with: next)
  }
}
