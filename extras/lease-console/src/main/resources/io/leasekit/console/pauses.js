import { h, table, text, visible } from './dom.js';
import { time } from './format.js';
import { HIDDEN, baseKey, name } from './keys.js';
import { plain } from './columns.js';

const DURATIONS = { PT15M: '15 min', PT1H: '1 h', PT4H: '4 h', PT24H: '1 day', PT168H: '7 days' };
const LONGEST_REASON = 256;
const NOTE = 'No lease of a paused key is granted, and leases that are held go on. A node takes up to 5 s to notice. A node that does not read pauses ignores them, and says so on its own page.';

// The pauses of keys and prefixes: who paused what until when and why, and where the endpoint may be written to, the form for
// a new one. If the manager takes no part in pauses, the section says so.
export class Pauses {
  #endpoint;
  #several;
  #pauses = [];
  #manager = null;
  #note = h('p', { class: 'note' }, NOTE);
  #table;
  #status = h('p', { role: 'status' });
  #key = h('input', { id: 'pause-key', required: true, maxlength: 2048, autocomplete: 'off', spellcheck: 'false', 'aria-describedby': 'pause-hint' });
  #duration = h('select', { id: 'pause-duration' }, Object.entries(DURATIONS).map(([value, name]) => h('option', { value, selected: value === 'PT1H' }, name)));
  #reason = h('input', { id: 'pause-reason', required: true, maxlength: LONGEST_REASON, autocomplete: 'off' });
  #form;
  #question = h('p', { id: 'pause-question' });
  #yes = h('button', { type: 'button', class: 'danger', click: () => this.#answer(true) });
  #confirm = h('div', { class: 'confirm', role: 'group', 'aria-labelledby': 'pause-question', hidden: true },
    this.#question, this.#yes, h('button', { type: 'button', click: () => this.#answer(false) }, 'Cancel'));
  #asked = null;

