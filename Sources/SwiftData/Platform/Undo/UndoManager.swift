#if !canImport(ObjectiveC)
  public import Foundation

  /// Records changes, and undoes and redoes them.
  ///
  /// Foundation has this class only on Apple's platforms. Changes are recorded in groups:
  ///
  /// 1. `beginUndoGrouping()` opens a group. If `groupsByEvent` is true, the first change of an
  ///    event opens one too.
  /// 2. `registerUndo(withTarget:handler:)` adds to the innermost open group.
  /// 3. `endUndoGrouping()` closes it and adds it to the surrounding group, or to the undo stack.
  ///    The end of the event closes a group that a change opened.
  /// 4. Undoing a group runs its handlers, the last one first. The changes that they register form
  ///    the group that redoes it.
  ///
  /// No run loop ends events. `undo()` and `beginUndoGrouping()` end an event, and so does each
  /// `ModelContext` with this undo manager: when it saves, when it processes its pending changes,
  /// and between two jobs of its actor. All changes until then are one group.
  ///
  /// Contexts register their changes when a checkpoint is posted, which happens before each
  /// operation and query of an undo manager. An undo manager must be used on one thread, queue or
  /// actor.
  open class UndoManager: NSObject {
    /// Whether all changes of an event form one group.
    ///
    /// If false, each change outside of explicit groups is a group of its own.
    open var groupsByEvent = true

    /// The maximum number of groups that can be undone; 0 means no limit.
    open var levelsOfUndo = 0 {
      didSet { trim() }
    }

    var openGroups: [UndoGroup] = []
    var undoStack: [UndoGroup] = []
    var redoStack: [UndoGroup] = []
    var activity = Activity.recording
    private var disableCount = 0
    private var isAtCheckpoint = false

    /// What the running handlers do.
    enum Activity {
      case recording, undoing, redoing
    }

    /// Creates an undo manager without recorded changes.
    public override init() {
      super.init()
    }

    /// Opens a group inside the innermost open one.
    ///
    /// First ends a group that a change opened, so that both can be undone separately.
    open func beginUndoGrouping() {
      checkpoint()
      endEvent()
      openGroups.append(UndoGroup())
      post(.NSUndoManagerDidOpenUndoGroup)
    }

    /// Closes the innermost open group; does nothing if none is open.
    open func endUndoGrouping() {
      // A handler cannot close the group that records its changes.
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

    /// Stops recording until `enableUndoRegistration()` is called the same number of times.
    open func disableUndoRegistration() {
      checkpoint()
      disableCount += 1
    }

    /// Reverts one call of `disableUndoRegistration()`.
    open func enableUndoRegistration() {
      checkpoint()
      if disableCount > 0 { disableCount -= 1 }
    }

    /// Whether changes are recorded.
    open var isUndoRegistrationEnabled: Bool { disableCount == 0 }

    /// Undoes the last group; closes it first if it is the only open one.
    open func undo() {
      guard activity == .recording else { return }
      checkpoint()
      if groupingLevel == 1 { endUndoGrouping() }
      undoNestedGroup()
    }

    /// Undoes the last closed group, even inside an open one.
    open func undoNestedGroup() {
      guard activity == .recording else { return }
      checkpoint()
      guard let group = openGroups.last.map({ $0.removeLastGroup() }) ?? undoStack.popLast()
      else { return }
      post(.NSUndoManagerWillUndoChange)
      if let inverse = run(group, as: .undoing) { redoStack.append(inverse) }
      post(.NSUndoManagerDidUndoChange)
    }

    /// Redoes the last undone group.
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

    /// Records a handler that undoes a change.
    ///
    /// - Parameters:
    ///   - target: The object that the handler changes. It is held weakly; after its release its
    ///     handlers do nothing.
    ///   - handler: Undoes the change. Calls of this function in it register the redo.
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

    /// Lets observers register their changes; changes meanwhile do not cause another checkpoint.
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
      // Groups that a handler leaves open become part of the redo.
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
