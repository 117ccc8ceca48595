import Foundation

extension FetchDescriptor {
  /// What the fetch asks for, as plain data that a store can translate.
  ///
  /// Not in Apple's framework.
  /// - Returns: A description with the same meaning as the predicate and the order.
  /// - Throws: `DataStoreError.preferInMemoryFilter` if the predicate cannot be described,
  ///   `.preferInMemorySort` if the order cannot. A store passes the error on, and the context does
  ///   that part in memory. ``undescribedParts`` has the reasons.
  public func query() throws -> DataStoreQuery {
    var query = DataStoreQuery(entity: T._$descriptor.entityName)
    query.condition = try predicate.map(PlainCondition.init)?.described()
    do {
      query.order = try sortBy.map(QueryWriter.order)
    } catch {
      throw DataStoreError.preferInMemorySort
    }
    query.offset = max(0, fetchOffset ?? 0)
    query.limit = fetchLimit.flatMap { $0 > 0 ? $0 : nil }
    let descriptor = T._$descriptor
    query.properties = (slotsToFetch ?? []).sorted().map { descriptor.properties[$0].name }
    query.prefetchedRelationships =
      relationshipKeyPathsForPrefetching
      .map { descriptor.relationshipNames(along: $0) }.filter { !$0.isEmpty }
    return query
  }

  /// The parts of the predicate and of the order that ``query()`` cannot describe, each with its
  /// reason, for logs; empty if it describes all.
  ///
  /// These are computed properties, functions that the library does not know, values without a
  /// plain form, and orders that a type defines. Not in Apple's framework.
  public var undescribedParts: [String] {
    var parts = predicate.map(PlainCondition.init)?.undescribed ?? []
    for descriptor in sortBy {
      do {
        _ = try QueryWriter.order(descriptor)
      } catch {
        parts.append("sorted by \(PlainCondition.text(of: error))")
      }
    }
    return parts
  }
}

extension DataStoreFetchRequest {
  /// What the request asks for, as plain data that a store can translate.
  ///
  /// ```swift
  /// let query = try request.query()
  /// ```
  ///
  /// Not in Apple's framework.
  /// - Returns: A description with the same meaning as the predicate and the order.
  /// - Throws: `DataStoreError.preferInMemoryFilter` if the predicate cannot be described,
  ///   `.preferInMemorySort` if the order cannot. A store passes the error on, and the context does
  ///   that part in memory. ``undescribedParts`` has the reasons.
  public func query() throws -> DataStoreQuery { try descriptor.query() }

  /// The parts of the predicate and of the order that ``query()`` cannot describe, each with its
  /// reason, for logs; empty if it describes all.
  ///
  /// Not in Apple's framework.
  public var undescribedParts: [String] { descriptor.undescribedParts }
}

extension DataStoreBatchDeleteRequest {
  /// Which rows to delete, as plain data that a store can translate.
  ///
  /// Not in Apple's framework.
  /// - Returns: A description with the same meaning as the predicate.
  /// - Throws: `DataStoreError.preferInMemoryFilter` if the predicate cannot be described. A store
  ///   passes the error on, and the context fetches and deletes the models itself.
  public func query() throws -> DataStoreQuery {
    DataStoreQuery(
      entity: T._$descriptor.entityName, includesSubentities: includeSubclasses,
      condition: try predicate.map(PlainCondition.init)?.described())
  }

  /// The parts of the predicate that ``query()`` cannot describe, each with its reason, for logs.
  ///
  /// Not in Apple's framework.
  public var undescribedParts: [String] { predicate.map(PlainCondition.init)?.undescribed ?? [] }
}

/// The description of a predicate, or the reasons why there is none.
private struct PlainCondition {
  private var chain = Chain(.and)
  private(set) var undescribed: [String] = []

  init<T>(_ predicate: Predicate<T>) {
    var writer = QueryWriter(row: predicate.variable.key)
    writer.visitParts(of: predicate.expression, where: \.isConjunction) { writer, part in
      do {
        chain.add(try writer.write(part).withoutOuterGuard)
      } catch {
        undescribed.append(Self.text(of: error))
      }
    }
  }

  /// The condition; `nil` if it is always true.
  func described() throws -> QueryExpression? {
    guard undescribed.isEmpty else { throw DataStoreError.preferInMemoryFilter }
    let condition = chain.expression
    return condition == .value(.boolean(true)) ? nil : condition
  }

  static func text(of error: any Error) -> String {
    guard let error = error as? Undescribed else { return "\(error)" }
    return "\(error.part ?? ""): \(error.reason)"
  }
}

extension _ModelDescriptor {
  /// The names of the relationships along a key path. After a to-many relationship, a step to one
  /// member means all members. A path ends where it leaves the relationships.
  fileprivate func relationshipNames(along keyPath: AnyKeyPath) -> [String] {
    if let slot = slot(for: keyPath) {
      return properties[slot].destination == nil ? [] : [properties[slot].name]
    }
    var (names, descriptor, steps) = ([String](), self, KeyPathComponent.all(of: keyPath)[...])
    while let step = steps.popFirst(), let slot = descriptor.slot(of: step, from: descriptor),
      let destination = descriptor.properties[slot].destination
    {
      names.append(descriptor.properties[slot].name)
      if descriptor.properties[slot].isToMany { _ = steps.popFirst() }
      descriptor = destination._$descriptor
    }
    return names
  }
}
