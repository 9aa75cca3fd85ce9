"use strict";
const byId = (id) => document.getElementById(id);
const api = `/api${location.pathname}`; // the page of a game is /games/<name>
const SVG = "http://www.w3.org/2000/svg";
let position = null; // as the server told it last
let shown = null; // the frame that is on the screen
let advice = null; // a hint for this position
let busy = true; // while something is asked or animated
let resting = null; // the button that had the focus when the asking began

// ---------------------------------------------------------------- small helpers

function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const colourOf = (card) => position.colours[Math.floor(card / position.values)];
const valueOf = (card) => (card % position.values) + 1;
const cardText = (card) => `${colourOf(card).name} ${valueOf(card)}`;
const signed = (number) => (number > 0 ? `+${number}` : `${number}`);
const optionsFor = (card) => position.legal.filter((move) => move.card === card);
const own = () => shown.riders[position.seat];

function paint(node, colour) {
  node.style.background = colour.tint;
  node.style.color = colour.ink;
}

async function call(path, body) {
  const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(path, body === undefined ? {} : request);
  return [response.status, await response.json()];
}

function setBusy(value) {
  busy = value;
  if (value && document.activeElement.closest("nav")) resting = document.activeElement; // disabling it takes its focus
  byId("table").setAttribute("aria-busy", value);
  for (const id of ["hint", "undo", "new"]) byId(id).disabled = value;
  if (!value) {
    byId("hint").disabled = position.over;
    byId("undo").disabled = !position.log.some((line) => line.seat === position.seat);
    resting?.focus();
    resting = null;
  }
}

function say(text) {
  byId("message").textContent = text;
  byId("message").hidden = !text;
}

// ---------------------------------------------------------------- the board

function drawDragons(frame) {
  const svg = byId("board").firstElementChild;
  frame.dragons.forEach((dragon, number) => {
    let node = svg.querySelector(`[data-dragon="${number}"]`);
    if (!node) {
      node = document.createElementNS(SVG, "g");
      node.dataset.dragon = number;
      svg.append(node);
    }
    node.classList.toggle("moved", Boolean(shown) && shown.dragons[number].space !== dragon.space);
    node.dataset.space = dragon.space;
    node.style.transform = `translate(${dragon.x}px, ${dragon.y}px) scale(${dragon.scale})`;
    if (node.dataset.rider !== String(dragon.rider) || !node.firstChild) node.innerHTML = dragon.inner;
    node.dataset.rider = dragon.rider;
  });
  const words = frame.dragons.map(({ space, rider }, number) => {
    const ridden = rider === null ? "" : `, ridden by ${frame.riders[rider].name}`;
    return `${position.colours[number].name} on space ${space}, value ${position.board[space][0]}${ridden}`;
  });
  byId("board").setAttribute("aria-label", `The mountain, ${position.board.length} spaces. ${words.join("; ")}.`);
}

// Where every legal play would lead.
function outline() {
  for (const node of document.querySelectorAll(".reach")) node.classList.remove("reach");
  const spaces = position.legal.filter((move) => move.to !== null && !busy).map((move) => move.to);
  for (const space of spaces) document.querySelector(`[data-part="space-${space}"]`).classList.add("reach");
}

function point(move) {
  for (const node of document.querySelectorAll(".target, .mover")) node.classList.remove("target", "mover");
  if (!move || move.to === null) return;
  document.querySelector(`[data-part="space-${move.to}"]`).classList.add("target");
  document.querySelector(`[data-dragon="${Math.floor(move.card / position.values)}"]`).classList.add("mover");
}

// ---------------------------------------------------------------- riders, moves, status

