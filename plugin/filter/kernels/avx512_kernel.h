// SPDX-License-Identifier: Apache-2.0

// The filter functions for x86-64 CPUs with AVX-512 F, DQ and IFMA, such as
// Intel's Xeons since Ice Lake and AMD's CPUs since Zen 4.
//
// Tested in tests/filter/kernel_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_AVX512_KERNEL_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_AVX512_KERNEL_H_

#include "plugin/filter/kernels/kernel.h"

namespace cassandra_bloom {

// Returns nullptr if this CPU cannot run these functions.
const Kernel* Avx512Kernel();

// Returns true if AVX-512 is worth using on this CPU: on AMD's CPUs since Zen
// 4, and on Intel's since Sapphire Rapids. Tests for VBMI2 and BF16, because
// only these CPUs have both. On earlier Intel CPUs, 512-bit multiplications
// lower the clock rate of the core.
bool IsAvx512Cheap();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_AVX512_KERNEL_H_
