// SPDX-License-Identifier: Apache-2.0

// The kernels for x86-64 CPUs with AVX-512 F, DQ and IFMA: Intel since Ice
// Lake, AMD since Zen 4.
//
// Tested in tests/filter/kernel_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_AVX512_KERNEL_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_AVX512_KERNEL_H_

#include "plugin/filter/kernels/kernel.h"

namespace cassandra_bloom {

// Returns the kernel, or nullptr on a CPU that cannot run it.
const Kernel* Avx512Kernel();

// True if AVX-512 is worth using on this CPU: on AMD since Zen 4, on Intel
// since Sapphire Rapids. With 512-bit multiplications, earlier Intel CPUs lower
// the clock for everything on the core.
bool IsAvx512Cheap();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_AVX512_KERNEL_H_
