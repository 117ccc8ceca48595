/// Related models that are not retained, in a graph that left its context unsaved.
///
/// Both sides of its relationships are set, so retaining both would keep the graph alive forever.
/// To-one and many-to-many relationships are weak; a parent still retains its children.
public final class _WeakReferences {
  private struct Reference {
    weak var model: (any PersistentModel)?
  }

  private let references: [Reference]

  init(_ models: [any PersistentModel]) { references = models.map(Reference.init) }

  /// The models that have another owner.
  var models: [any PersistentModel] { references.compactMap(\.model) }
}
