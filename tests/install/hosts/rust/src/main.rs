// SPDX-License-Identifier: Apache-2.0

//! A program that uses RocksDB from Rust: `rust_host code|file DATABASE`.
//!
//! `code` asks for RocksDB's Bloom filter in the code, as most programs do. `file` takes
//! all options from the OPTIONS file that the database has. In both modes, the program
//! writes 200,000 rows, reads them and as many absent ones, and prints how many look-ups
//! the filters rejected, and how many passed in vain.

use rocksdb::{BlockBasedOptions, Cache, Env, Options, DB};

const ROWS: u64 = 200_000;

#[cfg(feature = "linked")]
#[link(name = "rocksdb_cassandra_bloom")]
extern "C" {
    fn cassandra_bloom_register_with_rocksdb(error: *mut *mut std::ffi::c_char) -> bool;
}

#[cfg(feature = "linked")]
fn register() {
    // The call also makes the linker keep the library.
    assert!(unsafe { cassandra_bloom_register_with_rocksdb(&mut std::ptr::null_mut()) });
}

#[cfg(not(feature = "linked"))]
fn register() {}

/// Keys are not in the order of their numbers. Keys of odd numbers are never written.
fn key(number: u64) -> [u8; 8] {
    number.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes()
}

fn value(number: u64) -> Vec<u8> {
    format!("row {number}").into_bytes()
}

fn bloom_options() -> Options {
    let mut table = BlockBasedOptions::default();
    table.set_bloom_filter(16.0, false);
    let mut options = Options::default();
    options.create_if_missing(true);
    options.set_block_based_table_factory(&table);
    options
}

/// Opens the database as its OPTIONS file says. The policy is in the options of the column
/// families: DB::open(&options, path) would open it without.
fn open_latest(path: &str) -> (Options, DB) {
    let cache = Cache::new_lru_cache(8 << 20).unwrap();
    let (mut options, families) =
        Options::load_latest(path, Env::new().unwrap(), false, cache).unwrap();
    options.enable_statistics();
    let database = DB::open_cf_descriptors(&options, path, families).unwrap();
    (options, database)
}

/// RocksDB's count of rocksdb.bloom.filter.NAME.
fn ticker(options: &Options, name: &str) -> u64 {
    let statistics = options.get_statistics().unwrap();
    let line = format!("rocksdb.bloom.filter.{name} COUNT : ");
    let count = statistics.lines().find_map(|text| text.strip_prefix(&line));
    count.unwrap().parse().unwrap()
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, mode, path] = &arguments[..] else {
        panic!("usage: rust_host code|file DATABASE");
    };
    register();
    let (options, database) = if mode == "file" {
        open_latest(path)
    } else {
        let mut options = bloom_options();
        options.enable_statistics();
        let database = DB::open(&options, path).unwrap();
        (options, database)
    };
    for run in 0..4 {
        for number in (run * 2..ROWS * 2).step_by(8) {
            database.put(key(number), value(number)).unwrap();
        }
        database.flush().unwrap();
    }
    database.compact_range::<&[u8], &[u8]>(None, None);
    for number in 0..ROWS * 2 {
        let expected = if number % 2 == 0 { Some(value(number)) } else { None };
        assert_eq!(database.get(key(number)).unwrap(), expected);
    }
    let positive = ticker(&options, "full.positive");
    println!("useful {}", ticker(&options, "useful"));
    println!("false {}", positive - ticker(&options, "full.true.positive"));
}
