import OpenSwiftDataRowStorage

/// Writes the rows in which new models keep their values until the first save. Part of the
/// `ChangeTracker`.
///
/// The values of a model move into a row when some more models have been inserted, because a program
/// often sets further properties directly after an insertion. So a few new models never have a row.
/// The pages belong to the models afterwards; this type only writes the next row.
struct NewModelPacker {
  /// The number of models at the end of the list that have no row yet.
  static var delay: Int {
    #if OPENSWIFTDATA_INVARIANTS
      1
    #else
      16
    #endif
  }

  private final class Builder {
    let descriptor: _ModelDescriptor
    var rows: RowBuilder

    init(_ descriptor: _ModelDescriptor) {
      self.descriptor = descriptor
      rows = RowBuilder(layout: descriptor.layout, expectedRows: NewModelPacker.delay)
    }
  }

  private var builders: [ObjectIdentifier: Builder] = [:]
  /// The last one that was used; models of one class mostly follow each other.
  private var last: Builder?

  mutating func pack(_ storage: _ModelStorage) {
    let descriptor = storage.descriptor
    guard descriptor.packsNewValues else { return }
    let builder: Builder
    if let last, last.descriptor === descriptor {
      builder = last
    } else {
      builder = builders[ObjectIdentifier(descriptor)] ?? Builder(descriptor)
      builders[ObjectIdentifier(descriptor)] = builder
      last = builder
    }
    storage.packValues(into: &builder.rows)
  }

  /// Called when no new model is left: the next one gets a new page.
  mutating func removeAll() {
    builders = [:]
    last = nil
  }
}
