#if !canImport(ObjectiveC)
  extension UndoManager {
    /// Whether there is a change to undo.
    public var canUndo: Bool {
      checkpoint()
      return !undoStack.isEmpty || openGroups.contains { !$0.isEmpty }
    }

    /// Whether there is a change to redo.
    public var canRedo: Bool {
      checkpoint()
      return !redoStack.isEmpty
    }

    /// The number of groups that can be undone.
    public var undoCount: Int { undoStack.count }

    /// The number of groups that can be redone.
    public var redoCount: Int { redoStack.count }

    /// Whether an undo is running.
    public var isUndoing: Bool { activity == .undoing }

    /// Whether a redo is running.
    public var isRedoing: Bool { activity == .redoing }

    /// Removes all recorded changes, including open groups.
    public func removeAllActions() {
      checkpoint()
      openGroups.removeAll()
      undoStack.removeAll()
      redoStack.removeAll()
    }

    /// Removes all recorded changes of a target.
    public func removeAllActions(withTarget target: Any) {
      checkpoint()
      let target = target as AnyObject
      for group in openGroups + undoStack + redoStack { group.removeChanges(of: target) }
      undoStack.removeAll(where: \.isEmpty)
      redoStack.removeAll(where: \.isEmpty)
    }

    /// Sets whether the current group may be discarded when the document is closed.
    public func setActionIsDiscardable(_ discardable: Bool) {
      (openGroups.last ?? undoStack.last)?.isDiscardable = discardable
    }

    /// Whether the next undo may be discarded.
    public var undoActionIsDiscardable: Bool { undoStack.last?.isDiscardable ?? false }

    /// Whether the next redo may be discarded.
    public var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }
  }

  // MARK: - Names

  extension UndoManager {
    /// Names the current group, or the last one if none is open.
    public func setActionName(_ actionName: String) {
      checkpoint()
      (openGroups.first ?? undoStack.last)?.actionName = actionName
    }

    /// The name of the next undo; empty if it has none.
    public var undoActionName: String {
      checkpoint()
      return (openGroups.first { !$0.isEmpty } ?? undoStack.last)?.actionName ?? ""
    }

    /// The name of the next redo; empty if it has none.
    public var redoActionName: String {
      checkpoint()
      return redoStack.last?.actionName ?? ""
    }

    /// The title of a menu item that undoes.
    public var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// The title of a menu item that redoes.
    public var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// The title of a menu item that undoes an action with this name.
    public func undoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// The title of a menu item that redoes an action with this name.
    public func redoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }
  }
#endif
