import { h, text } from './dom.js';
import { count, span } from './format.js';

// on-demand tables in us-east-1, in dollars, as docs/performance.md assumes
const WRITES = '0.625';
const READS = '0.125';
const READING = ['READ', 'LIST'];
const MONTH_SECONDS = 30 * 24 * 3600;
const MILLION = 1e6;

// What this node's requests would cost in a month at the rate since its start. The prices are the user's to edit.
export class Cost {
  #writes = price('write', WRITES);
  #reads = price('read', READS);
  #result = h('p', { id: 'cost-result' }, 'Not read yet.');
  #activity;
  #now;

  constructor() {
    const again = () => this.show(this.#activity, this.#now);
    [this.#writes, this.#reads].forEach(input => input.addEventListener('input', again));
    this.element = h('div', {},
      h('p', { class: 'note' }, 'A month of 30 days at the average rate of this node and manager since its start. Other nodes add theirs. Refused writes cost as much as others.'),
      h('div', { class: 'search' }, h('label', { for: 'price-write' }, 'Dollars per million write units'), this.#writes),
      h('div', { class: 'search' }, h('label', { for: 'price-read' }, 'Dollars per million read units'), this.#reads),
      this.#result);
  }

  show(activity, now) {
    this.#activity = activity;
    this.#now = now;
    text(this.#result, activity ? result(activity, (Date.parse(now) - Date.parse(activity.since)) / 1000, this.#writes.value, this.#reads.value) : 'Not read yet.');
  }
}

function price(name, value) {
  return h('input', { id: `price-${name}`, type: 'number', min: 0, step: 'any', value });
}

function result(activity, elapsed, priceOfWrites, priceOfReads) {
  const units = Object.entries(activity.capacity);
  const sum = (rows) => rows.reduce((all, [, number]) => all + number, 0);
  if (!(elapsed >= 1) || units.length === 0) {
    return 'The store has not reported any capacity units yet.';
  }
  const month = MONTH_SECONDS / elapsed;
  const writes = month * sum(units.filter(([operation]) => !READING.includes(operation)));
  const reads = month * sum(units.filter(([operation]) => READING.includes(operation)));
  const dollars = (writes * Number(priceOfWrites) + reads * Number(priceOfReads)) / MILLION;
  return `$${dollars.toFixed(2)} a month: ${count(Math.round(writes))} write units and ${count(Math.round(reads))} read units, from the last ${span(elapsed)}.`;
}
