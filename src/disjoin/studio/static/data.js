import { $, $$, api, follow, fresh, say, trying, watch } from "/static/common.js";

for (const box of $$(".progress[data-job]")) watch(box, box.dataset.job, () => location.reload());

const kinds = $("#kinds");
if (kinds) kinds.onsubmit = trying(async () => {
  const given = new FormData(kinds), reading = {};
  const kind = given.get("kind"), always = ["encoding", "sheet", "separator"];
  const fitting = { table: ["blank_words"], mixed: ["split", "blank_words"], records: ["split", "blank", "blank_words", "field"], long: ["id", "terms", "split", "blank", "blank_words", "keep"] };
  for (const name of fitting[kind]) if (given.get(name)) reading[name] = given.get(name);
  for (const name of always) if (given.has(name)) reading[name] = given.get(name);
  await api("PATCH", `/api/data/${kinds.dataset.id}`, { kind, reading });
  location.reload();
});

const roles = $("#roles-form");
let turns = 0, counting = ""; // a count by earlier roles is stopped, and not shown
if (roles) roles.addEventListener("change", trying(async ({ target }) => {
  if (target.type !== "radio") return;
  if (target.value !== "identifier" && roles.person.value === target.dataset.column) roles.person.value = ""; // it was proposed
  if (counting) api("DELETE", `/api/jobs/${counting}`);
  const turn = ++turns, named = (role) => $$(`input[value=${role}]:checked`, roles).map((each) => each.dataset.column);
  const { job } = await api("POST", `/api/data/${roles.dataset.id}/risk`, { quasi: named("quasi"), sensitive: named("sensitive") });
  counting = job;
  say("Counting by these roles");
  const state = await new Promise((end) => follow(job, { end }));
  if (turn !== turns) return;
  if (state.state !== "done") throw new Error(state.error?.detail || "It was stopped.");
  $("#risk").replaceChildren(...$("#risk", await fresh(`?risk=${job}`)).childNodes);
  say("");
}));
if (roles) roles.onsubmit = trying(async () => {
  const chosen = Object.fromEntries($$("input[type=radio]:checked", roles).map((each) => [each.dataset.column, each.value]));
  const overrides = Object.fromEntries($$("[data-override]:checked", roles).map((each) => [each.dataset.override, Number(each.value)]));
  await api("PATCH", `/api/data/${roles.dataset.id}`, { roles: chosen, overrides, person: roles.person.value || null, ...(roles.split ? { split: roles.split.value || null } : {}), ...(roles.terms ? { terms: roles.terms.value } : {}) });
  location.reload();
});

for (const button of $$("[data-leave]")) button.onclick = trying(async () => {
  await api("PATCH", `/api/data/${kinds.dataset.id}`, { leave_out: JSON.parse(button.dataset.leave) });
  location.reload();
});

for (const button of $$("[data-mixed], [data-terms]")) button.onclick = trying(async () => {
  const { mixed, terms } = button.dataset;
  await api("PATCH", `/api/data/${kinds.dataset.id}`, { kind: mixed ? "mixed" : "long", reading: JSON.parse(mixed ?? terms) });
  location.reload();
});
