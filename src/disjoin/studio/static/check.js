import { $, api, chosen, droppable, trying, upload, watch } from "/static/common.js";

const form = $("#require");
async function check(files) {
  const given = new FormData(form), require = {};
  for (const name of ["k", "m", "l", "p"]) if (given.get(name)) require[name] = Number(given.get(name));
  const asked = { upload: await upload(files), require };
  if (given.get("original")) asked.original = given.get("original");
  location.href = `/jobs/${(await api("POST", "/api/check", asked)).job}`;
}
if (form) {
  droppable($(".drop"), check);
  for (const name of ["#zip", "#folder"]) $(name).onchange = trying((event) => check(chosen(event.target)));
}