function showRiders(frame) {
  const nodes = frame.riders.map((rider, seat) => {
    const acts = frame.turn === seat && frame.phase !== "over";
    const node = make("article", `rider${acts ? " acts" : ""}${rider.wins ? " wins" : ""}`);
    const score = make("span", "score", rider.gained ? make("small", "", signed(rider.gained)) : "", `${rider.score}`);
    const chip = make("span", "chip", `${colourOf(rider.top).code} ${colourOf(rider.top).name}`);
    chip.style.borderLeftColor = colourOf(rider.top).tint; // the letters stay dark on white
    const note = rider.wins ? "wins" : acts ? (frame.phase === "discard" ? "discards" : "to play") : "";
    const backs = make("span", "backs", "\u25ae".repeat(rider.cards));
    backs.setAttribute("aria-hidden", "true");
    const cards = make("span", "held", backs, ` ${rider.cards}`, make("span", "unseen", " cards"));
    const name = make("span", "called", make("strong", "", rider.name), note ? make("small", "", note) : "");
    node.append(make("span", "seat", `${seat}`), name, score, make("p", "", "on", chip, cards));
    return node;
  });
  byId("riders").replaceChildren(...nodes);
}

function showLog(count) {
  const nodes = position.log.slice(0, count).map((line, number) => {
    const text = make("span", line.seat === position.seat ? "own" : "", line.text);
    const node = make("li", "", make("span", "", `${number + 1}`), text);
    const points = line.points.map(([name, gain]) => `${name} ${signed(gain)}`);
    const drew = line.drawn.length ? [`drew ${line.drawn.join(", ")}`] : [];
    if (points.length + drew.length) node.append(make("small", "", [...points, ...drew].join("; ")));
    return node;
  });
  byId("log").replaceChildren(...nodes);
  byId("log").scrollTop = byId("log").scrollHeight;
}

function lastWords(frame) {
  if (!frame.move) return "";
  const { text, points } = position.log[frame.move - 1];
  return `${text}${points.length ? ` (${points.map(([name, gain]) => `${name} ${signed(gain)}`).join(", ")})` : ""}`;
}

function standing(frame) {
  if (frame.phase === "over") {
    const winners = frame.riders.filter((rider) => rider.wins).map((rider) => rider.name);
    const won = winners.length > 1 ? `${winners.join(" and ")} share the victory` : winners[0] === "you" ? "You win" : `${winners[0]} wins`;
    return `${won}, ${frame.riders.map((rider) => `${rider.name} ${rider.score}`).join(", ")}.`;
  }
  if (frame.turn !== position.seat) return `${frame.riders[frame.turn].name} is to play ...`;
  return frame.phase === "discard" ? "Your turn: discard cards of summit dragons, or be done." : "Your turn: play a card.";
}

// What happened since one's own last move.
function lately(frame) {
  const lines = position.log.slice(0, frame.move);
  const from = lines.findLastIndex((line) => line.seat === position.seat) + 1;
  return lines.slice(from).map((line, number) => lastWords({ move: from + number + 1 }));
}

function announce(text) {
  byId("told").textContent = text;
}

function show(frame) {
  drawDragons(frame);
  shown = frame;
  showRiders(frame);
  showLog(frame.move);
  byId("lately").replaceChildren(...lately(frame).map((text) => make("li", "", text)));
  byId("status").textContent = standing(frame);
  const left = position.summit_dragons - frame.summit;
  const ahead = left ? `${left} more to the summit` : "over";
  byId("name").textContent = `game ${position.game}, ${position.edition} edition, deck ${frame.deck}, ${ahead}`;
}

// ---------------------------------------------------------------- the hand

function cardButton(card, number) {
  const options = busy ? [] : optionsFor(card);
  const face = make("span", "face", make("kbd", "", `${number + 1}`), make("b", "", `${valueOf(card)}`), make("i", "", colourOf(card).code));
  paint(face, colourOf(card));
  const best = advice && options.find((move) => move.action === advice.best);
  const mark = best ? make("span", "mark", best.kind === "keep" ? "\u2605 best: keep" : "\u2605 best") : "";
  const effect = options.length > 1 ? "take or keep?" : options.map((move) => (move.kind === "discard" ? "discard" : move.effect)).join("");
  const node = make("button", `card${best ? " best" : ""}`, face, make("span", "word", cardText(card)), mark, make("span", "effect", effect));
  node.disabled = !options.length;
  node.dataset.card = card;
  node.setAttribute("aria-label", `${cardText(card)}${effect ? `: ${effect}` : ""}${best ? ", the hint" : ""}`);
  node.addEventListener("click", () => choose(card, node));
  node.addEventListener("mouseenter", () => point(options[0]));
  node.addEventListener("focus", () => { if (node.matches(":focus-visible")) point(options[0]); });
  for (const event of ["mouseleave", "blur"]) node.addEventListener(event, () => point(null));
  return node;
}

