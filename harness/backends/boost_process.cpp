// The one place that compiles Boost.Process v2 (1.81 has no library for it).
#include <boost/process/v2/src.hpp>
