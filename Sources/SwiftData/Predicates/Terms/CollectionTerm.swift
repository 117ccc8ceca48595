import Foundation
import OpenSwiftDataSQLSyntax

/// The members of a to-many relationship, or the rows that belong to a record; may be filtered.
struct CollectionTerm {
  struct Filter {
    var variable: PredicateExpressions.VariableID
    var test: any PredicateExpression
    /// The variables where the filter is applied. The test is compiled later, when the members are
    /// queried.
    var variables: VariableScopes
  }

  struct Relationship {
    var owner: ObjectTerm
    var mapping: ToManyMapping
    var destination: EntityMapping
  }

  enum Source {
    case relationship(Relationship)
    case records(RecordLink, owner: RecordTerm)
  }

  var source: Source
  var filters: [Filter] = []

  init(_ source: Source) { self.source = source }

  var ownerKey: SQLExpression {
    switch source {
    case .relationship(let relationship): relationship.owner.key
    case .records(_, let owner): owner.key
    }
  }
}
