import SwiftData

enum IdentifierRules {
  private typealias Entry = Specimens.Entry

  static let all: [Rule] = [
    identifiers, remapping, stable, lookUp, keys, freshness, cache,
  ]

  private static let identifiers = Rule(
    "identifiers", .models,
    "After the save each model has a permanent identifier of its own, with the identifier of the "
      + "store and the name of the entity."
  ) { trial in
    let context = try trial.context()
    let saved = try trial.save([Entry("a"), Entry("b"), Entry("c")], in: context)
    trial.expect("The number of different identifiers", Set(saved).count, 3)
    let store = try trial.store().identifier
    for identifier in saved {
      trial.expect("The store of an identifier", identifier.storeIdentifier, store)
      trial.expect("The entity of an identifier", identifier.entityName, "Entry")
    }
    let later = try trial.save([Entry("d")], in: context)
    trial.expect(!saved.contains(later[0]), "A later model has the identifier of a stored one.")
    let found = try trial.all(Entry.self).map(\.persistentModelID)
    trial.expect("The identifiers in another context", Set(found), Set(saved + later))
  }

  private static let remapping = Rule(
    "remapped", .models,
    "The result of a save names the store, and has a permanent identifier for each inserted "
      + "snapshot."
  ) { trial in
    let before = [Entry("a"), Entry("b")]
    let remapped = try trial.store().insert(before, trial)
    for entry in before {
      guard let permanent = remapped[entry.persistentModelID] else {
        trial.problem("remappedIdentifiers lacks an inserted snapshot.")
        continue
      }
      trial.expect(
        !permanent.isTemporary, "An identifier in remappedIdentifiers is temporary.")
    }
    trial.expect("The size of remappedIdentifiers", remapped.count, 2)
    trial.expect("The titles", try trial.all(Entry.self).map(\.title).sorted(), ["a", "b"])
  }

  private static let stable = Rule(
    "stable order", .models, "Without an order, equal fetches return the models in the same order."
  ) { trial in
    try trial.save((0..<20).map { Entry("entry \($0)", $0) })
    let context = try trial.context()
    let first = try context.fetchIdentifiers(FetchDescriptor<Entry>())
    trial.expect("The number of identifiers", first.count, 20)
    trial.expect(
      "The order of a second fetch", try context.fetchIdentifiers(FetchDescriptor<Entry>()), first)
    trial.expect(
      "The order of models in another context",
      try trial.all(Entry.self).map(\.persistentModelID), first)
  }

  private static let lookUp = Rule(
    "look-up", .models,
    "A model is found by its identifier; a fetch whose predicate names identifiers returns all of "
      + "them and no other."
  ) { trial in
    let saved = try trial.save((0..<5).map { Entry("entry \($0)", $0) })
    for (number, identifier) in saved.enumerated() {
      let model = try trial.context().model(for: identifier) as? Entry
      trial.expect("The number of a model found by identifier", model?.number, number)
    }
    let wanted = Set(saved.suffix(3))
    let found = try trial.context().fetch(
      FetchDescriptor<Entry>(predicate: #Predicate { wanted.contains($0.persistentModelID) }))
    trial.expect("The numbers of listed models", found.map(\.number).sorted(), [2, 3, 4])
  }

  private static let keys = Rule(
    "keys", .models, "A new model never has the identifier of a deleted one."
  ) { trial in
    let context = try trial.context()
    let old = Entry("old")
    try trial.save([Entry("kept"), old], in: context)
    let identifier = old.persistentModelID
    context.delete(old)
    try context.save()
    let new = try trial.save([Entry("new"), Entry("newer")])
    trial.expect(!new.contains(identifier), "A new model has the identifier of a deleted one.")
    let stale = try trial.context().model(for: identifier)
    trial.expect("isDeleted of the deleted model", stale.isDeleted, true)
  }

  private static let freshness = Rule(
    "freshness", .models, "A fetch after a save sees the save, in every context."
  ) { trial in
    let (writer, reader) = (try trial.context(), try trial.context())
    let entry = Entry("0")
    try trial.save([entry], in: writer)
    trial.expect("The titles", try trial.titles(.init(), in: reader), ["0"])
    for round in 1...3 {
      entry.title = "\(round)"
      writer.insert(Entry("new \(round)"))
      try writer.save()
      let expected = ["\(round)"] + (1...round).map { "new \($0)" }
      trial.expect(
        "The titles after save \(round)", try trial.titles(.init(), in: reader).sorted(), expected)
      trial.expect(
        "The count after save \(round)", try reader.fetchCount(FetchDescriptor<Entry>()), round + 1)
      trial.expect(
        "The identifiers after save \(round)",
        try reader.fetchIdentifiers(FetchDescriptor<Entry>()).count, round + 1)
    }
    writer.delete(entry)
    try writer.save()
    trial.expect("The count after a deletion", try trial.titles(.init(), in: reader).count, 3)
  }

  private static let cache = Rule(
    "cached snapshots", .models,
    "cachedSnapshots returns snapshots of requested identifiers only, with the saved values."
  ) { trial in
    let context = try trial.context()
    let entries = [Entry("a"), Entry("b")]
    try trial.save(entries, in: context)
    _ = try trial.all(Entry.self)
    entries[0].title = "c"
    try context.save()
    try trial.store().checkCache(of: entries[0].persistentModelID, title: "c", trial)
    let reader = try trial.context()
    let found = reader.model(for: entries[0].persistentModelID) as? Entry
    trial.expect("The title of a model found by identifier", found?.title, "c")
    let deleted = entries[1].persistentModelID
    context.delete(entries[1])
    try context.save()
    trial.expect("The cached snapshots of a deleted model", try trial.store().cached(deleted), 0)
  }
}
