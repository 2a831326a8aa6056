/** Places the nodes of a small graph in layers, from its start to its end. */

/**
 * @typedef {{ source: string, target: string, conditional: boolean }} Edge
 * @typedef {{ name: string, x: number, y: number, width: number, height: number }} Box
 * @typedef {{ edge: Edge, path: string, back: boolean }} Line
 * @typedef {{ boxes: Box[], lines: Line[], width: number, height: number }} Drawing
 */

export const START = "__start__";
export const END = "__end__";

const ROW = 74;
const GAP = 20;
const SIDE = 46;

/**
 * @param {{ nodes: string[], edges: Edge[] }} graph
 * @returns {Drawing}
 */
export function layOut(graph) {
  const layers = layersOf(graph);
  const rows = layers.map((names) => names.map((name) => ({ name, width: widthOf(name), height: isTerminal(name) ? 14 : 34 })));
  const widths = rows.map((row) => row.reduce((sum, { width }) => sum + width + GAP, -GAP));
  const inner = Math.max(...widths, 60);
  /** @type {Map<string, Box>} */
  const boxes = new Map();
  rows.forEach((row, index) => {
    let x = SIDE + (inner - widths[index]) / 2;
    for (const { name, width, height } of row) {
      boxes.set(name, { name, x, y: 20 + index * ROW - height / 2, width, height });
      x += width + GAP;
    }
  });
  const layerOf = new Map(layers.flatMap((names, index) => names.map((name) => [name, index])));
  /** @type {Map<string, number>} how many lines pass each side already */
  const lanes = new Map();
  const lines = graph.edges
    .filter(({ source, target }) => boxes.has(source) && boxes.has(target))
    .map((edge) => lineOf(edge, boxes, layerOf, lanes, inner));
  return { boxes: [...boxes.values()], lines, width: inner + 2 * SIDE, height: 40 + (layers.length - 1) * ROW };
}

/** @param {string} name */
export function isTerminal(name) {
  return name === START || name === END;
}

/** @param {string} name */
function widthOf(name) {
  return isTerminal(name) ? 14 : Math.min(200, Math.max(96, [...name].length * 7.6 + 34));
}

/**
 * The layer of a node is the longest way to it that never goes back.
 *
 * @param {{ nodes: string[], edges: Edge[] }} graph
 * @returns {string[][]}
 */
function layersOf({ nodes, edges }) {
  /** @type {Map<string, string[]>} */
  const next = new Map(nodes.map((name) => [name, []]));
  for (const { source, target } of edges) if (source !== target && target !== END) next.get(source)?.push(target);
  /** @type {Map<string, number>} */
  const depth = new Map();
  /** @param {string} name @param {number} at @param {Set<string>} path */
  const visit = (name, at, path) => {
    if (path.has(name) || at > nodes.length || (depth.get(name) ?? -1) >= at) return;
    depth.set(name, at);
    path.add(name);
    for (const other of next.get(name) ?? []) visit(other, at + 1, path);
    path.delete(name);
  };
  visit(nodes.includes(START) ? START : nodes[0], 0, new Set());
  for (const name of nodes) if (name !== END && !depth.has(name)) depth.set(name, 1);
  const last = Math.max(...depth.values()) + 1;
  if (nodes.includes(END)) depth.set(END, last);
  /** @type {string[][]} */
  const layers = Array.from({ length: last + 1 }, () => []);
  for (const name of nodes) layers[depth.get(name) ?? last].push(name);
  return layers.filter((names) => names.length);
}

/**
 * @param {Edge} edge
 * @param {Map<string, Box>} boxes
 * @param {Map<string, number>} layerOf
 * @param {Map<string, number>} lanes
 * @param {number} inner
 * @returns {Line}
 */
function lineOf(edge, boxes, layerOf, lanes, inner) {
  const from = /** @type {Box} */ (boxes.get(edge.source));
  const to = /** @type {Box} */ (boxes.get(edge.target));
  const step = (layerOf.get(edge.target) ?? 0) - (layerOf.get(edge.source) ?? 0);
  if (from === to) return { edge, back: true, path: loop(from) };
  if (step === 1) return { edge, back: false, path: down(from, to) };
  const side = step > 0 ? 1 : -1;
  const lane = lanes.get(String(side)) ?? 0;
  lanes.set(String(side), lane + 1);
  const edgeX = side > 0 ? SIDE + inner : SIDE;
  return { edge, back: step <= 0, path: around(from, to, side, lane, edgeX + side * (12 + 11 * Math.min(lane, 2))) };
}

/** @param {Box} box */
function loop({ x, y, width, height }) {
  const right = x + width;
  return `M${right - 16} ${y} c2 -18 26 -14 17 ${height * 0.3}`;
}

/** @param {Box} from @param {Box} to */
function down(from, to) {
  const x1 = from.x + from.width / 2;
  const x2 = to.x + to.width / 2;
  const y1 = from.y + from.height;
  const y2 = to.y - 3;
  const bend = (y2 - y1) / 2;
  return `M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
}

/** @param {Box} from @param {Box} to @param {number} side @param {number} lane @param {number} x */
function around(from, to, side, lane, x) {
  const x1 = side > 0 ? from.x + from.width : from.x;
  const x2 = (side > 0 ? to.x + to.width : to.x) + side * 3;
  const y1 = from.y + from.height * (side > 0 ? 0.7 : 0.5);
  // Ways back arrive one below the other, so that their arrows can be told apart.
  const y2 = to.y + to.height * (isTerminal(to.name) ? 0.5 : side > 0 ? 0.4 : 0.35 + 0.3 * (lane % 2));
  const turn = Math.sign(y2 - y1) * Math.min(12, Math.abs(y2 - y1) / 2);
  return `M${x1} ${y1} H${x - side * 12} Q${x} ${y1} ${x} ${y1 + turn} V${y2 - turn} Q${x} ${y2} ${x - side * 12} ${y2} H${x2}`;
}
