import { h, text, visible } from './dom.js';
import { HIDDEN, name, permit, slotKey } from './keys.js';
import { count, seconds, span, time, words } from './format.js';
import { progress, run } from './detail.js';
import { firings } from './firings.js';

export function plain(title, value, wide = false, css = null) {
  return { title, wide, css, show: (cell, item) => text(cell, value(item)) };
}

// the remaining time, as a bar and in words
function bar(title, label) {
  return {
    title,
    show(cell, item) {
      if (!cell.firstChild) {
        cell.append(h('progress', { max: 1, 'aria-label': 'Validity left' }), h('span', { class: 'left' }));
      }
      const left = (item.until - performance.now()) / 1000;
      const [progress, words] = cell.children;
      progress.value = Math.max(0, Math.min(1, left / item.full));
      progress.className = left < item.full / 3 ? 'low' : '';
      text(words, label(item, left));
    },
  };
}

function key(open) {
  return {
    title: 'Key',
    show(cell, item) {
      cell.item = item;
      if (!cell.firstChild) {
        cell.append(item.key === HIDDEN ? h('span') : h('button', { type: 'button', class: 'key', click: () => open(slotKey(cell.item), permit(cell.item), cell.item.manager) }),
          h('span', { class: 'permit' }));
      }
      text(cell.firstChild, name(item.key));
      text(cell.lastChild, permit(item));
    },
  };
}

// the class and the method, in two lines where there is no room for one; the package is in the title
function method() {
  return {
    title: 'Method',
    css: 'unbroken',
    show(cell, item) {
      if (!cell.firstChild) {
        const [type, name] = item.method.split('.').slice(-2);
        cell.title = item.method;
        cell.append(`${type}.`, h('wbr'), name);
      }
    },
  };
}

export function columns(open, pausedUntil, openFirings) {
  return {
    held: [
      key(open),
      plain('Token', lease => lease.fencingToken, true, 'token'),
      plain('Held for', lease => span(seconds(lease.heldFor))),
      bar('Validity left', (lease, left) => lease.valid ? span(Math.max(0, left)) : 'not valid'),
    ],
    waiting: [key(open), plain('Name', wait => wait.name && visible(wait.name), true), plain('Waits for', wait => span(seconds(wait.waitedFor)))],
    table: [
      key(open),
      plain('Owner', lease => visible(lease.owner ?? '–')),
      plain('Token', lease => lease.fencingToken, true, 'token'),
      plain('Acquired', lease => time(lease.acquiredAt), true),
      bar('Until the end', (lease, left) => lease.kept ? (left > 0 ? `cooling down until ${time(lease.expiresAt)}` : 'cooldown ended') : left > 0 ? span(left) : 'ended, or renewed since'),
    ],
    owners: [plain('Owner', node => visible(node.owner)), plain('Leases', node => count(node.leases))],
    jobs: [
      method(),
      plain('Key', job => (job.key ? name(job.key) : 'differs by call') + (job.permits > 0 ? `, ${job.permits} permits` : ''), true),
      plain('Last run', job => job.lastRun && run(job.lastRun)),
      plain('Begun', job => time(job.lastRun?.begunAt), true),
      plain('By', job => job.lastRun?.owner && visible(job.lastRun.owner), true),
      firings(openFirings),
      lastRuns(),
      plain('Progress', job => job.progress && progress(job.progress), true),
      nextRun(pausedUntil),
      plain('Without lease', job => skipped(job)),
    ],
    leaders: [
      method(),
      key(open),
      plain('State', state),
      plain('Leader', election => election.leader?.owner && visible(election.leader.owner)),
      plain('Since', election => time(election.leader?.since), true),
      plain('Token', election => election.leader?.fencingToken, true, 'token'),
    ],
  };
}

// the calls without a lease, with the reasons that are not a lease held elsewhere
function skipped(job) {
  const reasons = [[job.skippedPaused, 'paused'], [job.skippedStoreFailures, 'skipped for the table'], [job.failedStoreFailures, 'failed for the table']];
  const named = reasons.filter(([number]) => number > 0).map(([number, reason]) => `${count(number)} ${reason}`);
  const all = job.skippedUnavailable + reasons.reduce((sum, [number]) => sum + (number ?? 0), 0);
  return count(all) + (named.length ? ` (${named.join(', ')})` : '');
}

// the outcomes of the last runs over all nodes, the latest last; empty unless the table keeps a history
function lastRuns() {
  return {
    title: 'Last runs',
    wide: true,
    show(cell, job) {
      const runs = [...(job.history ?? [])].reverse();
      const shown = runs.map(run => `${run.fencingToken}${run.outcome}`).join();
      if (cell.shown !== shown) {
        cell.shown = shown;
        cell.replaceChildren(...(runs.length ? [h('span', { class: 'strip', role: 'img', 'aria-label': summary(runs) }, ...runs.map(mark))] : []));
      }
    },
  };
}

function mark(past) {
  return h('i', { class: past.outcome.toLowerCase(), title: `${time(past.begunAt)}: ${run(past)}${past.error ? `, ${visible(past.error)}` : ''}, by ${visible(past.owner ?? '–')}` });
}

function summary(runs) {
  const numbers = new Map();
  runs.forEach(({ outcome }) => numbers.set(outcome, (numbers.get(outcome) ?? 0) + 1));
  return [...numbers].map(([outcome, number]) => `${number} ${words(outcome)}`).join(', ');
}

// a paused job fires, but its calls are skipped
function nextRun(pausedUntil) {
  return {
    title: 'Next run',
    css: 'unbroken',
    show(cell, job) {
      if (!cell.firstChild) {
        cell.append(h('span'), h('span', { class: 'paused' }));
      }
      const until = pausedUntil(job.key, job.manager);
      text(cell.firstChild, time(job.nextRun));
      text(cell.lastChild, until ? `Paused until ${time(until)}` : '');
    },
  };
}

function state(election) {
  if (election.stoppingFor) {
    return `${election.stuck ? 'stuck, ' : ''}stopping for ${span(seconds(election.stoppingFor))}`;
  }
  return election.leads ? 'leads' : 'candidate';
}