function doneButton(move) {
  const node = make("button", "card done", make("span", "", "Done discarding ", make("kbd", "", "d")));
  node.id = "done";
  node.addEventListener("click", () => send("/moves", { action: move.action }));
  return node;
}

function showHand() {
  const held = byId("cards").contains(document.activeElement) || byId("question").contains(document.activeElement);
  const nodes = own().hand.map(cardButton);
  const done = busy ? null : position.legal.find((move) => move.kind === "done");
  if (done) nodes.push(doneButton(done));
  closeQuestion();
  point(null);
  outline();
  byId("cards").replaceChildren(...nodes);
  if (held || byId("cards").dataset.held) {
    const first = nodes.find((node) => !node.disabled);
    if (first) first.focus(); // who plays with the keyboard stays in the hand
    byId("cards").dataset.held = first ? "" : "yes";
  }
}

function choose(card, node) {
  const options = optionsFor(card);
  if (busy || !options.length) return;
  if (options.length === 1) return send("/moves", { action: options[0].action });
  askWhich(options, node);
}

// Clause 5.3: a dragon in last place that nobody rides may be taken or left.
function askWhich(options, node) {
  const [mine, other] = [colourOf(own().top).name, colourOf(options[0].card).name];
  byId("asked").textContent = `${other} was in last place and nobody rides it: take it, or keep ${mine}?`;
  const words = { play: [`Take ${other}`, "t"], keep: [`Keep ${mine}`, "k"] };
  const buttons = options.map((move) => {
    const [text, key] = words[move.kind];
    const button = make("button", "", `${text} `, make("kbd", "", key), make("small", "", move.effect));
    button.dataset.key = key;
    button.addEventListener("click", () => send("/moves", { action: move.action }));
    for (const event of ["mouseenter", "focus"]) button.addEventListener(event, () => point(move));
    return button;
  });
  const back = make("button", "", "Another card ", make("kbd", "", "Esc"));
  back.addEventListener("click", () => { closeQuestion(); node.focus(); });
  closeQuestion();
  node.classList.add("chosen");
  byId("answers").replaceChildren(...buttons, back);
  byId("question").hidden = false;
  buttons[0].focus();
}

function closeQuestion() {
  byId("question").hidden = true;
  byId("answers").replaceChildren();
  for (const node of document.querySelectorAll(".chosen")) node.classList.remove("chosen");
}

// ---------------------------------------------------------------- hints

function showAdvice() {
  byId("advice").hidden = !advice;
  if (!advice) return;
  const percent = (chance) => (chance === null ? "" : `${(100 * chance).toFixed(chance > 0.1 && chance < 0.995 ? 0 : 1)}%`);
  const [best] = advice.moves;
  byId("chance").textContent = best.chance === null ? "This is your only move." : `Estimated chance to win after each move; ${percent(best.chance)} after the best.`;
  byId("moves").replaceChildren(...advice.moves.map((move) => {
    const fill = make("i", "");
    fill.style.width = `${100 * (move.chance ?? 0)}%`;
    const bar = make("span", "bar", fill);
    bar.setAttribute("aria-hidden", "true");
    const text = move.text.replace("play ", "");
    return make("li", move === best ? "best" : "", make("span", "", move === best ? `\u2605 ${text}` : text), bar, make("span", "", percent(move.chance)));
  }));
  announce(`Hint: ${best.text}. ${byId("chance").textContent}`);
}

