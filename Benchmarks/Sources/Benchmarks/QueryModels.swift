import Foundation
import SwiftData

@Model
final class Student {
  #Index<Student>([\.city])

  var name: String
  var city: String
  var age: Int
  @Relationship(deleteRule: .cascade, inverse: \Grade.student) var grades: [Grade] = []

  init(_ index: Int) {
    name = "Student \(index)"
    city = "City \(index % 500)"
    age = 18 + index % 10
  }
}

@Model
final class Grade {
  var value: Int
  var subject: String
  var student: Student?

  init(_ index: Int) {
    value = Int(truncatingIfNeeded: (UInt64(index) &* 0x9e37_79b9_7f4a_7c15) >> 40) % 100
    subject = "Subject \(index % 12)"
  }
}

@Model
final class Point {
  #Index<Point>(.rtree([\.x, \.y]))

  var x: Double
  var y: Double
  var label: String

  init(_ index: Int) {
    func coordinate(_ factor: UInt64) -> Double {
      Double((UInt64(index + 1) &* factor) >> 11) / Double(1 << 53) * 1000
    }
    x = coordinate(0x9e37_79b9_7f4a_7c15)
    y = coordinate(0xd134_2543_de82_ef95)
    label = "Point \(index)"
  }
}
