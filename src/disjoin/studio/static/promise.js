// Choosing a guarantee, for records, tables and people: what is chosen, settings that are tried meanwhile, hierarchies.
import { $, $$, api, chips, choice, chosen, element, follow, fresh, say, trying, upload, wait } from "/static/common.js";

const form = $("#promise"), { id, kind } = form.dataset, sentences = JSON.parse(form.dataset.sentences), trees = $("#trees-form");
const body = $("#tried tbody"), secrets = [], known = new Map(); // rows by name
const text = (name) => form[name]?.value.trim() ?? "", count = (name) => Number(text(name)), lines = (words) => words.split("\n").map((each) => each.trim()).filter(Boolean);
const crowd = () => count(form.k.value === "other" ? "other" : "k");
const roles = JSON.parse(form.dataset.roles ?? "{}"), named = (role) => Object.keys(roles).filter((name) => roles[name] === role);
const visible = (each) => !each.closest("[data-for][hidden]");

function speak() {
  const k = crowd(), words = sentences[kind] ?? sentences[form.method.value] ?? sentences[form.m.value];
  $("#sentence").textContent = k >= 2 || !/{k}|{others}/.test(words) ? words.replace("{k}", k).replace("{others}", k - 1).replace("{m}", text("m")).replace("{p}", text("p")) : "Enter k: 2 or more.";
  const set = (name) => $(`[data-setting=${name}]`, form)?.value ?? "";
  const now = { k, m: count("m"), clustering: text("clustering"), suppress: set("suppress"), l: count("l"), alpha: text("alpha"), t: set("t") };
  for (const each of $$("[name=setting]", body)) each.checked = Object.entries(JSON.parse(each.value)).every(([name, value]) => value === now[name]);
}

function row(facts) {
  const pick = element("input", { type: "radio", name: "setting", value: JSON.stringify(facts.settings), disabled: Boolean(facts.failure) });
  const name = element("th", { scope: "row" }, element("label", {}, pick, ` ${facts.name}`), ...(facts.recommended ? [" ", element("strong", { text: "advised" })] : []));
  const cells = facts.failure ? [element("td", { colspan: 4, text: facts.failure })] : facts.cells.map((text) => element("td", { text }));
  return element("tr", { class: facts.recommended ? "advised" : facts.part ? "part" : "" }, name, ...cells);
}

function put(facts) {
  const made = row(facts);
  if (known.has(facts.name)) known.get(facts.name).replaceWith(made); else body.append(made);
  known.set(facts.name, made);
  speak();
}

body.addEventListener("change", ({ target }) => { // a setting is taken
  const { k, m, ...others } = JSON.parse(target.value);
  for (const [name, value] of [["k", k], ["m", m]].filter(([, value]) => value)) {
    const radio = $(`input[name=${name}][value="${value}"]`, form);
    if (!radio) form.other.value = value;
    (radio ?? $("input[name=k][value=other]", form)).checked = true;
  }
  for (const [name, value] of Object.entries(others)) (form[name] ?? $(`[data-setting=${name}]`, form)).value = value;
});

async function build() {
  const columns = {};
  for (const field of $$("fieldset", trees)) {
    const way = $("input[type=radio]:checked", field).value;
    if (["mask", "flat", "dates"].includes(way)) columns[field.dataset.column] = { [way]: true };
    if (way === "bands") columns[field.dataset.column] = { bands: $("input[name^=bands]", field).value.split(";").map((level) => level.split(",").map((each) => each.trim())) };
    if (way === "intervals") columns[field.dataset.column] = { intervals: $("input[name^=widths]", field).value.split(",").map((each) => Number(each.trim())) };
  }
  const { job } = await api("POST", `/api/data/${id}/hierarchies`, { columns });
  await wait($("#building"), job, "Building");
}

if (trees) trees.onsubmit = trying(async () => { // previews; what was chosen meanwhile stays
  await build();
  const page = await fresh();
  $("#ways").replaceChildren(...$("#ways", page).childNodes);
  for (const field of $$("fieldset", trees)) {
    $(".preview", field)?.remove();
    const built = $(".preview", $$("fieldset", $("#trees-form", page)).find((each) => each.dataset.column === field.dataset.column));
    if (built) field.append(built);
  }
});

async function survey() {
  if (trees) await build();
  body.replaceChildren();
  known.clear();
  for (const place of $$("#advice, #chart")) place.replaceChildren();
  const k = crowd(), ks = [...new Set([5, 10, 20, ...(k >= 2 ? [k] : [])])];
  const asked = { ms: [count("m")], ks, ...(secrets.length ? { sensitive: secrets, ...(count("l") > 1 ? { l: count("l") } : {}) } : {}) };
  listen((await api("POST", `/api/data/${id}/${trees ? "trials" : "survey"}`, trees ? { method: settings(), ks } : asked)).job);
}

const show = async (...places) => { const page = await fresh(); for (const place of places) $(place).replaceChildren(...$(place, page).childNodes); return page; };

