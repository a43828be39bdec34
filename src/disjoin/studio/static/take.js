import { $, api, trying, wait } from "/static/common.js";

const deposit = $("#deposit");
deposit.onsubmit = trying(async () => {
  const given = Object.fromEntries(new FormData(deposit));
  given.authors = given.authors.split("\n").map((each) => each.trim()).filter(Boolean);
  const { job } = await api("POST", `/api/releases/${deposit.dataset.id}/deposit`, given), link = $("#deposited");
  await wait($("#depositing-now"), job, "Making the zip");
  link.href = `/api/jobs/${job}/file`;
  link.hidden = false;
  link.focus();
});

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
