// What each HTML page carries beside its contents (html_writer.cpp): its style, its script, and what the script uses.
#pragma once

namespace heddle {

// Follows the reader's choice of light or dark. On paper everything is shown.
inline constexpr const char* kPageStyle = R"css(
:root { color-scheme: light dark; --back: #fff; --text: #1c1e21; --soft: #667; --line: #d8dbe0; --lane: #f6f7f9;
  --bad: #b00020; --bad-back: #fdecee; --stop: #8a5a00; --stop-back: #fff4dc; --mark: #ffe58a; --link: #0b57a4; }
@media (prefers-color-scheme: dark) { :root { --back: #16181b; --text: #e4e6ea; --soft: #9aa0a8; --line: #3a3e44;
  --lane: #1d2024; --bad: #ff8a95; --bad-back: #3a1a1e; --stop: #f0c26a; --stop-back: #362b14; --mark: #6b5a14;
  --link: #7ab8ff; } }
html { scroll-padding-bottom: 40vh; }
body { background: var(--back); color: var(--text); font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto;
  max-width: 90rem; padding: 0 1.5rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 1.6rem 0 .4rem; }
p { margin: .2rem 0; } dt { font-weight: 600; } dd { margin: 0 0 .4rem 1.5rem; }
.quote, pre, code, .place, .value, .command { font-family: ui-monospace, monospace; font-size: .9em; }
.quote { border-left: 3px solid var(--bad); background: var(--bad-back); padding: .3rem .8rem; white-space: pre-wrap; }
.frame { margin-left: 1.5rem; color: var(--soft); }
.note { color: var(--stop); }
.waits { display: block; max-width: 100%; margin: .6rem 0; } .waits path { fill: none; stroke: var(--bad);
  stroke-width: 1.5; } .waits .head { fill: var(--bad); stroke: none; }
.waits rect { fill: var(--lane); stroke: var(--text); } .waits text { fill: var(--text); text-anchor: middle; }
.waits .label { fill: var(--bad); font-size: .9em; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
button.thread, button.object { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer;
  text-decoration: underline dotted; text-underline-offset: .2em; }
button.thread { font-weight: 600; }
button.marked { background: var(--mark); }
a.number { color: var(--link); }
.chart { overflow-x: auto; position: relative; }
table { border-collapse: collapse; min-width: 60%; }
thead th { position: sticky; top: 0; background: var(--back); text-align: left; border-bottom: 2px solid var(--line); }
th, td { padding: .25rem .7rem; vertical-align: top; }
td { min-width: 14rem; border-left: 1px solid var(--line); }
tbody th { color: var(--soft); font-weight: 400; text-align: right; }
tr.step td:not(:empty) { background: var(--lane); }
tr.preempted td:not(:empty), tr.time td:not(:empty) { background: var(--stop-back); color: var(--stop); }
.holds { box-shadow: inset 4px 0 var(--link); } .stands { box-shadow: inset 4px 0 var(--stop); }
.holds.stands { box-shadow: inset 4px 0 var(--link), inset 8px 0 var(--stop); }
.tools .holds, .tools .stands { padding-left: .5rem; }
tr.stops td, tr.left-out td { color: var(--soft); font-style: italic; }
tr.end td:not(:empty), tr.access td:not(:empty) { background: var(--bad-back); color: var(--bad); }
tr.missed td:not(:empty) { outline: 2px dashed var(--bad); outline-offset: -2px; }
.old { color: var(--bad); }
.reads { position: absolute; left: 0; top: 0; overflow: visible; pointer-events: none; }
.reads path { fill: none; stroke: var(--bad); stroke-width: 1.5; } .reads .head { fill: var(--bad); stroke: none; }
tr.costs th::after { content: " ⚡"; }
tr.chosen { outline: 2px solid var(--link); }
tr.aside { opacity: .25; }
.code { color: var(--soft); font-size: .92em; }
.no-code .code { display: none; }
.tools { color: var(--soft); margin: .4rem 0; } kbd { border: 1px solid var(--line); border-radius: 3px; padding: 0 .3em; }
#at-step { position: fixed; left: 0; right: 0; bottom: 0; max-height: 38vh; overflow: auto; background: var(--back);
  border-top: 2px solid var(--link); padding: .4rem 1.5rem .8rem; }
#at-step[hidden] { display: none; } body.with-step { padding-bottom: 40vh; }
#at-step h3 { font-size: 1rem; margin: 0 0 .3rem; } #at-step > div { display: flex; flex-wrap: wrap; gap: 2rem; }
#at-step ol { margin: 0; padding-left: 1.5rem; } #at-step li[tabindex] { cursor: pointer; }
#at-step li.chosen { color: var(--link); font-weight: 600; } #at-step pre .here { background: var(--mark); }
#at-step dl { margin: 0; display: grid; grid-template-columns: auto auto; column-gap: 1rem; } #at-step dd { margin: 0; }
@media print { #at-step { display: none; } .tools { display: none; } tr.aside { opacity: 1; } thead th { position: static; } }
)css";

inline constexpr const char* kPageTools =
    "<p class=\"tools\"><kbd>j</kbd> <kbd>k</kbd> next and previous row · <kbd>p</kbd> next preemption · "
    "<kbd>c</kbd> code on or off · click a row for its calls, source and values · click a thread or an object to see "
    "only its rows, <kbd>Esc</kbd> shows all · "
    "bars: <span class=\"holds\">holds a lock</span>, <span class=\"stands\">can't go on</span></p>\n";

inline constexpr const char* kPageScript = R"js(
"use strict";
const rows = [...document.querySelectorAll("tbody tr")];
const names = [...document.querySelectorAll("button[data-name]")];
const lanes = [...document.querySelectorAll("thead th")];
let chosen = -1, only = null;
const details = JSON.parse((document.getElementById("steps") || {textContent: '{"steps": {}}'}).textContent);
const panel = document.body.appendChild(document.createElement("aside"));
panel.id = "at-step";
function part(tag, text, parent) {
  const made = parent.appendChild(document.createElement(tag));
  made.textContent = text;
  return made;
}
// The lines around a call, and the others of the stack to choose from.
function showCall(stack, at) {
  [...panel.querySelectorAll("li")].forEach((one, index) => one.classList.toggle("chosen", index === at));
  const text = panel.querySelector("pre"), [, file, line] = details.frames[stack[at]];
  text.textContent = "";
  const piece = details.sources.find(([of, first, lines]) => of === file && first <= line && line < first + lines.length);
  if (!piece) return;
  part("div", file, text);
  piece[2].forEach((code, index) => {
    const number = piece[1] + index;
    if (Math.abs(number - line) <= 4) part("div", `${number}  ${code}`, text).className = number === line ? "here" : "";
  });
}
function tell(row) {
  const step = row && details.steps[row.id.slice("step-".length)];
  panel.hidden = !step;
  document.body.classList.toggle("with-step", !panel.hidden);
  panel.textContent = "";
  if (!step) return;
  part("h3", `step ${row.cells[0].textContent}: ${step.thread} ${step.does}`, panel);
  const inside = part("div", "", panel), calls = part("ol", "", inside), held = row.querySelector("td[title]:not(:empty)");
  part("pre", "", inside);
  step.stack.forEach((number, index) => {
    const [name, file, line] = details.frames[number];
    const call = part("li", `${name || "?"} (${file.split("/").pop()}:${line})`, calls);
    call.tabIndex = 0;
    call.addEventListener("click", () => showCall(step.stack, index));
    call.addEventListener("keydown", event => { if (event.key === "Enter") showCall(step.stack, index); });
  });
  const values = part("dl", "", inside);
  if (held) part("dt", "behind it", values), part("dd", held.title, values);
  for (const [name, value] of step.values) part("dt", name, values), part("dd", value, values);
  if (step.stack.length > 0) showCall(step.stack, 0);
}
tell(null);
function choose(index) {
  if (index < 0 || index >= rows.length) return;
  if (chosen >= 0) rows[chosen].classList.remove("chosen");
  rows[chosen = index].classList.add("chosen");
  tell(rows[chosen]);
  rows[chosen].scrollIntoView({block: "nearest"});
}
// The next row from here in a direction that is shown and fits.
function move(by, fits = () => true) {
  for (let i = chosen + by; i >= 0 && i < rows.length; i += by)
    if (!rows[i].classList.contains("aside") && fits(rows[i])) return choose(i);
}
function isAbout(row, name) {
  if ([...row.querySelectorAll("button[data-name]")].some(one => one.dataset.name === name)) return true;
  const cell = [...row.cells].slice(1).findIndex(one => one.textContent !== "");
  const lane = lanes[cell + 1] && lanes[cell + 1].querySelector("button");
  return lane !== null && lane !== undefined && lane.dataset.name === name;
}
// From each store whose old value was read to the load that read it.
function drawReads() {
  const picture = document.querySelector("svg.reads");
  if (picture === null) return;
  const frame = picture.previousElementSibling.getBoundingClientRect();
  const box = row => [...row.cells].slice(1).find(one => one.textContent !== "").getBoundingClientRect();
  let drawn = "";
  for (const load of rows) {
    const store = document.getElementById(load.dataset.reads);
    if (store === null || [load, store].some(row => row.classList.contains("aside"))) continue;
    const from = box(store), to = box(load);
    const out = from.left <= to.left ? 1 : -1, back = from.left < to.left ? -1 : 1;
    const x1 = (out > 0 ? from.right : from.left) - frame.left, y1 = (from.top + from.bottom) / 2 - frame.top;
    const x2 = (back > 0 ? to.right : to.left) - frame.left, y2 = (to.top + to.bottom) / 2 - frame.top;
    drawn += `<path d="M ${x1} ${y1} C ${x1 + 40 * out} ${y1} ${x2 + 40 * back} ${y2} ${x2} ${y2}"/>` +
      `<path class="head" d="M ${x2} ${y2} l ${9 * back} -4 v 8 z"/>`;
  }
  picture.setAttribute("width", frame.width);
  picture.setAttribute("height", frame.height);
  picture.innerHTML = drawn;
}
function show(name) {
  only = only === name ? null : name;
  for (const row of rows) row.classList.toggle("aside", only !== null && !isAbout(row, only));
  for (const one of names) one.classList.toggle("marked", one.dataset.name === only);
  drawReads();
}
for (const one of names) one.addEventListener("click", () => show(one.dataset.name));
for (const [index, row] of rows.entries())
  row.addEventListener("click", event => { if (event.target.tagName !== "BUTTON") choose(index); });
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "j" || event.key === "ArrowDown") move(1);
  else if (event.key === "k" || event.key === "ArrowUp") move(-1);
  else if (event.key === "p") move(1, row => row.classList.contains("costs"));
  else if (event.key === "c") document.body.classList.toggle("no-code"), drawReads();
  else if (event.key === "Escape") { tell(null); show(only); }
  else return;
  event.preventDefault();
});
addEventListener("resize", drawReads);
drawReads();
)js";

}  // namespace heddle
