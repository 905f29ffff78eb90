// What brings an order of statements that no good run has shown comes first (orders.h).
#include "search/orders.h"
#include "search/priority.h"

namespace heddle {
namespace {

class NewOrdersFirst final : public Priority {
 public:
  explicit NewOrdersFirst(const PriorityOptions& options)
      : orders_(options.orders ? options.orders : std::make_shared<StatementOrders>()),
        is_own_(!options.orders),
        brings_(options.early_timeouts) {}

  void learn(const Execution& execution) override {
    if (is_own_) orders_->learn(execution);
  }
  void begin(const Lookahead& lookahead, std::uint32_t first) override {
    Priority::begin(lookahead, first);
    brings_.begin(lookahead, first, *orders_);
  }
  std::int64_t of(const Deviation& deviation) override {
    return brings_.are_brought_by(deviation.step, deviation.choice) ? 0 : 1;
  }
  bool needs_marks() const override { return true; }
  void save(StateWriter& writer) const override {
    if (is_own_) writer(*orders_);
  }
  void restore(StateReader& reader) override {
    if (is_own_) reader(*orders_);
  }

 private:
  std::shared_ptr<StatementOrders> orders_;
  bool is_own_;
  NewOrders brings_;
};

}  // namespace

PriorityEntry hapset_priority() {
  return {"hapset", "what brings an order of statements that no good run has shown",
          [](const PriorityOptions& options) -> std::unique_ptr<Priority> {
            return std::make_unique<NewOrdersFirst>(options);
          }};
}

}  // namespace heddle
