# Plots as SVG: curves over logarithmic or linear axes, enough for what bench/gambit.py and bench/hapset.py measure.
import math

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 420, 70, 40, 190, 50
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf", "#7f7f7f", "#e377c2", "#000000")


class Axis:
    """Places numbers between two ends in pixels."""

    def __init__(self, values, begin, end, logarithmic):
        self.begin, self.end, self.logarithmic = begin, end, logarithmic
        low, high = min(values), max(values)
        if logarithmic:
            self.low, self.high = math.floor(math.log10(low)), max(math.ceil(math.log10(high)), 1)
        else:
            self.low, self.high = min(low, 0), high
        if self.high == self.low:
            self.high += 1

    def at(self, value):
        value = math.log10(value) if self.logarithmic else value
        return self.begin + (self.end - self.begin) * (value - self.low) / (self.high - self.low)

    def marks(self):
        if self.logarithmic:
            return [10.0**power for power in range(self.low, self.high + 1)]
        step = 10.0 ** math.floor(math.log10((self.high - self.low) / 2))
        while (self.high - self.low) / step > 8:
            step *= 2
        return [step * i for i in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def write(path, title, x_name, y_name, curves, log_x=False, log_y=False):
    """Writes an SVG file with curves {name: [(x, y), …]}. On a logarithmic axis values of 0 or less are left out."""
    kept = {name: [(x, y) for x, y in points if (x > 0 or not log_x) and (y > 0 or not log_y)]
            for name, points in curves.items()}
    kept = {name: points for name, points in kept.items() if points}
    if not kept:
        return False
    x_axis = Axis([x for points in kept.values() for x, _ in points], LEFT, WIDTH - RIGHT, log_x)
    y_axis = Axis([y for points in kept.values() for _, y in points], HEIGHT - BOTTOM, TOP, log_y)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" '
             'font-size="12"><rect width="100%" height="100%" fill="white"/>',
             f'<text x="{LEFT}" y="20" font-size="14">{escaped(title)}</text>',
             f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{escaped(x_name)}</text>',
             f'<text transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">'
             f"{escaped(y_name)}</text>"]
    for mark in x_axis.marks():
        x = x_axis.at(mark)
        lines.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>'
                     f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{mark:g}</text>')
    for mark in y_axis.marks():
        y = y_axis.at(mark)
        lines.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
                     f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{mark:g}</text>')
    for number, (name, points) in enumerate(kept.items()):
        colour, y = COLOURS[number % len(COLOURS)], TOP + 10 + 18 * number
        places = [f"{x_axis.at(x):.1f} {y_axis.at(y):.1f}" for x, y in points]
        lines.append(f'<path d="M{" L".join(places)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines += [f'<circle cx="{place.split()[0]}" cy="{place.split()[1]}" r="3" fill="{colour}"/>'
                  for place in places[:40]]
        lines.append(f'<path d="M{WIDTH - RIGHT + 10} {y}h20" stroke="{colour}" stroke-width="2"/>'
                     f'<text x="{WIDTH - RIGHT + 36}" y="{y + 4}">{escaped(name)}</text>')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n</svg>\n")
    return True
