#if !canImport(ObjectiveC)
  extension UndoManager {
    /// Whether there is something to undo.
    public var canUndo: Bool {
      checkpoint()
      return !undoStack.isEmpty || openGroups.contains { !$0.isEmpty }
    }

    /// Whether there is something to redo.
    public var canRedo: Bool {
      checkpoint()
      return !redoStack.isEmpty
    }

    /// The number of groups that can be undone.
    public var undoCount: Int { undoStack.count }

    /// The number of groups that can be redone.
    public var redoCount: Int { redoStack.count }

    /// Whether handlers run that undo.
    public var isUndoing: Bool { activity == .undoing }

    /// Whether handlers run that redo.
    public var isRedoing: Bool { activity == .redoing }

    /// Forgets everything, open groups included.
    public func removeAllActions() {
      checkpoint()
      openGroups.removeAll()
      undoStack.removeAll()
      redoStack.removeAll()
    }

    /// Forgets the changes of a target.
    public func removeAllActions(withTarget target: Any) {
      checkpoint()
      let target = target as AnyObject
      for group in openGroups + undoStack + redoStack { group.removeChanges(of: target) }
      undoStack.removeAll(where: \.isEmpty)
      redoStack.removeAll(where: \.isEmpty)
    }

    /// Says whether the current group may be lost when the document is closed.
    public func setActionIsDiscardable(_ discardable: Bool) {
      (openGroups.last ?? undoStack.last)?.isDiscardable = discardable
    }

    /// Whether what is undone next may be lost.
    public var undoActionIsDiscardable: Bool { undoStack.last?.isDiscardable ?? false }

    /// Whether what is redone next may be lost.
    public var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }
  }

  // MARK: - Names

  extension UndoManager {
    /// Names the current group, or the last one when none is open.
    public func setActionName(_ actionName: String) {
      checkpoint()
      (openGroups.first ?? undoStack.last)?.actionName = actionName
    }

    /// The name of what is undone next; empty when it has none.
    public var undoActionName: String {
      checkpoint()
      return (openGroups.first { !$0.isEmpty } ?? undoStack.last)?.actionName ?? ""
    }

    /// The name of what is redone next; empty when it has none.
    public var redoActionName: String {
      checkpoint()
      return redoStack.last?.actionName ?? ""
    }

    /// The title of a command that undoes.
    public var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// The title of a command that redoes.
    public var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// The title of a command that undoes an action of this name.
    public func undoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// The title of a command that redoes an action of this name.
    public func redoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }
  }
#endif
