// Addresses of servers: which make sense, and that their passwords are not shown.
#include "cli/farm_access.h"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace heddle::cli {
namespace {

TEST(FarmAccess, ShowsNoPassword) {
  EXPECT_EQ(shown_url("nats://host:4222"), "nats://host:4222");
  EXPECT_EQ(shown_url("nats://u:secret@host,tls://u:sec@ret@other:1"), "nats://host,tls://other:1");
  EXPECT_EQ(shown_url("u:secret@host"), "host");
  EXPECT_EQ(shown_url("u:secret://@host"), "host");
}

TEST(FarmAccess, ChecksTheVariableAsItChecksTheOption) {
  FarmSettings settings;
  settings.url = "u:secret@host";
  EXPECT_EQ(unfit_access(settings).find("--farm=host: this is no address"), 0u);
  settings.url = "nats://host";
  EXPECT_EQ(unfit_access(settings), "");
  settings.url = "local";
  EXPECT_EQ(unfit_access(settings), "");
  for (const char* const text : {"u:secret@host", ","}) {
    ::setenv(kFarmVariable, text, 1);
    const std::string said = unfit_access(settings);
    EXPECT_EQ(said.find("HEDDLE_FARM="), 0u) << said;
    EXPECT_EQ(said.find("secret"), std::string::npos) << said;
  }
  ::setenv(kFarmVariable, "nats://u:secret@host", 1);
  EXPECT_EQ(unfit_access(settings), "");
  ::unsetenv(kFarmVariable);
}

}  // namespace
}  // namespace heddle::cli
