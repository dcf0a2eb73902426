// SPDX-License-Identifier: Apache-2.0

// The includes of lane_kernel_inl.h. The file of a kernel includes this header
// before its pragma that sets the target CPU. So these headers are compiled for
// any CPU.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_LANE_KERNEL_INCLUDES_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_LANE_KERNEL_INCLUDES_H_

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "plugin/filter/endian.h"
#include "plugin/filter/filter_db_layout.h"
#include "plugin/filter/filter_view.h"
#include "plugin/filter/invariant_remainder.h"
#include "plugin/filter/kernels/kernel.h"
#include "plugin/filter/kernels/portable_kernel.h"
#include "plugin/filter/murmur3.h"
#include "plugin/filter/sizing.h"

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_LANE_KERNEL_INCLUDES_H_
