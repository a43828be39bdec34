import { $, $$, api, chosen, droppable, follow, say, trying, upload } from "/static/common.js";

let last; // what was dropped or chosen, to be read another way
const reading = $("#reading"), how = () => ({ sheet: $("#sheet").value, encoding: $("#encoding").value });

async function look(asked) {
  say("Looking at it");
  try { location.href = `/data/${(await api("POST", "/api/data", { ...(await asked()), ...how() })).id}`; } catch (error) {
    const wanted = ["sheet", "encoding"].find((name) => error.message.toLowerCase().includes(name));
    if (wanted) [reading.open, last, $("#once-more").hidden] = [true, asked, false];
    $(`#${wanted}`)?.focus();
    throw error;
  }
}

const publish = (files) => look(async () => ({ upload: await upload(files) }));
$("form", reading).onsubmit = trying(async () => { if (last) await look(last); });

async function use(files) {
  const set = await upload(files);
  location.href = `/jobs/${(await api("POST", "/api/check", { upload: set })).job}`;
}

$("#file").onchange = trying((event) => publish(chosen(event.target)));
for (const name of ["#zip", "#folder"]) $(name).onchange = trying((event) => use(chosen(event.target)));
for (const door of $$(".drop")) droppable(door, door.dataset.to === "data" ? publish : use);
const listed = $("#listed");
if (listed) listed.onsubmit = trying(() => look(() => ({ path: Number($("#path").value), ...($("#items").value ? { items: Number($("#items").value) } : {}) })));
for (const button of $$("[data-demo]")) button.onclick = trying(async () => {
  say("Generating data");
  location.href = `/data/${(await api("POST", "/api/data", { demo: button.dataset.demo })).id}`;
});
for (const button of $$("[data-forget]")) button.onclick = trying(async () => {
  const id = button.dataset.forget, too = $(`[data-with="${id}"]`).checked;
  await api("DELETE", `/api/data/${id}${too ? "?releases=too" : ""}`);
  location.reload();
});
for (const button of $$("[data-remove]")) button.onclick = trying(async () => { await api("DELETE", `/api/releases/${button.dataset.remove}`); location.reload(); });
const warming = $("[data-warming]");
if (warming) follow(warming.dataset.warming, {
  progress: ({ done, total }) => { if (total) { warming.value = done / total; $("#ready").textContent = `: ${done} of ${total}`; } },
  end: () => warming.closest("section").remove(),
});
