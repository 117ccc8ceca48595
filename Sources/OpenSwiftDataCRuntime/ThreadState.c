#include "OpenSwiftDataCRuntime.h"

_Thread_local struct OpenSwiftData_ThreadState openSwiftData_state;
