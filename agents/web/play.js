"use strict";
const byId = (id) => document.getElementById(id);
const api = `/api${location.pathname}`; // the page of a game is /games/<name>
const SVG = "http://www.w3.org/2000/svg";
let position = null; // as the server told it last
let shown = null; // the frame that is on the screen
let advice = null; // a hint for this position
let busy = true; // while something is asked or animated
let looked = null; // the number of an earlier position that is shown instead of the present one
let running = false; // whether a game that is watched goes on by itself
let resting = null; // the button that had the focus when the asking began

// ---------------------------------------------------------------- small helpers

function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const signed = (number) => (number > 0 ? `+${number}` : `${number}`);
const partNamed = (name) => byId("board").querySelector(`[data-part="${CSS.escape(name)}"]`);

async function call(path, body) {
  const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(path, body === undefined ? {} : request);
  return [response.status, await response.json()];
}

function setBusy(value) {
  busy = value;
  if (value && document.activeElement.closest("nav")) resting = document.activeElement; // disabling it takes its focus
  byId("table").setAttribute("aria-busy", value);
  for (const id of ["hint", "undo"]) byId(id).disabled = value;
  if (!value) {
    byId("hint").disabled = position.over || watching();
    byId("undo").disabled = watching() || !position.log.some((line) => line.seat === position.seat);
    resting?.focus();
    resting = null;
  }
}

const watching = () => position.seat === null;

function say(text) {
  byId("message").textContent = text;
  byId("message").hidden = !text;
}

// ---------------------------------------------------------------- the board

// Parts keep their nodes, so that they glide; those whose data changed are the ones that moved.
function drawParts(frame) {
  const svg = byId("board").firstElementChild;
  const names = new Set(frame.parts.map((part) => part.name));
  const before = Object.fromEntries((shown?.parts ?? []).map((part) => [part.name, part]));
  for (const name of Object.keys(before)) if (!names.has(name)) partNamed(name).remove();
  let below = svg.querySelector("[data-part].part");
  for (const part of frame.parts) {
    const old = before[part.name];
    const node = old ? partNamed(part.name) : document.createElementNS(SVG, "g");
    if (node === below) below = below.nextElementSibling;
    else svg.insertBefore(node, below);
    if (old?.inner !== part.inner) node.innerHTML = part.inner;
    for (const key of Object.keys(node.dataset)) delete node.dataset[key];
    Object.assign(node.dataset, part.data, { part: part.name });
    node.classList.add("part");
    node.classList.toggle("moved", Boolean(shown) && JSON.stringify(old?.data) !== JSON.stringify(part.data));
    node.style.transform = `translate(${part.x}px, ${part.y}px) scale(${part.scale})`;
  }
  byId("board").setAttribute("aria-label", frame.words);
}

function unmark(...names) {
  for (const name of names) for (const node of byId("board").querySelectorAll(`.${name}`)) node.classList.remove(name);
}

// Where every choice would lead.
function outline() {
  unmark("reach", "open");
  if (busy) return;
  for (const { parts } of position.legal) {
    partNamed(parts[0] ?? "")?.classList.add("reach");
    for (const name of parts) partNamed(name)?.classList.add("open");
  }
}

function point(choices) {
  unmark("target", "mover");
  for (const { parts: [first, ...others] } of choices) {
    if (first) partNamed(first)?.classList.add("target");
    for (const name of others) partNamed(name)?.classList.add("mover");
  }
}

// ---------------------------------------------------------------- seats, moves, status

function chip({ text, tint }) {
  const node = make("span", tint ? "chip" : "fact", text);
  if (tint) node.style.borderLeftColor = tint; // the letters stay dark on white
  return node;
}

function showSeats(frame) {
  const nodes = frame.seats.map((seat, number) => {
    const node = make("article", `seat${seat.acts ? " acts" : ""}${seat.wins ? " wins" : ""}${number === position.seat ? " mine" : ""}`);
    const gained = seat.gained ? make("small", "", signed(seat.gained)) : "";
    const score = make("span", "score", gained, seat.points === null ? "" : `${seat.points}`);
    const name = make("span", "called", make("strong", "", seat.name));
    name.title = seat.name;
    node.append(make("span", "number", `${number}`), name, score, make("span", "note", seat.note));
    if (seat.facts.length) node.append(make("p", "", ...seat.facts.map(chip)));
    return node;
  });
  byId("seats").dataset.count = nodes.length;
  byId("seats").replaceChildren(...nodes);
}

