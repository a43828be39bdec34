import { $, $$, api, trying, wait } from "/static/common.js";

const trees = $("#trees-form"), form = $("#promise");

async function build() {
  const columns = {};
  for (const field of $$("fieldset", trees)) {
    const way = $("input[type=radio]:checked", field).value;
    if (way === "mask" || way === "flat") columns[field.dataset.column] = { [way]: true };
    if (way === "intervals") columns[field.dataset.column] = { intervals: $("input[name^=widths]", field).value.split(",").map((each) => Number(each.trim())) };
  }
  const { job } = await api("POST", `/api/data/${trees.dataset.id}/hierarchies`, { columns });
  await wait($("#building"), job, "Building");
}

if (trees) trees.onsubmit = trying(async () => { await build(); location.reload(); });
if (form) {
  const crowd = () => form.k.value === "other" ? Number(form.other.value) : Number(form.k.value);
  form.addEventListener("change", () => { $("#crowd").textContent = Math.max(1, crowd() - 1); });
  form.onsubmit = trying(async () => {
    const roles = JSON.parse(form.dataset.roles), named = (role) => Object.keys(roles).filter((name) => roles[name] === role);
    const method = { name: "generalization", k: crowd(), quasi: named("quasi"), sensitive: named("sensitive"), identifiers: named("identifier"), others: named("other") };
    if (form.dataset.person) {
      method.person = form.dataset.person;
      method.identifiers = method.identifiers.filter((name) => name !== method.person);
    }
    if (Number(form.l.value) > 1) method.l = Number(form.l.value);
    if (form.alpha.value.trim()) method.alpha = form.alpha.value.trim();
    await build();
    location.href = `/jobs/${(await api("POST", `/api/data/${form.dataset.id}/releases`, { method })).job}`;
  });
}
