import Foundation
import OpenSwiftDataStoreFormat

/// Finds the version of a store and the path from there to the models. Pure: the input is what a
/// file says about itself, the output a decision or an error.
///
/// 1. The models are found among the versions of the plan (`target`).
/// 2. A store is recognised by its version hashes. Of versions with equal hashes, those that read the
///    values as they are stored come first, then the one that the file names, then one with the
///    declarations of the file, then the last.
/// 3. Stages of the plan lead from version to version in the order of the list. Where there is no
///    stage, the tables change automatically.
/// 4. A store that no version describes is migrated to the first one if that loses nothing.
/// 5. A store with a higher version number is refused, also if the models only add to it: an older program that
///    starts again would take the store back, and the newer one would run its stages a second time.
package struct MigrationPlanning {
  package let versions: [ModelVersion]
  private let links: [StageLink]
  /// The index of the version that equals the models.
  package let target: Int
  private let models: ModelVersion
  private let hasPlan: Bool
  /// The entities of a store that contains only some of its container's.
  private let part: Set<String>?

  /// - Parameters:
  ///   - models: The models of the store.
  ///   - versions: The versions of the plan; empty without a plan.
  ///   - links: The stages of the plan.
  ///   - isPart: Whether the store contains only some of the container's models.
  /// - Throws: `SwiftDataError.loadIssueModelContainer` for models that are no version of the plan.
  package init(
    models: ModelVersion, versions: [ModelVersion] = [], links: [StageLink] = [],
    isPart: Bool = false
  ) throws {
    self.models = models
    hasPlan = !versions.isEmpty
    self.versions = hasPlan ? versions : [models]
    self.links = links
    let part = isPart ? Set(models.model.entities.map(\.name)) : nil
    self.part = part
    target =
      hasPlan ? try MigrationPlanning.index(of: models, among: versions, part: part) : 0
  }

  /// - Parameters:
  ///   - store: The description in the file.
  ///   - name: The store as the subject of a sentence: `The store at /trips.store`.
  ///   - columnDifferences: How the tables differ from those of a version, as clauses of a
  ///     sentence. Called for a file that does not describe its models.
  /// - Throws: `SwiftDataError.backwardMigration`, or `.unknownDataStoreSchema`.
  package func decision(
    _ store: StoreIdentity, named name: String, columnDifferences: (Int) -> [String]
  ) throws -> MigrationDecision {
    if let index = index(of: store, columnDifferences) {
      if index == target {
        return keepsValues(of: versions[index], store) && keepsRows(of: store)
          ? .open : .migrate(pathKeepingVersion(store))
      }
      if index > target, !hasStages(from: index) {
        throw backward(store, name, versions[index].name)
      }
      return .migrate(path(of: store, from: index))
    }
    if isNewer(store) { throw backward(store, name, store.versionText) }
    guard reaches(versions[0], store) else { throw unknown(store, name, columnDifferences) }
    return .migrate(path(of: store, from: nil))
  }

  /// Whether all rows of the models are visible. Rows of a subclass that no version has are in no
  /// fetch of them; only the rows tell whether there are any.
  private func keepsRows(of store: StoreIdentity) -> Bool {
    let known = versions.reduce(models.entityNames) { $0.union($1.entityNames) }
    return store.subentities(beside: known).isEmpty
  }

  /// Whether values are stored as the version reads them. Attributes of other modules do not count.
  private func keepsValues(of version: ModelVersion, _ store: StoreIdentity) -> Bool {
    keepsLargeValues(of: version, store) && keepsIntegers(of: version, store)
      && keepsComposites(of: version, store) && keepsLists(of: version, store)
      && exchangedNames(of: version, store).isEmpty
  }

  /// The models and properties that have exchanged their names since the file was described.
  private func exchangedNames(of version: ModelVersion, _ store: StoreIdentity) -> [String] {
    let exchanged = ExchangedNames(version.model(of: names(in: store)))
    guard !exchanged.isEmpty, let stored = store.model else { return [] }
    return exchanged.pending(in: stored)
  }

  /// Whether the parts of composites are in the columns in which the version reads them, and may be nil
  /// only where it allows that.
  private func keepsComposites(of version: ModelVersion, _ store: StoreIdentity) -> Bool {
    version.compositeForms.of(names(in: store)).changes(
      from: store.compositeForms, in: store.model
    ).isEmpty
  }

  /// Whether the integers in the file have the types of the version.
  private func keepsIntegers(of version: ModelVersion, _ store: StoreIdentity) -> Bool {
    guard let stored = store.integerTypes else { return true }
    let names = names(in: store)
    func isOfVersion(_ attribute: String) -> Bool {
      let entity = attribute.entityOfAttribute
      return version.hashes[entity] != nil && names?.contains(entity) ?? true
    }
    return version.integerTypes.filter { isOfVersion($0.key) }
      == stored.filter { isOfVersion($0.key) }
  }

  /// Whether lists of scalars have the elements of the version. Others are not compared.
  private func keepsLists(of version: ModelVersion, _ store: StoreIdentity) -> Bool {
    guard let stored = store.listTypes, !stored.isEmpty else { return true }
    let names = names(in: store)
    return stored.allSatisfy { attribute, type in
      let entity = attribute.entityOfAttribute
      guard names?.contains(entity) ?? true,
        let current = version.model[entity]?[String(attribute.dropFirst(entity.count + 1))]
      else { return true }
      return (current.attribute?.scalarListType).map { $0 == type } ?? true
    }
  }

  /// Whether large values are stored where the version reads them.
  private func keepsLargeValues(of version: ModelVersion, _ store: StoreIdentity) -> Bool {
    guard let stored = store.externalAttributes else { return true }
    func isOfVersion(_ attribute: String) -> Bool {
      version.hashes[String(attribute.prefix { $0 != "." })] != nil
    }
    let names = names(in: store)
    let expected = version.externalAttributes.filter { attribute in
      names?.contains(String(attribute.prefix { $0 != "." })) ?? true
    }
    return expected == stored.filter(isOfVersion)
  }

  // MARK: Paths

  /// Keeps the version and rewrites values in another form or location.
  private func pathKeepingVersion(_ store: StoreIdentity) -> MigrationPath {
    MigrationPath(
      steps: [MigrationPath.Step(from: target, to: target, stage: nil)],
      versionNames: [store.versionText, versions[target].name], changesVersionNameOnly: false,
      exchangedNames: exchangedNames(of: versions[target], store))
  }

  private func path(of store: StoreIdentity, from start: Int?) -> MigrationPath {
    var steps: [MigrationPath.Step] = []
    var names = [start.map { versions[$0].name } ?? store.versionText]
    var index = start
    while index != target {
      let step = step(from: index)
      steps.append(step)
      names.append(versions[step.to].name)
      index = step.to
    }
    let changesVersionNameOnly =
      start.map { versions[$0].hashes == versions[target].hashes } ?? false
      && keepsValues(of: versions[target], store)
      && steps.allSatisfy { step in
        versions[step.to].hashes == versions[target].hashes
          && !links.contains { $0.stage == step.stage && $0.isCustom }
      }
    return MigrationPath(
      steps: steps, versionNames: names, changesVersionNameOnly: changesVersionNameOnly)
  }

  private func step(from index: Int?) -> MigrationPath.Step {
    guard let index else { return MigrationPath.Step(from: nil, to: 0, stage: nil) }
    if index > target, let link = way(from: index)?.first {
      return MigrationPath.Step(from: index, to: link.to, stage: link.stage)
    }
    if let link = links.first(where: { $0.from == index && (index + 1...target).contains($0.to) }) {
      return MigrationPath.Step(from: index, to: link.to, stage: link.stage)
    }
    return MigrationPath.Step(from: index, to: index + 1, stage: nil)
  }

  /// Whether stages alone lead to the models from a version that is listed after them.
  private func hasStages(from index: Int) -> Bool { way(from: index) != nil }

  /// The shortest sequence of stages from a version to that of the models. The order in which a
  /// plan lists its versions implies no direction; its stages do.
  private func way(from start: Int) -> [StageLink]? {
    var ways: [(end: Int, links: [StageLink])] = [(start, [])]
    var seen: Set<Int> = [start]
    while !ways.isEmpty {
      let way = ways.removeFirst()
      if way.end == target { return way.links }
      for link in links where link.from == way.end && seen.insert(link.to).inserted {
        ways.append((link.to, way.links + [link]))
      }
    }
    return nil
  }

  // MARK: Recognition

  private func index(
    of store: StoreIdentity, _ columnDifferences: (Int) -> [String]
  ) -> Int? {
    guard store.describesModels else {
      func fits(_ index: Int) -> Bool { columnDifferences(index).isEmpty }
      return fits(target) ? target : versions.indices.last(where: fits)
    }
    // Other entities of the file belong to other modules.
    let known = versions.reduce(models.entityNames) { $0.union($1.entityNames) }
    let names = names(in: store)
    let hashes = store.hashes.filter { known.contains($0.key) }
    var found =
      hashes.isEmpty ? [] : versions.indices.filter { versions[$0].hashes(of: names) == hashes }
    if found.isEmpty, let model = store.model {
      // Hashes also contain what does not change the rows, such as limits of Core Data.
      let held = store.entityNames.intersection(known)
      found = versions.indices.filter { index in
        let version = versions[index].model(of: names)
        return !held.isEmpty && Set(version.entities.map(\.name)) == held
          && ModelDifference.all(from: model, to: version).isEmpty
      }
    }
    return narrowed(
      found, { keepsValues(of: versions[$0], store) },
      { store.versionIdentifiers.contains(versions[$0].name) },
      { index in
        store.model.map { versions[index].model(of: names).declaresTheSame(as: $0) } ?? false
      })
  }

  /// The entities of a version that the store contains; `nil` for all.
  package func names(in store: StoreIdentity) -> Set<String>? {
    part.map { $0.union(store.entityNames) }
  }

  /// The entities that a step removes: those of earlier versions that the later one does not name.
  /// Without a plan, no entity is known to be removed.
  package func entitiesRemoved(in step: MigrationPath.Step) -> Set<String> {
    guard hasPlan else { return [] }
    let known = versions[...max(step.to, step.from ?? 0)].reduce(Set<String>()) {
      $0.union($1.entityNames)
    }
    return known.subtracting(versions[step.to].currentAndFormerNames)
  }

  /// Applies each condition that any remaining index fulfils, in order, and returns the last index
  /// left.
  private func narrowed(_ indices: [Int], _ conditions: ((Int) -> Bool)...) -> Int? {
    MigrationPlanning.narrowed(indices, conditions)
  }

  private static func narrowed(_ indices: [Int], _ conditions: [(Int) -> Bool]) -> Int? {
    var indices = indices
    for condition in conditions where indices.count > 1 {
      let fulfilling = indices.filter(condition)
      if !fulfilling.isEmpty { indices = fulfilling }
    }
    return indices.last
  }

  private static func index(
    of models: ModelVersion, among versions: [ModelVersion], part: Set<String>?
  ) throws -> Int {
    var found = versions.indices.filter { versions[$0].hashes(of: part) == models.hashes }
    if found.isEmpty {
      found = versions.indices.filter { versions[$0].differences(to: models, part: part).isEmpty }
    }
    let index = narrowed(
      found,
      [
        { versions[$0].compositeForms.of(part).texts == models.compositeForms.texts },
        { versions[$0].model(of: part).listTypes == models.model.listTypes },
        { versions[$0].model(of: part).declaresTheSame(as: models.model) },
        // A schema that was given no version has this one.
        { models.identifier != Schema.Version(1, 0, 0) && versions[$0].name == models.name },
      ])
    if let index { return index }
    let last = versions[versions.count - 1]
    throw SwiftDataError.loadIssueModelContainer.with(
      "The models of the container differ from version \(last.name), the last of the migration "
        + "plan: \(MigrationPlanning.list(last.differences(to: models, part: part))). Give the container "
        + "the models of a version, or add a version with these models to the plan.")
  }

  /// Whether the store can be migrated to a version automatically, without losing what later
  /// versions have. A store without a matching entity would be emptied; for a store that does not
  /// describe its model the migration would be a guess.
  private func reaches(_ version: ModelVersion, _ store: StoreIdentity) -> Bool {
    guard !version.currentAndFormerNames.isDisjoint(with: store.entityNames),
      let model = store.model
    else { return false }
    guard hasPlan else { return true }
    // 1.0.0 is the version of schemas that were given none.
    if let newest = store.versions?.max(), newest > version.identifier,
      newest != Schema.Version(1, 0, 0)
    {
      return false
    }
    // A property that only later versions have shows that the store is one of them, modified.
    return model.entities.allSatisfy { entity in
      entity.properties.allSatisfy { property in
        version.model.holds(property.name, of: entity.name)
          || !versions.dropFirst().contains { $0.model.holds(property.name, of: entity.name) }
      }
    }
  }

  // MARK: Errors

  private func isNewer(_ store: StoreIdentity) -> Bool {
    guard let oldest = store.versions?.min(), let newest = versions.map(\.identifier).max()
    else { return false }
    return oldest > newest
  }

  private func backward(
    _ store: StoreIdentity, _ name: String, _ version: String
  ) -> SwiftDataError {
    let models = versions[target].name
    let differences = versions[target].differences(from: store, part: part)
    let listed =
      differences.isEmpty ? "" : "Differences: \(MigrationPlanning.list(differences)). "
    let advice =
      hasPlan
      ? "To migrate it back, add stages from version \(version) to \(models) to the plan"
      : "To migrate it back, give the container a migration plan with a stage from version \(version) "
        + "to these models"
    return .backwardMigration.with(
      "\(name) has version \(version), which is newer than the models of the container (\(models)). "
        + "\(listed)Open it with a program that knows version \(version). \(newerModelsAdvice(store))"
        + "\(advice). The store is unchanged."
    )
  }

  /// What to do if the models are newer than the store despite their lower number.
  private func newerModelsAdvice(_ store: StoreIdentity) -> String {
    guard isNewer(store), let newest = store.versions?.max() else { return "" }
    return hasPlan
      ? "If the versions of the plan are newer, give them numbers of at least \(newest). "
      : "If these models are newer, give them at least this version: Schema([…], version: "
        + "Schema.Version(\(newest.major), \(newest.minor), \(newest.patch))). "
  }

  private func unknown(
    _ store: StoreIdentity, _ name: String, _ columnDifferences: (Int) -> [String]
  ) -> SwiftDataError {
    let differences =
      store.describesModels
      ? versions.map { $0.differences(from: store, part: part) }
      : versions.indices.map(columnDifferences)
    let nearest = differences.indices.min { differences[$0].count < differences[$1].count } ?? 0
    let models = hasPlan ? "version \(versions[nearest].name) of the migration plan" : "the models"
    let lacksModel = store.lacksModel && !store.hashes.isEmpty
    let problem =
      lacksModel
      ? "The description of its models (Z_MODELCACHE) is missing or damaged, so it can't be migrated to unknown ones. "
        + "Open it once with the models that wrote it, which writes the description anew. Or: "
      : ""
    let advice =
      hasPlan
      ? "Add the version that wrote the store to the schemas of the plan"
      : "Check the address of the store, or give the container a migration plan with the version that wrote the store"
    return .unknownDataStoreSchema.with(
      "\(name) was created with other models (version \(store.versionText)). The nearest match is "
        + "\(models), with these differences: \(MigrationPlanning.list(differences[nearest])). "
        + "\(problem)\(advice); the store is unchanged.")
  }

  private static func list(_ clauses: [String]) -> String {
    clauses.prefix(12).joined(separator: "; ")
      + (clauses.count > 12 ? "; and \(clauses.count - 12) more" : "")
  }
}

