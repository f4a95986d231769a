import { h, text, visible } from './dom.js';
import { READ_ONLY } from './endpoint.js';
import { name } from './keys.js';
import { count, span, seconds, time, words } from './format.js';

const VERBS = { release: 'Release by force', endHold: 'End the cooldown', runAgain: 'Run again' };

// The dialog for one key: the item in the table, the forced release or the end of a cooldown, and the last run to be run again.
export class Detail {
  #endpoint;
  #title = h('h2', { id: 'detail-title' });
  #facts = h('dl');
  #status = h('p', { role: 'status' });
  #act = h('button', { type: 'button', class: 'danger', click: () => this.#ask(this.#lease) });
  #yes = h('button', { type: 'button', class: 'danger', click: () => this.#do() });
  #confirm = h('div', { class: 'confirm', role: 'group', 'aria-labelledby': 'confirm-text' });
  #question = h('p', { id: 'confirm-text' });
  #subject; // the key and the manager; a new object each time the dialog opens, so late replies are told apart
  #lease;
  #asked = null; // the lease of the open question; never another one that is read meanwhile

  constructor(endpoint) {
    this.#endpoint = endpoint;
    this.#confirm.append(
      this.#question,
      this.#yes,
      h('button', { type: 'button', click: () => this.#ask(null) }, 'Cancel'));
    this.element = h('dialog', { 'aria-labelledby': 'detail-title' },
      this.#title, this.#facts, this.#status, endpoint.writable ? null : h('p', { class: 'note' }, READ_ONLY), this.#confirm,
      h('div', { class: 'actions' }, this.#act,
        h('button', { type: 'button', click: () => this.#load() }, 'Read again'),
        h('button', { type: 'button', click: () => this.element.close() }, 'Close')));
  }

  // the note is shown behind the key; it may be empty
  async open(key, note, manager) {
    this.#subject = { key, manager };
    text(this.#title, note ? `${name(key)}, ${note}` : name(key));
    text(this.#status, '');
    this.#facts.replaceChildren();
    this.#ask(null);
    this.#act.hidden = true;
    this.element.showModal();
    await this.#load();
  }

  async #load() {
    const subject = this.#subject;
    try {
      const lease = await this.#endpoint.view('lease', subject);
      if (subject === this.#subject) {
        this.#show(lease);
      }
    } catch (e) {
      this.#say(subject, e.message);
    }
  }

  // nothing if the dialog shows another key by now
  #say(subject, message) {
    if (subject === this.#subject) {
      text(this.#status, message);
    }
  }

  #show(lease) {
    this.#lease = lease;
    const facts = lease === null ? [['State', 'not in the table']] : [
      ['State', lease.kept ? `cooling down until ${time(lease.expiresAt)}` : lease.held ? 'held' : 'free'],
      [lease.held && !lease.kept ? 'Owner' : 'Last owner', visible(lease.owner ?? '–')],
      lease.application ? ['Application', visible(lease.application)] : null,
      ['Fencing token', lease.fencingToken],
      ['Acquired', time(lease.acquiredAt)],
      lease.expiresAt ? ['Expires', time(lease.expiresAt)] : null,
      lease.releasedAt ? ['Released', time(lease.releasedAt)] : null,
      lease.lastRun ? ['Last run', run(lease.lastRun)] : null,
      lease.progress ? ['Progress', progress(lease.progress)] : null];
    this.#facts.replaceChildren(...facts.filter(fact => fact).flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, String(value))]));
    const verb = this.#verb(lease);
    this.#act.hidden = verb === null;
    text(this.#act, `${VERBS[verb]} …`);
    if (this.#asked && (this.#verb(this.#asked) !== verb || this.#asked.fencingToken !== lease.fencingToken)) {
      this.#ask(null);
      text(this.#status, 'Not asked any more: the table shows another holder or none by now.');
    }
  }

  // what the endpoint may do with this lease; null: nothing
  #verb(lease) {
    if (!this.#endpoint.writable || lease === null) {
      return null;
    }
    return lease.held ? lease.kept ? 'endHold' : 'release' : last(lease) ? 'runAgain' : null;
  }

  // null withdraws the question
  #ask(lease) {
    this.#asked = lease;
    this.#confirm.hidden = lease === null;
    this.#act.disabled = lease !== null;
    if (lease) {
      text(this.#status, '');
      const verb = this.#verb(lease);
      text(this.#yes, VERBS[verb]);
      text(this.#question, {
        release: () => `Take this lease with token ${lease.fencingToken} from ${visible(lease.owner ?? 'its holder')}? `
          + 'Its renewals are refused from then on. The key is free when the lease would have expired.',
        endHold: () => 'End the cooldown? The key is free from then on.',
        runAgain: () => `Allow run ${visible(last(lease).run)} to be run again? If a job of this node has this time, it begins now.`,
      }[verb]());
      this.#confirm.querySelector('button').focus();
    } else if (this.element?.open && !this.#act.hidden) {
      this.#act.focus();
    }
  }

  async #do() {
    const subject = this.#subject;
    const asked = this.#asked;
    const verb = this.#verb(asked);
    this.#ask(null);
    try {
      this.#say(subject, verb === 'runAgain' ? await this.#runAgain(subject, asked) : await this.#release(subject, asked, verb));
      await this.#load();
    } catch (e) {
      const what = verb === 'runAgain' ? 'the run was allowed again' : 'the lease was released';
      this.#say(subject, `${e.unknown ? `It is unknown whether ${what}` : verb === 'runAgain' ? 'Not allowed' : 'Not released'}: ${e.message}.`);
    }
  }

  async #release({ key, manager }, { fencingToken }, verb) {
    const result = await this.#endpoint.release(key, fencingToken, manager, verb === 'endHold');
    return result.released ? verb === 'endHold' ? 'The cooldown has ended.' : 'Released by force.'
      : visible(result.why ?? 'Not released: the table shows another token by now') + '.';
  }

  async #runAgain({ key, manager }, lease) {
    const { run, token } = last(lease);
    const result = await this.#endpoint.runAgain(key, run, token, manager);
    return !result.allowed ? `Not allowed: ${visible(result.why)}.`
      : result.begins ? `${visible(result.begins)} begins.` : `${visible(result.warning)}.`;
  }
}

// the saved value, or its size where it is no text or hidden
export function progress(saved) {
  const value = saved.value === undefined ? `${count(saved.bytes)} bytes` : visible(saved.value);
  return [saved.run && visible(saved.run), value, saved.savedAt && `saved at ${time(saved.savedAt)}`].filter(part => part).join(', ');
}

// the last run with a name, and its token; with an order of any kind, only the history shows it
function last({ lastRun, fencingToken, history }) {
  if (lastRun?.name) {
    return { run: lastRun.name, token: fencingToken };
  }
  const past = lastRun?.toRunAgain ? null : history?.[0];
  return past?.name && past.outcome === 'SUCCEEDED' ? { run: past.name, token: past.fencingToken } : null;
}

export function run(last) {
  return [last.toRunAgain ? 'to be run again' : last.name && visible(last.name), last.outcome ? words(last.outcome) : 'running', last.duration && span(seconds(last.duration))]
    .filter(part => part).join(', ');
}
