import { $, $$, api, trying, watch } from "/static/common.js";

for (const box of $$(".progress[data-job]")) watch(box, box.dataset.job, () => location.reload());

const kinds = $("#kinds");
if (kinds) kinds.onsubmit = trying(async () => {
  const given = new FormData(kinds), reading = {};
  for (const name of ["id_column", "term_column", "split", "blank", "blank_words"]) {
    const value = given.get(name);
    if (value && (given.get("kind") === "long" || !name.endsWith("column"))) reading[name] = value;
  }
  if (given.get("kind") === "mixed") for (const name of Object.keys(reading)) if (name !== "split" && name !== "blank_words") delete reading[name];
  await api("PATCH", `/api/data/${kinds.dataset.id}`, { kind: given.get("kind"), reading });
  location.reload();
});

const roles = $("#roles-form");
if (roles) roles.onsubmit = trying(async () => {
  const chosen = Object.fromEntries($$("input[type=radio]:checked", roles).map((each) => [each.dataset.column, each.value]));
  await api("PATCH", `/api/data/${roles.dataset.id}`, { roles: chosen, person: roles.person.value || null, ...(roles.split ? { split: roles.split.value || null } : {}), ...(roles.terms ? { terms: roles.terms.value } : {}) });
  location.reload();
});

for (const button of $$("[data-leave]")) button.onclick = trying(async () => {
  await api("PATCH", `/api/data/${kinds.dataset.id}`, { leave_out: JSON.parse(button.dataset.leave) });
  location.reload();
});
