/// The changes of a query's results since they were last taken.
///
/// After one patch, the difference is made from the positions that it changed; after several, or a
/// fetch, the lists are compared. In both cases it is known which models may have been edited.
struct ResultsChangeLog {
  /// The models that were changed. If they are not named, all may be.
  var edited = ChangedModelSet()
  /// How often the results changed.
  private var stepCount = 0
  private var patch: (taken: [Int], put: [Int])?

  mutating func noteFetch() { stepCount += 1 }

  mutating func note(taken: [Int], put: [Int]) {
    stepCount += 1
    patch = (taken, put)
  }

  /// Whether any of these models may have been edited.
  func concerns(_ elements: some Sequence<some PersistentModel>) -> Bool {
    (edited.areIncomplete || edited.count > 0) && elements.contains { isEdited($0) }
  }

  private func isEdited(_ element: some PersistentModel) -> Bool {
    if edited.areIncomplete { return true }
    let storage = element._$storage
    return edited.storages[ObjectIdentifier(storage)] != nil
      || !edited.identifiers.isEmpty && edited.identifiers.contains(storage.identifier)
  }

  /// - Parameter shown: The earlier results, by their identifiers at that time.
  func difference<Element: PersistentModel>(
    from shown: [PersistentIdentifier], to elements: [Element]
  ) -> ResultsDifference {
    if stepCount == 1, let patch, patch.taken.allSatisfy(shown.indices.contains) {
      let taken = patch.taken.map { ResultsDifference.Element(offset: $0, identifier: shown[$0]) }
      let put = patch.put.map {
        ResultsDifference.Element(offset: $0, identifier: elements[$0].persistentModelID)
      }
      let known = Set(taken.map(\.identifier))
      return ResultsDifference(
        taking: taken, putting: put,
        updated: put.filter { known.contains($0.identifier) && isEdited(elements[$0.offset]) })
    }
    let changed = edited.count > 0 || edited.areIncomplete ? elements.filter { isEdited($0) } : []
    return ResultsDifference(
      from: shown, to: elements.map(\.persistentModelID),
      updated: Set(changed.map(\.persistentModelID)))
  }
}
