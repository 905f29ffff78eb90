// See graph_picture.h. The threads stand on a circle, the first one at the top, two beside each other. An arrow leaves
// the straight line between its ends to the left, as seen from where it begins: so two in opposite directions are
// apart.
#include "report/graph_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "report/markup.h"

namespace heddle {
namespace {

constexpr double kLetter = 7.5, kBoxHeight = 26, kBend = 36, kMargin = 20;
constexpr std::size_t kLongest = 28;  // of a name, in bytes

struct Point {
  double x = 0, y = 0;
};

struct Box {
  Span thread;
  Point at;
  double width = 0;
};

std::string shortened(const std::string& name) {
  std::size_t end = kLongest;
  if (name.size() <= end) return name;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;  // inside a character
  return name.substr(0, end) + "…";
}

double width_of(const std::string& name) { return static_cast<double>(name.size()) * kLetter + 18; }

// The boxes without their places.
std::vector<Box> boxes_of(const WaitGraph& graph) {
  std::vector<Box> boxes;
  const auto add = [&](const Span& thread) {
    const bool known =
        std::any_of(boxes.begin(), boxes.end(), [&](const Box& box) { return box.thread.id == thread.id; });
    if (!known) boxes.push_back({thread, {}, width_of(shortened(thread.text))});
  };
  for (const WaitGraph::Edge& edge : graph.edges) {
    add(edge.waiter);
    add(edge.holder);
  }
  return boxes;
}

Point size_and_places(std::vector<Box>& boxes, double longest_name) {
  double widest = 0;
  for (const Box& box : boxes) widest = std::max(widest, box.width);
  const auto count = static_cast<double>(boxes.size());
  const double radius = boxes.size() == 1 ? 0 : std::max(60.0 + longest_name / 2, count * 34);
  const Point center{radius + std::max(widest, longest_name) / 2 + kMargin, radius + kBoxHeight + kBend + kMargin};
  const double height = boxes.size() <= 2 ? 2 * (kBoxHeight + kBend + kMargin) : 2 * center.y;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const double turn = static_cast<double>(i) / count * 2 * std::numbers::pi;
    const double angle = boxes.size() == 2 ? turn + std::numbers::pi : turn - std::numbers::pi / 2;
    boxes[i].at = {center.x + radius * std::cos(angle), height / 2 + radius * std::sin(angle)};
  }
  return {2 * center.x, height};
}

// Where the line from the middle of the box to `to` leaves it.
Point border(const Box& box, Point to) {
  const double dx = to.x - box.at.x, dy = to.y - box.at.y;
  const double by_x = dx == 0 ? 1e9 : box.width / 2 / std::abs(dx),
               by_y = dy == 0 ? 1e9 : kBoxHeight / 2 / std::abs(dy);
  const double part = std::min({by_x, by_y, 1.0});
  return {box.at.x + dx * part, box.at.y + dy * part};
}

std::string label(Point at, const std::string& text) {
  return fmt::format("<text class=\"label\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", at.x, at.y,
                     escaped_markup(shortened(text)));
}

// The head of an arrow that ends at `tip` and comes from there.
std::string head(Point from, Point tip) {
  constexpr double kLong = 9, kHalfWide = 4;
  const double dx = tip.x - from.x, dy = tip.y - from.y, length = std::max(std::hypot(dx, dy), 1.0);
  const Point along{dx / length, dy / length}, back{tip.x - along.x * kLong, tip.y - along.y * kLong};
  return fmt::format("<path class=\"head\" d=\"M {:.0f} {:.0f} L {:.0f} {:.0f} L {:.0f} {:.0f} z\"/>\n", tip.x, tip.y,
                     back.x - along.y * kHalfWide, back.y + along.x * kHalfWide, back.x + along.y * kHalfWide,
                     back.y - along.x * kHalfWide);
}

std::string arrow(const Box& from, const Box& to, const std::string& text) {
  if (&from == &to) {
    const double left = from.at.x - 12, right = from.at.x + 12, top = from.at.y - kBoxHeight / 2;
    return fmt::format("<path d=\"M {:.0f} {:.0f} C {:.0f} {:.0f} {:.0f} {:.0f} {:.0f} {:.0f}\"/>\n", left, top,
                       left - 20, top - kBend, right + 20, top - kBend, right, top) +
           head({right + 20, top - kBend}, {right, top}) + label({from.at.x, top - kBend + 2}, text);
  }
  const double dx = to.at.x - from.at.x, dy = to.at.y - from.at.y, length = std::max(std::hypot(dx, dy), 1.0);
  const Point bend{(from.at.x + to.at.x) / 2 + dy / length * kBend * 1.4,
                   (from.at.y + to.at.y) / 2 - dx / length * kBend * 1.4};
  const Point begin = border(from, bend), end = border(to, bend);
  const Point middle{begin.x / 4 + bend.x / 2 + end.x / 4, begin.y / 4 + bend.y / 2 + end.y / 4};
  return fmt::format("<path d=\"M {:.0f} {:.0f} Q {:.0f} {:.0f} {:.0f} {:.0f}\"/>\n", begin.x, begin.y, bend.x, bend.y,
                     end.x, end.y) +
         head(bend, end) + label({middle.x, middle.y + (dx >= 0 ? -6 : 14)}, text);
}

}  // namespace

std::string picture_of(const WaitGraph& graph) {
  double longest_name = 0;
  for (const WaitGraph::Edge& edge : graph.edges)
    longest_name = std::max(longest_name, width_of(shortened(edge.object.text)));
  std::vector<Box> boxes = boxes_of(graph);
  const Point size = size_and_places(boxes, longest_name);
  std::string result = fmt::format(
      "<svg class=\"waits\" role=\"img\" aria-label=\"which thread waits for which\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n",
      size.x, size.y);
  const auto box_of = [&](const Span& thread) -> const Box& {
    return *std::find_if(boxes.begin(), boxes.end(), [&](const Box& box) { return box.thread.id == thread.id; });
  };
  for (const WaitGraph::Edge& edge : graph.edges)
    result += arrow(box_of(edge.waiter), box_of(edge.holder), edge.object.text);
  for (const Box& box : boxes)
    result += fmt::format(
        "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"5\"/>\n<text x=\"{:.0f}\" "
        "y=\"{:.0f}\">{}</text>\n",
        box.at.x - box.width / 2, box.at.y - kBoxHeight / 2, box.width, kBoxHeight, box.at.x, box.at.y + 5,
        escaped_markup(shortened(box.thread.text)));
  return result + "</svg>\n";
}

}  // namespace heddle
