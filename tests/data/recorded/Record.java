// SPDX-License-Identifier: Apache-2.0

// Starts a node of any Cassandra from 1.2 to 6.0 in this process, writes tables
// with CQL, flushes them, and compacts one. record.sh starts it.
//
// Usage: Record RELEASE KEYS_FOLDER
//
// KEYS_FOLDER gets TABLE.txt for each table: its partition keys in hexadecimal,
// from the input, in the order of the partitioner. What has other names in other
// releases is called by reflection.

import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.db.ConsistencyLevel;
import org.apache.cassandra.dht.IPartitioner;
import org.apache.cassandra.service.CassandraDaemon;
import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.service.QueryState;
import org.apache.cassandra.service.StorageService;

public class Record {
  private static String release;
  private static int major;
  private static String keysFolder;

  public static void main(String[] arguments) {
    try {
      release = arguments[0];
      major = Integer.parseInt(release.split("\\.")[0]);
      keysFolder = arguments[1];
      startNode();
      cql("CREATE KEYSPACE ks WITH replication = "
          + "{'class': 'SimpleStrategy', 'replication_factor': 1}");
      recordPlain();
      recordWide();
      recordComposite();
      recordNumbers("deflate", "Deflate", 500, 0.05);
      if (major >= 4) {
        recordNumbers("zstd", "Zstd", 40, 0.001);
      }
      Runtime.getRuntime().halt(0);
    } catch (Throwable e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
  }

  // ---- The tables ----

  // Not compressed. Keys of 1 to 70 bytes, with 0 and with bytes above 0x7f.
  private static void recordPlain() throws Exception {
    create("plain", "k blob PRIMARY KEY, v int", "", 0.01);
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < 70; ++i) {
      byte[] key = new byte[i + 1];
      for (int at = 0; at < key.length; ++at) {
        key[at] = (byte) (i % 7 == 0 ? at % 2 * 255 : i * 131 + at * 17);
      }
      keys.add(key);
      String blob =
          release.equals("1.2.0") ? "'" + hex(key) + "'" : "0x" + hex(key);
      cql("INSERT INTO ks.plain (k, v) VALUES (" + blob + ", 1)");
    }
    finish("plain", keys);
  }

  // Some partitions have many rows. With deletions of each kind, compacted from
  // two SSTables. The partition `never` has nothing but its deletion.
  private static void recordWide() throws Exception {
    // Cassandra 1.2.0 has no LZ4.
    create("wide", "k text, c int, v text, PRIMARY KEY (k, c)",
        release.equals("1.2.0") ? "Snappy" : "LZ4", 0.1);
    List<byte[]> keys = new ArrayList<>();
    String insert = "INSERT INTO ks.wide (k, c, v) VALUES ";
    String value = new String(new char[100]).replace('\0', 'v');
    for (int i = 0; i < 12; ++i) {
      String key = "wide" + i;
      keys.add(bytes(key));
      for (int row = 0; row < (i % 3 == 0 ? 60 : 1); ++row) {
        cql(insert + "('" + key + "', " + row + ", '" + value + "')");
      }
    }
    flush("wide");
    String delete = "DELETE FROM ks.wide WHERE k = ";
    cql(delete + "'wide1'");
    cql(delete + "'wide3'");
    cql(delete + "'wide6' AND c = 5");
    cql("DELETE v FROM ks.wide WHERE k = 'wide6' AND c = 6");
    if (major >= 3) {
      cql(delete + "'wide6' AND c >= 10 AND c < 20");
    }
    cql(insert + "('wide3', 99, 'after') USING TTL 8640000");
    keys.add(bytes("never"));
    cql(delete + "'never'");
    finish("wide", keys);
    nodetool("wide", "forceKeyspaceCompaction", "forceTableCompaction");
  }

