import { columns } from './columns.js';
import { Detail } from './detail.js';
import { h, table, text, visible } from './dom.js';
import { Endpoint, READ_ONLY } from './endpoint.js';
import { Firings } from './firings.js';
import { count, seconds, span, time } from './format.js';
import { HIDDEN, slotKey } from './keys.js';
import { Pauses } from './pauses.js';

const NODE_MILLIS = 2000;
const TABLE_MILLIS = 5000;
const MAX_AGE = 'PT30S'; // until the table was read, which needs a permission of its own
const LONGEST_PAUSE_MILLIS = 10000;
const TICK_MILLIS = matchMedia('(prefers-reduced-motion: reduce)').matches ? 2000 : 250;
const ROWS = 50;
const HALF = ['Held by this node', 'Waiting on this node'];

const root = document.getElementById('lease-console');
const endpoint = new Endpoint(root);
const detail = new Detail(endpoint);
const pauses = new Pauses(endpoint, () => !managers.hidden);
const firings = new Firings();
const state = { manager: null, held: null, page: null, offset: 0, itemsAt: -Infinity, items: new Map(), paused: false };
// those of the chosen manager, while jobs and elections are those of the node
const OF_MANAGER = ['held', 'waiting', 'table', 'owners'];
const full = new Map(); // the longest validity seen of each lease, which is the length of its bar

const tables = Object.fromEntries(Object.entries({
  held: ['Leases held by this node', 'This node holds no lease.'],
  waiting: ['Acquires that wait on this node', 'No call waits on this node.'],
  table: ['Held leases in the table', 'No lease matches.'],
  owners: ['Nodes that hold leases in the table', 'No node holds a lease.'],
  jobs: ['Annotated methods', 'This node has no annotated method.'],
  leaders: ['Elections of this node', 'This node has no method with @LeaderOnly.'],
}).map(([name, [label, empty]]) => [name, table(label, columns(open, (key, manager) => pauses.until(key, manager), job => firings.open(job))[name], empty)]));

const facts = h('dl', { class: 'facts' });
const status = h('p', { role: 'status' });
const pause = h('button', { type: 'button', 'aria-pressed': 'false', click: togglePause }, 'Pause updates');
const managers = h('select', { 'aria-label': 'Manager', hidden: true, change: () => choose(managers.value) });
const heldNote = h('p', { class: 'note' });
const tableNote = h('p', { class: 'note' });
const since = h('p', { class: 'note' }, 'Not read yet.');
const search = h('input', { type: 'search', id: 'search', autocomplete: 'off', spellcheck: 'false', maxlength: 1024, input: searchSoon });
const previous = h('button', { type: 'button', disabled: true, click: () => attempt('table', () => turn(-ROWS)) }, 'Previous');
const next = h('button', { type: 'button', disabled: true, click: () => attempt('table', () => turn(ROWS)) }, 'Next');
const place = h('span', { role: 'status' });

function section(title, ...children) {
  const id = title.toLowerCase().replaceAll(' ', '-');
  return h('section', { 'aria-labelledby': id, class: HALF.includes(title) ? null : 'whole' }, h('h2', { id }, title), children);
}

root.append(
  h('header', {}, h('h1', {}, 'Leases'), managers, pause),
  status,
  h('main', {},
    section('This node', facts, since, endpoint.writable ? null : h('p', { class: 'note' }, READ_ONLY)),
    section('Held by this node', heldNote, tables.held.element),
    section('Waiting on this node', tables.waiting.element),
    section('All held leases', tableNote,
      h('div', { class: 'search' }, h('label', { for: 'search' }, 'Search by key or owner'), search),
      tables.table.element, h('nav', { 'aria-label': 'Pages of the table' }, previous, place, next)),
    section('Jobs', h('p', { class: 'note' }, 'Firings and skipped calls are those of this node since its start. Last runs and progress are those of all nodes, as the table was last read.'), tables.jobs.element),
    pauses.element,
    section('Leaders', h('p', { class: 'note' }, 'Elections in which this node takes part, and the leader that the table shows.'), tables.leaders.element),
    section('Nodes', h('p', { class: 'note' }, 'Owners of the leases in the same reading of the table.'), tables.owners.element)),
  detail.element,
  firings.element);

// nothing of the previous manager stays, so no row, button or message is taken for one of the chosen manager
function choose(manager) {
  Object.assign(state, { manager, held: null, page: null, offset: 0 });
  OF_MANAGER.forEach(name => tables[name].clear());
  facts.replaceChildren();
  [heldNote, tableNote, place].forEach(note => text(note, ''));
  previous.disabled = next.disabled = true;
  answered.clear();
  pauses.choose(manager);
  attempt('node', readNode);
  attempt('table', readTable);
  attempt('items', readItems);
}

// an election may be of another manager than the chosen one, and the title says so then
function open(key, permit, manager = state.manager) {
  detail.open(key, [permit, manager === state.manager ? '' : manager].filter(part => part).join(', '), manager);
}

function togglePause() {
  state.paused = !state.paused;
  pause.setAttribute('aria-pressed', String(state.paused));
}

let soon;
function searchSoon() {
  clearTimeout(soon);
  soon = setTimeout(() => attempt('table', () => turn(-state.offset)), 200);
}

function turn(rows) {
  state.offset = Math.max(0, state.offset + rows);
  return readTable();
}

// adds the end of the validity on this browser's monotonic clock
function timed(lease, left) {
  const id = `${slotKey(lease)} ${lease.fencingToken}`;
  full.set(id, Math.max(full.get(id) ?? 1, left));
  if (full.size > 20000) {
    full.clear();
  }
  return { ...lease, until: performance.now() + left * 1000, full: full.get(id) ?? Math.max(1, left) };
}

