import { $, api, element, number } from "/static/common.js";

const form = $("#find");
if (form) form.onsubmit = async (event) => {
  event.preventDefault();
  const term = $("#term").value.trim();
  if (!term) return location.reload();
  const found = await api("POST", `/api/releases/${form.dataset.id}/parts`, { find: term });
  $("#found").textContent = `${number(found.number)} have it.`;
  $("#parts").replaceChildren(...found.parts.map((each) => element("li", {}, element("a", { href: `/releases/${form.dataset.id}/parts/${each.number}`, text: each.name ?? `${form.dataset.part} ${each.number}` }), ...(each.size === undefined ? [] : [" ", element("span", { class: "small", text: `${number(each.size)} records${each.joint ? ", joint" : ""}` })]))));
};