extension ModelDescription {
  fileprivate func holds(_ property: String, of entity: String) -> Bool {
    let own = self[entity] ?? entities.first { $0.renamingIdentifier == entity }
    return own.map { entity in
      self.property(property, of: entity.name) != nil
        || lineage(of: entity.name).flatMap(\.properties).contains {
          $0.renamingIdentifier == property
        }
    } ?? false
  }
}

extension PropertyDescription {
  fileprivate var renamingIdentifier: String? {
    attribute?.renamingIdentifier ?? relationship?.renamingIdentifier
  }
}

extension ModelVersion {
  /// What the models have and the version lacks, and the opposite, as clauses of a sentence.
  fileprivate func differences(to models: ModelVersion, part: Set<String>?) -> [String] {
    let own = model(of: part)
    return ModelDifference.all(from: own, to: models.model).map { $0.text(in: "version \(name)") }
      + own.entities.filter { models.model[$0.name] == nil }
      .map { "the model \($0.name) of version \(name) is missing" }
  }

  /// What the version has and a file lacks, as clauses of a sentence.
  fileprivate func differences(from store: StoreIdentity, part: Set<String>?) -> [String] {
    let names = part.map { $0.union(store.entityNames) }
    let own = model(of: names)
    let extra = store.entityNames.filter { own[$0] == nil }.sorted()
      .map { "the store has \($0), which is not a model" }
    if let stored = store.model {
      return ModelDifference.all(from: stored, to: own).map(\.description) + extra
    }
    return own.entities.compactMap { entity in
      if !store.entityNames.contains(entity.name) { return "the model \(entity.name) is new" }
      return store.hashes[entity.name] == hashes[entity.name]
        ? nil : "the model \(entity.name) has another version hash than in the store"
    } + extra
  }
}
