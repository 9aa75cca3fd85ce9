"use strict";
const byId = (id) => document.getElementById(id);
let lists = []; // what can be chosen, as the server told it
const kept = JSON.parse(localStorage.getItem("table") ?? "null"); // what was chosen last

function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

function option(value, text) {
  const node = make("option", "", text);
  node.value = value;
  return node;
}

function fill(select, options, wanted) {
  select.replaceChildren(...options);
  if (options.some((one) => one.value === `${wanted}`)) select.value = wanted;
}

const chosen = () => lists.find(({ name }) => name === document.querySelector("[name=game]:checked")?.value);
const watching = () => byId("seat").value === "watch";

function labelled(text, select) {
  return make("label", "field", text, " ", select);
}

// What depends on the game, then on how many play, then on the own seat.
function showGame() {
  const game = chosen();
  const [least, most] = game.players;
  const numbers = Array.from({ length: most - least + 1 }, (_, k) => least + k);
  const before = kept?.game === game.name ? kept : null;
  fill(byId("players"), numbers.map((n) => option(n, `${n} ${game.seat_name}s`)), before?.players ?? least);
  byId("options").replaceChildren(...game.options.map(({ word, label, values }) => {
    const select = make("select", "");
    select.dataset.word = word;
    fill(select, values.map((text, k) => option(k, text)), before?.options[word] ?? 0);
    return labelled(label, select);
  }));
  showPlayers(before?.seat);
}

function showPlayers(wanted) {
  const game = chosen();
  const players = Number(byId("players").value);
  const seats = Array.from({ length: players }, (_, k) => option(k, `play as ${game.seat_name} ${k}`));
  fill(byId("seat"), [...seats, option("watch", "watch the agents")], wanted === null ? "watch" : wanted ?? byId("seat").value);
  showAgents();
}

function showAgents() {
  const game = chosen();
  const players = Number(byId("players").value);
  const first = watching() ? 0 : Number(byId("seat").value) + 1;
  const before = [...byId("agents").querySelectorAll("select")].map((select) => select.value);
  const wanted = before.length ? before : (kept?.game === game.name && kept.agents) || [];
  const count = players - (watching() ? 0 : 1);
  byId("agents").replaceChildren(...Array.from({ length: count }, (_, k) => {
    const select = make("select", "");
    fill(select, game.agents.map((name) => option(name, name)), wanted[k] ?? wanted.at(-1) ?? game.default);
    if (!game.agents.includes(wanted[k] ?? wanted.at(-1))) select.value = game.default;
    return labelled(`${game.seat_name} ${(first + k) % players}`, select);
  }));
}

function table() {
  const options = Object.fromEntries([...byId("options").querySelectorAll("select")].map((select) => [select.dataset.word, Number(select.value)]));
  const agents = [...byId("agents").querySelectorAll("select")].map((select) => select.value);
  return { game: chosen().name, agents, seat: watching() ? null : Number(byId("seat").value), options };
}

function say(text) {
  byId("message").textContent = text;
  byId("message").hidden = !text;
}

async function begin(event) {
  event.preventDefault();
  const wish = table();
  localStorage.setItem("table", JSON.stringify({ ...wish, players: Number(byId("players").value) }));
  byId("start").disabled = true;
  say("One moment: the table is laid. The first game of its kind may take half a minute.");
  try {
    const request = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(wish) };
    const response = await fetch("/api/games", request);
    const answer = await response.json();
    if (response.status === 201) location.assign(`/games/${answer.game}`);
    else say(answer.error);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // fetch throws one if nobody answers
    say("The server does not answer. Is it still running?");
  }
  byId("start").disabled = false;
}

async function start() {
  const response = await fetch("/api/lobby");
  const told = await response.json();
  lists = told.games;
  byId("newest").hidden = !told.newest;
  for (const { name, title, goal } of lists) {
    const radio = make("input", "");
    Object.assign(radio, { type: "radio", name: "game", value: name });
    radio.addEventListener("change", () => { byId("agents").replaceChildren(); showGame(); });
    byId("games").append(make("label", "game", radio, make("strong", "", title), make("small", "", goal)));
  }
  const wanted = lists.find(({ name }) => name === kept?.game) ?? lists[0];
  document.querySelector(`[name=game][value="${CSS.escape(wanted.name)}"]`).checked = true;
  showGame();
  byId("players").addEventListener("change", () => showPlayers());
  byId("seat").addEventListener("change", showAgents);
  byId("form").addEventListener("submit", begin);
  byId("start").disabled = false;
  byId("form").setAttribute("aria-busy", "false");
}

start();
