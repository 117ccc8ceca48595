#include "OpenSwiftDataCRuntime.h"

#include <string.h>

// Exported by the Swift runtime on all platforms, and part of its stable interface.
extern void *swift_unownedRetain(void *object);
extern void swift_unownedRelease(void *object);
extern void *swift_tryRetain(void *object);
extern void *swift_allocObject(const void *metadata, size_t size, size_t alignmentMask);

void openSwiftData_retainMemory(void *object) { swift_unownedRetain(object); }

void openSwiftData_releaseMemory(void *object) { swift_unownedRelease(object); }

void *openSwiftData_tryRetain(void *object) { return swift_tryRetain(object); }

void *openSwiftData_copyObject(const void *object, const void *type, size_t size) {
  // The class and the reference count come first.
  const size_t header = 2 * sizeof(void *);
  char *copy = swift_allocObject(type, size, sizeof(void *) - 1);
  memcpy(copy + header, (const char *)object + header, size - header);
  return copy;
}
