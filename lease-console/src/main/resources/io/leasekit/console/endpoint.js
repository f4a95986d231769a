// The endpoint 'leases'. Its address is that of the page without '/console', whatever the management path is.

export class Endpoint {
  constructor(root) {
    this.address = root.dataset.endpoint ?? location.pathname.replace(/\/console\/?$/, '');
    this.writable = root.dataset.writable === 'true';
  }

  node() {
    return this.#get('');
  }

  view(name, parameters = {}) {
    const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== '' && value !== null));
    return this.#get(`/${name}?${query}`);
  }

  async #get(path) {
    const reply = await fetch(this.address + path, { headers: { Accept: 'application/json' }, cache: 'no-store' });
    if (reply.status === 404) {
      return null;
    }
    return this.#json(reply);
  }

  async release(key, token, manager) {
    const query = new URLSearchParams({ key, token, manager });
    const reply = await fetch(`${this.address}?${query}`, { method: 'DELETE', headers: csrf() });
    return this.#json(reply);
  }

  async #json(reply) {
    if (reply.status === 401 || reply.status === 403) {
      throw new Error('Access is refused');
    }
    if (reply.status === 405) {
      throw new Error('The endpoint only reads');
    }
    if (!reply.ok) {
      throw new Error(`The node answers with status ${reply.status}`);
    }
    if (!(reply.headers.get('Content-Type') ?? '').includes('json')) {
      throw new Error('The reply is not from the endpoint. Sign in and load the page again');
    }
    return reply.json();
  }
}

// the token of Spring Security, where it is in a cookie for scripts
function csrf() {
  const token = /(?:^|; )XSRF-TOKEN=([^;]*)/.exec(document.cookie);
  return token ? { 'X-XSRF-TOKEN': decodeURIComponent(token[1]) } : {};
}