  // several() tells whether there are several managers, so that a question has to name its own
  constructor(endpoint, several) {
    this.#endpoint = endpoint;
    this.#several = several;
    this.#table = table('Paused keys', this.#columns(), 'No key is paused.');
    this.#form = h('form', { class: 'pause', 'aria-label': 'Pause a key', submit: event => this.#askPause(event) },
      h('label', {}, 'Key or prefix', this.#key),
      h('label', {}, 'For', this.#duration),
      h('label', {}, 'Reason', this.#reason),
      h('button', {}, 'Pause …'),
      h('p', { class: 'note', id: 'pause-hint' }, 'A key that ends with * stands for all keys that begin with the text before it.'));
    this.#form.hidden = !endpoint.writable;
    this.element = h('section', { class: 'whole', 'aria-labelledby': 'pauses', hidden: true },
      h('h2', { id: 'pauses', tabindex: -1 }, 'Pauses'), this.#note, this.#table.element, this.#form, this.#confirm, this.#status);
  }

  #columns() {
    const resume = {
      title: 'Action',
      show: (cell, pause) => {
        cell.pause = pause;
        if (!cell.firstChild) {
          cell.append(h('button', { type: 'button', click: () => this.#askResume(cell) }, 'Resume …'));
        }
        cell.firstChild.setAttribute('aria-label', `Resume … ${visible(pause.key)}`);
        cell.firstChild.hidden = pause.key === HIDDEN;
      },
    };
    return [
      plain('Key or prefix', pause => name(pause.key)),
      plain('Until', pause => time(pause.until), false, 'unbroken'),
      plain('By', pause => visible(pause.by), true),
      plain('Reason', pause => visible(pause.reason)),
      ...this.#endpoint.writable ? [resume] : []];
  }

  // hides those of the previous manager, and a question about one, until those of this manager are read
  choose(manager) {
    this.#manager = manager;
    this.#pauses = [];
    this.#confirm.hidden = true;
    this.element.hidden = true;
    text(this.#status, '');
  }

  async read(manager) {
    if (manager !== this.#manager) {
      this.choose(manager);
    }
    const view = await this.#endpoint.view('pauses', { manager });
    if (manager !== this.#manager) {
      return; // another manager was chosen meanwhile
    }
    this.#pauses = view?.pauses ?? [];
    this.element.hidden = !view;
    text(this.#note, view?.enabled === false ? `${view.warning}. No pause stops a job of this node.` : NOTE);
    this.#note.classList.toggle('paused', view?.enabled === false);
    this.#form.hidden = !(this.#endpoint.writable && view?.enabled);
    this.#table.element.hidden = view?.enabled === false;
    this.#table.update(this.#pauses, (pause, index) => pause.key === HIDDEN ? index : pause.key);
  }

  // the last end of the pauses of this key, as an instant; null if it is not paused or of another manager than the chosen one
  until(key, manager = this.#manager) {
    if (manager !== this.#manager) {
      return null;
    }
    const ends = this.#pauses.filter(pause => covers(pause.key, baseKey(key ?? ''))).map(pause => pause.until);
    return key && key !== HIDDEN && ends.length ? ends.reduce((a, b) => Date.parse(a) > Date.parse(b) ? a : b) : null;
  }

  #askPause(event) {
    event.preventDefault();
    const [key, duration, reason] = [this.#key.value, this.#duration.value, this.#reason.value.trim()];
    this.#ask(`Pause ${this.#named(key)} for ${DURATIONS[duration]}? No node gets ${key.endsWith('*') ? 'a lease of such a key' : 'its lease'}`
      + ' until then. Work that has begun goes on.', 'Pause', this.#reason, async manager => {
      const pause = await this.#endpoint.pause(key, duration, reason, manager);
      this.#form.reset();
      const methods = (pause.methods ?? []).map(known => visible(known.split('.').slice(-2).join('.')));
      return [`Paused until ${time(pause.until)}.`, methods.length ? `Methods of this node: ${methods.join(', ')}.` : '', pause.warning ? `${visible(pause.warning)}.` : '']
        .filter(part => part).join(' ');
    });
  }

  #askResume(cell) {
    const { key } = cell.pause;
    const leases = key.endsWith('*') ? 'Leases of such keys are' : 'Its lease is';
    this.#ask(`Resume ${this.#named(key)}? ${leases} granted again within 5 s.`, 'Resume', cell.firstChild, async manager => {
      const { resumed } = await this.#endpoint.resume(key, manager);
      return resumed ? 'Resumed.' : 'There was no such pause any more.';
    });
  }

  #named(key) {
    return this.#several() ? `${visible(key)} of ${visible(this.#manager)}` : visible(key);
  }

  #ask(question, verb, origin, act) {
    this.#asked = { verb, origin, act };
    text(this.#question, question);
    text(this.#yes, verb);
    text(this.#status, '');
    this.#confirm.hidden = false;
    this.#yes.focus();
  }

  async #answer(yes) {
    const { verb, origin, act } = this.#asked;
    const manager = this.#manager; // the question is withdrawn when another one is chosen
    this.#confirm.hidden = true;
    origin.focus();
    if (!yes) {
      return;
    }
    try {
      this.#say(manager, await act(manager));
      await this.read(this.#manager).catch(() => {}); // the next reading says why
    } catch (e) {
      this.#say(manager, `${e.unknown ? 'It is unknown whether this was done' : `Not ${verb.toLowerCase()}d`}: ${e.message}.`);
    }
    if (!origin.isConnected) {
      this.element.querySelector('h2').focus();
    }
  }

  #say(manager, outcome) {
    text(this.#status, manager === this.#manager ? outcome : `${manager}: ${outcome}`);
  }
}

function covers(keyOrPrefix, key) {
  return keyOrPrefix.endsWith('*') ? key.startsWith(keyOrPrefix.slice(0, -1)) : key === keyOrPrefix;
}
