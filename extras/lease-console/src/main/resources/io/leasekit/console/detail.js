import { h, text, visible } from './dom.js';
import { name } from './keys.js';
import { count, span, seconds, time, words } from './format.js';

// The dialog for one key: the item in the table, and the forced release.
export class Detail {
  #endpoint;
  #title = h('h2', { id: 'detail-title' });
  #facts = h('dl');
  #status = h('p', { role: 'status' });
  #force = h('button', { type: 'button', class: 'danger', click: () => this.#ask(this.#lease) }, 'Release by force …');
  #confirm = h('div', { class: 'confirm', role: 'group', 'aria-labelledby': 'confirm-text' });
  #question = h('p', { id: 'confirm-text' });
  #subject; // the key and the manager; a new object each time the dialog opens, so late replies are told apart
  #lease;
  #asked = null; // the lease of the open question; never another one that is read meanwhile

  constructor(endpoint) {
    this.#endpoint = endpoint;
    this.#confirm.append(
      this.#question,
      h('button', { type: 'button', class: 'danger', click: () => this.#release() }, 'Release by force'),
      h('button', { type: 'button', click: () => this.#ask(null) }, 'Cancel'));
    this.element = h('dialog', { 'aria-labelledby': 'detail-title' },
      this.#title, this.#facts, this.#status, this.#confirm,
      h('div', { class: 'actions' }, this.#force,
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
    this.#force.hidden = true;
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
    this.#force.hidden = !(this.#endpoint.writable && lease?.held && !lease.kept);
    if (this.#asked && (this.#force.hidden || this.#asked.fencingToken !== lease.fencingToken)) {
      this.#ask(null);
      text(this.#status, 'Not asked any more: the table shows another holder or none by now.');
    }
  }

  // null withdraws the question
  #ask(lease) {
    this.#asked = lease;
    this.#confirm.hidden = lease === null;
    this.#force.disabled = lease !== null;
    if (lease) {
      text(this.#status, '');
      text(this.#question, `Take this lease with token ${lease.fencingToken} from ${visible(lease.owner ?? 'its holder')}? `
        + 'Its renewals are refused from then on. The key is free when the lease would have expired.');
      this.#confirm.querySelector('button').focus();
    } else if (this.element?.open && !this.#force.hidden) {
      this.#force.focus();
    }
  }

  async #release() {
    const subject = this.#subject;
    const { fencingToken } = this.#asked;
    this.#ask(null);
    try {
      const result = await this.#endpoint.release(subject.key, fencingToken, subject.manager);
      this.#say(subject, result.released ? 'Released by force.' : 'Not released: the table shows another token by now.');
      await this.#load();
    } catch (e) {
      this.#say(subject, `${e.unknown ? 'It is unknown whether the lease was released' : 'Not released'}: ${e.message}.`);
    }
  }
}

// the saved value, or its size where it is no text or hidden
export function progress(saved) {
  const value = saved.value === undefined ? `${count(saved.bytes)} bytes` : visible(saved.value);
  return [saved.run && visible(saved.run), value, saved.savedAt && `saved at ${time(saved.savedAt)}`].filter(part => part).join(', ');
}

export function run(last) {
  return [last.name && visible(last.name), last.outcome ? words(last.outcome) : 'running', last.duration && span(seconds(last.duration))]
    .filter(part => part).join(', ');
}
