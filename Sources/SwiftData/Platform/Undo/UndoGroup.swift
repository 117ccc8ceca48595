#if !canImport(ObjectiveC)
  /// The handler that undoes one change.
  struct UndoChange {
    /// The target of the change, held weakly.
    private(set) weak var target: AnyObject?
    let run: () -> Void

    init(target: AnyObject, run: @escaping () -> Void) {
      self.target = target
      self.run = run
    }
  }

  /// Changes that are undone together.
  final class UndoGroup {
    private enum Entry {
      case change(UndoChange)
      case group(UndoGroup)
    }

    private var entries: [Entry] = []
    var actionName = ""
    var isDiscardable = false
    /// Whether a change opened the group, and not `beginUndoGrouping()`.
    var isEvent = false

    var isEmpty: Bool { entries.isEmpty }

    func add(_ change: UndoChange) {
      entries.append(.change(change))
    }

    func add(_ group: UndoGroup) {
      entries.append(.group(group))
      if actionName.isEmpty { actionName = group.actionName }
    }

    /// Runs the handlers, the last one first.
    func run() {
      for entry in entries.reversed() {
        switch entry {
        case .change(let change): change.run()
        case .group(let group): group.run()
        }
      }
    }

    /// Removes and returns the last nested group; `nil` if the last entry is not a group.
    func removeLastGroup() -> UndoGroup? {
      guard case .group(let group) = entries.last else { return nil }
      entries.removeLast()
      return group
    }

    /// Removes the changes of a target, and those of released targets.
    func removeChanges(of target: AnyObject) {
      entries.removeAll { entry in
        switch entry {
        case .change(let change):
          return change.target == nil || change.target === target
        case .group(let group):
          group.removeChanges(of: target)
          return group.isEmpty
        }
      }
    }
  }
#endif
