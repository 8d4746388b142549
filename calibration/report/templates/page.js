"use strict";

function keyOf(row, column) {
  const cell = row.cells[column];
  return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent;
}

function compare(a, b) {
  const bothNumbers = typeof a === "number" && typeof b === "number";
  if (bothNumbers) return a - b;
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return a.localeCompare(b);
}

function sortBy(table, column) {
  const heads = [...table.tHead.rows[0].cells];
  const down = heads[column].getAttribute("aria-sort") === "ascending";
  heads.forEach((head) => head.removeAttribute("aria-sort"));
  heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
  const sign = down ? -1 : 1;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  rows.sort((a, b) => sign * compare(keyOf(a, column), keyOf(b, column)));
  body.append(...rows);
}

for (const table of document.querySelectorAll("table.sorts")) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => sortBy(table, column));
  });
}

const MOST_PRINTED_ROWS = 80;
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open])")].filter(
    (details) => details.querySelectorAll("tr").length <= MOST_PRINTED_ROWS);
  closed.forEach((details) => (details.open = true));
});
addEventListener("afterprint", () => closed.forEach((details) => (details.open = false)));
