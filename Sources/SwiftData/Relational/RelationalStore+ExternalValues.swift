import Foundation

/// Stores large values of a save outside the rows, before the rows are written.
extension RelationalStore {
  /// Passes large values to the driver.
  /// - Returns: The request with the values' names in their place, and the positions of these
  ///   names.
  func storingExternalValues(
    _ request: SaveRequest
  ) throws -> (request: SaveRequest, positions: ExternalValueSlots) {
    var positions = ExternalValueSlots()
    guard let external = driver.externalValues, plans.hasExternalValues else {
      return (request, positions)
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
    if large.values.isEmpty { return (request, positions) }
    var named = request
    for (position, name) in zip(large.positions, try external.write(large.values)) {
      if position.isNew {
        named.inserted.replace(
          at: position.index,
          with: named.inserted[position.index].naming(name, for: position.slot))
        positions.inserted[position.index, default: SlotSet()].insert(position.slot)
      } else {
        named.updated[position.index] = named.updated[position.index]
          .naming(name, for: position.slot)
        positions.updated[position.index, default: SlotSet()].insert(position.slot)
      }
    }
    return (named, positions)
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
    let slot: Int
  }

  let threshold: Int
  private(set) var values: [Data] = []
  private(set) var positions: [Place] = []

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
      positions.append(Place(isNew: isNew, index: index, slot: column.slot))
    }
  }
}
