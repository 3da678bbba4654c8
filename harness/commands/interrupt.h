// SIGINT and SIGTERM: the first ends a command in order, the second at once; no worker survives either.
#pragma once

namespace uopdiff {

void catch_interrupts();
bool interrupted();

}  // namespace uopdiff
