#if canImport(Glibc)
  import Glibc
#endif

/// File events of the system, through non-blocking `inotify`. Reports nothing without Glibc.
///
/// Not thread-safe: its owner must guard it.
final class FileEvents {
  struct Event: Equatable {
    /// The number of the watch; -1 if events were lost.
    let number: Int32
    /// For a folder: the name of the file.
    let name: String
    /// Whether the event is a write, and not a change of names.
    let isWrite: Bool
    /// Whether the watch has ended.
    let isLast: Bool
  }

  /// A descriptor that is readable when there are events.
  let descriptor: Int32

  #if canImport(Glibc)
    /// - Returns: `nil` if the system has no more instances.
    init?() {
      descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
      if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Watches a file for writes, removal and renaming.
    /// - Returns: The number of the watch, the same for every name of the file.
    func watchFile(_ path: String) -> Int32? {
      watch(path, IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)
    }

    /// Watches a folder for new files.
    func watchFolder(_ path: String) -> Int32? {
      watch(path, IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)
    }

    private func watch(_ path: String, _ mask: Int32) -> Int32? {
      let number = inotify_add_watch(descriptor, path, UInt32(bitPattern: mask))
      return number < 0 ? nil : number
    }

    func end(_ number: Int32) { inotify_rm_watch(descriptor, number) }

    /// Takes all pending events, without waiting.
    func take() -> [Event] {
      var events: [Event] = []
      let size = 16_384
      withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
        while true {
          let count = read(descriptor, buffer.baseAddress, size)
          guard count > 0 else { return }
          events += FileEvents.events(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
      }
      return events
    }

    private static func events(in bytes: UnsafeRawBufferPointer) -> [Event] {
      var events: [Event] = []
      let header = MemoryLayout<inotify_event>.size
      var place = 0
      while place + header <= bytes.count {
        // Number, mask, cookie, and the length of the name that follows, padded with zeros.
        let number = bytes.loadUnaligned(fromByteOffset: place, as: Int32.self)
        let mask = bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
        let length = Int(bytes.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self))
        let start = place + header
        let name = bytes[start..<min(start + length, bytes.count)].prefix { $0 != 0 }
        events.append(
          Event(
            number: number, name: String(decoding: name, as: UTF8.self),
            isWrite: mask & UInt32(IN_MODIFY) != 0, isLast: mask & UInt32(IN_IGNORED) != 0))
        place = start + length
      }
      return events
    }
  #else
    init?() { return nil }

    func watchFile(_ path: String) -> Int32? { nil }

    func watchFolder(_ path: String) -> Int32? { nil }

    func end(_ number: Int32) {}

    func take() -> [Event] { [] }
  #endif
}
