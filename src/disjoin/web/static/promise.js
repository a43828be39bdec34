import { $, $$, api, chips, choice, element, follow, fresh, percent, trying } from "/static/common.js";

const form = $("#promise"), id = form.dataset.id, sentences = JSON.parse(form.dataset.sentences);
const body = $("#tried tbody"), secrets = [];
const numbers = () => {
  const k = form.k.value === "other" ? Number(form.other.value) : Number(form.k.value);
  return { k, m: Number(form.m.value) };
};

function speak() {
  const { k, m } = numbers(), other = sentences[form.method.value];
  $("#sentence").textContent = other ? other.replace("{p}", form.p.value) : k >= 2 ? sentences[m].replace("{k}", k) : "Say how large the crowd must be: 2 or more.";
}

function row(facts) {
  const choose = element("button", { type: "button", class: "quiet", text: "Take it", "aria-label": `Take ${facts.clustering}, ${facts.k}, ${facts.m}` });
  choose.onclick = () => take(facts);
  const cells = facts.failure
    ? [element("td", { colspan: 4, text: facts.failure })]
    : [percent(facts.pair_mass), facts.weighted_pair_error.toFixed(2), percent(facts.exposed), percent(facts.singled_out)].map((text) => element("td", { text }));
  const name = element("th", { scope: "row", text: `${facts.clustering}, k = ${facts.k}, m = ${facts.m}` });
  const last = element("td", {}, ...(facts.failure ? [] : [choose]));
  if (facts.recommended) last.prepend(element("strong", { text: "advised " }));
  return element("tr", { class: facts.recommended ? "advised" : facts.part ? "part" : "" }, name, ...cells, last);
}

function take({ clustering, k, m }) {
  form.clustering.value = clustering;
  for (const [name, value] of [["k", k], ["m", m]]) {
    const radio = $$(`input[name=${name}]`, form).find((each) => each.value === String(value));
    if (radio) radio.checked = true;
    else { $("input[name=k][value=other]", form).checked = true; form.other.value = value; }
  }
  speak();
  command();
  $("#sentence").scrollIntoView({ block: "center" });
}

async function survey() {
  body.replaceChildren();
  $("#advice").replaceChildren();
  $("#chart").replaceChildren();
  const { k, m } = numbers();
  const asked = { ms: [m], ...(k >= 2 && ![5, 10, 20].includes(k) ? { ks: [5, 10, 20, k] } : {}) };
  if (secrets.length) Object.assign(asked, { sensitive: secrets, ...(Number($("#l").value) > 1 ? { l: Number($("#l").value) } : {}) });
  listen((await api("POST", `/api/data/${id}/survey`, asked)).job);
}

function listen(job) {
  const stop = $("#stop");
  stop.hidden = false;
  stop.onclick = trying(() => api("DELETE", `/api/jobs/${job}`));
  $("#trying").textContent = "Waiting for its turn";
  const rows = new Map();
  follow(job, {
    progress: ({ stage, done, total }) => { $("#trying").textContent = total > 1 ? `${stage}: ${done} of ${total}` : stage; },
    tried: (facts) => {
      const made = row(facts), name = `${facts.clustering} ${facts.k} ${facts.m}`;
      if (rows.has(name)) rows.get(name).replaceWith(made); else body.append(made);
      rows.set(name, made);
    },
    end: (state) => {
      stop.hidden = true;
      if (state.state === "done") show();
      else $("#trying").textContent = state.error ? state.error.detail : "Stopped.";
    },
  });
}

async function show() { // what was found; what was chosen meanwhile stays
  const page = await fresh();
  for (const place of ["#trying", "#chart", "#advice", "#meanings"]) $(place).replaceChildren(...$(place, page).childNodes);
  body.replaceChildren(...JSON.parse($("#tried tbody", page).dataset.rows).map(row));
}

const fit = () => { for (const each of $$("[data-for]", form)) each.hidden = !each.dataset.for.split(" ").includes(form.method.value); };
form.addEventListener("change", () => { speak(); fit(); });
form.p.addEventListener("input", speak);
form.other.addEventListener("input", () => { $("input[name=k][value=other]", form).checked = true; speak(); });
$("#try").onclick = trying(survey);
const add = () => {
  const term = $("#term").value.trim();
  if (term && !secrets.includes(term)) secrets.push(term);
  $("#term").value = "";
  chips($("#secrets"), secrets, command);
  command();
  $("#term").focus();
};
$("#add").onclick = add;
$("#term").addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); add(); } });
function settings() {
  const { k, m } = numbers(), name = form.method.value, l = Number($("#l").value);
  const method = { name };
  if (name === "cahd") Object.assign(method, { p: Number(form.p.value), sensitive: secrets });
  else if (name === "diffpart") Object.assign(method, { epsilon: form.epsilon.value.trim(), domain: form.domain.value.split("\n").map((each) => each.trim()).filter(Boolean) });
  else Object.assign(method, { k, m });
  if (name === "apriori") method.fan_out = Number(form.fan_out.value);
  if (name === "disassociation") {
    method.clustering = form.clustering.value;
    if (form.max_cluster_size.value) method.max_cluster_size = Number(form.max_cluster_size.value);
    if (secrets.length) Object.assign(method, { sensitive: secrets, ...(l > 1 ? { l } : {}) });
  }
  return method;
}
form.onsubmit = trying(async () => { location.href = `/jobs/${(await api("POST", `/api/data/${id}/releases`, { method: settings() })).job}`; });
const command = choice(id, settings);
form.addEventListener("input", command);
speak();
fit();
JSON.parse(body.dataset.rows).forEach((facts) => body.append(row(facts)));
if (["queued", "running"].includes(body.dataset.state)) { body.replaceChildren(); listen(body.dataset.job); }
else if (!body.dataset.job) trying(survey)();
