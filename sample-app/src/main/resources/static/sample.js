const status = document.getElementById('sample-status');

async function act(action) {
  try {
    // the header keeps other sites out: a browser asks this node before it lets them send it
    const reply = await fetch(`/demo/${action}`, { method: 'POST', headers: { 'X-Sample': 'true' } });
    status.textContent = reply.ok ? await reply.text() : `The node answers with status ${reply.status}`;
  } catch {
    status.textContent = 'The node does not answer';
  }
}

for (const button of document.querySelectorAll('[data-action]')) {
  button.addEventListener('click', () => act(button.dataset.action));
}
