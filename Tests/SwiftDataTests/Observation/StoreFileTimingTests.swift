import SwiftData
import Testing

/// When a watched file is looked at, on paper.
@Suite struct StoreFileTimingTests {
  private let burst = StoreFileTiming.burst

  /// When a timing looks that is asked at each of its dues, until an end.
  private func looks(_ timing: inout StoreFileTiming, until end: Duration) -> [Duration] {
    var looks: [Duration] = []
    while let due = timing.due, due <= end {
      if timing.look(now: due) { looks.append(due) }
    }
    return looks
  }

  @Test func aQuietFileIsNeverDue() {
    var timing = StoreFileTiming(now: .zero)
    #expect(timing.due == nil)
    #expect(timing.look(now: .seconds(100)) == false)
  }

  @Test func aBurstIsOneLookAndSomeConfirmations() {
    var timing = StoreFileTiming(now: .zero)
    timing.written(now: .seconds(1))
    timing.written(now: .seconds(1) + burst / 2)
    #expect(timing.look(now: .seconds(1) + burst / 2) == false)
    let first = Duration.seconds(1) + burst
    var expected = [first]
    for pause in StoreFileTiming.confirmations {
      expected.append(expected[expected.count - 1] + pause)
    }
    #expect(looks(&timing, until: .seconds(100)) == expected)
    #expect(timing.due == nil)
  }

  @Test func aLookIsNeverPutOffByFurtherWrites() {
    var timing = StoreFileTiming(now: .zero)
    var looks: [Duration] = []
    for step in 0..<1000 {
      let now = Duration.milliseconds(step)
      timing.written(now: now)
      if timing.look(now: now) { looks.append(now) }
    }
    let pauses = zip(looks, looks.dropFirst()).map { $1 - $0 }
    #expect(looks.count > 50)
    #expect(pauses.allSatisfy { $0 >= burst && $0 <= .milliseconds(20) })
  }

  @Test func aWriteWhileConfirmingIsLookedAtSoon() {
    var timing = StoreFileTiming(now: .zero)
    timing.written(now: .zero)
    #expect(looks(&timing, until: .milliseconds(700)).count == 4)
    timing.written(now: .milliseconds(800))
    #expect(timing.due == .milliseconds(800) + burst)
    #expect(looks(&timing, until: .seconds(9)).count == 1 + StoreFileTiming.confirmations.count)
  }

  @Test func withoutEventsItIsLookedAtEachInterval() {
    var timing = StoreFileTiming(interval: .seconds(1), now: .zero)
    #expect(looks(&timing, until: .seconds(3)) == [.seconds(1), .seconds(2), .seconds(3)])
    var late = StoreFileTiming(now: .zero)
    late.poll(every: .seconds(1), now: .seconds(5))
    #expect(looks(&late, until: .seconds(7)) == [.seconds(6), .seconds(7)])
    late.poll(every: nil, now: .seconds(7))
    #expect(late.due == nil)
  }

  @Test func fileSystemsOfOthersAreRecognised() {
    let mounted = MountedFileSystems(
      mountInfo: """
        22 28 0:20 / /sys rw,nosuid shared:7 - sysfs sysfs rw
        28 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw
        40 28 0:35 / /home rw - nfs4 server:/home rw,vers=4.2
        41 40 0:36 / /home/local rw - ext4 /dev/sda1 rw
        42 28 0:37 / /mnt/my\\040disk rw shared:9 master:1 - fuse.sshfs me@host: rw
        43 28 0:38 / /mnt/my\\040disk rw - tmpfs tmpfs rw
        broken
        """)
    #expect(mounted.type(ofFileAt: "/var/a.store") == "ext4")
    #expect(mounted.type(ofFileAt: "/home/me/a.store") == "nfs4")
    #expect(mounted.type(ofFileAt: "/homes/a.store") == "ext4")
    #expect(mounted.type(ofFileAt: "/home/local/a.store") == "ext4")
    #expect(mounted.type(ofFileAt: "/mnt/my disk/a.store") == "tmpfs")
    #expect(["nfs4", "fuse.sshfs", "9p", "cifs"].allSatisfy(MountedFileSystems.isShared))
    #expect(!["ext4", "tmpfs", "overlay", "xfs"].contains(where: MountedFileSystems.isShared))
    #expect(MountedFileSystems(mountInfo: "").type(ofFileAt: "/a") == nil)
  }
}
