/// The names of SwiftUI that the arguments of queries have.
///
/// They are members of this type, so an app can have modules with types of the same names. Arguments
/// leave the name out: `@Query(sort: \.start, animation: .default)`. Apple's module of this name
/// declares the queries.
public enum _SwiftData_SwiftUI {}
