"use strict";
// Earlier positions, and how a finished game went; what play.js defines is used here.
const asPercent = (chance) => `${Math.round(100 * chance)}%`;
let judged = {}; // what search thinks of the moves, by their numbers

// ---------------------------------------------------------------- earlier positions

async function look(move) {
  if (busy) return;
  if (move >= lastMove()) return backToNow();
  await reach(async () => {
    const [status, frame] = await call(`${api}/look?move=${move}`);
    if (status !== 200) return say(frame.error);
    closeQuestion();
    looked = move;
    drawFrame(frame);
    document.body.classList.add("looks");
    byId("looking").hidden = false;
    byId("looked").textContent = aboutMove(move);
    mark(move);
  });
}

const lastMove = () => position.frames.at(-1).move;

function aboutMove(move) {
  const line = position.log.find((one) => one.move === move);
  const told = line ? `Move ${move}, ${inWords(line)}` : move ? `After move ${move}` : "The deal";
  const one = judged[move];
  if (!one) return told;
  const better = one.best_chance > one.chance ? `; search: ${one.best}, ${asPercent(one.best_chance)}` : "";
  return `${told}. Chance to win ${asPercent(one.chance)}${better}.`;
}

function drawFrame(frame) {
  unmark("reach", "open", "target", "mover");
  drawParts(frame);
  shown = frame;
  showSeats(frame);
}

function lookBy(by) {
  const moves = [0, ...position.log.map((line) => line.move)];
  const at = looked === null ? moves.length - 1 : moves.indexOf(looked);
  look(moves[Math.max(0, at + by)] ?? lastMove());
}

function leaveLooking() {
  looked = null;
  document.body.classList.remove("looks");
  byId("looking").hidden = true;
  mark(null);
}

function backToNow() {
  if (looked === null) return;
  leaveLooking();
  drawFrame(position.frames.at(-1));
  showHand();
}

// Where the move is in the list and in the charts.
function mark(move) {
  for (const node of document.querySelectorAll("#log [aria-current]")) node.removeAttribute("aria-current");
  const node = document.querySelector(`#log [data-move="${move}"]`);
  node?.setAttribute("aria-current", "step");
  node?.scrollIntoView({ block: "nearest" });
  for (const cursor of document.querySelectorAll("[data-cursor]")) {
    const across = Number(cursor.closest("[data-chart]").dataset.across);
    cursor.setAttribute("transform", `translate(${(move ?? lastMove()) * across} 0)`);
  }
}

byId("earlier").addEventListener("click", () => lookBy(-1));
byId("later").addEventListener("click", () => lookBy(1));
byId("now").addEventListener("click", backToNow);

// ---------------------------------------------------------------- after the end

function showEnd() {
  byId("review").hidden = !position.over;
  if (!position.over) return;
  byId("standings").tBodies[0].replaceChildren(...position.standings.map(({ place, name, points, wins }) =>
    make("tr", wins ? "wins" : "", make("td", "", place === null ? "" : `${place}.`), make("td", "", name), make("td", "", points === null ? (wins ? "wins" : "") : `${points}`))));
  if (byId("review").dataset.version === `${position.version}`) return;
  byId("review").dataset.version = position.version;
  judged = {};
  reach(showScores).then(() => reach(() => review(position.version)));
}

function drawChart(figure, text) {
  const drawn = new DOMParser().parseFromString(text, "image/svg+xml");
  byId(figure).querySelector(".chart").replaceChildren(document.importNode(drawn.documentElement, true));
  mark(looked);
}

async function showScores() {
  const text = await (await fetch(`${api}/scores.svg`)).text();
  byId("scores").hidden = !text;
  if (text) drawChart("scores", text);
}

// The server thinks for a moment at a time.
async function review(version) {
  for (let left = 1; left && position.version === version;) {
    const [status, answer] = await call(`${api}/review`);
    if (status !== 200) {
      byId("progress").textContent = answer.error;
      return;
    }
    left = answer.left;
    judged = Object.fromEntries(answer.moves.map((one) => [one.move, one]));
    drawChart("chances", answer.chart);
    showMistakes(answer);
  }
}

function showMistakes({ left, total, moves }) {
  const own = moves.filter((one) => one.seat === position.seat && one.mistake);
  const found = position.seat === null ? "" : own.length ? ` Your mistakes, ${own.length}, have a cross.` : " No mistake of yours was found.";
  byId("progress").textContent = `Chances to win, as search sees them.${found}${left ? ` Looked at ${total - left} of ${total} moves ...` : " Click a move to see it."}`;
  for (const one of own) {
    const node = document.querySelector(`#log [data-move="${one.move}"]`);
    if (!node || node.classList.contains("mistake")) continue;
    node.classList.add("mistake");
    node.append(make("small", "best", `search: ${one.best}, ${asPercent(one.best_chance)} instead of ${asPercent(one.chance)}`));
  }
}

byId("review").addEventListener("click", (event) => {
  const svg = event.target.closest("[data-chart]");
  if (!svg) return;
  const box = svg.getBoundingClientRect();
  const x = ((event.clientX - box.left) * svg.viewBox.baseVal.width) / box.width;
  const move = Math.round((x - Number(svg.dataset.left)) / Number(svg.dataset.across));
  look(Math.max(0, Math.min(lastMove(), move)));
});
