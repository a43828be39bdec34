// What all pages share: asking the server, following a job, saying things.
export const $ = (selector, within = document) => within.querySelector(selector);
export const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

export async function api(method, address, facts) {
  const options = { method, headers: {} };
  if (method !== "GET") options.headers["Content-Type"] = "application/json";
  if (facts !== undefined) options.body = JSON.stringify(facts);
  const answer = await fetch(address, options);
  const text = await answer.text();
  let found = {};
  try { found = text ? JSON.parse(text) : {}; } catch { found = { detail: text }; }
  if (!answer.ok) throw new Error(found.detail || "The studio did not answer.");
  return found;
}

export function say(words, bad = false, { remedies = [], job } = {}, place = $("#said")) {
  if (!place) return;
  place.replaceChildren(words, ...remedies.flatMap(({ say }, way) => [" ", element("button", { type: "button", class: "quiet", "data-again": job, "data-way": `${way}`, text: say })]));
  place.classList.toggle("bad", bad);
  if (bad) place.scrollIntoView({ block: "nearest" });
}

export const trying = (work) => async (event) => {
  event?.preventDefault?.();
  say("");
  try { await work(event); } catch (error) { say(error.message, true, error); }
};

export function element(name, facts = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(facts)) {
    if (key === "text") made.textContent = value;
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

// Follow a job by its event stream; after three failures in a row by asking now and then.
export function follow(job, { progress = () => {}, tried = () => {}, drawn = () => {}, end = () => {} }) {
  let failures = 0;
  const source = new EventSource(`/api/jobs/${job}/events`);
  const heard = (told) => (event) => { failures = 0; told(JSON.parse(event.data)); };
  source.addEventListener("progress", heard(progress));
  source.addEventListener("tried", heard(tried));
  source.addEventListener("drawn", heard(drawn));
  source.addEventListener("end", (event) => { source.close(); end(JSON.parse(event.data)); });
  source.onerror = () => {
    failures += 1;
    if (failures < 3 && source.readyState !== EventSource.CLOSED) return;
    source.close();
    const ask = async () => {
      try {
        const state = await api("GET", `/api/jobs/${job}`);
        if (!["queued", "running"].includes(state.state)) return end(state);
      } catch { /* the server is away; it may come back */ }
      setTimeout(ask, 1000);
    };
    setTimeout(ask, 1000);
  };
  return source;
}

// A bar with words: stages are spoken as they change, percentages now and then.
export function watch(box, job, end) {
  const words = $(".stage", box), bar = $("progress", box), since = Date.now(), elapsed = $(".elapsed", box);
  let spoken = "", at = 0;
  const clock = setInterval(() => { if (elapsed) elapsed.textContent = `${Math.round((Date.now() - since) / 1000)} s`; }, 1000);
  follow(job, {
    progress: ({ stage, done, total }) => {
      const share = total ? done / total : null;
      if (share === null) bar.removeAttribute("value"); else bar.value = share;
      if (stage !== spoken || Date.now() - at > 10000) {
        words.textContent = stage + (share && share < 1 ? `, ${Math.round(100 * share)}%` : "");
        [spoken, at] = [stage, Date.now()];
      }
    },
    end: (state) => { clearInterval(clock); end(state); },
  });
  const stop = $("[data-stop]", box);
  if (stop) stop.onclick = trying(async () => { stop.disabled = true; await api("DELETE", `/api/jobs/${job}`); });
}

// A box with a bar for a job that was just started on this page; resolves with its result.
export async function wait(place, job, words = "Waiting for its turn") {
  const box = element("div", { class: "progress" }, element("p", { class: "stage", text: words }),
    element("progress", { max: 1, "aria-label": "How far it is" }), element("p", {}, element("button", { type: "button", class: "quiet", "data-stop": job, text: "Stop" })));
  place.replaceChildren(box);
  const state = await new Promise((resolve) => watch(box, job, resolve));
  place.replaceChildren();
  if (state.state !== "done") throw Object.assign(new Error(state.error ? state.error.detail : "It was stopped."), { job, remedies: state.error?.remedies });
  return api("GET", `/api/jobs/${job}/result`);
}

// Upload files, with a bar; resolves with the name of the set.
export async function upload(files, told = say) {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const set = [...bytes].map((each) => each.toString(16).padStart(2, "0")).join("");
  for (const [number, { file, name }] of files.entries()) {
    told(files.length > 1 ? `Copying file ${number + 1} of ${files.length}` : "Copying the file");
    const headers = { "Content-Type": "application/octet-stream", "X-Name": encodeURIComponent(name) };
    const answer = await fetch(`/api/uploads/${set}/${number}`, { method: "PUT", headers, body: file });
    if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).detail || "The file could not be copied.");
  }
  told("");
  return set;
}