async function hint() {
  if (busy || position.over) return;
  await ask(async () => {
    const [status, answer] = await call(`${api}/hint?version=${position.version}`);
    if (status !== 200) return refuse(status, answer);
    advice = answer;
    await settle();
  });
}

// ---------------------------------------------------------------- talking to the server

async function ask(wish) {
  setBusy(true);
  say("");
  try {
    await wish();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // fetch throws one if nobody answers
    say("The server does not answer. Is it still running?");
    await settle();
  }
}

function send(path, wish) {
  if (busy) return undefined;
  return ask(async () => {
    const [status, answer] = await call(api + path, { version: position.version, ...wish });
    if (status === 200) await play(answer);
    else await refuse(status, answer);
  });
}

async function refuse(status, answer) {
  if (status === 409) {
    await play(answer.position);
    say("The game had gone on in another window. This is how it stands now.");
  } else {
    say(answer.error);
    await settle();
  }
}

// The frames one by one, then the decision.
async function play(told) {
  position = told;
  advice = null;
  showAdvice();
  for (const frame of told.frames) {
    const pace = Number(byId("pace").value);
    show(frame);
    showHand();
    announce(lastWords(frame));
    if (frame !== told.frames.at(-1) && pace) {
      await sleep(pace);
    }
  }
  await settle();
}

async function settle() {
  const over = position.over;
  byId("study").hidden = !position.study;
  byId("record").hidden = byId("replay").hidden = !over;
  setBusy(false);
  showHand();
  showAdvice();
  byId("status").textContent = standing(shown);
  if (!advice) announce([lastWords(shown), standing(shown)].filter(Boolean).join(". "));
}

async function newGame() {
  if (busy) return;
  if (!position.over && !confirm("Leave this game? It is kept at this address.")) return;
  await ask(async () => {
    const [status, answer] = await call("/api/games", {});
    if (status === 201) location.assign(`/games/${answer.game}`);
    else await refuse(status, answer);
  });
}

// ---------------------------------------------------------------- keys

function step(by) {
  const nodes = [...document.querySelectorAll("#cards button:enabled, #answers button")];
  const at = nodes.indexOf(document.activeElement);
  if (nodes.length) nodes.at(at < 0 ? 0 : (at + by) % nodes.length).focus();
}

const keys = {
  ArrowLeft: () => step(-1),
  ArrowRight: () => step(1),
  Escape: () => document.querySelector("#answers button:last-child")?.click(),
  h: hint,
  u: () => byId("undo").click(),
  t: () => document.querySelector("[data-key=t]")?.click(),
  k: () => document.querySelector("[data-key=k]")?.click(),
  d: () => byId("done")?.click(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "SELECT") return;
  const card = /^[1-9]$/.test(event.key) && byId("cards").querySelectorAll("[data-card]")[event.key - 1];
  if (!card && !(event.key in keys)) return;
  event.preventDefault();
  if (!card) keys[event.key]();
  else if (!card.disabled) { card.focus(); card.click(); }
});

byId("hint").addEventListener("click", hint);
byId("undo").addEventListener("click", () => send("/undo", {}));
byId("new").addEventListener("click", newGame);
byId("pace").addEventListener("change", () => localStorage.setItem("pace", byId("pace").value));

async function start() {
  byId("pace").value = localStorage.getItem("pace") ?? "800";
  for (const id of ["view", "record", "replay"]) byId(id).href = `${api}/${id}`;
  await ask(async () => {
    const board = await fetch(`${api}/board.svg`);
    const drawn = new DOMParser().parseFromString(await board.text(), "image/svg+xml");
    byId("board").replaceChildren(document.importNode(drawn.documentElement, true));
    let [status, answer] = await call(api);
    if (answer.version === 0) [status, answer] = await call(`${api}?since=0`); // who began, began before the page was there
    if (status === 200) await play(answer);
    else say(answer.error);
  });
}

start();
