import { $, $$, api, chips, choice, element, fresh, number, percent, trying, wait } from "/static/common.js";

const trees = $("#trees-form"), form = $("#promise");

async function build() {
  const columns = {};
  for (const field of $$("fieldset", trees)) {
    const way = $("input[type=radio]:checked", field).value;
    if (["mask", "flat", "dates"].includes(way)) columns[field.dataset.column] = { [way]: true };
    if (way === "bands") columns[field.dataset.column] = { bands: $("input[name^=bands]", field).value.split(";").map((level) => level.split(",").map((each) => each.trim())) };
    if (way === "intervals") columns[field.dataset.column] = { intervals: $("input[name^=widths]", field).value.split(",").map((each) => Number(each.trim())) };
  }
  const { job } = await api("POST", `/api/data/${trees.dataset.id}/hierarchies`, { columns });
  await wait($("#building"), job, "Building");
}

async function show() { // previews; what was chosen meanwhile stays
  const page = await fresh();
  $("#ways").replaceChildren(...$("#ways", page).childNodes);
  for (const field of $$("fieldset", trees)) {
    $(".preview", field)?.remove();
    const built = $(".preview", $$("fieldset", $("#trees-form", page)).find((each) => each.dataset.column === field.dataset.column));
    if (built) field.append(built);
  }
}

if (trees) trees.onsubmit = trying(async () => { await build(); await show(); });
function row(facts) {
  const cells = facts.failure ? [element("td", { colspan: 4, text: facts.failure })]
    : [percent(facts.granularity), number(facts.classes), number(facts.median), facts.clusters === undefined ? percent(facts.tight) : number(facts.clusters)].map((text) => element("td", { text }));
  return element("tr", {}, element("th", { scope: "row", text: `k = ${facts.k}` }), ...cells);
}

if (form) {
  const body = $("#tried tbody");
  const crowd = () => form.k.value === "other" ? Number(form.other.value) : Number(form.k.value);
  const secrets = [];
  const mixed = (named) => {
    const method = { name: "mixed", m: Number(form.m.value), quasi: named("quasi"), link: form.link.value };
    if (named("sensitive").length && (Number(form.l.value) > 1 || form.alpha.value.trim())) method.sensitive_columns = named("sensitive");
    if (method.sensitive_columns && Number(form.l.value) > 1) method.column_l = Number(form.l.value);
    if (method.sensitive_columns && form.alpha.value.trim()) method.alpha = form.alpha.value.trim();
    if (secrets.length) Object.assign(method, { sensitive: secrets, ...(Number(form.secret_l.value) > 1 ? { l: Number(form.secret_l.value) } : {}) });
    return method;
  };
  const add = $("#add");
  if (add) {
    add.onclick = () => {
      const term = $("#term").value.trim();
      if (term && !secrets.includes(term)) secrets.push(term);
      $("#term").value = "";
      chips($("#secrets"), secrets, () => {});
      $("#term").focus();
    };
    $("#term").addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); add.onclick(); } });
  }
  const settings = () => {
    const roles = JSON.parse(form.dataset.roles), named = (role) => Object.keys(roles).filter((name) => roles[name] === role);
    if (form.dataset.kind === "mixed") return mixed(named);
    const method = { name: "generalization", quasi: named("quasi"), sensitive: named("sensitive"), identifiers: named("identifier"), others: named("other") };
    if (form.dataset.person) {
      method.person = form.dataset.person;
      method.identifiers = method.identifiers.filter((name) => name !== method.person);
    }
    if (Number(form.l.value) > 1) method.l = Number(form.l.value);
    if (form.alpha.value.trim()) method.alpha = form.alpha.value.trim();
    return method;
  };
  JSON.parse(body.dataset.rows).forEach((facts) => body.append(row(facts)));
  $("#try").onclick = trying(async () => {
    await build();
    body.replaceChildren();
    const { job } = await api("POST", `/api/data/${form.dataset.id}/trials`, { method: settings(), ks: [...new Set([5, 10, 20, ...(crowd() >= 2 ? [crowd()] : [])])] });
    await wait($("#trying"), job, "Trying", (facts) => body.append(row(facts)));
  });
  const sentence = $("#sentence");
  const speak = () => { sentence.textContent = crowd() >= 2 ? sentence.dataset.sentence.replace("{k}", crowd()).replace("{others}", crowd() - 1).replace("{m}", form.m?.value) : "Say how large the crowd must be: 2 or more."; };
  const roles = JSON.parse(form.dataset.roles), open = Object.keys(roles).filter((name) => roles[name] === "sensitive"), unprotected = $("#unprotected");
  const warn = () => {
    if (!unprotected) return;
    unprotected.hidden = Number(form.l.value) > 1 || Boolean(form.alpha.value.trim());
    const words = form.dataset.kind === "mixed" ? `Not published: ${open.join(", ")}. With rows of people, what nobody should learn is published only if something is asked for it.`
      : `Nothing is asked for ${open.join(", ")}: a crowd whose rows all have the same value gives it away.`;
    unprotected.textContent = unprotected.hidden ? "" : `${words} Ask for at least 2 different values, or for a share.`;
  };
  form.addEventListener("change", () => { speak(); warn(); });
  form.addEventListener("input", warn);
  warn();
  form.other.addEventListener("input", () => { $("input[name=k][value=other]", form).checked = true; speak(); });
  speak();
  form.addEventListener("input", choice(form.dataset.id, () => ({ ...settings(), k: crowd() })));
  form.onsubmit = trying(async () => {
    await build();
    const method = { ...settings(), k: crowd() };
    location.href = `/jobs/${(await api("POST", `/api/data/${form.dataset.id}/releases`, { method })).job}`;
  });
}
