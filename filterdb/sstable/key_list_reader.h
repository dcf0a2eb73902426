// SPDX-License-Identifier: Apache-2.0

#ifndef CASSANDRA_BLOOM_FILTERDB_SSTABLE_KEY_LIST_READER_H_
#define CASSANDRA_BLOOM_FILTERDB_SSTABLE_KEY_LIST_READER_H_

#include <cstddef>
#include <memory>
#include <string>

#include "filterdb/sstable/bytes/buffered_input.h"
#include "filterdb/sstable/key_reader.h"

namespace cassandra_bloom {

// `fd`, `name` and `buffer_size` are those of BufferedInput.
std::unique_ptr<KeyReader> NewKeyReader(int fd, KeyFormat format,
                                        const std::string& name,
                                        size_t buffer_size = kInputBufferSize);

}  // namespace cassandra_bloom

#endif  // CASSANDRA_BLOOM_FILTERDB_SSTABLE_KEY_LIST_READER_H_
