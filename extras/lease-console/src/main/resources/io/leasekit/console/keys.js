import { visible } from './dom.js';

// The table has a lease for each permit, with the slot at the end of its key. A node tells key and slot apart.
const SLOT = /^([^]*)#permit=(\d+)$/;

export const HIDDEN = '******';

export function slotKey(lease) {
  return lease.permits > 0 && lease.slot !== undefined ? `${lease.key}#permit=${lease.slot}` : lease.key;
}

export function baseKey(key) {
  return SLOT.exec(key)?.[1] ?? key;
}

// the key without the slot, as text
export function name(key) {
  return key === HIDDEN ? 'hidden' : visible(baseKey(key));
}

// such as 'permit 1 of 2'; empty for an exclusive lease
export function permit(lease) {
  const slot = lease.slot ?? SLOT.exec(lease.key)?.[2];
  if (!(lease.permits > 0)) {
    return slot === undefined ? '' : `permit ${Number(slot) + 1}`;
  }
  return slot === undefined ? `one of ${lease.permits} permits` : `permit ${Number(slot) + 1} of ${lease.permits}`;
}