function listen(job) {
  const stop = $("#stop"), told = $("#trying");
  stop.hidden = false;
  stop.onclick = trying(() => api("DELETE", `/api/jobs/${job}`));
  say("Waiting for its turn", false, {}, told);
  follow(job, {
    progress: ({ stage, done, total }) => { told.textContent = total > 1 ? `${stage}: ${done} of ${total}` : stage; },
    tried: put,
    drawn: () => show("#chart"),
    end: async (state) => {
      stop.hidden = true;
      if (state.state !== "done") return say(state.error?.detail ?? "Stopped.", Boolean(state.error), { job, remedies: state.error?.remedies }, told);
      const page = await show("#trying", "#chart", "#advice", ...($("#meanings") ? ["#meanings"] : []));
      body.replaceChildren();
      known.clear();
      JSON.parse($("#tried tbody", page).dataset.rows).forEach(put);
    },
  });
}

function protectedColumns(method, name) { // what is asked for columns that nobody should learn
  if (count("l") > 1) method[name] = count("l");
  if (text("alpha")) method.alpha = text("alpha");
}

const METHODS = {
  generalization: (method) => {
    Object.assign(method, { quasi: named("quasi"), sensitive: named("sensitive"), others: named("other"), identifiers: named("identifier").filter((name) => name !== form.dataset.person) });
    if (form.dataset.person) method.person = form.dataset.person;
    protectedColumns(method, "l");
  },
  mixed: (method) => {
    Object.assign(method, { m: count("m"), quasi: named("quasi"), link: form.link.value });
    if (named("sensitive").length && (count("l") > 1 || text("alpha"))) protectedColumns(Object.assign(method, { sensitive_columns: named("sensitive") }), "column_l");
    if (secrets.length) Object.assign(method, { sensitive: secrets, ...(count("secret_l") > 1 ? { l: count("secret_l") } : {}) });
  },
  cahd: (method) => Object.assign(method, { p: count("p"), sensitive: secrets }),
  diffpart: (method) => Object.assign(method, { epsilon: text("epsilon"), domain: lines(form.domain.value) }),
  apriori: (method) => Object.assign(method, { m: count("m"), fan_out: count("fan_out") }),
  disassociation: (method) => {
    Object.assign(method, { m: count("m"), clustering: form.clustering.value });
    if (text("max_cluster_size")) method.max_cluster_size = count("max_cluster_size");
    if (secrets.length) Object.assign(method, { sensitive: secrets, ...(count("l") > 1 ? { l: count("l") } : {}) });
  },
};

function settings() {
  const name = { table: "generalization", mixed: "mixed" }[kind] ?? form.method.value, method = { name };
  if (!["cahd", "diffpart"].includes(name)) method.k = crowd();
  METHODS[name](method);
  for (const each of $$("[data-setting]", form).filter(visible)) {
    const { setting } = each.dataset, { type, value } = each;
    if (type === "checkbox") { if (each.checked !== each.defaultChecked) method[setting] = each.checked; }
    else if (type === "select-one") { if (!each.selectedOptions[0].defaultSelected) method[setting] = value; }
    else if (value.trim()) method[setting] = type === "number" ? Number(value) : type === "textarea" ? lines(value) : value.trim();
  }
  return method;
}

const unprotected = $("#unprotected");
function warn() {
  for (const each of $$("[data-for]", form)) each.hidden = !each.dataset.for.split(" ").includes(form.method.value);
  if (!unprotected) return;
  unprotected.hidden = count("l") > 1 || Boolean(text("alpha"));
  const words = kind === "mixed" ? `Not published: ${named("sensitive").join(", ")}. With rows of people, a sensitive column is published only with a limit.`
    : `No limit is set for ${named("sensitive").join(", ")}: a class whose rows all have the same value reveals it.`;
  unprotected.textContent = unprotected.hidden ? "" : `${words} Require at least 2 different values, or set a largest share.`;
}

const add = $("#add");
if (add) {
  add.onclick = () => {
    const term = $("#term").value.trim();
    if (term && !secrets.includes(term)) secrets.push(term);
    $("#term").value = "";
    chips($("#secrets"), secrets, command);
    command();
    $("#term").focus();
  };
  $("#term").addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); add.onclick(); } });
}
for (const place of $$("[data-file]", form)) { // a file next to the original: a population, categories
  const what = place.dataset.file, sent = async (set) => {
    await api("POST", `/api/data/${id}/files`, { as: what, ...(set ? { upload: set } : {}) });
    $("span", place).replaceChildren(...$(`[data-file=${what}] span`, await fresh()).childNodes);
    command();
  };
  $("input", place).onchange = trying(async ({ target }) => { await sent(await upload(chosen(target))); target.value = ""; });
  place.addEventListener("click", ({ target }) => { if (target.matches("button")) trying(() => sent(""))(); });
}
const command = choice(id, settings), changed = () => { speak(); warn(); command(); };
form.addEventListener("change", changed);
form.addEventListener("input", ({ target }) => {
  if (target === form.other) $("input[name=k][value=other]", form).checked = true;
  changed();
});
$("#try").onclick = trying(survey);
form.onsubmit = trying(async () => {
  const button = $("button.main", form), words = button.textContent;
  [button.disabled, button.textContent] = [true, "Getting ready"];
  try {
    if (trees) await build();
    location.href = `/jobs/${(await api("POST", `/api/data/${id}/releases`, { method: settings() })).job}`;
  } finally { [button.disabled, button.textContent] = [false, words]; }
});
changed();
JSON.parse(body.dataset.rows).forEach(put);
if (["queued", "running"].includes(body.dataset.state)) listen(body.dataset.job);
else if (!body.dataset.job && !trees) trying(survey)();
