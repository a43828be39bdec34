import { $, watch } from "/static/common.js";

const box = $(".progress[data-job]");
if (box) watch(box, box.dataset.job, (state) => { if (state.result) location.replace(state.result); else location.reload(); });
