/// What the package assumes of the Swift runtime and of Foundation, beyond what the language says.
///
/// The type that relies on an assumption checks it once per process, before the first use. Where it
/// does not hold, the type uses the fall-back of this table. A fall-back is slower, or it refuses
/// something with an error. It never gives a wrong result and never stops the program.
///
/// | assumption                                           | type               | fall-back          |
/// |------------------------------------------------------|--------------------|--------------------|
/// | the components of a key path follow its header       | `KeyPathComponent` | steps are compared by their descriptions; other paths are evaluated in memory |
/// | the metadata of an enum has its cases                | `TypeReflection`   | a container of values that are not scalars does not open |
/// | the value of an enum without payloads is its number  | `TypeReflection`   | the same           |
/// | a structure consists of the fields of its metadata   | `ValueSamples`     | whole structures are compared in memory |
/// | the metadata of `Optional` and `Array` has its type  | `TypeReflection`   | types are cast to protocols |
/// | tracking retains an object of the registrar, whose second word grows with its references | `ObservationProbe` | each read counts as tracked |
/// | an array of objects has one word for each            | `ObjectWords`      | the words are copied from the objects |
/// | a text comparator consists of what it encodes        | `String.StandardComparator.localized` | a warning, and the order of code points |
/// | a mirror of a sort descriptor shows its comparator   | `ModelOrder`       | values are compared without the descriptor |
///
/// The linker checks one more: `ModelReference` calls functions that the runtime exports. Two have no
/// fall-back, because the language defines them: `Sendable` changes no value (SE-0302), and
/// `@MainActor` changes no function (`_withoutIsolation`). `RuntimeAssumptionsTests` has a test for
/// each assumption and each fall-back.
package enum RuntimeAssumptions {
  package enum Assumption: Sendable {
    case keyPathComponents
    case typeMetadata
    case sortDescriptorMirror
  }

  /// Assumptions that count as wrong in this task, to test the fall-backs.
  @TaskLocal package static var refused: Set<Assumption> = []
}

/// A value as a type that has the same representation; `nil` if the sizes show that it has not.
///
/// `unsafeBitCast` stops the program for types of different sizes. An argument of an existential type
/// is written with `as`, for example `value as Any`. Otherwise the call opens it, and `T` is the type
/// of its content.
@inline(__always)
package func castIfSameSize<T, U>(_ value: T, to type: U.Type) -> U? {
  guard MemoryLayout<T>.size == MemoryLayout<U>.size else { return nil }
  return unsafeBitCast(value, to: type)
}
