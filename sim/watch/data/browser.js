// The choices beside the film: asks the server for a throw, shows it and the tally.
import { load } from "viewer";

const element = (id) => document.getElementById(id);
let index = null, asked = 0;

async function ask(move) {
  const turn = ++asked;
  element("scene").scrollIntoView();
  const question = new URLSearchParams(new FormData(element("choices")));
  question.set("move", move);
  if (index !== null) question.set("index", index);
  const answer = await fetch(`throw?${question}`)
    .then((response) => response.json())
    .catch(() => ({ problem: "no answer: pigs watch has ended, start it again" }));
  if (turn !== asked) return; // something else was asked for in the meantime
  element("problem").textContent = answer.problem ?? "";
  if (answer.problem) return;
  index = element("number").value = answer.index;
  load(answer.film, () => {
    element("tally").replaceChildren(...answer.tally.map(row));
    element("points").textContent = answer.points;
  });
}

function row(cells) {
  const line = document.createElement("tr");
  for (const text of cells) {
    line.append(Object.assign(document.createElement("td"), { textContent: text }));
  }
  return line;
}

element("throw").addEventListener("click", () => ask("after"));
element("before").addEventListener("click", () => ask("before"));
element("again").addEventListener("click", () => ask("at"));
element("choices").addEventListener("change", () => { index = null; ask("at"); });
element("choices").addEventListener("submit", (event) => event.preventDefault());
element("number").addEventListener("change", (event) => {
  index = Number(event.target.value);
  ask("at");
});
ask("at");
