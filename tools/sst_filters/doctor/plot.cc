// SPDX-License-Identifier: Apache-2.0

// Tested in tests/sst_filters/doctor_test.cc.

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>

#include "filterdb/commands/output_file.h"
#include "tools/sst_filters/doctor/doctor_report.h"

namespace cassandra_bloom::tools {
namespace {

struct Series {
  const char* title;
  const char* colour;
  const Allocation LevelForecast::*allocation;
};

constexpr Series kSeries[] = {
    {"as it is", "#0072b2", &LevelForecast::as_it_is},
    {"uniform", "#e69f00", &LevelForecast::uniform},
    {"monkey", "#009e73", &LevelForecast::monkey},
};

// Returns `text` as a gnuplot string without line ends. gnuplot would run the
// text after a line end as commands.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : Printable(text)) {
    quoted += c == '\'' ? "''" : std::string(1, c);
  }
  return quoted + "'";
}

std::string Bars(const std::string& data, int column, const Series& series,
                 const std::string& title) {
  return data + " using " + std::to_string(column) +
         ":xtic(1) linecolor rgb '" + series.colour + "' title " +
         Quoted(title);
}

// Returns the range of the y axis: whole powers of ten around all rates.
std::string Decades(const FamilyReport& report) {
  double least = 1;
  double most = 0;
  for (const auto& [level, forecast] : report.levels) {
    for (const Series& series : kSeries) {
      const double rate = (forecast.*series.allocation).false_positives;
      least = rate > 0 ? std::min(least, rate) : least;
      most = std::max(most, rate);
    }
  }
  std::ostringstream range;
  range << "[1e" << std::floor(std::log10(least) - 0.1) << ":1e"
        << std::ceil(std::log10(std::max(least, most))) << "]";
  return range.str();
}

// Returns the gnuplot commands for the two panels of a column family, in row
// `row` of the plot.
std::string Panels(const FamilyReport& report, int row) {
  const std::string data = "$family" + std::to_string(row);
  std::ostringstream script;
  // Each line has the name of a level, then the bits per key and the rate of
  // each series.
  script << data << " << END\n";
  for (const auto& [level, forecast] : report.levels) {
    script << "L" << level;
    for (const Series& series : kSeries) {
      const Allocation& allocation = forecast.*series.allocation;
      script << " " << forecast.BitsPerKey(allocation) << " "
             << allocation.false_positives;
    }
    script << "\n";
  }
  script << "END\n";
  std::string bits = "plot ";
  std::string rates = "plot ";
  int column = 2;
  for (const Series& series : kSeries) {
    const char* const comma = column == 2 ? "" : ", ";
    const Allocation& sum = report.all.*series.allocation;
    bits += comma + Bars(data, column, series, series.title);
    rates += comma + Bars(data, column + 1, series,
                          std::string(series.title) + ": " +
                              (sum.is_at_most ? "at most " : "") +
                              ThreeDigits(sum.false_positives) + " in all");
    column += 2;
  }
  const std::string& name = report.family.name;
  script << "unset logscale y\nset yrange [0:*]\nset title "
         << Quoted(name + ": bits per key of the filters") << "\n"
         << bits << "\nset logscale y\nset yrange " << Decades(report)
         << "\nset title "
         << Quoted(name +
                   ": expected false positives of a read of an absent key")
         << "\n"
         << rates << "\n";
  return script.str();
}

std::string ScriptFor(const Report& report) {
  std::ostringstream panels;
  int rows = 0;
  for (const FamilyReport& family : report.families) {
    if (!family.levels.empty()) {
      panels << Panels(family, rows++);
    }
  }
  if (rows == 0) {
    throw Unusable(report.db +
                   ": has no SST files, so there is nothing to plot");
  }
  std::ostringstream script;
  script << "set terminal svg size 1100," << 420 * rows
         << " font 'sans,13' background '#ffffff' noenhanced\n"
         << "set border 3 linecolor '#555555'\n"
            "set tics nomirror\n"
            "set format y '%g'\n"
            "set grid ytics linecolor '#dddddd' linetype 1\n"
            "set style data histograms\n"
            "set style histogram clustered gap 1\n"
            "set style fill solid 0.9 noborder\n"
            "set key outside bottom center horizontal\n"
         << "set multiplot layout " << rows << ",2\n"
         << panels.str() << "unset multiplot\n";
  return script.str();
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// Runs gnuplot, and returns its standard output, or "" if gnuplot fails.
std::string Draw(const std::string& script) {
  // gnuplot inherits the descriptor of this temporary file, which has no name.
  const File file(std::tmpfile(), std::fclose);
  if (file == nullptr ||
      std::fwrite(script.data(), 1, script.size(), file.get()) !=
          script.size() ||
      std::fflush(file.get()) != 0) {
    throw Unusable(std::string("--plot: no temporary file for gnuplot: ") +
                   std::strerror(errno));
  }
  std::FILE* const gnuplot = popen(
      ("exec gnuplot </dev/fd/" + std::to_string(fileno(file.get()))).c_str(),
      "r");
  if (gnuplot == nullptr) {
    return "";
  }
  std::string drawn;
  char buffer[65536];
  for (size_t got;
       (got = std::fread(buffer, 1, sizeof(buffer), gnuplot)) > 0;) {
    drawn.append(buffer, got);
  }
  return pclose(gnuplot) == 0 ? drawn : "";
}

}  // namespace

void RequireGnuplot() {
  if (std::system("command -v gnuplot >/dev/null 2>&1") != 0) {
    throw Unusable(
        "--plot: gnuplot, which draws the plot, was not found; on Debian, "
        "apt-get install gnuplot-nox installs it");
  }
}

void Plot(const Report& report, const std::string& path, bool overwrite) {
  const std::string svg = Draw(ScriptFor(report));
  if (svg.empty()) {
    throw Unusable(NameOfOutput(path) + ": gnuplot could not draw it");
  }
  const auto write = [&svg](const Append& append) {
    return append(svg.data(), svg.size());
  };
  OrUnusable([&](std::string* error) {
    return WriteOutput(path, overwrite, write, error);
  });
}

}  // namespace cassandra_bloom::tools
