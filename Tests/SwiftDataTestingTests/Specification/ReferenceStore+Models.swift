import Foundation
import SwiftData

/// Models outside of contexts, to evaluate predicates and orders.
extension ReferenceStore {
  func model<T: PersistentModel>(_ type: T.Type, _ snapshot: Snapshot) -> T {
    var data: any BackingData<T> = T.createBackingData()
    data.persistentModelID = snapshot.persistentIdentifier
    let values = snapshot.namedValues
    for property in T.schemaMetadata {
      let mirror = Mirror(reflecting: property)
      guard let name = mirror.descendant("name") as? String,
        let keyPath = mirror.descendant("keypath") as? AnyKeyPath
      else { continue }
      set((values[name] ?? nil) as Any, keyPath, in: data)
    }
    return T(backingData: data)
  }

  private func set<T: PersistentModel>(
    _ value: Any, _ keyPath: AnyKeyPath, in data: any BackingData<T>
  ) {
    func set<V: Codable>(_ type: V.Type) {
      guard let keyPath = keyPath as? KeyPath<T, V>, let value = value as? V else { return }
      data.setValue(forKey: keyPath, to: value)
    }
    if let type = type(of: keyPath).valueType as? any Codable.Type { set(type) }
  }

  func sorted<T: PersistentModel>(
    _ rows: [Snapshot], _ type: T.Type, _ order: [SortDescriptor<T>]
  ) -> [Snapshot] {
    var order = order
    if defect == .ignoresTheSecondKey { order = Array(order.prefix(1)) }
    let models = rows.map { (model: model(type, $0), row: $0) }
    let sorted = models.map(\.model).sorted(using: order)
    let byModel = Dictionary(
      models.map { (ObjectIdentifier($0.model), $0.row) }, uniquingKeysWith: { first, _ in first })
    let found = sorted.compactMap { byModel[ObjectIdentifier($0)] }
    let isReversed = order.first?.order == .reverse
    return defect == .reversesWrongly && isReversed ? found.reversed() : found
  }
}
