/// What a unit of work or a read may set on a context that others use after it, as it was before.
///
/// `WriteGroups` and `ReaderPool` restore it. An undo manager that stayed would undo the committed
/// changes of another caller, and retain the models of all units.
struct ContextSettings {
  private let editingState: EditingState
  private let uniquenessPolicy: ModelContext.UniquenessPolicy
  private let conflictPolicy: ModelContext.ConflictPolicy
  private let reportsUnsavedChanges: Bool

  /// - Parameter context: A new context: without an undo manager and autosave.
  init(_ context: ModelContext) {
    editingState = context.editingState
    uniquenessPolicy = context.uniquenessPolicy
    conflictPolicy = context.conflictPolicy
    reportsUnsavedChanges = context.reportsUnsavedChanges
  }

  func restore(in context: ModelContext) {
    context.editingState = editingState
    context.uniquenessPolicy = uniquenessPolicy
    context.conflictPolicy = conflictPolicy
    context.reportsUnsavedChanges = reportsUnsavedChanges
    context.undoManager = nil
    context.removeAutosave()
  }
}
