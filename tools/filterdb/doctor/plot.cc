// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <sstream>
#include <string>

#include "plugin/io/output_file.h"
#include "plugin/io/temporary_file.h"
#include "tools/filterdb/doctor/doctor_report.h"

namespace cassandra_bloom::tools {
namespace {

struct Series {
  const char* name;
  const char* title;
  const char* colour;
  const Allocation LevelForecast::*allocation;
};

constexpr Series kSeries[] = {
    {"as_it_is", "as it is", "#0072b2", &LevelForecast::as_it_is},
    {"uniform", "uniform", "#e69f00", &LevelForecast::uniform},
    {"monkey", "monkey", "#009e73", &LevelForecast::monkey},
};

// A string of gnuplot. It may hold no end of a line, after which gnuplot would
// read commands.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : Printable(text)) {
    quoted += c == '\'' ? "''" : std::string(1, c);
  }
  return quoted + "'";
}

using Value = std::function<double(const LevelForecast&, const Allocation&)>;

// One row for each level: its name, then the value of each series.
std::string DataBlock(const std::string& name, const Verdict& verdict,
                      const Value& value) {
  std::ostringstream data;
  data << "$" << name << " << END\n";
  for (const auto& [level, forecast] : verdict.levels) {
    data << "L" << level;
    for (const Series& series : kSeries) {
      data << " " << value(forecast, forecast.*series.allocation);
    }
    data << "\n";
  }
  data << "END\n";
  return data.str();
}

std::string Bars(const std::string& data,
                 const std::function<std::string(const Series&)>& title) {
  std::ostringstream bars;
  int column = 2;
  for (const Series& series : kSeries) {
    bars << (column == 2 ? "plot " : ", ") << "$" << data << " using " << column
         << ":xtic(1) linecolor rgb '" << series.colour << "' title "
         << Quoted(title(series));
    ++column;
  }
  bars << "\n";
  return bars.str();
}

// The range of the y axis: from the power of ten below all rates to the one
// above.
std::string Decades(const Verdict& verdict) {
  double least = 1;
  double most = 0;
  for (const auto& [level, forecast] : verdict.levels) {
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

// The two panels of a column family, side by side in this row.
std::string Panels(const Family& family, const Verdict& verdict, int row) {
  const std::string number = std::to_string(row);
  std::ostringstream script;
  script << DataBlock("bits" + number, verdict,
                      [](const LevelForecast& forecast, const Allocation& of) {
                        return forecast.BitsPerKey(of);
                      })
         << DataBlock("rates" + number, verdict,
                      [](const LevelForecast&, const Allocation& of) {
                        return of.false_positives;
                      })
         << "unset logscale y\nset yrange [0:*]\nset title "
         << Quoted(family.name + ": bits per key of the filters") << "\n"
         << Bars("bits" + number,
                 [](const Series& series) { return series.title; })
         << "set logscale y\nset yrange " << Decades(verdict) << "\nset title "
         << Quoted(family.name +
                   ": expected false positives of a read of an absent key")
         << "\n"
         << Bars("rates" + number, [&](const Series& series) {
              char title[64];
              std::snprintf(title, sizeof(title), "%s: %.3g in all",
                            series.title,
                            (verdict.all.*series.allocation).false_positives);
              return std::string(title);
            });
  return script.str();
}

std::string ScriptFor(const Report& report) {
  std::ostringstream panels;
  int rows = 0;
  for (size_t i = 0; i < report.families.size(); ++i) {
    if (!report.verdicts[i].levels.empty()) {
      panels << Panels(report.families[i], report.verdicts[i], rows++);
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

// Runs gnuplot with this script, and returns what it writes to standard output.
// Returns "" if it fails.
std::string Draw(const std::string& script) {
  // A temporary file without a name, from which gnuplot reads the script. The
  // shell and gnuplot inherit its descriptor.
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
  RemoveLeftOversOf(path);
  std::string error;
  if (!WriteOutput(path, overwrite, write, &error)) {
    throw Unusable(error);
  }
}

}  // namespace cassandra_bloom::tools