async function readNode() {
  const [{ managers: nodes }, known] = await Promise.all([endpoint.node(), endpoint.view('firings')]);
  const names = Object.keys(nodes);
  if (names.join() !== [...managers.options].map(option => option.value).join()) {
    managers.replaceChildren(...names.map(name => h('option', { value: name }, name)));
  }
  managers.hidden = names.length < 2;
  state.manager = names.includes(state.manager) ? state.manager : names.includes('leaseManager') ? 'leaseManager' : names[0] ?? null;
  managers.value = state.manager;
  showNode(nodes[state.manager], known?.jobs ?? []);
}

function showNode(node, jobs) {
  if (!node) {
    text(since, 'No manager has been used on this node yet.');
    state.held = [];
    return;
  }
  state.held = node.held.slice(0, ROWS).map(lease => timed(lease, seconds(lease.remaining)));
  showFacts([
    ['Node', visible(node.owner)],
    ['Held', count(node.held.length)],
    ['Waiting', count(node.waiting.length)],
    ['Pauses', node.readsPauses ? 'read by this node' : 'ignored by this node'],
    ['Clock offset', node.clockOffset ? `${span(seconds(node.clockOffset))} ± ${span(seconds(node.clockUncertainty))}` : 'not known yet']]);
  text(since, '');
  text(heldNote, node.held.length > ROWS ? `The first ${ROWS} of ${count(node.held.length)}. Search the table for the others.` : '');
  showHeld();
  tables.waiting.update(node.waiting.slice(0, ROWS), (wait, index) => `${wait.key} ${index}`);
  tables.jobs.update(jobs.map(job => ({ ...job, ...state.items.get(job.method) })), job => job.method);
}

function showFacts(items) {
  items.forEach(([name, value], index) => {
    facts.children[index] ?? facts.append(h('div', {}, h('dt', {}, name), h('dd')));
    text(facts.children[index].lastChild, value);
  });
}

function rowId(lease, index) {
  return lease.key === HIDDEN ? `${index} ${lease.fencingToken}` : slotKey(lease);
}

function showHeld() {
  tables.held.update(state.held, rowId);
}

async function readTable() {
  if (state.manager === null) {
    return; // no manager has been used on this node yet
  }
  const asked = { search: search.value, offset: state.offset, limit: ROWS, manager: state.manager };
  const page = await endpoint.view('snapshot', asked);
  if (asked.search !== search.value || asked.offset !== state.offset || asked.manager !== state.manager || !page) {
    return; // a newer question is under way
  }
  if (page.offset >= page.matching && page.offset > 0) {
    await turn(-ROWS);
    return;
  }
  const now = Date.parse(page.now);
  page.leases = page.leases.map(lease => timed(lease, (Date.parse(lease.expiresAt) - now) / 1000 || 0));
  state.page = page;
  text(tableNote, `${count(page.total)} ${page.total === 1 ? 'lease' : 'leases'}, held or cooling down, as the table was read at ${time(page.readAt)}`
    + ` (at most every ${span(seconds(page.maxAge))} by this node).${page.complete ? '' : ' The table has more, which are not shown.'}`);
  text(place, page.matching ? `${count(page.offset + 1)} to ${count(page.offset + page.leases.length)} of ${count(page.matching)}` : '');
  previous.disabled = page.offset === 0;
  next.disabled = page.offset + page.leases.length >= page.matching;
  tables.owners.update(page.owners, node => node.owner);
  showTable();
}

// costs one read for each job, one for each election and one for the pauses, so it is as rare as a scan of the table
function itemsAreDue() {
  return state.manager !== null && performance.now() >= state.itemsAt + seconds(state.page?.maxAge ?? MAX_AGE) * 1000;
}

async function readItems() {
  state.itemsAt = performance.now();
  const { jobs } = await endpoint.view('jobs') ?? { jobs: [] };
  state.items = new Map(jobs.map(({ method, lastRun, history, progress }) => [method, { lastRun, history, progress }]));
  const { leaders } = await endpoint.view('leaders') ?? { leaders: [] };
  tables.leaders.update(leaders, election => election.method);
  await pauses.read(state.manager);
}

function showTable() {
  tables.table.update(state.page.leases, rowId);
}

// each source has its own message, so one that answers does not hide that the other fails
const failures = {};
const answered = new Set();
async function attempt(source, read) {
  try {
    await read();
    failures[source] = '';
    answered.add(source);
  } catch (e) {
    failures[source] = `${e.message}.${answered.has(source) ? ' The page shows what it read last.' : ''}`;
    Object.values(tables).forEach(shown => shown.unread());
  }
  text(status, Object.values(failures).find(message => message) ?? '');
}

// a slow node is asked less often: the pause is ten times as long as the answer took, but a node that hung is soon shown again
async function repeat(source, read, millis, isDue = () => true) {
  const begun = performance.now();
  if (!document.hidden && !state.paused && isDue()) {
    await attempt(source, read);
  }
  const pause = Math.min(LONGEST_PAUSE_MILLIS, 10 * (performance.now() - begun));
  setTimeout(() => repeat(source, read, millis, isDue), Math.max(millis, pause));
}

setInterval(() => {
  if (!document.hidden && !state.paused) {
    state.held && showHeld();
    state.page && showTable();
  }
}, TICK_MILLIS);
await repeat('node', readNode, NODE_MILLIS);
repeat('table', readTable, TABLE_MILLIS);
repeat('items', readItems, TABLE_MILLIS, itemsAreDue);
