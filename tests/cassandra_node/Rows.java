// SPDX-License-Identifier: Apache-2.0

import com.datastax.driver.core.Cluster;
import com.datastax.driver.core.ColumnMetadata;
import com.datastax.driver.core.PreparedStatement;
import com.datastax.driver.core.ResultSetFuture;
import com.datastax.driver.core.Session;
import com.datastax.driver.core.SocketOptions;
import com.datastax.driver.core.TableMetadata;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The CQL client of node_test.py. `Rows PORT` reads commands from standard
 * input, one a line:
 *
 *   cql STATEMENT            executes it
 *   write TABLE FROM TO      writes the partitions with these numbers
 *   missing TABLE FROM TO    reads each of them by its key, and prints a line
 *                            with the numbers of those that have no row
 *
 * A partition has one row, or ROWS if its table has a clustering column. One
 * that has fewer rows than that, but some, or another value, is an error.
 */
final class Rows {
  private static final int ROWS = 30;
  // So many requests are on their way at once.
  private static final int WINDOW = 128;

  private final Session session;

  private Rows(Session session) {
    this.session = session;
  }

  public static void main(String[] args) throws Exception {
    // The machine may be busy: only a node that is gone is an error.
    SocketOptions patient =
        new SocketOptions().setReadTimeoutMillis(0).setConnectTimeoutMillis(600_000);
    try (Cluster cluster = Cluster.builder()
             .addContactPoint("127.0.0.1")
             .withPort(Integer.parseInt(args[0]))
             .withSocketOptions(patient)
             .withoutJMXReporting()
             .build()) {
      Rows rows = new Rows(cluster.connect());
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
      for (String line; (line = in.readLine()) != null;) {
        String[] words = line.split(" ");
        switch (words[0]) {
          case "cql" -> rows.session.execute(line.substring(4));
          case "write" -> rows.write(words[1], number(words[2]), number(words[3]));
          case "missing" -> rows.missing(words[1], number(words[2]), number(words[3]));
          default -> throw new IllegalArgumentException(line);
        }
      }
    }
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }

  private TableMetadata table(String name) {
    String[] parts = name.split("\\.");
    return session.getCluster().getMetadata().getKeyspace(parts[0]).getTable(parts[1]);
  }

  private static int rowsOf(TableMetadata table) {
    return table.getClusteringColumns().isEmpty() ? 1 : ROWS;
  }

  private static Object keyPart(ColumnMetadata column, int number) {
    return switch (column.getType().getName()) {
      // Of either sign, and far from each other.
      case BIGINT -> number * 0x9E3779B97F4A7C15L;
      case INT -> number;
      case TEXT, VARCHAR -> "key-" + number;
      // Of 4 to 303 bytes, most of them zeros, which a trie must escape.
      case BLOB -> ByteBuffer.wrap(ByteBuffer.allocate(4 + number % 300).putInt(number).array());
      default -> throw new IllegalArgumentException(column.toString());
    };
  }

  private static List<Object> key(TableMetadata table, int number) {
    List<Object> values = new ArrayList<>();
    for (ColumnMetadata column : table.getPartitionKey()) {
      values.add(keyPart(column, number));
    }
    return values;
  }

  private static String value(int number) {
    return "value " + number + " " + Integer.toHexString(number * 0x9E3779B9).repeat(8);
  }

  private void write(String name, int from, int to) {
    TableMetadata table = table(name);
    List<String> columns = new ArrayList<>();
    table.getPrimaryKey().forEach(column -> columns.add(column.getName()));
    columns.add("v");
    PreparedStatement insert = session.prepare("INSERT INTO " + name + " ("
        + String.join(", ", columns) + ") VALUES ("
        + String.join(", ", Collections.nCopies(columns.size(), "?")) + ")");
    ArrayDeque<ResultSetFuture> pending = new ArrayDeque<>();
    for (int number = from; number < to; number++) {
      for (int row = 0; row < rowsOf(table); row++) {
        List<Object> values = key(table, number);
        if (rowsOf(table) > 1) {
          values.add(row);
        }
        values.add(value(number));
        pending.add(session.executeAsync(insert.bind(values.toArray())));
        if (pending.size() == WINDOW) {
          pending.remove().getUninterruptibly();
        }
      }
    }
    pending.forEach(ResultSetFuture::getUninterruptibly);
  }

  private void missing(String name, int from, int to) {
    TableMetadata table = table(name);
    List<String> conditions = new ArrayList<>();
    table.getPartitionKey().forEach(column -> conditions.add(column.getName() + " = ?"));
    PreparedStatement select =
        session.prepare("SELECT v FROM " + name + " WHERE " + String.join(" AND ", conditions));
    ArrayDeque<ResultSetFuture> pending = new ArrayDeque<>();
    StringBuilder line = new StringBuilder();
    for (int number = from, read = from; read < to; number++) {
      if (number < to) {
        pending.add(session.executeAsync(select.bind(key(table, number).toArray())));
      }
      if (pending.size() == WINDOW || number >= to) {
        int read1 = read++;
        List<com.datastax.driver.core.Row> rows = pending.remove().getUninterruptibly().all();
        if (rows.isEmpty()) {
          line.append(' ').append(read1);
        } else if (rows.size() != rowsOf(table)
            || rows.stream().anyMatch(row -> !row.getString(0).equals(value(read1)))) {
          throw new IllegalStateException(name + ", partition " + read1 + ": other rows");
        }
      }
    }
    System.out.println(line.toString().trim());
  }
}