const heard = (frame) => position.log.filter((line) => line.move <= frame.move);

function gains({ points }) {
  return points.map(([name, gain]) => `${name} ${signed(gain)}`);
}

function showLog(frame) {
  const nodes = heard(frame).map((line) => {
    const notes = [...gains(line), ...(line.news ? [line.news] : [])];
    const node = make("button", "", make("span", "", `${line.move}`), make("span", "", line.text), notes.length ? make("small", "", notes.join(", ")) : "");
    Object.assign(node, { tabIndex: -1 }); // up and down go through the moves
    node.dataset.move = line.move;
    node.addEventListener("click", () => look(line.move));
    return make("li", line.seat === position.seat ? "own" : "", node);
  });
  byId("log").replaceChildren(...nodes);
  byId("log").scrollTop = byId("log").scrollHeight;
}

function inWords(line) {
  return `${line.text}${line.points.length ? ` (${gains(line).join(", ")})` : ""}`;
}

function lastWords(frame) {
  const line = position.log.find(({ move }) => move === frame.move);
  return line ? inWords(line) : "";
}

// What happened since one's own last move.
function lately(frame) {
  const lines = heard(frame);
  return lines.slice(lines.findLastIndex((line) => line.seat === position.seat) + 1).map(inWords);
}

function announce(text) {
  byId("told").textContent = text;
}

function show(frame) {
  drawParts(frame);
  shown = frame;
  showSeats(frame);
  showLog(frame);
  byId("lately").replaceChildren(...lately(frame).map((text) => make("li", "", text)));
  byId("lately").scrollTop = byId("lately").scrollHeight;
  byId("status").textContent = frame.status;
  byId("name").textContent = [`game ${position.game}`, position.variant, frame.count].filter(Boolean).join(", ");
}

function showRules() {
  document.title = byId("title").textContent = position.title;
  byId("goal").textContent = position.goal;
  const list = make("ul", "");
  byId("rules").replaceChildren(list);
  for (const line of position.rules.split(/\n(?! )/).filter(Boolean)) {
    if (line.startsWith("- ")) list.append(make("li", "", line.slice(2)));
    else byId("rules").insertBefore(make("p", "", line), list);
  }
}

// ---------------------------------------------------------------- choices

// The cards of the hand, and the buttons for what is chosen without one.
function buttons() {
  const choices = busy ? [] : position.legal;
  const behind = (name) => choices.filter((choice) => choice.button === name);
  const cards = shown.hand.map(({ name, inner, size }) => ({ name, inner, size, options: behind(name) }));
  const held = new Set(shown.hand.map(({ name }) => name));
  const others = new Set(choices.map((choice) => choice.button).filter((name) => !held.has(name)));
  return [...cards, ...[...others].map((name) => ({ name, options: behind(name) }))];
}

