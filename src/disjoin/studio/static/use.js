import { $, $$, api, element, number, say, table, trying, wait } from "/static/common.js";

const { id, records } = $("#use").dataset;

function range(row) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 100 8"); svg.setAttribute("width", "120"); svg.setAttribute("aria-hidden", "true");
  const at = (value) => 100 * value / Number(records);
  const bar = (x, width, fill) => {
    const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of Object.entries({ x, y: 1, width, height: 6, rx: 2, fill })) rect.setAttribute(name, value);
    svg.append(rect);
  };
  bar(0, 100, "var(--line)");
  const most = row.at_most ?? row.estimate; // noise leaves nothing certain
  bar(at(row.at_most === null ? most : row.at_least), Math.max(1, at(most - (row.at_most === null ? most : row.at_least))), "var(--accent)");
  return svg;
}

const rows = (found) => table("Answers", ["terms", "at least", "about", "at most", "drawn"], found.map((row) => [row.itemset.join(", "), number(row.at_least),
  row.at_least === row.at_most ? "exact" : number(Math.round(row.estimate)), row.at_most === null ? "not certain" : number(row.at_most), range(row)]));

function csv(found) { // spreadsheets take what begins with = + - @ for a formula
  const quoted = (text) => `"${String(text).replaceAll('"', '""')}"`, safe = (text) => quoted(String(text).replace(/^[=+\-@]/, "'$&"));
  const lines = [["terms", "at_least", "estimate", "at_most"], ...found.map((row) => [row.itemset.join("; "), row.at_least, row.estimate, row.at_most ?? ""])];
  const link = (text, cell) => element("a", { download: "answers.csv", text, href: `data:text/csv;charset=utf-8,${encodeURIComponent(lines.map((line) => line.map(cell).join(",")).join("\n"))}` });
  return element("p", {}, link("Save as CSV", quoted), " ", link("safe for spreadsheets", safe));
}

$("#support").onsubmit = trying(async () => {
  const itemsets = $("#itemsets").value.split("\n").map((line) => line.split(",").map((term) => term.trim()).filter(Boolean)).filter((terms) => terms.length);
  if (!itemsets.length) return say("Write at least one term.");
  const found = await api("POST", `/api/releases/${id}/support`, { itemsets });
  $("#supports").replaceChildren(...(found.unknown ? [element("p", { class: "warn", text: found.unknown })] : []), rows(found.rows), csv(found.rows));
});
for (const button of $$("[data-find]")) button.onclick = trying(async () => {
  const given = Object.fromEntries([...new FormData($("#finding"))].filter(([, value]) => value).map(([name, value]) => [name, Number(value)]));
  if (button.dataset.find === "rules") { delete given.max_size; if (given.min_support) given.min_support = Math.min(1, Math.max(0.001, given.min_support / Number(records))); }
  const { job } = await api("POST", `/api/releases/${id}/${button.dataset.find}`, given);
  const found = await wait($("#finds"), job, "Looking");
  if (button.dataset.find === "mine") $("#finds").replaceChildren(rows(found.rows), csv(found.rows));
  else $("#finds").replaceChildren(found.rows.length ? table("Rules", ["when", "then", "surely at least", "about", "at most", "lift"], found.rows.map((rule) => [rule.antecedents.join(", "), rule.consequents.join(", "),
    ...[rule.confidence_at_least, rule.confidence, rule.confidence_at_most, rule.lift].map((value) => value === null ? "not certain" : value.toFixed(2))])) : element("p", { text: "There are no such rules." }));
});
$("#worlds").onsubmit = trying(async () => {
  const given = new FormData($("#worlds"));
  const { job } = await api("POST", `/api/releases/${id}/reconstructions`, { n: Number(given.get("n")), seed: Number(given.get("seed")), format: given.get("format") });
  await wait($("#made"), job, "Putting them together");
  $("#made").replaceChildren(element("a", { class: "button", href: `/api/jobs/${job}/file`, download: true, text: "Download them (zip)" }));
});