// The same page as the server has it now; what somebody has filled in here stays.
export const fresh = async (query = "") => new DOMParser().parseFromString(await (await fetch(location.pathname + query)).text(), "text/html");

export const chosen = (input) => [...input.files].map((file) => ({ file, name: file.webkitRelativePath || file.name }));

async function filesIn(entry, path = "") {
  if (entry.isFile) return [{ file: await new Promise((good, bad) => entry.file(good, bad)), name: path + entry.name }];
  const reader = entry.createReader(), found = [];
  for (;;) {
    const some = await new Promise((good, bad) => reader.readEntries(good, bad));
    if (!some.length) return found;
    for (const each of some) found.push(...await filesIn(each, `${path}${entry.name}/`));
    if (found.length > 300) throw new Error("This folder has too many files to be a release.");
  }
}

export function droppable(place, take) {
  place.addEventListener("dragover", (event) => { event.preventDefault(); place.classList.add("over"); });
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", trying(async (event) => {
    place.classList.remove("over");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const files = (await Promise.all(entries.map((entry) => filesIn(entry)))).flat();
    if (files.length) await take(files);
  }));
}

export function chips(list, terms, changed) {
  list.replaceChildren(...terms.map((term, place) => {
    const remove = element("button", { type: "button", "aria-label": `Remove ${term}`, text: "×" });
    remove.onclick = () => { terms.splice(place, 1); chips(list, terms, changed); changed(); };
    return element("li", {}, element("bdi", { text: term }), remove);
  }));
}

// What publishing would be now, as a command and as plan.toml; asked for only while it is looked at.
export function choice(id, method) {
  const box = $(".command details"), link = $("#plan");
  const show = async () => {
    if (!box.open) return;
    const { plan, command } = await api("POST", `/api/data/${id}/plan`, { method: method() }).catch((error) => ({ command: error.message }));
    $("#choice").textContent = command;
    link.hidden = !plan;
    link.href = `data:application/toml;charset=utf-8,${encodeURIComponent(plan)}`;
  };
  box.addEventListener("toggle", show);
  return show;
}

export const number = (value) => value.toLocaleString("en");
export const percent = (share) => share == null ? "" : `${(100 * share).toFixed(1)}%`;

export function table(caption, head, rows) {
  return element("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": caption }, element("table", { class: "rows" }, element("caption", { class: "hidden", text: caption }),
    element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col", text })))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((cell) => cell instanceof Node ? element("td", {}, cell) : element("td", { text: cell })))))));
}

// Run a job once more, with an answer to what it complained of; where its result is shown, the page is loaded again.
document.addEventListener("click", (event) => {
  const again = event.target.closest?.("[data-again]");
  if (again) trying(async () => {
    const { way } = again.dataset, asked = { again: "knowing" in again.dataset, ...(way ? { way: Number(way) } : {}) };
    const { job } = await api("POST", `/api/jobs/${again.dataset.again}/again`, asked);
    if (location.pathname.startsWith("/jobs/")) location.href = `/jobs/${job}`;
    else { await new Promise((end) => follow(job, { end })); location.reload(); }
  })(event);
});

// From page to page the focus goes to the heading, so that what is read or reached next is what is new.
const arrived = window.navigation?.activation;
if (arrived?.from && ["push", "replace"].includes(arrived.navigationType)) {
  const heading = $("h1");
  heading.tabIndex = -1;
  if (document.activeElement === document.body) heading.focus({ preventScroll: true });
}
