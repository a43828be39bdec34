import { $, $$, api, element, number, percent, table, trying } from "/static/common.js";

const form = $("#attack");
let turns = 0; // an answer to an earlier question is not shown

form.addEventListener("change", trying(async () => {
  const known = Object.fromEntries($$("select", form).filter((each) => each.value).map((each) => [each.dataset.column, each.value]));
  const turn = ++turns;
  $("#answers").hidden = !Object.keys(known).length;
  if (!Object.keys(known).length) return;
  const found = await api("POST", `/api/releases/${form.dataset.id}/rows`, { known });
  if (turn !== turns) return;
  const kept = !found.rows || found.rows >= found.k;
  const words = !found.rows ? "Nobody in the release has all of them." : kept ? `At least ${number(found.k)} rows: the promise is kept.` : "The promise is broken.";
  const parts = [element("p", { class: "big", text: `${number(found.rows)} of ${number(found.of)} rows have this.` }), element("p", { class: kept ? "kept" : "broken", text: words })];
  for (const [name, values] of Object.entries(found.sensitive)) {
    if (values.length) parts.push(element("h3", { text: name }), table(`Values of ${name}`, ["value", "rows", "share"], values.map(([value, rows, share]) => [value, number(rows), percent(share)])));
    if (values.length && values[0][2] === 1) parts.push(element("p", { class: "beyond", text: "All of them have the same value: that is known of your person, too." }));
  }
  $("#release").replaceChildren(...parts);
}));
