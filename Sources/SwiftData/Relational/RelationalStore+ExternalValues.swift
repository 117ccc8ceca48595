import Foundation
import OpenSwiftDataRowStorage
import OpenSwiftDataSQLSyntax

/// A large value of a save that lies outside its row.
struct StoredLargeValue {
  let isNew: Bool
  /// The index of the model in the request.
  let index: Int
  let column: SaveStatements.Column
  let name: String
}

/// Stores large values of a save outside the rows, before the rows are written.
extension RelationalStore {
  /// Passes large values to the driver.
  /// - Returns: The request with the values' names in their place, and these values.
  func storingExternalValues(
    _ request: SaveRequest
  ) throws -> (request: SaveRequest, stored: [StoredLargeValue]) {
    guard let external = driver.externalValues, plans.hasExternalValues else {
      return (request, [])
    }
    var large = LargeValues(threshold: external.threshold)
    for index in request.inserted.indices {
      let columns = try columns(of: request.inserted.descriptor(at: index))
      if !columns.isEmpty {
        large.add(from: request.inserted[index], at: index, isNew: true, columns)
      }
    }
    for (index, snapshot) in request.updated.enumerated() {
      let columns = try columns(of: snapshot.descriptor)
      large.add(from: snapshot, at: index, isNew: false, columns)
    }
    if large.values.isEmpty { return (request, []) }
    var named = request
    var stored: [StoredLargeValue] = []
    for (place, name) in zip(large.places, try external.write(large.values)) {
      let slot = place.column.slot
      if place.isNew {
        named.inserted.replace(
          at: place.index, with: named.inserted[place.index].naming(name, for: slot))
      } else {
        named.updated[place.index] = named.updated[place.index].naming(name, for: slot)
      }
      stored.append(
        StoredLargeValue(
          isNew: place.isNew, index: place.index, column: place.column, name: name))
    }
    return (named, stored)
  }

  /// Drops the values that no row has after the save: of changed models whose rows it has deleted, or whose
  /// values it has replaced with those of another model.
  /// - Returns: The slots whose values can be read from the rows.
  func keepingStored(
    _ values: [StoredLargeValue], of request: SaveRequest, after writer: SaveWriter,
    _ session: any SQLSession
  ) throws -> ExternalValueSlots {
    var slots = ExternalValueSlots()
    for value in values {
      let slot = value.column.slot
      if value.isNew {
        // Its row was written, and triggers have noted what happened to it afterwards.
        slots.inserted[value.index, default: SlotSet()].insert(slot)
        continue
      }
      if writer.mayLeaveOutValues {
        let content = try content(of: value, request.updated[value.index], session)
        if content?.isName(value.name) != true { driver.externalValues?.recordDropped(value.name) }
        if content == nil { continue }
      }
      slots.updated[value.index, default: SlotSet()].insert(slot)
    }
    return slots
  }

  /// What the row of a changed model has in the column; `nil` if there is no row.
  private func content(
    of value: StoredLargeValue, _ snapshot: DefaultSnapshot, _ session: any SQLSession
  ) throws -> _StoredValue? {
    guard let key = snapshot.persistentIdentifier.rowKey else { return nil }
    let select = Select(
      [.column(table: nil, name: value.column.name)],
      from: TableReference(try entity(snapshot.descriptor).table),
      where: .binary(RowColumns.key(), .equal, .parameter(0)))
    return try session.statement(select.rendered(in: driver.dialect).sql).values(.integer(key))
      .first?.first
  }

  private func columns(of descriptor: _ModelDescriptor) throws -> [SaveStatements.Column] {
    if descriptor.externalSlots.isEmpty { return [] }
    return plans.save(of: try entity(descriptor)).statements.externalColumns
  }
}

/// Collects the values of a save that are too long for their rows.
private struct LargeValues {
  struct Place {
    let isNew: Bool
    let index: Int
    let column: SaveStatements.Column
  }

  let threshold: Int
  private(set) var values: [Data] = []
  private(set) var places: [Place] = []

  init(threshold: Int) { self.threshold = threshold }

  mutating func add(
    from snapshot: DefaultSnapshot, at index: Int, isNew: Bool, _ columns: [SaveStatements.Column]
  ) {
    for column in columns where isNew || snapshot.changedSlots.contains(column.slot) {
      let value: Data
      switch snapshot.value(column.cell) {
      case .blob(let bytes) where bytes.count > threshold: value = bytes
      case .text(let text) where text.utf8.count > threshold: value = Data(text.utf8)
      case .null, .integer, .real, .text, .blob, .uuid, .reference, .identifier: continue
      }
      values.append(value)
      places.append(Place(isNew: isNew, index: index, column: column))
    }
  }
}

extension _StoredValue {
  /// Whether the content of a column is the name of this value.
  fileprivate func isName(_ name: String) -> Bool {
    guard case .blob(let bytes) = self else { return false }
    return bytes.withUnsafeBytes { bytes in
      guard case .name(let stored) = TaggedValue(bytes) else { return false }
      return stored.elementsEqual(name.utf8)
    }
  }
}
