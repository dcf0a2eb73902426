// SPDX-License-Identifier: Apache-2.0

// The filter functions for x86-64 CPUs with AVX2 and BMI2, such as Intel's
// since Haswell and AMD's since Zen.
//
// Tested in tests/filter/kernel_test.cc.

#ifndef CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_AVX2_KERNEL_H_
#define CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_AVX2_KERNEL_H_

#include "plugin/filter/kernels/kernel.h"

namespace cassandra_bloom {

// Returns nullptr if this CPU has no AVX2 or no BMI2.
const Kernel* Avx2Kernel();

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_PLUGIN_FILTER_KERNELS_AVX2_KERNEL_H_
