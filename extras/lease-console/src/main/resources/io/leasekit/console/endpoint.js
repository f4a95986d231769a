// The endpoint 'leases'. Its address is that of the page without '/console', whatever the management path is.

const TIMEOUT_MILLIS = 10000;

// why there is no button that changes anything
export const READ_ONLY = "This page only reads, because 'management.endpoint.leases.access' is not 'unrestricted', or a limit of the application applies.";

class Failure extends Error {
  // whether the node may have done what it was asked to do
  constructor(message, unknown = false) {
    super(message);
    this.unknown = unknown;
  }
}

const REFUSALS = {
  401: 'Access is refused (401). Sign in and load the page again',
  403: 'Access is refused (403). This user lacks the permission, or has to sign in again',
  405: 'The endpoint only reads',
};

export class Endpoint {
  constructor(root) {
    this.address = root.dataset.endpoint ?? location.pathname.replace(/\/console\/?$/, '');
    this.writable = root.dataset.writable === 'true';
  }

  async node() {
    const reply = await this.#send('');
    if (reply === null) {
      throw new Failure(`There is no endpoint at ${this.address} (404). Check that the endpoint 'leases' is exposed there`);
    }
    return reply;
  }

  // null if there is no such thing
  view(name, parameters = {}) {
    const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== '' && value !== null));
    return this.#send(`/${name}?${query}`);
  }

  // endHold: ends the cooldown of a lease that was released before
  release(key, token, manager, endHold) {
    return this.#write(`?${new URLSearchParams({ key, token, manager, endHold })}`, { method: 'DELETE' });
  }

  runAgain(key, run, token, manager) {
    return this.#post('/runs', { key, run, token, manager });
  }

  pause(key, duration, reason, manager) {
    return this.#post('/pauses', { key, duration, reason, manager });
  }

  resume(key, manager) {
    return this.#write(`/pauses?${new URLSearchParams({ key, manager })}`, { method: 'DELETE' });
  }

  #post(path, body) {
    return this.#write(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  }

  // with a header that a form of another page cannot have
  async #write(path, { headers, ...request }) {
    const reply = await this.#send(path, { headers: { 'X-Requested-With': 'lease-console', ...headers, ...csrf() }, ...request });
    if (reply === null) {
      throw new Failure(`There is no endpoint at ${this.address} (404)`);
    }
    return reply;
  }

  async #send(path, { method = 'GET', headers = {}, body } = {}) {
    try {
      // with the origin, because a relative address takes over a user and password from that of the page, and the browser refuses
      // to send such a request; it sends the credentials that it knows for the origin
      const reply = await fetch(new URL(this.address + path, location.origin), {
        method,
        body,
        headers: { Accept: 'application/json', ...headers },
        cache: 'no-store',
        signal: AbortSignal.timeout(TIMEOUT_MILLIS),
      });
      return await read(reply);
    } catch (e) {
      if (e instanceof Failure) {
        throw e;
      }
      throw new Failure(e.name === 'TimeoutError'
        ? `The node has not answered within ${TIMEOUT_MILLIS / 1000} s`
        : e.name === 'SyntaxError' ? 'The reply of the node is incomplete' : 'The node does not answer', true);
    }
  }
}

async function read(reply) {
  if (reply.status === 404) {
    return null;
  }
  if (REFUSALS[reply.status]) {
    throw new Failure(REFUSALS[reply.status]);
  }
  if (!reply.ok) {
    const { error } = await reply.json().catch(() => ({}));
    const refused = reply.status === 400 ? 'The node refuses these values (400)' : `The node answers with status ${reply.status}`;
    throw new Failure(error ? `${refused}: ${error}` : refused, reply.status >= 500);
  }
  if (!(reply.headers.get('Content-Type') ?? '').includes('json')) {
    throw new Failure('The reply is not from the endpoint. Sign in and load the page again');
  }
  return await reply.json();
}

// the token of Spring Security, where it is in a cookie for scripts
function csrf() {
  const token = /(?:^|; )XSRF-TOKEN=([^;]*)/.exec(document.cookie);
  return token ? { 'X-XSRF-TOKEN': decodeURIComponent(token[1]) } : {};
}
