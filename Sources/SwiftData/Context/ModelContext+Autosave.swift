extension ModelContext {
  /// Whether changes are saved without a call of `save()`, 0.1 seconds after the first one.
  ///
  /// On for ``ModelContainer/mainContext``, off for all others. The save is a job of its own on the
  /// actor of the context, so it comes between two pieces of code and never in the middle of one; an
  /// `await` is such a gap. Changes that come before it are part of it. When it fails, the changes
  /// stay pending, ``autosaveErrorHandler`` is called, and the next change leads to another attempt.
  ///
  /// The actor is the one of the model actor that the context was made for, else the main actor for
  /// changes made on the main queue. Elsewhere nothing can be saved by itself, which one line on
  /// standard error says.
  ///
  /// A context that is gone saves nothing. Before a program ends, or lets its last context go, it
  /// awaits ``ModelContainer/settle()``.
  public var autosaveEnabled: Bool {
    get { knownAutosave?.isEnabled ?? false }
    set {
      if newValue {
        autosave.enable()
      } else {
        knownAutosave?.disable()
      }
    }
  }

  /// Called on the actor of the context with the error of an autosave; without it, the error becomes
  /// a line on standard error.
  public var autosaveErrorHandler: ((any Error) -> Void)? {
    get { knownAutosave?.errorHandler }
    set { autosave.errorHandler = newValue }
  }

  /// The time from the first change to the autosave.
  package var autosaveDelay: Duration {
    get { knownAutosave?.delay ?? Autosave.defaultDelay }
    set { autosave.delay = newValue }
  }

  private var knownAutosave: Autosave? { core.watchers.first(Autosave.self) }

  private var autosave: Autosave {
    if let known = knownAutosave { return known }
    let made = Autosave(core: core)
    core.watchers.add(made)
    return made
  }
}
