import { h, text, visible } from './dom.js';
import { seconds, span, time, words } from './format.js';

const WHAT = {
  BEGUN: 'no answer yet',
  RUNNING: 'runs here',
  RAN: 'ran here',
  FAILED: 'failed here',
  STOPPED: 'stopped here, as it was asked to',
  ALREADY_RAN: 'done elsewhere',
  HELD: 'held elsewhere',
  WAITING: 'waits',
  PAUSED: 'paused',
  TABLE_FAILED: 'no lease, as the table failed',
  LEFT: 'left out',
  CLOSING: 'left to other nodes, as this one was closing',
};
const UNTIL = { PAUSED: 'until', ALREADY_RAN: 'at' };
const MIN_LATE = 1; // seconds; a firing is never quite on time

// The dialog with the last firings of one method on this node.
export class Firings {
  #title = h('h2', { id: 'firings-title' });
  #list = h('ol', { class: 'line', 'aria-label': 'Firings, the latest first' });

  constructor() {
    this.element = h('dialog', { 'aria-labelledby': 'firings-title' },
      this.#title,
      h('p', { class: 'note' }, 'The last 20 firings on this node since its start. Other nodes know theirs.'),
      this.#list,
      h('div', { class: 'actions' }, h('button', { type: 'button', click: () => this.element.close() }, 'Close')));
  }

  open(job) {
    text(this.#title, job.method.split('.').slice(-2).join('.'));
    this.#list.replaceChildren(...job.firings.map(firing => h('li', { class: css(firing) },
      h('time', { datetime: firing.begunAt }, time(firing.begunAt)), h('strong', {}, what(firing)), h('span', {}, more(firing)))));
    this.element.showModal();
  }
}

// a column with a mark for each firing, the latest last; a click opens the dialog
export function firings(open) {
  return {
    title: 'Firings here',
    show(cell, job) {
      const all = [...(job.firings ?? [])].reverse();
      cell.job = job;
      const shown = all.map(firing => firing.begunAt + firing.outcome).join();
      if (cell.shown !== shown) {
        cell.shown = shown;
        const button = cell.firstChild ?? h('button', { type: 'button', class: 'strip', click: () => open(cell.job) });
        button.setAttribute('aria-label', `Firings: ${summary(all)}`);
        button.replaceChildren(...all.map(firing => h('i', { class: css(firing), title: `${time(firing.begunAt)}: ${what(firing)}` })));
        cell.replaceChildren(...(all.length ? [button] : []));
      }
    },
  };
}

function css(firing) {
  return words(firing.outcome).replaceAll(' ', '-');
}

function summary(all) {
  const numbers = new Map();
  all.forEach(({ outcome }) => numbers.set(outcome, (numbers.get(outcome) ?? 0) + 1));
  return [...numbers].map(([outcome, number]) => `${number} ${words(outcome)}`).join(', ');
}

function what({ outcome, by, at }) {
  return [WHAT[outcome] ?? words(outcome), by && `by ${visible(by)}`, at && `${UNTIL[outcome] ?? 'since'} ${time(at)}`].filter(part => part).join(' ');
}

function more({ run, late, why }) {
  return [run && `for ${visible(run)}`, seconds(late) >= MIN_LATE && `${span(seconds(late))} late`, why && visible(why)].filter(part => part).join(', ');
}
