// SPDX-License-Identifier: Apache-2.0

//! A program that uses RocksDB from Rust: `rust_host MODE DATABASE ANSWERS`.
//!
//! MODE `bloom` asks for RocksDB's Bloom filter in the code, as most programs do. MODE
//! `string` takes the filter from an options string, and then from the OPTIONS file that
//! the database has. In both modes, the program writes 200,000 rows, reads them and
//! 100,000 absent keys, and writes all that it read into ANSWERS.

use rocksdb::statistics::Ticker;
use rocksdb::{
    BlockBasedOptions, Cache, ColumnFamilyDescriptor, Env, IteratorMode, Options, DB,
};
use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::ptr::null_mut;

const ROWS: u64 = 200_000;
const OPTIONS_STRING: &str = "create_if_missing=true;level0_file_num_compaction_trigger=100;\
    block_based_table_factory={filter_policy=cassandra_bloom:16}";

#[cfg(feature = "linked")]
#[link(name = "rocksdb_cassandra_bloom")]
extern "C" {
    fn cassandra_bloom_register_with_rocksdb(error: *mut *mut std::ffi::c_char) -> bool;
}

#[cfg(feature = "linked")]
fn register() {
    let mut error = null_mut();
    // The call also makes the linker keep the library.
    let registered = unsafe { cassandra_bloom_register_with_rocksdb(&mut error) };
    check(error);
    assert!(registered);
}

#[cfg(not(feature = "linked"))]
fn register() {}

fn check(error: *mut std::ffi::c_char) {
    if !error.is_null() {
        panic!("{:?}", unsafe { CStr::from_ptr(error) });
    }
}

/// Keys are not in the order of their numbers. Keys of odd numbers are never written.
fn key(number: u64) -> [u8; 8] {
    number.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes()
}

fn value(number: u64) -> String {
    format!("value of the row {number}")
}

fn bloom_options() -> Options {
    let mut table = BlockBasedOptions::default();
    table.set_bloom_filter(16.0, false);
    let mut options = Options::default();
    options.create_if_missing(true);
    options.set_block_based_table_factory(&table);
    options.set_level_zero_file_num_compaction_trigger(100);
    options
}

/// Makes an empty database from an options string. The crate `rocksdb` has no function
/// for such strings, so this is RocksDB's C function, from `librocksdb-sys`.
fn create_by_string(path: &str) {
    let path = CString::new(path).unwrap();
    let string = CString::new(OPTIONS_STRING).unwrap();
    let mut error = null_mut();
    unsafe {
        let base = librocksdb_sys::rocksdb_options_create();
        let options = librocksdb_sys::rocksdb_options_create();
        librocksdb_sys::rocksdb_get_options_from_string(
            base,
            string.as_ptr(),
            options,
            &mut error,
        );
        check(error);
        let database = librocksdb_sys::rocksdb_open(options, path.as_ptr(), &mut error);
        check(error);
        librocksdb_sys::rocksdb_close(database);
        librocksdb_sys::rocksdb_options_destroy(options);
        librocksdb_sys::rocksdb_options_destroy(base);
    }
}

/// The options that are stored in the database. Only the column families' options have
/// the policy: if a database is opened with `Options` alone, it has no filters.
fn latest_options(path: &str) -> (Options, Vec<ColumnFamilyDescriptor>) {
    let cache = Cache::new_lru_cache(8 << 20);
    Options::load_latest(path, Env::new().unwrap(), false, cache).unwrap()
}

/// Writes four runs of keys that overlap. The first two are compacted, and the other
/// two stay in level 0.
fn write(database: &DB) {
    for run in 0..4 {
        for number in (run * 2..ROWS * 2).step_by(8) {
            database.put(key(number), value(number)).unwrap();
        }
        database.flush().unwrap();
        if run == 1 {
            database.compact_range::<&[u8], &[u8]>(None, None);
        }
    }
}

fn read(database: &DB, answers: &mut impl Write) {
    // All keys that are there, and half as many keys that are not.
    for number in (0..ROWS * 2).filter(|number| number % 4 != 3) {
        let found = database.get(key(number)).unwrap();
        assert_eq!(found.is_some(), number % 2 == 0);
        writeln!(answers, "{number} {found:?}").unwrap();
    }
    let batch: Vec<_> = (0..20_000).map(key).collect();
    for found in database.multi_get(batch) {
        writeln!(answers, "{:?}", found.unwrap()).unwrap();
    }
    for row in database.iterator(IteratorMode::Start) {
        writeln!(answers, "{:?}", row.unwrap()).unwrap();
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, mode, path, answers] = &arguments[..] else {
        panic!("usage: rust_host bloom|string DATABASE ANSWERS");
    };
    register();
    let (mut options, families) = match mode.as_str() {
        "bloom" => (bloom_options(), Vec::new()),
        "string" => {
            create_by_string(path);
            latest_options(path)
        }
        _ => panic!("{mode}"),
    };
    options.enable_statistics();
    let database = if families.is_empty() {
        DB::open(&options, path)
    } else {
        DB::open_cf_descriptors(&options, path, families)
    };
    let database = database.unwrap();
    write(&database);
    let mut answers = BufWriter::new(File::create(answers).unwrap());
    read(&database, &mut answers);
    answers.flush().unwrap();

    let useful = options.get_ticker_count(Ticker::BloomFilterUseful);
    let positive = options.get_ticker_count(Ticker::BloomFilterFullPositive);
    let true_positive = options.get_ticker_count(Ticker::BloomFilterFullTruePositive);
    println!("{useful}, {}", positive - true_positive);
}
