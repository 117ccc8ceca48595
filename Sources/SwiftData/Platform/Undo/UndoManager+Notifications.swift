#if !canImport(ObjectiveC)
  public import Foundation

  extension Notification.Name {
    /// Posted before a group is opened or closed, and before something is undone or redone.
    public static let NSUndoManagerCheckpoint = Notification.Name(
      "NSUndoManagerCheckpointNotification")

    /// Posted after a group was opened.
    public static let NSUndoManagerDidOpenUndoGroup = Notification.Name(
      "NSUndoManagerDidOpenUndoGroupNotification")

    /// Posted before a group is closed.
    public static let NSUndoManagerWillCloseUndoGroup = Notification.Name(
      "NSUndoManagerWillCloseUndoGroupNotification")

    /// Posted after a group was closed.
    public static let NSUndoManagerDidCloseUndoGroup = Notification.Name(
      "NSUndoManagerDidCloseUndoGroupNotification")

    /// Posted before a group is undone.
    public static let NSUndoManagerWillUndoChange = Notification.Name(
      "NSUndoManagerWillUndoChangeNotification")

    /// Posted after a group was undone.
    public static let NSUndoManagerDidUndoChange = Notification.Name(
      "NSUndoManagerDidUndoChangeNotification")

    /// Posted before a group is redone.
    public static let NSUndoManagerWillRedoChange = Notification.Name(
      "NSUndoManagerWillRedoChangeNotification")

    /// Posted after a group was redone.
    public static let NSUndoManagerDidRedoChange = Notification.Name(
      "NSUndoManagerDidRedoChangeNotification")
  }
#endif
#if canImport(ObjectiveC)
  import Foundation

  extension UndoManager {
    /// Foundation's run loop ends events on Apple's platforms.
    func endEvent() {}
  }
#endif
