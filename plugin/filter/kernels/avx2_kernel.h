// SPDX-License-Identifier: Apache-2.0

// The kernel for x86-64 CPUs with AVX2 and BMI2, such as Intel's since Haswell
// and AMD's since Zen.
//
// Tested in tests/filter/kernel_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_AVX2_KERNEL_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_AVX2_KERNEL_H_

#include "plugin/filter/kernels/kernel.h"

namespace cassandra_bloom {

// Returns the kernel, or nullptr on a CPU that cannot run it.
const Kernel* Avx2Kernel();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_AVX2_KERNEL_H_
