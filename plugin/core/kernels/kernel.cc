#include "plugin/core/kernels/kernel.h"

#include <atomic>

#include "plugin/core/kernels/avx2_kernel.h"
#include "plugin/core/kernels/avx512_kernel.h"
#include "plugin/core/kernels/portable_kernel.h"

namespace cassandra_bloom {

namespace {

std::vector<const Kernel*> FindKernels() {
  std::vector<const Kernel*> kernels;
  for (const Kernel* const kernel :
       {Avx512Kernel(), Avx2Kernel(), &kPortableKernel}) {
    if (kernel != nullptr) {
      kernels.push_back(kernel);
    }
  }
  return kernels;
}

std::atomic<const Kernel*>& Active() {
  static std::atomic<const Kernel*> active{Kernels().front()};
  return active;
}

}  // namespace

const std::vector<const Kernel*>& Kernels() {
  static const auto& kernels = *new std::vector<const Kernel*>(FindKernels());
  return kernels;
}

const Kernel& ActiveKernel() {
  return *Active().load(std::memory_order_relaxed);
}

void ForceKernel(const Kernel& kernel) {
  Active().store(&kernel, std::memory_order_relaxed);
}

}  // namespace cassandra_bloom
