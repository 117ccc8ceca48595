/// What has happened to an answer since somebody took it.
///
/// After one patch the difference comes from the places that it touched; after more, or a fetch, the lists are
/// compared. Models that may have been edited are known either way.
struct AnswerJournal {
  /// The models that were changed. Where they are not named, all may be.
  var edited = NamedModels()
  /// How often the answer became another one.
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

  /// - Parameter shown: The old answer, by the identifiers of its time.
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
