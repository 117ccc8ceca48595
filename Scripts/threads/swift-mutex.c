// Tells the thread sanitizer about Mutex of Synchronization, while threads wait for it.
//
// The compiler puts the lock of a free Mutex into the code of whoever takes it, where the sanitizer
// sees it. A thread that has to wait calls libswiftSynchronization instead, which is not built for the
// sanitizer: it misses that what one thread did under the lock comes before what the next one does, and
// reports a race. These functions are found before those of the library (LD_PRELOAD), call them, and
// add what is missing. In a program without the sanitizer they do nothing else.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

#define SELF void *self __attribute__((swift_context))
#define SWIFT __attribute__((swiftcall))

// Synchronization._MutexHandle
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// The function of the library.
static void *original(void **known, const char *name) {
  void *function = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (!function) {
    function = dlsym(RTLD_NEXT, name);
    __atomic_store_n(known, function, __ATOMIC_RELAXED);
  }
  return function;
}

SWIFT void lock(uint32_t thread, SELF) __asm__(LOCK);
SWIFT void lock(uint32_t thread, SELF) {
  static void *known;
  ((SWIFT void (*)(uint32_t, SELF))original(&known, LOCK))(thread, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool tryLock(SELF) __asm__(TRY_LOCK);
SWIFT bool tryLock(SELF) {
  static void *known;
  bool isLocked = ((SWIFT bool (*)(SELF))original(&known, TRY_LOCK))(self);
  if (isLocked && __tsan_acquire) __tsan_acquire(self);
  return isLocked;
}

SWIFT void unlock(SELF) __asm__(UNLOCK);
SWIFT void unlock(SELF) {
  static void *known;
  if (__tsan_release) __tsan_release(self);
  ((SWIFT void (*)(SELF))original(&known, UNLOCK))(self);
}