function face(inner, size) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${size.join(" ")}`);
  svg.setAttribute("aria-hidden", "true");
  svg.innerHTML = inner;
  return svg;
}

// What a card brings, or each of its choices.
function effectsOf(options) {
  if (options.length < 2) return [["", options[0]?.effect || options[0]?.label || ""]];
  return options.length < 4 ? options.map((choice) => [wordsOf(choice), choice.effect]) : [["", `${options.length} choices`]];
}

const wordsOf = (choice) => choice.label || choice.text;

function button({ name, inner, size, options }, number) {
  const key = options.length === 1 && options[0].key && !inner ? options[0].key : "";
  const mark = make("kbd", "", key || `${number + 1}`);
  const front = make("span", "face", number < 9 || key ? mark : "", inner ? face(inner, size) : "");
  const best = advice && options.find((choice) => choice.action === advice.best);
  const star = best ? make("span", "mark", options.length > 1 ? `\u2605 best: ${wordsOf(best)}` : "\u2605 best") : "";
  const effects = effectsOf(options);
  const effect = effects.map((words) => words.filter(Boolean).join(": ")).join("; or ");
  const lines = effects.map(([words, brings]) => make("span", "effect", words ? make("b", "", `${words}: `) : "", brings));
  const node = make("button", `card${inner ? "" : " plain"}${best ? " best" : ""}`, front, make("span", "word", name), star, ...lines);
  node.disabled = !options.length;
  node.dataset.name = name;
  if (key) node.dataset.key = key;
  node.setAttribute("aria-label", `${name}${effect ? `: ${effect}` : ""}${best ? ", the hint" : ""}`);
  node.addEventListener("click", () => choose(options, node));
  node.addEventListener("mouseenter", () => point(options));
  node.addEventListener("focus", () => { if (node.matches(":focus-visible")) point(options); });
  for (const event of ["mouseleave", "blur"]) node.addEventListener(event, () => point([]));
  return node;
}

function showHand() {
  const held = byId("cards").contains(document.activeElement) || byId("question").contains(document.activeElement);
  const nodes = buttons().map(button);
  closeQuestion();
  point([]);
  outline();
  byId("cards").replaceChildren(...nodes);
  byId("cards").classList.toggle("plain", !shown.hand.length);
  byId("cards").classList.toggle("many", shown.hand.length > 6);
  if (held || byId("cards").dataset.held) {
    const first = nodes.find((node) => !node.disabled);
    if (first) first.focus(); // who plays with the keyboard stays here
    byId("cards").dataset.held = first ? "" : "yes";
  }
}

function choose(options, node) {
  if (busy || looked !== null || !options.length) return;
  if (options.length === 1) send("/moves", { action: options[0].action });
  else askWhich(options, node);
}

function askWhich(options, node) {
  const [{ asked, button: name }] = options;
  const oneCard = options.every((choice) => choice.button === name);
  byId("asked").textContent = (oneCard && asked) || (oneCard ? `${name}: which?` : "Which?");
  const nodes = options.map((choice) => {
    const key = oneCard && choice.key ? [" ", make("kbd", "", choice.key)] : [];
    const answer = make("button", "", oneCard ? wordsOf(choice) : choice.text, ...key, make("small", "", choice.effect));
    if (key.length) answer.dataset.key = choice.key;
    answer.addEventListener("click", () => send("/moves", { action: choice.action }));
    for (const event of ["mouseenter", "focus"]) answer.addEventListener(event, () => point([choice]));
    return answer;
  });
  const back = make("button", "back", "Something else ", make("kbd", "", "Esc"));
  back.addEventListener("click", () => { closeQuestion(); point([]); node?.focus(); });
  closeQuestion();
  node?.classList.add("chosen");
  byId("answers").replaceChildren(...nodes, back);
  byId("question").hidden = false;
  nodes[0].focus();
}

function closeQuestion() {
  byId("question").hidden = true;
  byId("answers").replaceChildren();
  for (const node of document.querySelectorAll(".chosen")) node.classList.remove("chosen");
}

// A part stands for all choices that are about it.
byId("board").addEventListener("click", (event) => {
  const name = event.target.closest("[data-part]")?.dataset.part;
  if (busy || !name) return;
  choose(position.legal.filter((choice) => choice.parts.includes(name)), null);
});

// ---------------------------------------------------------------- hints

function showAdvice() {
  byId("advice").hidden = position.over || watching();
  byId("chance").textContent = advice ? "" : "Ask for a hint to see what search would do.";
  if (!advice) return byId("moves").replaceChildren();
  const percent = (chance) => (chance === null ? "" : `${(100 * chance).toFixed(chance > 0.1 && chance < 0.995 ? 0 : 1)}%`);
  const [best] = advice.moves;
  byId("chance").textContent = best.chance === null ? "This is your only move." : `Estimated chance to win after each move; ${percent(best.chance)} after the best.`;
  byId("moves").replaceChildren(...advice.moves.map((move) => {
    const fill = make("i", "");
    fill.style.width = `${100 * (move.chance ?? 0)}%`;
    const bar = make("span", "bar", fill);
    bar.setAttribute("aria-hidden", "true");
    const choice = position.legal.find(({ action }) => action === move.action);
    const node = make("button", "", make("span", "", move === best ? `\u2605 ${move.text}` : move.text), bar, make("span", "", percent(move.chance)));
    node.title = choice.effect;
    node.addEventListener("click", () => choose([choice], null));
    for (const event of ["mouseenter", "focus"]) node.addEventListener(event, () => point([choice]));
    for (const event of ["mouseleave", "blur"]) node.addEventListener(event, () => point([]));
    return make("li", move === best ? "best" : "", node);
  }));
  announce(`Hint: ${best.text}. ${byId("chance").textContent}`);
}

async function hint() {
  if (busy || position.over || watching()) return;
  byId("chance").textContent = "Thinking ...";
  await ask(async () => {
    const [status, answer] = await call(`${api}/hint?version=${position.version}`);
    if (status !== 200) return refuse(status, answer);
    advice = answer;
    await settle();
  });
}

// ---------------------------------------------------------------- talking to the server

async function reach(wish) {
  try {
    await wish();
    return true;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // fetch throws one if nobody answers
    say("The server does not answer. Is it still running?");
    return false;
  }
}

async function ask(wish) {
  setBusy(true);
  say("");
  if (!(await reach(wish))) await settle();
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
  if (looked !== null) leaveLooking();
  advice = null;
  showRules();
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
  byId("record").hidden = byId("ended").hidden = !over;
  byId("view").hidden = byId("hint").hidden = byId("undo").hidden = watching();
  byId("watch").hidden = over || !watching();
  byId("cards").hidden = over || watching();
  document.body.classList.toggle("over", over);
  document.body.classList.toggle("watches", watching());
  setBusy(false);
  showHand();
  showAdvice();
  showEnd();
  if (!advice) announce([lastWords(shown), shown.status].filter(Boolean).join(". "));
}

async function again() {
  if (busy) return;
  await ask(async () => {
    const [status, answer] = await call("/api/games", { again: position.game });
    if (status === 201) location.assign(`/games/${answer.game}`);
    else await refuse(status, answer);
  });
}

// ---------------------------------------------------------------- games that are watched

async function goOn() {
  running = !running;
  showRunning();
  while (running && !position.over) {
    if (!busy && looked === null) await send("/advance", {});
    if (byId("message").textContent) running = false; // somebody failed
    await sleep(Number(byId("pace").value) || 30);
  }
  running = false;
  showRunning();
}

function showRunning() {
  byId("go").firstChild.textContent = running ? "Pause " : "Go on ";
  byId("one").disabled = running;
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
  Escape: () => (looked === null ? document.querySelector("#answers .back")?.click() : backToNow()),
  ArrowUp: () => lookBy(-1),
  ArrowDown: () => lookBy(1),
  h: hint,
  u: () => byId("undo").click(),
};
const watchKeys = { " ": "go", m: "one" };

// What a key stands for: an answer, a button by its letter, or one by its number.
function meant(key) {
  const lettered = /^[a-z]$/.test(key) && document.querySelector(`#answers [data-key=${key}], #cards [data-key=${key}]:enabled`);
  return lettered || (/^[1-9]$/.test(key) && byId("cards").children[key - 1]);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "SELECT") return;
  if (watching() && event.key in watchKeys) {
    event.preventDefault();
    return byId(watchKeys[event.key]).click();
  }
  const node = !(event.key in keys) && meant(event.key);
  if (!node && !(event.key in keys)) return;
  event.preventDefault();
  if (!node) keys[event.key]();
  else if (!node.disabled) { node.focus(); node.click(); }
});

byId("hint").addEventListener("click", hint);
byId("undo").addEventListener("click", () => send("/undo", {}));
byId("new").addEventListener("click", () => location.assign("/new")); // this one is kept at its address
byId("again").addEventListener("click", again);
byId("go").addEventListener("click", goOn);
byId("one").addEventListener("click", () => send("/advance", {}));
byId("pace").addEventListener("change", () => localStorage.setItem("pace", byId("pace").value));

async function start() {
  byId("pace").value = localStorage.getItem("pace") ?? "800";
  for (const id of ["view", "record", "replay"]) byId(id).href = `${api}/${id}`;
  await ask(async () => {
    const board = await fetch(`${api}/board.svg`);
    const drawn = new DOMParser().parseFromString(await board.text(), "image/svg+xml");
    byId("board").replaceChildren(document.importNode(drawn.documentElement, true));
    let [status, answer] = await call(api);
    if (answer.version === 0 && answer.seat !== null) [status, answer] = await call(`${api}?since=0`); // who began, began before the page was there
    if (status === 200) await play(answer);
    else say(answer.error);
  });
  if (position?.seat === null && !position.over) goOn();
}

start();
