extension ModelContext {
  /// Whether changes are saved automatically, 0.1 seconds after the first one.
  ///
  /// On for ``ModelContainer/mainContext``, off for all other contexts. The save is a separate job
  /// on the actor of the context, so it runs only where the actor's code is suspended, such as at
  /// an `await`. It includes all changes made before it. If it fails, the changes stay pending,
  /// ``autosaveErrorHandler`` is called, and the next change leads to another attempt.
  ///
  /// The actor is that of the model actor for which the context was created, else the main actor
  /// for changes made on the main queue. Elsewhere nothing is saved automatically, and one warning
  /// is written to standard error.
  ///
  /// A model actor that is released after a change is saved too: its context exists until then.
  /// Another context that is released saves nothing. Before a program ends, it must await
  /// ``ModelContainer/settle()``.
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

  /// Called on the actor of the context with the error of an autosave; if `nil`, the error is
  /// written to standard error.
  public var autosaveErrorHandler: ((any Error) -> Void)? {
    get { knownAutosave?.errorHandler }
    set { autosave.errorHandler = newValue }
  }

  /// The time from the first change to the autosave.
  package var autosaveDelay: Duration {
    get { knownAutosave?.delay ?? Autosave.defaultDelay }
    set { autosave.delay = newValue }
  }

  /// Ends autosaves, and removes their error handler and delay.
  func removeAutosave() {
    guard let known = knownAutosave else { return }
    known.disable()
    core.watchers.remove(known)
  }

  private var knownAutosave: Autosave? { core.watchers.first(Autosave.self) }

  private var autosave: Autosave {
    if let known = knownAutosave { return known }
    let made = Autosave(self, core.watchers, core.isolation, core.coordinator.autosaves)
    core.watchers.add(made)
    return made
  }
}
