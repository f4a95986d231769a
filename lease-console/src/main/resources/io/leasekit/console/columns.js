import { h, text, visible } from './dom.js';
import { count, seconds, span, time, words } from './format.js';
import { run } from './detail.js';

const HIDDEN = '******';

function plain(title, value, wide = false) {
  return { title, wide, show: (cell, item) => text(cell, value(item)) };
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
      if (item.key === HIDDEN) {
        text(cell, 'hidden');
      } else if (!cell.firstChild) {
        cell.append(h('button', { type: 'button', class: 'key', click: () => open(cell.item.key) }, visible(item.key)));
      }
    },
  };
}

// the class and the method; the package is in the title
function method() {
  return {
    title: 'Method',
    show(cell, item) {
      cell.title = item.method;
      text(cell, item.method.split('.').slice(-2).join('.'));
    },
  };
}

export function columns(open) {
  return {
    held: [
      key(open),
      plain('Token', lease => lease.fencingToken, true),
      plain('Held for', lease => span(seconds(lease.heldFor))),
      bar('Validity left', (lease, left) => lease.valid ? span(Math.max(0, left)) : 'not valid'),
    ],
    waiting: [key(open), plain('Name', wait => wait.name && visible(wait.name), true), plain('Waits for', wait => span(seconds(wait.waitedFor)))],
    table: [
      key(open),
      plain('Owner', lease => visible(lease.owner ?? '–')),
      plain('Token', lease => lease.fencingToken, true),
      plain('Acquired', lease => time(lease.acquiredAt), true),
      bar('Until the end', (lease, left) => left > 0 ? (lease.kept ? 'kept, ' : '') + span(left) : lease.kept ? 'ended' : 'ended, or renewed since'),
    ],
    owners: [plain('Owner', node => visible(node.owner)), plain('Leases', node => count(node.leases))],
    jobs: [
      method(),
      plain('Key', job => job.key === HIDDEN ? 'hidden' : job.key ? visible(job.key) : 'differs by call', true),
      plain('Last run', job => job.lastRun && run(job.lastRun)),
      plain('Begun', job => time(job.lastRun?.begunAt), true),
      plain('By', job => job.lastRun?.owner && visible(job.lastRun.owner), true),
      plain('Skipped', job => count(job.skippedUnavailable + job.skippedStoreFailures)),
    ],
    leaders: [
      method(),
      key(open),
      plain('State', state),
      plain('Leader', election => election.leader?.owner && visible(election.leader.owner)),
      plain('Since', election => time(election.leader?.since), true),
      plain('Token', election => election.leader?.fencingToken, true),
    ],
    losses: [
      plain('At', loss => time(loss.at)),
      key(open),
      plain('Reason', loss => words(loss.reason)),
      plain('Held for', loss => span(seconds(loss.heldFor)), true),
    ],
    requests: [
      plain('Request', row => words(row.operation)),
      plain('Sent', row => count(row.sent)),
      plain('Refused', row => count(row.refused), true),
      plain('Failed', row => count(row.failed)),
      plain('Capacity units', row => count(row.capacity)),
    ],
  };
}

function state(election) {
  if (election.stoppingFor) {
    return `${election.stuck ? 'stuck, ' : ''}stopping for ${span(seconds(election.stoppingFor))}`;
  }
  return election.leads ? 'leads' : 'candidate';
}

export function requests(activity) {
  return Object.entries(activity?.requests ?? {}).map(([operation, outcomes]) => {
    const sent = Object.values(outcomes).reduce((sum, number) => sum + number, 0);
    const refused = outcomes.REFUSED ?? 0;
    return { operation, sent, refused, failed: sent - refused - (outcomes.APPLIED ?? 0), capacity: activity.capacity[operation] ?? 0 };
  });
}
