import { $, $$, api, chosen, droppable, follow, say, trying, upload } from "/static/common.js";

async function publish(files) {
  const set = await upload(files);
  say("Looking at it");
  const { id } = await api("POST", "/api/data", { upload: set, sheet: $("#sheet").value, encoding: $("#encoding").value });
  location.href = `/data/${id}`;
}

async function use(files) {
  const set = await upload(files);
  location.href = `/jobs/${(await api("POST", "/api/check", { upload: set })).job}`;
}

$("#file").onchange = trying((event) => publish(chosen(event.target)));
for (const name of ["#zip", "#folder"]) $(name).onchange = trying((event) => use(chosen(event.target)));
for (const door of $$(".drop")) droppable(door, door.dataset.to === "data" ? publish : use);
const listed = $("#listed");
if (listed) listed.onsubmit = trying(async () => {
  say("Looking at it");
  location.href = `/data/${(await api("POST", "/api/data", { path: Number($("#path").value), ...($("#items").value ? { items: Number($("#items").value) } : {}), sheet: $("#sheet").value, encoding: $("#encoding").value })).id}`;
});
for (const button of $$("[data-demo]")) button.onclick = trying(async () => {
  say("Making it up");
  location.href = `/data/${(await api("POST", "/api/data", { demo: button.dataset.demo })).id}`;
});
for (const button of $$("[data-forget]")) button.onclick = trying(async () => {
  const id = button.dataset.forget, too = $(`[data-with="${id}"]`).checked;
  await api("DELETE", `/api/data/${id}${too ? "?releases=too" : ""}`);
  location.reload();
});
const warming = $("[data-warming]");
if (warming) follow(warming.dataset.warming, {
  progress: ({ done, total }) => { if (total) warming.value = done / total; },
  end: () => warming.closest("section").remove(),
});
