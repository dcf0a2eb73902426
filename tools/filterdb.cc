// filterdb: shows, checks, builds and converts Cassandra's Filter.db files.

#include <cstdio>
#include <exception>

#include "tools/command.h"

int main(int argc, char** argv) {
  using namespace cassandra_bloom::tools;
  CLI::App app(
      "Cassandra's Filter.db: shows, checks, builds and converts it.\n"
      "Exit status: 0 good, 1 a fault was found, 2 wrong usage or unreadable "
      "input.",
      "filterdb");
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Help for all commands");
  Run run;
  AddInfo(&app, &run);
  AddCheck(&app, &run);
  AddBuild(&app, &run);
  AddConvert(&app, &run);
  AddDiff(&app, &run);
  AddExport(&app, &run);
  AddDoctor(&app, &run);
  try {
    app.parse(argc, argv);
    return run();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kGood : kUnusable;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "filterdb: %s\n", error.what());
    return kUnusable;
  }
}
