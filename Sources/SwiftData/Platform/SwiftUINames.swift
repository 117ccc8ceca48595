/// The types of SwiftUI that arguments of queries have.
///
/// They are members of this type, so that an app can have types of the same names. Arguments do not
/// need the names: `@Query(sort: \.start, animation: .default)`. Apple's module of this name declares
/// the queries.
public enum _SwiftData_SwiftUI {}
