// SPDX-License-Identifier: Apache-2.0

// A plain program with rocksdb-native, which knows nothing of this repository. The filter is
// that package's default: RocksDB's Bloom filter, with 10 bits per key.
//
// node host.mjs DATABASE: writes 200,000 rows, reads them and as many absent ones, and checks
// all answers.

import RocksDB from 'rocksdb-native'

const ROWS = 200_000
const BATCH = 1000

// Keys are not in the order of their numbers. Keys of odd numbers are never written.
function key(number) {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt.asUintN(64, BigInt(number) * 0x9e3779b97f4a7c15n))
  return bytes
}

async function write(db, first) {
  const batch = db.write()
  for (let number = first; number < 2 * ROWS; number += 8) {
    batch.tryPut(key(number), Buffer.from(`row ${number}`))
  }
  await batch.flush()
  batch.destroy()
  await db.flush()
}

async function read(db, first) {
  const batch = db.read()
  const reads = []
  for (let number = first; number < first + BATCH; ++number) {
    reads.push(batch.get(key(number)))
  }
  batch.tryFlush()
  const rows = await Promise.all(reads)
  batch.destroy()
  rows.forEach((row, i) => {
    const number = first + i
    if ((row === null ? null : row.toString()) !== (number % 2 ? null : `row ${number}`)) {
      throw new Error(`wrong answer for row ${number}: ${row}`)
    }
  })
}

const db = new RocksDB(process.argv[2])
await db.ready()
for (let run = 0; run < 4; ++run) await write(db, 2 * run)
for (let first = 0; first < 2 * ROWS; first += BATCH) await read(db, first)
await db.close()
