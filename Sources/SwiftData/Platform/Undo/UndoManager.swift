#if !canImport(ObjectiveC)
  public import Foundation

  /// Records how changes are undone, and undoes and redoes them.
  ///
  /// Foundation has this class on Apple's platforms only. Changes are recorded in groups:
  ///
  /// 1. A group is opened by `beginUndoGrouping()`, or by the first change of an event when
  ///    `groupsByEvent`.
  /// 2. `registerUndo(withTarget:handler:)` adds to the innermost open group.
  /// 3. `endUndoGrouping()` closes it: into the group around it, or onto the stack of what can be
  ///    undone. A group that a change opened is closed by the end of the event.
  /// 4. Undoing a group runs its handlers, the last one first. What they register is recorded as
  ///    the group that redoes it.
  ///
  /// There is no run loop that ends an event. `undo()` and `beginUndoGrouping()` end one, and so does
  /// each `ModelContext` with this undo manager: when it saves, when it processes its pending changes,
  /// and between two jobs of its actor. All changes until then are one group.
  ///
  /// Contexts register their changes when a checkpoint is posted, which happens before anything here
  /// is opened, closed, undone, redone, named or asked for. An undo manager belongs to one thread,
  /// queue or actor.
  open class UndoManager: NSObject {
    /// Whether a change outside of all groups opens one.
    open var groupsByEvent = true

    /// The largest number of groups that can be undone; 0 stands for no limit.
    open var levelsOfUndo = 0 {
      didSet { trim() }
    }

    var openGroups: [UndoGroup] = []
    var undoStack: [UndoGroup] = []
    var redoStack: [UndoGroup] = []
    var activity = Activity.recording
    private var disableCount = 0
    private var isAtCheckpoint = false

    /// What is being done while handlers run.
    enum Activity {
      case recording, undoing, redoing
    }

    /// Makes an undo manager that has recorded nothing.
    public override init() {
      super.init()
    }

    /// Opens a group inside of the innermost open one.
    ///
    /// A group that a change opened ends there, so that both are steps of their own.
    open func beginUndoGrouping() {
      checkpoint()
      endEvent()
      openGroups.append(UndoGroup())
      post(.NSUndoManagerDidOpenUndoGroup)
    }

    /// Closes the innermost open group; does nothing when there is none.
    open func endUndoGrouping() {
      // A handler cannot close the group that records it.
      guard openGroups.count > (activity == .recording ? 0 : 1) else { return }
      checkpoint()
      post(.NSUndoManagerWillCloseUndoGroup)
      let group = openGroups.removeLast()
      if !group.isEmpty {
        if let outer = openGroups.last {
          outer.add(group)
        } else {
          undoStack.append(group)
          trim()
        }
      }
      post(.NSUndoManagerDidCloseUndoGroup)
    }

    /// The number of open groups.
    open var groupingLevel: Int { openGroups.count }

    /// Stops recording until `enableUndoRegistration()` was called as often.
    open func disableUndoRegistration() {
      checkpoint()
      disableCount += 1
    }

    /// Undoes one call of `disableUndoRegistration()`.
    open func enableUndoRegistration() {
      checkpoint()
      if disableCount > 0 { disableCount -= 1 }
    }

    /// Whether changes are recorded.
    open var isUndoRegistrationEnabled: Bool { disableCount == 0 }

    /// Undoes the last group; closes it first when it is the only open one.
    open func undo() {
      guard activity == .recording else { return }
      checkpoint()
      if groupingLevel == 1 { endUndoGrouping() }
      undoNestedGroup()
    }

    /// Undoes the last closed group, even inside of an open one.
    open func undoNestedGroup() {
      guard activity == .recording else { return }
      checkpoint()
      guard let group = openGroups.last.map({ $0.removeLastGroup() }) ?? undoStack.popLast()
      else { return }
      post(.NSUndoManagerWillUndoChange)
      if let inverse = run(group, as: .undoing) { redoStack.append(inverse) }
      post(.NSUndoManagerDidUndoChange)
    }

    /// Redoes what was undone last.
    open func redo() {
      guard activity == .recording else { return }
      checkpoint()
      guard let group = redoStack.popLast() else { return }
      post(.NSUndoManagerWillRedoChange)
      if let inverse = run(group, as: .redoing) {
        undoStack.append(inverse)
        trim()
      }
      post(.NSUndoManagerDidRedoChange)
    }

    /// Records how a change is undone.
    ///
    /// - Parameters:
    ///   - target: What the handler works on. It is not kept alive; once it is gone, its handlers
    ///     do nothing.
    ///   - handler: Undoes the change, and registers how that is undone in turn.
    public func registerUndo<TargetType: AnyObject>(
      withTarget target: TargetType, handler: @escaping (TargetType) -> Void
    ) {
      guard isUndoRegistrationEnabled else { return }
      checkpoint()
      if activity == .recording { redoStack.removeAll() }
      let change = UndoChange(target: target) { [weak target] in
        if let target { handler(target) }
      }
      if let group = openGroups.last {
        group.add(change)
        return
      }
      beginUndoGrouping()
      openGroups.last?.isEvent = true
      openGroups.last?.add(change)
      if !groupsByEvent { endUndoGrouping() }
    }

    /// Closes a group that a change opened.
    func endEvent() {
      guard activity == .recording, openGroups.count == 1, openGroups[0].isEvent else { return }
      endUndoGrouping()
    }

    /// Has those who record changes register them. What they do is no reason for another one.
    func checkpoint() {
      guard !isAtCheckpoint else { return }
      isAtCheckpoint = true
      defer { isAtCheckpoint = false }
      post(.NSUndoManagerCheckpoint)
    }

    private func run(_ group: UndoGroup, as activity: Activity) -> UndoGroup? {
      let suspended = openGroups
      let inverse = UndoGroup()
      inverse.actionName = group.actionName
      inverse.isDiscardable = group.isDiscardable
      self.activity = activity
      openGroups = [inverse]
      group.run()
      // Groups that a handler left open belong to the inverse.
      while openGroups.count > 1 { endUndoGrouping() }
      openGroups = suspended
      self.activity = .recording
      return inverse.isEmpty ? nil : inverse
    }

    private func trim() {
      guard levelsOfUndo > 0 else { return }
      undoStack.removeFirst(max(0, undoStack.count - levelsOfUndo))
      redoStack.removeFirst(max(0, redoStack.count - levelsOfUndo))
    }

    func post(_ name: Notification.Name) {
      NotificationCenter.default.post(name: name, object: self)
    }
  }
#endif
