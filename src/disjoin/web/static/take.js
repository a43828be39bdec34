import { $, api, trying, wait } from "/static/common.js";

const place = $("[data-dossier]"), write = $("#write");
if (write) write.onclick = trying(async () => {
  write.disabled = true;
  try {
    const { job } = await api("POST", place.dataset.dossier, {});
    await wait($("#writing"), job, "Writing the dossier");
    $("#dossier").hidden = false;
    $("#dossier").focus();
  } finally { write.disabled = false; }
});
