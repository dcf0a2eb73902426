// SPDX-License-Identifier: Apache-2.0

// A part of librocksdbjni.so, which RocksJava loads instead of the library in
// its jar if it is in a folder of java.library.path (NativeLibraryLoader.java).
// It needs a copy of the jar's library. The rest of it is loader.cc and
// replace.cc: the dynamic linker searches it before that copy, so RocksJava's
// calls of NewBloomFilterPolicy come to replace.cc.
//
// Tested in tests/install/hosts/rocksjava/rocksjava_test.sh.

#include <dlfcn.h>
#include <jni.h>

#include <cstring>
#include <string>

#include "plugin/preload/loader.h"

namespace cassandra_bloom {
namespace {

// The beginning of a library: the ELF header and the build ID.
constexpr jsize kNumBytes = 4096;
using Bytes = jbyte[kNumBytes];

// Reads the beginning of the library in the program's jar, through the class
// loader that has RocksJava. Returns false if a Java method has thrown.
bool ReadFromJar(JNIEnv* env, Bytes* bytes) {
  const jclass owner = env->FindClass("org/rocksdb/NativeLibraryLoader");
  if (owner == nullptr) {
    return false;
  }
  const jmethodID get =
      env->GetMethodID(env->GetObjectClass(owner), "getResourceAsStream",
                       "(Ljava/lang/String;)Ljava/io/InputStream;");
  const jstring name = env->NewStringUTF("/librocksdbjni-linux64.so");
  if (get == nullptr || name == nullptr) {
    return false;
  }
  const jobject stream = env->CallObjectMethod(owner, get, name);
  if (env->ExceptionCheck() || stream == nullptr) {
    return false;
  }
  const jclass data = env->FindClass("java/io/DataInputStream");
  if (data == nullptr) {
    return false;
  }
  const jmethodID create =
      env->GetMethodID(data, "<init>", "(Ljava/io/InputStream;)V");
  const jmethodID read = env->GetMethodID(data, "readFully", "([B)V");
  const jmethodID close = env->GetMethodID(data, "close", "()V");
  const jobject reader = env->NewObject(data, create, stream);
  const jbyteArray array = env->NewByteArray(kNumBytes);
  if (reader == nullptr || array == nullptr) {
    return false;
  }
  env->CallVoidMethod(reader, read, array);
  if (env->ExceptionCheck()) {
    return false;
  }
  env->GetByteArrayRegion(array, 0, kNumBytes, *bytes);
  env->CallVoidMethod(reader, close);
  return !env->ExceptionCheck();
}

// Returns true if the library in the program's jar is the one of which this
// folder has a copy.
bool IsOfThisJar(JNIEnv* env, const void* copy) {
  Bytes in_jar;
  const bool is_read = ReadFromJar(env, &in_jar);
  env->ExceptionClear();
  return is_read && std::memcmp(copy, in_jar, sizeof(in_jar)) == 0;
}

}  // namespace
}  // namespace cassandra_bloom

// RocksJava's library has no JNI_OnLoad (7.10 to 11.8).
//
// Throws an IOException: RocksJava gives up, and can be asked to load again. An
// UnsatisfiedLinkError would make it load the library in its jar, and there
// would be two releases of RocksDB in this process. They share inline variables
// (the linker's unique symbols), such as the functions of the block cache.
// After other errors, RocksJava waits if it is asked again, until 10.1 forever
// (RocksDB.loadLibrary).
extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* vm, void* /*reserved*/) {
  JNIEnv* env = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&env), JNI_VERSION_1_6) != JNI_OK) {
    return JNI_ERR;
  }
  Dl_info copy;
  if (dladdr(dlsym(RTLD_DEFAULT, cassandra_bloom::kVersionFunction), &copy) ==
          0 ||
      !cassandra_bloom::IsOfThisJar(env, copy.dli_fbase)) {
    const std::string own =
        cassandra_bloom::FileOf(reinterpret_cast<const void*>(&JNI_OnLoad));
    const jclass error = env->FindClass("java/io/IOException");
    if (error != nullptr) {
      env->ThrowNew(error, ("cassandra_bloom: " + own +
                            " was made for another RocksJava than the jar of "
                            "this program: make it for this jar, or take its "
                            "folder out of java.library.path")
                               .c_str());
    }
    return JNI_ERR;
  }
  return JNI_VERSION_1_6;
}
