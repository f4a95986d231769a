// Builds elements from text, never from markup: the page shows what a key contains and does not interpret it.

// control characters, and characters that are invisible or change the direction of the text
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

export function visible(text) {
  return String(text).replace(UNSEEN, char => '\\u' + char.codePointAt(0).toString(16).padStart(4, '0'));
}

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name, value);
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? '' : value);
    }
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined));
  return element;
}

// writes only what changes, so that a screen reader and a selection of the user stay undisturbed
export function text(element, value) {
  const shown = value === null || value === undefined ? '–' : String(value);
  if (element.textContent !== shown) {
    element.textContent = shown;
  }
}

function classes(column) {
  return [column.wide && 'wide', column.css].filter(name => name).join(' ') || null;
}

const READING = 'Reading …';

// A table whose rows stay the same elements while their key is shown, so the focus stays where it is.
// A column is { title, wide, css, show(cell, item) }; a wide one is left out on a phone.
export function table(label, columns, empty) {
  const body = h('tbody');
  const rows = new Map();
  const head = h('tr', {}, columns.map(column => h('th', { scope: 'col', class: classes(column) }, column.title)));
  const grid = h('table', { 'aria-label': label }, h('thead', {}, head), body);
  const none = h('p', { class: 'note' }, READING);
  const element = h('div', {}, grid, none);

  function row(key) {
    if (!rows.has(key)) {
      const cells = columns.map(column => h('td', { class: classes(column) }));
      rows.set(key, { element: h('tr', {}, cells), cells });
    }
    return rows.get(key);
  }

  function update(items, keyOf) {
    const kept = new Set();
    items.forEach((item, index) => {
      const key = keyOf(item, index);
      kept.add(key);
      const shown = row(key);
      columns.forEach((column, i) => column.show(shown.cells[i], item));
      if (body.children[index] !== shown.element) {
        body.insertBefore(shown.element, body.children[index] ?? null);
      }
    });
    for (const [key, shown] of rows) {
      if (!kept.has(key)) {
        shown.element.remove();
        rows.delete(key);
      }
    }
    grid.hidden = items.length === 0;
    none.hidden = items.length > 0;
    text(none, empty);
  }

  // instead of 'Reading …' for as long as nothing can be read
  function unread() {
    if (none.textContent === READING) {
      text(none, 'Not read yet.');
    }
  }

  function clear() {
    update([]);
    text(none, READING);
  }

  grid.hidden = true;
  return { element, update, unread, clear };
}
