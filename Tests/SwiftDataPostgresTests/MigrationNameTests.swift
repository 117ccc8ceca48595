import Foundation
import OpenSwiftDataPostgresEngine
import OpenSwiftDataTestPostgres
import SwiftData
import SwiftDataPostgres
import Testing

/// Names that are keywords, contain other scripts, or exceed what a server allows.
@Model
final class Räksmörgås用户表WithANameThatIsLongerThanTheSixtyThreeBytesOfPostgreSQL {
  var select: Int = 0
  var `where`: String = ""
  var user: String = ""
  @Attribute(.unique) var aPropertyWhoseNameIsMuchLongerThanTheLimitOfTheServerAndEndsInOne: Int = 0
  var aPropertyWhoseNameIsMuchLongerThanTheLimitOfTheServerAndEndsInTwo: String = ""
  var 名前: String = ""
  init(_ number: Int) {
    select = number
    aPropertyWhoseNameIsMuchLongerThanTheLimitOfTheServerAndEndsInOne = number
    aPropertyWhoseNameIsMuchLongerThanTheLimitOfTheServerAndEndsInTwo = "two \(number)"
    名前 = "name \(number)"
  }
}

@Suite(.enabled(if: PostgresServer.isAvailable))
struct MigrationNameTests {
  typealias Long = Räksmörgås用户表WithANameThatIsLongerThanTheSixtyThreeBytesOfPostgreSQL

  @Test func longAndForeignNamesAreStoredAndFound() throws {
    let store = try MigratedServerStore()
    let context = ModelContext(try store.container(Schema([Long.self])))
    for number in 0..<3 { context.insert(Long(number)) }
    try context.save()
    let other = ModelContext(try store.container(Schema([Long.self])))
    let two = "two 2"
    let found = try other.fetch(
      FetchDescriptor<Long>(
        predicate: #Predicate {
          $0.aPropertyWhoseNameIsMuchLongerThanTheLimitOfTheServerAndEndsInTwo == two
            && $0.select == 2
        }))
    #expect(found.map(\.名前) == ["name 2"])
    // Both columns exist, and the unique index has the first.
    other.insert(Long(2))
    try other.save()
    #expect(try other.fetchCount(FetchDescriptor<Long>()) == 3)
    #expect(
      try store.integer(
        "SELECT max(length(relname::text::bytea)) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = current_schema()"
      ) ?? 64 <= 63)
  }
}