  // The key has two parts, which may be empty.
  private static void recordComposite() throws Exception {
    create("composite", "a text, b text, v int, PRIMARY KEY ((a, b))",
        "Snappy", 0.01);
    List<byte[]> keys = new ArrayList<>();
    String[] parts = {"", "a", "b", "\u00e9\u4e2d", "a longer part of a key"};
    for (String a : parts) {
      for (String b : parts) {
        ByteArrayOutputStream key = new ByteArrayOutputStream();
        for (String part : new String[] {a, b}) {
          key.write(0);
          key.write(bytes(part).length);
          key.write(bytes(part));
          key.write(0);
        }
        keys.add(key.toByteArray());
        cql("INSERT INTO ks.composite (a, b, v) VALUES ('" + a + "', '" + b
            + "', 1)");
      }
    }
    finish("composite", keys);
  }

  private static void recordNumbers(String table, String compressor, int count,
      double fpChance) throws Exception {
    create(table, "k int PRIMARY KEY, v int", compressor, fpChance);
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < count; ++i) {
      keys.add(ByteBuffer.allocate(4).putInt(i).array());
      cql("INSERT INTO ks." + table + " (k, v) VALUES (" + i + ", 1)");
    }
    finish(table, keys);
  }

  private static void create(String table, String columns, String compressor,
      double fpChance) throws Exception {
    String compression;
    if (major < 3) {
      compression = compressor.isEmpty() ? "'sstable_compression': ''"
          : "'chunk_length_kb': 4, 'sstable_compression': '" + compressor
              + "Compressor'";
    } else {
      compression = compressor.isEmpty() ? "'enabled': false"
          : "'chunk_length_in_kb': 4, 'class': '" + compressor + "Compressor'";
    }
    cql("CREATE TABLE ks." + table + " (" + columns
        + ") WITH bloom_filter_fp_chance = " + fpChance
        + " AND compression = {" + compression + "}");
  }

  // Flushes the table, and writes the list of its keys.
  private static void finish(String table, List<byte[]> keys)
      throws Exception {
    flush(table);
    IPartitioner partitioner = DatabaseDescriptor.getPartitioner();
    Collections.sort(keys,
        (a, b) -> partitioner.decorateKey(ByteBuffer.wrap(a))
            .compareTo(partitioner.decorateKey(ByteBuffer.wrap(b))));
    try (PrintWriter out =
        new PrintWriter(keysFolder + "/" + table + ".txt", "UTF-8")) {
      for (byte[] key : keys) {
        out.print(hex(key) + "\n");
      }
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String hex(byte[] bytes) {
    StringBuilder digits = new StringBuilder();
    for (byte b : bytes) {
      digits.append(String.format("%02x", b));
    }
    return digits.toString();
  }

  // ---- The node ----

  private static void startNode() throws Exception {
    CassandraDaemon daemon = new CassandraDaemon();
    try {
      CassandraDaemon.class.getMethod("activate").invoke(daemon);
    } catch (NoSuchMethodException since6) {
      CassandraDaemon.class.getMethod("activate", boolean.class)
          .invoke(daemon, false);
    }
  }

  private static void cql(String query) throws Exception {
    Class<QueryProcessor> processor = QueryProcessor.class;
    try {
      processor.getMethod("process", String.class, ConsistencyLevel.class)
          .invoke(null, query, ConsistencyLevel.ONE);
    } catch (NoSuchMethodException before2) {
      Object client =
          ClientState.class.getConstructor(boolean.class).newInstance(true);
      Object state = QueryState.class.getConstructor(ClientState.class)
          .newInstance(client);
      processor.getMethod("process", String.class, ConsistencyLevel.class,
          QueryState.class).invoke(null, query, ConsistencyLevel.ONE, state);
    }
  }

  private static void flush(String table) throws Exception {
    nodetool(table, "forceKeyspaceFlush", "forceTableFlush");
  }

  // Calls the first of these functions that this release has.
  private static void nodetool(String table, String... names)
      throws Exception {
    String[] tables = {table};
    for (String name : names) {
      try {
        StorageService.class.getMethod(name, String.class, String[].class)
            .invoke(StorageService.instance, "ks", tables);
        return;
      } catch (NoSuchMethodException otherRelease) {
      }
      try {
        StorageService.class
            .getMethod(name, boolean.class, String.class, String[].class)
            .invoke(StorageService.instance, false, "ks", tables);
        return;
      } catch (NoSuchMethodException otherRelease) {
      }
    }
    throw new NoSuchMethodException(names[0]);
  }
}
