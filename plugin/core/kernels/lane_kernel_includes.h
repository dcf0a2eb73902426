// What lane_kernel_inl.h needs, for any CPU.

#ifndef CASSANDRA_BLOOM_PLUGIN_CORE_KERNELS_LANE_KERNEL_INCLUDES_H_
#define CASSANDRA_BLOOM_PLUGIN_CORE_KERNELS_LANE_KERNEL_INCLUDES_H_

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "plugin/core/endian.h"
#include "plugin/core/filter_db.h"
#include "plugin/core/filter_view.h"
#include "plugin/core/invariant_remainder.h"
#include "plugin/core/kernels/kernel.h"
#include "plugin/core/kernels/portable_kernel.h"
#include "plugin/core/murmur3.h"
#include "plugin/core/sizing.h"

#endif  // CASSANDRA_BLOOM_PLUGIN_CORE_KERNELS_LANE_KERNEL_INCLUDES_H_
