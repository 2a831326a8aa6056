/** Puts the page together. */

import { ApiError, getGraph, listFeatures, listTools } from "./api.js";
import { byId, h } from "./dom.js";
import { retranslate, serviceText, t } from "./i18n.js";
import { currentPlace, hashOf } from "./route.js";
import { Session } from "./session.js";
import { composerView } from "./views/composer.js";
import { connectionView } from "./views/connection.js";
import { conversationView } from "./views/conversation.js";
import { curlOf } from "./views/curl.js";
import { closeDrawers, startDrawers } from "./views/drawers.js";
import { updateFacts } from "./views/facts.js";
import { focusAfter } from "./views/focus.js";
import { graphView } from "./views/graph.js";
import { startHelp } from "./views/help.js";
import { updateSidebar } from "./views/sidebar.js";
import { startSwitches } from "./views/switches.js";
import { sentence } from "./visible.js";

/** @type {{ name: string, description: string, examples: string[] }[]} */
let features = [];
/** @type {any[]} */
let tools = [];

const session = new Session();
const feature = () => features.find(({ name }) => name === session.feature);
const context = {
  feature,
  tools: () => tools,
  use: (/** @type {string} */ example) => composer.use(example),
  curl: (/** @type {import("./turn.js").Turn} */ turn) => curlOf(/** @type {any} */ (feature()), turn, session.thread),
};
const composer = composerView(session, () => conversation.stick());
const conversation = conversationView(session, context);
const connection = connectionView(session);
const graph = graphView(byId("graph"));

let frame = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** Draw once a frame, however many tokens came. A tab that nobody sees gets no frames, but a title. */
function plan() {
  if (timer !== undefined) return;
  frame = requestAnimationFrame(draw);
  timer = setTimeout(draw, 300);
}

function draw() {
  cancelAnimationFrame(frame);
  clearTimeout(timer);
  timer = undefined;
  conversation.update();
  composer.update();
  connection.update();
  graph.light(session.last);
  updateFacts(byId("facts"), session, context);
  focusAfter(session, composer);
  byId("main").setAttribute("aria-busy", String(session.loading));
  const mark = session.waiting ? "● " : "";
  document.title = `${mark}${session.feature || "Playground"} · Playground`;
}

let visits = 0;

async function go() {
  visits += 1;
  const visit = visits;
  const { feature: wanted, thread } = currentPlace();
  const shown = features.find(({ name }) => name === wanted) ?? features[0];
  if (!shown) return;
  const { name } = shown;
  if (name !== wanted) history.replaceState(null, "", hashOf(name));
  closeDrawers();
  session.leave();
  if (name !== session.feature && !(await show(shown, () => visit === visits))) return;
  const opened = session.open(name, name === wanted ? thread : "");
  updateSidebar(session, features);
  await opened;
}

/**
 * Show another feature, unless somebody has gone on by the time it is here.
 *
 * @param {{ name: string, description: string }} shown
 * @param {() => boolean} isWanted
 */
async function show({ name, description: text }, isWanted) {
  session.loading = true;
  const [toolsOf, graphOf] = await Promise.all([listTools(name).catch(() => []), getGraph(name).catch(() => null)]);
  if (!isWanted()) return false;
  session.feature = name;
  tools = toolsOf;
  byId("feature-name").textContent = name;
  byId("feature-description").replaceChildren(...sentence(serviceText(text)));
  graph.draw(graphOf);
  return true;
}

async function start() {
  startSwitches();
  startDrawers();
  startHelp({
    newConversation: () => { location.hash = hashOf(session.feature); composer.focus(); },
    focusReview: () => /** @type {HTMLElement | null} */ (document.querySelector("#review-title"))?.focus(),
  });
  retranslate();
  listen();
  try {
    features = await listFeatures();
    await go();
  } catch (error) {
    const detail = error instanceof ApiError ? serviceText(error.detail) : String(error);
    byId("turns").replaceChildren(h("section", { class: "notice failed" }, h("h2", { t: "failure.start" }), h("p", {}, detail)));
  }
}

function listen() {
  session.addEventListener("change", plan);
  session.addEventListener("say", (event) => {
    const { key, params } = /** @type {CustomEvent} */ (event).detail;
    byId("status").textContent = t(key, params);
  });
  document.addEventListener("threads", () => updateSidebar(session, features));
  window.addEventListener("storage", () => updateSidebar(session, features));
  document.addEventListener("languagechange", () => {
    const shown = feature();
    if (shown) byId("feature-description").replaceChildren(...sentence(serviceText(shown.description)));
    updateSidebar(session, features);
    plan();
  });
  window.addEventListener("hashchange", () => void go());
  document.addEventListener("visibilitychange", () => { if (!document.hidden) void session.check(); });
  byId("skip").addEventListener("click", () => byId("conversation").focus());
  byId("new-conversation").addEventListener("click", () => composer.focus());
}

void start();
