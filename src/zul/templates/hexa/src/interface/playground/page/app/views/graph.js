/** The agent's graph, with the node that is at work lit. */

import { svg } from "../dom.js";
import { t } from "../i18n.js";
import { END, isTerminal, layOut, START } from "../graph.js";

/** Up to here a graph fits beside the conversation; a wider one is scrolled, not shrunk to dust. */
const WIDE = 390;
const SMALLEST = 0.75;

/**
 * @param {HTMLElement} place
 */
export function graphView(place) {
  /** @type {Map<string, Element>} */
  const nodes = new Map();
  /** @type {{ edge: import("../graph.js").Edge, element: Element }[]} */
  let lines = [];

  /** @param {{ nodes: string[], edges: import("../graph.js").Edge[] } | null} graph */
  const draw = (graph) => {
    nodes.clear();
    lines = [];
    if (!graph?.nodes.length) return place.replaceChildren();
    const drawing = layOut(graph);
    const label = `${t("graph")}: ${graph.edges.map(({ source, target }) => `${source} → ${target}`).join(", ")}`;
    const wide = drawing.width > WIDE;
    const width = wide ? drawing.width * SMALLEST : drawing.width;
    const picture = svg("svg", { class: wide ? "wide" : null, viewBox: `0 0 ${drawing.width} ${drawing.height}`, width, role: "img", "aria-label": label });
    // What has to be scrolled must be reachable by keyboard.
    if (wide) place.setAttribute("tabindex", "0");
    else place.removeAttribute("tabindex");
    picture.append(arrows());
    for (const { edge, path } of drawing.lines) {
      const element = svg("path", { class: edge.conditional ? "edge conditional" : "edge", d: path, "marker-end": "url(#arrow)" });
      lines.push({ edge, element });
      picture.append(element);
    }
    for (const box of drawing.boxes) {
      const element = nodeElement(box);
      nodes.set(box.name, element);
      picture.append(element);
    }
    place.replaceChildren(picture);
    return undefined;
  };

  /** @param {import("../turn.js").Turn | null} turn */
  const light = (turn) => {
    const steps = stepsOf(turn);
    const busy = new Map(turn ? [...turn.open.values()].filter(({ depth }) => !depth).map((step) => [step.node, step]) : []);
    const visits = new Set(steps.map(({ node }) => node));
    const passages = passagesOf(steps, turn);
    for (const [name, element] of nodes) {
      const waits = turn?.state === "pending" && lastStep(turn)?.node === name;
      element.setAttribute("data-state", busy.has(name) ? "active" : waits ? "waiting" : visits.has(name) ? "visited" : "idle");
    }
    for (const { edge, element } of lines) {
      const passed = passages.has(`${edge.source} ${edge.target}`);
      element.setAttribute("data-state", passed ? "visited" : "idle");
    }
  };
  return { draw, light };
}

/** @param {import("../turn.js").Turn | null} turn @returns {import("../turn.js").StepItem[]} */
function stepsOf(turn) {
  return /** @type {any[]} */ (turn ? turn.items.filter((item) => item.kind === "step" && !item.depth) : []);
}

/**
 * The edges that were taken, as far as the order of the steps tells.
 *
 * @param {import("../turn.js").StepItem[]} steps
 * @param {import("../turn.js").Turn | null} turn
 */
function passagesOf(steps, turn) {
  const nodes = steps.map(({ node }) => node);
  const places = [START, ...nodes, ...(turn?.state === "done" ? [END] : [])];
  return new Set(nodes.length ? places.slice(1).map((node, index) => `${places[index]} ${node}`) : []);
}

/** @param {import("../turn.js").Turn} turn */
function lastStep(turn) {
  return stepsOf(turn).findLast(({ state }) => state === "paused") ?? null;
}

/** @param {import("../graph.js").Box} box */
function nodeElement({ name, x, y, width, height }) {
  if (isTerminal(name)) {
    return svg("g", { class: name === START ? "terminal start" : "terminal end" }, svg("circle", { cx: x + 7, cy: y + 7, r: 6 }));
  }
  const most = Math.floor((width - 20) / 7);
  const short = [...name].length > most ? `${[...name].slice(0, most - 1).join("")}…` : name;
  return svg(
    "g",
    { class: "node" },
    svg("title", {}, name),
    svg("rect", { x, y, width, height, rx: 9 }),
    svg("text", { x: x + width / 2, y: y + height / 2, "text-anchor": "middle", "dominant-baseline": "central" }, short),
  );
}

function arrows() {
  const arrow = svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" }, svg("path", { d: "M1 1 7 4 1 7", class: "arrow" }));
  return svg("defs", {}, arrow);
}
