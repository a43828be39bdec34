import { $, $$, api, chips, element, number, percent, say, table, trying, wait } from "/static/common.js";

const form = $("#attack"), { id, data } = form.dataset, m = Number(form.dataset.m), known = [];
let turns = 0; // an answer to an earlier question is not shown

async function suggest() {
  const { terms } = await api("POST", `/api/releases/${id}/terms`, { typed: typed.value });
  $("#terms").replaceChildren(...terms.map((term) => element("option", { value: term })));
}

const partRows = (parts) => [...parts].sort((a, b) => b.possible - a.possible).slice(0, 10).map((each) => [
  element("a", { href: `/releases/${id}/parts/${each.cluster}`, text: `${each.cluster}` }), `${number(each.possible)} of ${number(each.size)}`,
  element("meter", { min: 0, max: each.size, value: each.possible, "aria-label": `${each.possible} of ${each.size}` }),
  number(each.certain), each.shared.join(", ") || "nothing"]);

function released(found) {
  const rows = partRows(found.parts), kind = !found.within_guarantee ? "beyond" : found.is_kept ? "kept" : "broken";
  const parts = [element("p", { class: "big", text: found.sentence }), element("p", { class: kind, text: found.verdict })];
  if (rows.length) parts.push(table("Where these records are", [form.dataset.part, "could be this person", "drawn", "certainly match", "all of them also have"], rows));
  if (found.in_parts > rows.length) parts.push(element("p", { class: "small", text: `These have the most such records; ${number(found.in_parts - rows.length)} more have fewer.` }));
  if (found.learned?.length) parts.push(element("h3", { text: "What they may also have" }), table("Chances", ["what", "chance", "drawn"], found.learned.map(({ term, chance }) =>
    [term, percent(chance), element("meter", { min: 0, max: 1, value: chance, "aria-label": percent(chance) })])));
  $("#release").replaceChildren(...parts);
}

function original(found, show) {
  const words = found.records === 1 ? "1 record has this: it is that person." : `${number(found.records)} ${form.dataset.part === "class" ? "rows" : "records"} have this.`;
  const parts = [element("p", { class: "big", text: words })];
  for (const record of found.shown) parts.push(element("p", {}, ...record.flatMap((term) => [element("bdi", { text: term }), " "])));
  if (found.records && !show) {
    const button = element("button", { type: "button", class: "quiet", text: "Show what the attacker reads" });
    button.onclick = trying(() => private_(true));
    parts.push(button);
  }
  $("#original").replaceChildren(...parts);
}

async function private_(show = false, turn = turns) {
  if (!data) return;
  const found = await api("POST", `/api/data/${data}/against/${id}`, { known: everything(), show });
  if (turn === turns) original(found, show);
}

const everything = () => [...$$("[data-column]", form).filter((each) => each.value.trim()).map((each) => `${each.dataset.column}=${each.value.trim()}`), ...known];

const answer = trying(async () => {
  const asked = everything();
  $("#answers").hidden = !asked.length;
  if (m && !$("[data-column]", form)) $("#count").textContent = known.length ? `${known.length} known; the guarantee covers up to ${m}` : `The guarantee covers up to ${m} known terms.`;
  const turn = ++turns;
  for (const place of $$("#original, #release")) place.replaceChildren();
  if (!asked.length) return;
  const found = await api("POST", `/api/releases/${id}/candidates`, { known: asked });
  if (turn !== turns) return;
  released(found);
  if (found.unknown?.length) say(`Not in the release: ${found.unknown.join(", ")}.`);
  await private_(false, turn);
});

for (const input of $$("[data-column]", form)) input.onchange = answer;
const typed = $("#term");
form.onsubmit = (event) => {
  event.preventDefault();
  if (!typed) return answer(event);
  const term = typed.value.trim();
  if (term && !known.includes(term)) known.push(term);
  typed.value = "";
  chips($("#known"), known, answer);
  answer(event);
  typed.focus();
};
for (const event of ["input", "focus"]) typed?.addEventListener(event, suggest);
for (const button of $$("[data-terms]")) button.onclick = trying(async () => {
  const { job } = await api("POST", `/api/data/${data}/simulate/${id}`, { terms: Number(button.dataset.terms), draws: 1000 });
  const found = await wait($("#played"), job, "Attacking");
  const three = (facts) => [facts.fewest, facts.median, facts.most].map((each) => number(Math.round(10 * each) / 10));
  $("#played").replaceChildren(element("p", { class: "big", text: found.sentence }), table("Candidates", ["records that fit", "fewest", "median", "most"],
    [["in the release, expected", ...three(found.candidates)], ["in your data", ...three(found.control)]]),
    element("p", { text: `Found: ${number(found.found)}. Learned something: ${number(found.learned)}. Together ${percent(found.share)}.` }));
});
